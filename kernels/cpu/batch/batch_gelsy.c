/* Least squares of any rank of a batch, matrix by matrix, by LAPACK xGELSY. Error bounds: those of
 * geqrf for a matrix whose triangle is the one that determines the rank (Higham 2002,
 * theorem 20.3).
 */
#include "batch_matrix.h"
#include "startile_types.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>

/* Memory for one matrix */
struct work {
    element *a; /* a copy of A, followed by one more column */
    element *p; /* LAPACK's workspace of `size` elements */
    int size;
    int *jpvt;
    real *norms; /* LAPACK's workspace of 2 n numbers for complex types */
};

/* Returns the factor by which LAPACK has scaled the right-hand sides, so that their largest element
 * is not too near the ends of the range. largest: that element's magnitude */
static real scale_of_sides(real largest)
{
    const real least = sizeof(real) == sizeof(double) ? (real)(DBL_MIN / DBL_EPSILON)
                                                      : FLT_MIN / FLT_EPSILON,
               most = 1 / least;
    if (largest > 0 && largest < least)
        return least / largest;
    return largest > most && isfinite(largest) ? most / largest : 1;
}

/* Undoes the scaling of the rows below X, which LAPACK leaves scaled. */
static void rescale_below(struct matrix b, int n, real scale)
{
    if (scale == 1)
        return;
    for (int j = 0; j < b.n; j++)
        for (int i = n; i < b.m; i++)
            b.p[i + (ptrdiff_t)j * b.ld] /= scale;
}

/* Returns the largest magnitude of the first m rows. */
static real largest_of(struct matrix b, int m)
{
    real largest = 0;
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < m; i++) {
            real size = (real)MAGNITUDE(b.p[i + (ptrdiff_t)j * b.ld]);
            largest = size > largest ? size : largest;
        }
    return largest;
}

/* Solves one problem, in a copy of A. OpenBLAS 0.3.21 reads one element beyond the end of a matrix
 * row in complex matrix-vector products (OpenBLAS issue 4013), and xTZRZF multiplies by rows of A.
 * Behind A there may be no memory; the copy has one more column. Returns the rank. */
static int solve(struct matrix a, struct matrix b, real rcond, const struct work *w)
{
    int ld = a.m, rank = 0, info = 0;
    NAME(lacpy)(NULL, 'G', a.m, a.n, a.p, a.ld, w->a, ld);
    const real scale = a.m > a.n ? scale_of_sides(largest_of(b, a.m)) : 1;
    for (int j = 0; j < a.n; j++)
        w->jpvt[j] = 0;
#ifdef STARTILE_COMPLEX
    LAPACK(gelsy)
    (&a.m, &a.n, &b.n, w->a, &ld, b.p, &b.ld, w->jpvt, &rcond, &rank, w->p, &w->size, w->norms,
     &info);
#else
    LAPACK(gelsy)
    (&a.m, &a.n, &b.n, w->a, &ld, b.p, &b.ld, w->jpvt, &rcond, &rank, w->p, &w->size, &info);
#endif
    rescale_below(b, a.n, scale);
    return rank;
}

static void clear(struct matrix b)
{
    for (int j = 0; j < b.n; j++)
        for (int i = 0; i < b.m; i++)
            b.p[i + (ptrdiff_t)j * b.ld] = 0;
}

static real bound_of_rank(double rcond, struct matrix a)
{
    const double eps = sizeof(real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
    return (real)(rcond < 0 ? eps * larger(a.m, a.n) : rcond);
}

/* Returns the size of LAPACK's workspace. */
static int work_size(int m, int n, int sides)
{
    const int64_t least = smaller(m, n), factor = 2 * (int64_t)n + LAPACK_BLOCK * ((int64_t)n + 1),
                  product = 2 * least + LAPACK_BLOCK * (int64_t)larger(sides, n),
                  size = least + (factor > product ? factor : product) + LAPACK_TRIANGLE;
    return size < INT_MAX ? (int)size : INT_MAX;
}

int NAME(gelsy_batch)(startile_exec *x, double rcond, int count, const startile_matrices *A,
                      const startile_matrices *B, int64_t *rank)
{
    (void)x;
    /* matrices without rows need no memory, however many columns they have */
    const int columns = A->m > 0 ? A->n : 0;
    const size_t n = (size_t)columns + 1;
    struct work w = {.size = work_size(A->m, columns, B->n)};
    w.a = calloc((size_t)A->m * n + 1, sizeof *w.a);
    w.p = malloc((size_t)w.size * sizeof *w.p);
    w.jpvt = malloc(n * sizeof *w.jpvt);
    w.norms = malloc(2 * n * sizeof *w.norms);
    bool is_allocated = w.a != NULL && w.p != NULL && w.jpvt != NULL && w.norms != NULL;
    for (int q = 0; q < count && is_allocated; q++) {
        struct matrix a = matrix_of(A, q), b = matrix_of(B, q);
        rank[q] = 0;
        if (a.m == 0 || a.n == 0)
            clear(b);
        else if (b.n > 0)
            rank[q] = solve(a, b, bound_of_rank(rcond, a), &w);
    }
    free(w.a);
    free(w.p);
    free(w.jpvt);
    free(w.norms);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}
