/*
 * Numerical rank of the upper triangle R of a QR factorization with column pivoting, by incremental
 * condition estimation (LAPACK xLAIC1, as in xGELSY; Bischof, "Incremental condition estimation",
 * SIAM J. Matrix Anal. Appl. 11, 1990). R is read once.
 */
#include "dtype.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* LAPACK's name in the CPU kernels' copy. Headers lack these routines. */
#if defined STARTILE_TYPE_S
#define LAIC1 LAPACK_GLOBAL(slaic1, SLAIC1)
#elif defined STARTILE_TYPE_D
#define LAIC1 LAPACK_GLOBAL(dlaic1, DLAIC1)
#elif defined STARTILE_TYPE_C
#define LAIC1 LAPACK_GLOBAL(claic1, CLAIC1)
#else
#define LAIC1 LAPACK_GLOBAL(zlaic1, ZLAIC1)
#endif
void LAIC1(const int *job, const int *j, const element *x, const real *sest, const element *w,
           const element *gamma, real *sestpr, element *s, element *c);

/* LAPACK's jobs */
static const int largest = 1, smallest = 2;

/* Estimate of a singular value of R's leading triangle, and its approximate left singular vector */
struct estimate {
    real value;
    element *x;
};

/* The estimate for one more row and column */
struct next_estimate {
    real value;
    element s, c; /* the vector is [s x; c] */
};

static struct next_estimate extend(int job, int order, struct estimate e, const element *column)
{
    struct next_estimate next;
    LAIC1(&job, &order, e.x, &e.value, column, column + order, &next.value, &next.s, &next.c);
    return next;
}

static void accept(struct estimate *e, int order, struct next_estimate next)
{
    for (int i = 0; i < order; i++)
        e->x[i] *= next.s;
    e->x[order] = next.c;
    e->value = next.value;
}

static element *column_of(const startile_piece *a, int nb, int64_t c)
{
    const startile_piece *block = &a[c / nb];
    return (element *)block->p + (ptrdiff_t)(c % nb) * block->ld;
}

/* Returns the largest order of a leading triangle with an estimated 1 / condition of at least
 * rcond. *estimate := that estimate. x: 2 k elements of workspace */
static int find_rank(const startile_piece *a, int nb, int k, real rcond, element *x,
                     double *estimate)
{
    struct estimate most = {.x = x}, least = {.x = x + k};
    int rank = 0;
    *estimate = 0;
    if (k == 0 || MAGNITUDE(*column_of(a, nb, 0)) == 0)
        return 0;
    most.value = least.value = (real)MAGNITUDE(*column_of(a, nb, 0));
    most.x[0] = least.x[0] = 1;
    for (rank = 1; rank < k; rank++) {
        const element *column = column_of(a, nb, rank);
        struct next_estimate next_least = extend(smallest, rank, least, column),
                             next_most = extend(largest, rank, most, column);
        if (!(next_most.value * rcond <= next_least.value))
            break;
        accept(&least, rank, next_least);
        accept(&most, rank, next_most);
    }
    *estimate = (double)least.value / (double)most.value;
    return rank;
}

int NAME(trank)(const startile_piece *a, int nb, int64_t n, int k, double rcond, int64_t *rank,
                double *estimate)
{
    const double eps = sizeof(real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
    int m = a->m;
    element *x = malloc(2 * (size_t)k * sizeof *x + 1);
    if (x == NULL)
        return STARTILE_ERROR_MEMORY;
    if (rcond < 0)
        rcond = eps * (double)(m > n ? m : n);
    int r = find_rank(a, nb, k, (real)rcond, x, estimate);
    free(x);
    *rank = r;
    for (int64_t c = 0; c < n && r < n; c++) {
        int first = c < r ? (int)c + 1 : r;
        memset(column_of(a, nb, c) + first, 0, (size_t)(m - first) * sizeof *x);
    }
    return 0;
}
