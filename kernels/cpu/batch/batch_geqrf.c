/*
 * QR factorizations of a batch, and products with Q, matrix by matrix, by LAPACK xGEQRF and xORMQR.
 *
 * Error bounds: Higham 2002, section 19.3 (Householder QR).
 */
#include "batch_matrix.h"
#include "startile.h"

#include <stdlib.h>

int NAME(geqrf_batch)(startile_exec *x, int count, const startile_matrices *A,
                      const startile_matrices *tau)
{
    (void)x;
    int size = LAPACK_BLOCK * A->n + 1;
    element *work = malloc((size_t)size * sizeof *work);
    if (work == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q);
        int info = 0;
        if (a.m > 0 && a.n > 0)
            LAPACK(geqrf)(&a.m, &a.n, a.p, &a.ld, matrix_of(tau, q).p, work, &size, &info);
    }
    free(work);
    return 0;
}

int NAME(ormqr_batch)(startile_exec *x, char side, char trans, int count,
                      const startile_matrices *A, const startile_matrices *tau,
                      const startile_matrices *C)
{
    (void)x;
    int size = LAPACK_BLOCK * larger(C->m, C->n) + LAPACK_TRIANGLE;
    element *work = malloc((size_t)size * sizeof *work);
    const char op = trans == 'N' ? 'N' : conjugate_transpose();
    if (work == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q), t = matrix_of(tau, q), c = matrix_of(C, q);
        int k = t.m, info = 0;
        if (c.m == 0 || c.n == 0 || k == 0)
            continue;
        LAPACK_Q(mqr)(&side, &op, &c.m, &c.n, &k, a.p, &a.ld, t.p, c.p, &c.ld, work, &size, &info);
    }
    free(work);
    return 0;
}
