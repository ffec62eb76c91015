/*
 * What a factorization has to move between the memory of its matrix and one that holds a part of
 * it: Yamazaki, Tomov & Dongarra, One-sided dense matrix factorizations on a multicore with
 * multiple GPU accelerators, section 4. Blocks of as many columns as fit are brought in, updated by
 * those before them, factored and sent back; panels travel to the processors that factor them.
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
