/*
 * What a factorization has to move between the memory of its matrix and one that holds a part of
 * it, and between several that hold one part each: Yamazaki, Tomov & Dongarra, One-sided dense
 * matrix factorizations on a multicore with multiple GPU accelerators. By section 4 blocks of as
 * many columns as fit are brought in, updated by those before them, factored and sent back; panels
 * travel to the processors that factor them. By section 5, which has no formula, each panel is sent
 * to all GPUs.
 */
#include "bench.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

/* (n_B/2 + 1/3) n² + (B/12 + 11 b/4) n */
static double potrf_elements(double n, double B, double b)
{
    return (ceil(n / B) / 2 + 1.0 / 3) * n * n + (B / 12 + 11 * b / 4) * n;
}

/* (4 + (n_B − 1)/2) m n − n² + n b */
static double getrf_elements(double m, double n, double B, double b)
{
    return (4 + (ceil(n / B) - 1) / 2) * m * n - n * n + n * b;
}

/* (3 + (n_B − 1)/2) m n − n² + (n_B + 3)/2 n b */
static double geqrf_elements(double m, double n, double B, double b)
{
    double blocks = ceil(n / B);
    return (3 + (blocks - 1) / 2) * m * n - n * n + (blocks + 3) / 2 * n * b;
}

double volume_by_formula(const struct problem *p, double memory)
{
    double m = (double)p->m, n = (double)p->n, b = (double)p->nb;
    double size = (double)dtype_size(p->dtype), B = fmin(fmax(memory / (m * size), 1), n);
    const char *name = p->routine->name;
    return !strcmp(name, "potrf")   ? size * potrf_elements(n, B, b)
           : !strcmp(name, "getrf") ? size * getrf_elements(m, n, B, b)
           : !strcmp(name, "geqrf") ? size * geqrf_elements(m, n, B, b)
                                    : NAN;
}

/* (m − n/2 + b/2) n: the panels of LU and QR, from the diagonal down */
static double panel_elements(double m, double n, double b)
{
    return (m - n / 2 + b / 2) * n;
}

/* Once to each GPU but the one that has it. Of potrf it is block rows up to the diagonal, which are
 * as large; of geqrf its triangles go along, n b. */
double volume_between_gpus(const struct problem *p, int gpus, double memory)
{
    double m = (double)p->m, n = (double)p->n, b = fmin((double)p->nb, n);
    double size = (double)dtype_size(p->dtype), others = gpus - 1;
    const char *name = p->routine->name;
    bool factors = !strcmp(name, "potrf") || !strcmp(name, "getrf");
    bool reflects = !strcmp(name, "geqrf");
    if (gpus < 2 || m < n || size * m * n > memory || !(factors || reflects))
        return NAN;
    return others * size * (panel_elements(m, n, b) + (reflects ? n * b : 0));
}
