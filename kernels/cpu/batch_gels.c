/*
 * Least squares and solutions of least norm of a batch, matrix by matrix, by xGELS' algorithm: A =
 * Q R for m ≥ n, A = L Q for m < n.
 *
 * Error bounds: those of least squares and solutions of least norm by Householder QR (Higham 2002,
 * theorems 20.3 and 21.4).
 */
#include "batch_matrix.h"
#include "startile.h"

#include <stdlib.h>

/* Block size for LAPACK's workspace, in columns; workspace of xORMQR and xORMLQ for the triangle T,
 * in elements. */
enum { BLOCK = 64, TRIANGLE = (BLOCK + 1) * BLOCK };

struct work {
    element *tau, *p;
    int size;
};

static int factor(struct matrix a, const struct work *w)
{
    int ignored = 0;
    if (a.m >= a.n)
        LAPACK(geqrf)(&a.m, &a.n, a.p, &a.ld, w->tau, w->p, &w->size, &ignored);
    else
        LAPACK(gelqf)(&a.m, &a.n, a.p, &a.ld, w->tau, w->p, &w->size, &ignored);
    for (int k = 0; k < smaller(a.m, a.n); k++)
        if (a.p[k + (ptrdiff_t)k * a.ld] == 0)
            return k + 1;
    return 0;
}

static void clear_rows(struct matrix b, int from, int to)
{
    for (int j = 0; j < b.n; j++)
        for (int i = from; i < to; i++)
            b.p[i + (ptrdiff_t)j * b.ld] = 0;
}

/* B := op(Q) B; the reflectors are columns of A for m ≥ n, rows of A for m < n */
static void multiply(struct matrix a, char op, struct matrix b, const struct work *w)
{
    int rows = larger(a.m, a.n), k = smaller(a.m, a.n), ignored = 0;
    if (a.m >= a.n) {
        LAPACK_Q(mqr)
        ("L", &op, &rows, &b.n, &k, a.p, &a.ld, w->tau, b.p, &b.ld, w->p, &w->size, &ignored);
    } else {
        LAPACK_Q(mlq)
        ("L", &op, &rows, &b.n, &k, a.p, &a.ld, w->tau, b.p, &b.ld, w->p, &w->size, &ignored);
    }
}

/* Overdetermined system: B := Qᴴ B, then a triangular solve. Underdetermined system: a triangular
 * solve, then B := Q B. */
static void solve(struct matrix a, char op, struct matrix b, const struct work *w)
{
    const startile_scalar one = {1, 0};
    bool tall = a.m >= a.n, rotates_first = tall == (op == 'N');
    int k = smaller(a.m, a.n);
    if (rotates_first)
        multiply(a, tall ? conjugate_transpose() : 'N', b, w);
    NAME(trsm)(NULL, 'L', tall ? 'U' : 'L', op, 'N', k, b.n, one, a.p, a.ld, b.p, b.ld);
    if (rotates_first)
        return;
    clear_rows(b, k, larger(a.m, a.n));
    multiply(a, tall ? 'N' : conjugate_transpose(), b, w);
}

int NAME(gels_batch)(startile_exec *x, char trans, int count, const startile_matrices *A,
                     const startile_matrices *B, int64_t *info)
{
    (void)x;
    struct work w = {.size = BLOCK * larger(larger(A->m, A->n), B->n) + TRIANGLE};
    w.p = malloc((size_t)w.size * sizeof *w.p);
    w.tau = malloc(((size_t)smaller(A->m, A->n) + 1) * sizeof *w.tau);
    bool is_allocated = w.p != NULL && w.tau != NULL;
    for (int q = 0; q < count && is_allocated; q++) {
        struct matrix a = matrix_of(A, q), b = matrix_of(B, q);
        info[q] = 0;
        if (a.m == 0 || a.n == 0)
            clear_rows(b, 0, larger(a.m, a.n));
        else if ((info[q] = factor(a, &w)) == 0 && b.n > 0)
            solve(a, trans == 'N' ? 'N' : conjugate_transpose(), b, &w);
    }
    free(w.p);
    free(w.tau);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}
