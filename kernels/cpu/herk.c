/* C := alpha op(A) op(A)ᴴ + beta C by BLAS xHERK, and C := alpha op(A) op(A)ᵀ + beta C by BLAS
 * xSYRK. Error bound of the product: γ_k |op(A)| |op(A)|ᴴ (Higham 2002, section 3.5). */
#include "dtype.h"

int NAME(syrk)(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
               const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    (void)x;
    BLAS(syrk)
    (CblasColMajor, cblas_uplo(uplo), cblas_trans(trans), n, k, SCALAR(to_element(alpha)), a, lda,
     SCALAR(to_element(beta)), c, ldc);
    return 0;
}

int NAME(herk)(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
               const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
#ifdef STARTILE_COMPLEX
    (void)x;
    BLAS(herk)
    (CblasColMajor, cblas_uplo(uplo), cblas_trans(trans), n, k, (real)alpha.re, a, lda,
     (real)beta.re, c, ldc);
    return 0;
#else
    return NAME(syrk)(x, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
#endif
}
