/*
 * QR factorizations of a batch, and products with Q. Matrices of up to STARTILE_SMALL_QR_TOGETHER
 * elements are factored several at a time, one per vector lane. Those of up to
 * STARTILE_SMALL_QR_ROWS × STARTILE_SMALL_QR_COLUMNS are factored one by one by the library's own
 * kernel, all others by LAPACK xGEQRF. LAPACK xORMQR multiplies by Q.
 *
 * Error bounds: Higham 2002, section 19.3 (Householder QR).
 */
#include "small_groups.h"
#include "startile_types.h"

#include <stdlib.h>

static void factor_together(const struct small_kernels *kernels, char letter, struct group *g)
{
    (void)letter;
    kernels->geqrf_together(g->rows, g->columns, g->count, g->of);
}

/* Factors the matrix a, now or with its group. The kernel depends on the matrix's own size only, so
 * that the bits of its factors do not depend on the other matrices. */
static void factor(struct groups *groups, struct matrix a, element *tau, element *work, int size)
{
    const struct small_matrix small = {.p = a.p, .m = a.m, .n = a.n, .ld = a.ld, .tau = tau};
    int info = 0;
    if (is_together(a.m, a.n))
        add_to_groups(groups, small);
    else if (is_qr_small(a.m, a.n))
        groups->kernels->geqrf(small, (real *)work);
    else
        LAPACK(geqrf)(&a.m, &a.n, a.p, &a.ld, tau, work, &size, &info);
}

int NAME(geqrf_batch)(startile_exec *x, int count, const startile_matrices *A,
                      const startile_matrices *tau)
{
    (void)x;
    int size = larger(LAPACK_BLOCK * A->n + 1, qr_small_work(A->m, A->n));
    element *work = malloc((size_t)size * sizeof *work);
    if (work == NULL)
        return STARTILE_ERROR_MEMORY;
    struct groups groups;
    begin_groups(&groups, NAME(small)(), factor_together, 0);
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q);
        if (a.m > 0 && a.n > 0)
            factor(&groups, a, matrix_of(tau, q).p, work, size);
    }
    factor_rest(&groups);
    free(work);
    return 0;
}

static void multiply(char side, char op, struct matrix a, struct matrix tau, struct matrix c,
                     element *work, int size)
{
    int info = 0;
    LAPACK_Q(mqr)
    (&side, &op, &c.m, &c.n, &tau.m, a.p, &a.ld, tau.p, c.p, &c.ld, work, &size, &info);
}

/* C := (op(Q)ᴴ Cᴴ)ᴴ = C op(Q). From the right xUNMQR would call CGEMV and ZGEMV. Those of Debian's
 * OpenBLAS 0.3.21 read one element beyond the end of Q's factors, where access may be forbidden. */
static void multiply_transposed(char op, struct matrix a, struct matrix tau, struct matrix c,
                                element *work, int size)
{
    struct matrix t = {.p = work + size, .m = c.n, .n = c.m, .ld = c.n};
    NAME(transpose)(NULL, c.m, c.n, c.p, c.ld, t.p, t.ld);
    multiply('L', op == 'N' ? conjugate_transpose() : 'N', a, tau, t, work, size);
    NAME(transpose)(NULL, t.m, t.n, t.p, t.ld, c.p, c.ld);
}

int NAME(ormqr_batch)(startile_exec *x, char side, char trans, int count,
                      const startile_matrices *A, const startile_matrices *tau,
                      const startile_matrices *C)
{
    (void)x;
    const bool is_transposed = side == 'R' && conjugate_transpose() == 'C';
    const int size = LAPACK_BLOCK * larger(C->m, C->n) + LAPACK_TRIANGLE;
    const size_t of_copy = is_transposed ? (size_t)C->m * (size_t)C->n : 0;
    element *work = malloc(((size_t)size + of_copy) * sizeof *work);
    const char op = trans == 'N' ? 'N' : conjugate_transpose();
    if (work == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q), t = matrix_of(tau, q), c = matrix_of(C, q);
        if (c.m == 0 || c.n == 0 || t.m == 0)
            continue;
        if (is_transposed)
            multiply_transposed(op, a, t, c, work, size);
        else
            multiply(side, op, a, t, c, work, size);
    }
    free(work);
    return 0;
}
