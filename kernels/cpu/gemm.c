/* C := alpha op(A) op(B) + beta C, by BLAS xGEMM. Error bound: that of a conventional product, a
 * multiple γ_k of |op(A)| |op(B)| (Higham 2002, section 3.5). */
#include "dtype.h"

int NAME(gemm)(startile_exec *x, char transa, char transb, int m, int n, int k,
               startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
               startile_scalar beta, void *c, int ldc)
{
    (void)x;
    /* With alpha = 0 BLAS does not read A and B. OpenBLAS 0.3.21 multiplies by them in its kernels
     * for small matrices (Cooper Lake and later), so that a NaN there spoils C: k = 0 leaves them
     * out. */
    if (alpha.re == 0 && alpha.im == 0)
        k = 0;
    BLAS(gemm)
    (CblasColMajor, cblas_trans(transa), cblas_trans(transb), m, n, k, SCALAR(to_element(alpha)), a,
     lda, b, ldb, SCALAR(to_element(beta)), c, ldc);
    return 0;
}
