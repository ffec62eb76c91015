/*
 * Communication volume of a factorization, by Yamazaki, Tomov & Dongarra, One-sided dense matrix
 * factorizations on a multicore with multiple GPU accelerators.
 *
 * Section 4 has formulas for the traffic between the memory of the matrix and a memory that holds B
 * columns of it. n_B blocks of B columns are loaded in turn, updated by the columns before them,
 * factored and stored; their panels of b columns travel to the processors that factor them. Section
 * 5 has no formula for the traffic between GPUs that hold the matrix together, but says that each
 * panel is sent to all GPUs. volume_between_gpus() follows from that.
 */
#include "bench.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

/* Returns (n_B/2 + 1/3) n² + (B/12 + 11 b/4) n. */
static double potrf_elements(double n, double B, double b)
{
    return (ceil(n / B) / 2 + 1.0 / 3) * n * n + (B / 12 + 11 * b / 4) * n;
}

/* Returns (4 + (n_B − 1)/2) m n − n² + n b. */
static double getrf_elements(double m, double n, double B, double b)
{
    return (4 + (ceil(n / B) - 1) / 2) * m * n - n * n + n * b;
}

/* Returns (3 + (n_B − 1)/2) m n − n² + (n_B + 3)/2 n b. */
static double geqrf_elements(double m, double n, double B, double b)
{
    double blocks = ceil(n / B);
    return (3 + (blocks - 1) / 2) * m * n - n * n + (blocks + 3) / 2 * n * b;
}

/* B: as many columns of the matrix as the memory holds; b: columns of a tile */
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

/* Returns (m − n/2 + b/2) n, the elements of all panels of LU and QR from the diagonal down. */
static double panel_elements(double m, double n, double b)
{
    return (m - n / 2 + b / 2) * n;
}

/* Counts each panel once for each GPU but its owner. potrf sends block rows up to the diagonal,
 * which have as many elements as panels; geqrf also sends the triangles T, which have n b. */
double volume_between_gpus(const struct problem *p, int gpus, double memory)
{
    double m = (double)p->m, n = (double)p->n, b = fmin((double)p->nb, n);
    double size = (double)dtype_size(p->dtype), receivers = gpus - 1;
    const char *name = p->routine->name;
    bool is_potrf_or_getrf = !strcmp(name, "potrf") || !strcmp(name, "getrf");
    bool is_geqrf = !strcmp(name, "geqrf");
    if (gpus < 2 || m < n || size * m * n > memory || !(is_potrf_or_getrf || is_geqrf))
        return NAN;
    return receivers * size * (panel_elements(m, n, b) + (is_geqrf ? n * b : 0));
}
