/* Products and triangular solves of a batch: one call of the tile kernel for each matrix. The error
 * bounds are those of gemm.c and trsm.c. */
#include "batch_matrix.h"

int NAME(gemm_batch)(startile_exec *x, char transa, char transb, int count, startile_scalar alpha,
                     const startile_matrices *A, const startile_matrices *B, startile_scalar beta,
                     const startile_matrices *C)
{
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q), b = matrix_of(B, q), c = matrix_of(C, q);
        int k = transa == 'N' ? a.n : a.m;
        if (c.m == 0 || c.n == 0)
            continue;
        NAME(gemm)
        (x, transa, transb, c.m, c.n, k, alpha, a.p, larger(a.ld, 1), b.p, larger(b.ld, 1), beta,
         c.p, c.ld);
    }
    return 0;
}

int NAME(trsm_batch)(startile_exec *x, char side, char uplo, char trans, char diag, int count,
                     startile_scalar alpha, const startile_matrices *A, const startile_matrices *B)
{
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q), b = matrix_of(B, q);
        if (b.m > 0 && b.n > 0)
            NAME(trsm)(x, side, uplo, trans, diag, b.m, b.n, alpha, a.p, a.ld, b.p, b.ld);
    }
    return 0;
}
