/* Solves with the Cholesky factors of a batch, matrix by matrix (LAPACK xPOTRS). Backward error:
 * Higham 2002, theorem 10.4. */
#include "batch_matrix.h"

int NAME(potrs_batch)(startile_exec *x, char uplo, int count, const startile_matrices *A,
                      const startile_matrices *B, const int64_t *factor_info)
{
    (void)x;
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q), b = matrix_of(B, q);
        int info = 0;
        if ((factor_info == NULL || factor_info[q] == 0) && a.n > 0 && b.n > 0)
            LAPACK(potrs)(&uplo, &a.n, &b.n, a.p, &a.ld, b.p, &b.ld, &info);
    }
    return 0;
}
