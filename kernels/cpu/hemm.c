/* C := alpha A B + beta C for a Hermitian A, by BLAS xHEMM; for real types by xSYMM. Error bound of
 * the product: γ_m |A| |B| (Higham 2002, section 3.5). */
#include "dtype.h"

#ifdef STARTILE_COMPLEX
#define BLAS_HEMM BLAS(hemm)
#else
#define BLAS_HEMM BLAS(symm)
#endif

int NAME(hemm)(startile_exec *x, char uplo, int m, int n, startile_scalar alpha, const void *a,
               int lda, const void *b, int ldb, startile_scalar beta, void *c, int ldc)
{
    (void)x;
    BLAS_HEMM(CblasColMajor, CblasLeft, cblas_uplo(uplo), m, n, SCALAR(to_element(alpha)), a, lda,
              b, ldb, SCALAR(to_element(beta)), c, ldc);
    return 0;
}
