/* QR factorizations with column pivoting of a batch, matrix by matrix, by LAPACK xGEQP3. The error
 * bounds are those of geqrf. */
#include "batch_matrix.h"
#include "startile_types.h"

#include <limits.h>
#include <stdlib.h>

/* Memory for one matrix */
struct work {
    element *p; /* LAPACK's workspace of `size` elements */
    int size;
    int *jpvt;
    real *norms; /* LAPACK's workspace of 2 n numbers for complex types */
};

static void factor(struct matrix a, int64_t *order, element *tau, const struct work *w)
{
    int info = 0;
    for (int j = 0; j < a.n; j++)
        w->jpvt[j] = 0;
#ifdef STARTILE_COMPLEX
    LAPACK(geqp3)(&a.m, &a.n, a.p, &a.ld, w->jpvt, tau, w->p, &w->size, w->norms, &info);
#else
    LAPACK(geqp3)(&a.m, &a.n, a.p, &a.ld, w->jpvt, tau, w->p, &w->size, &info);
#endif
    for (int j = 0; j < a.n; j++)
        order[j] = w->jpvt[j];
}

/* Numbers the columns of a matrix without rows. */
static void number_columns(int n, int64_t *order)
{
    for (int j = 0; j < n; j++)
        order[j] = j + 1;
}

int NAME(geqp3_batch)(startile_exec *x, int count, const startile_matrices *A,
                      const startile_matrices *P, const startile_matrices *tau)
{
    (void)x;
    /* matrices without rows need no memory, however many columns they have */
    const int64_t columns = A->m > 0 ? A->n : 0,
                  size = 2 * columns + (columns + 1) * LAPACK_BLOCK + 1;
    const size_t n = (size_t)columns + 1;
    struct work w = {.size = size < INT_MAX ? (int)size : INT_MAX};
    w.p = malloc((size_t)w.size * sizeof *w.p);
    w.jpvt = malloc(n * sizeof *w.jpvt);
    w.norms = malloc(2 * n * sizeof *w.norms);
    bool is_allocated = w.p != NULL && w.jpvt != NULL && w.norms != NULL;
    for (int q = 0; q < count && is_allocated; q++) {
        struct matrix a = matrix_of(A, q);
        int64_t *order = start_of(P, sizeof *order, q);
        if (a.m > 0 && a.n > 0)
            factor(a, order, matrix_of(tau, q).p, &w);
        else
            number_columns(a.n, order);
    }
    free(w.p);
    free(w.jpvt);
    free(w.norms);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}
