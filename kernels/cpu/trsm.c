/* B := alpha op(A)⁻¹ B or alpha B op(A)⁻¹, by BLAS xTRSM. */
#include "dtype.h"

int NAME(trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
               startile_scalar alpha, const void *a, int lda, void *b, int ldb)
{
    (void)x;
    BLAS(trsm)
    (CblasColMajor, cblas_side(side), cblas_uplo(uplo), cblas_trans(trans), cblas_diag(diag), m, n,
     SCALAR(to_element(alpha)), a, lda, b, ldb);
    return 0;
}
