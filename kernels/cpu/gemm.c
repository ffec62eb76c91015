/* C := alpha op(A) op(B) + beta C, by BLAS xGEMM or xGEMV. Error bound of the product:
 * γ_k |op(A)| |op(B)| (Higham 2002, section 3.5). */
#include "dtype.h"

/* Adds alpha op(A) B to beta C column by column. A is ma × na. */
static void multiply_vectors(char transa, int ma, int na, int columns, element alpha,
                             const element *a, int lda, const element *b, int ldb, element beta,
                             element *c, int ldc)
{
    for (int j = 0; j < columns; j++)
        BLAS(gemv)
    (CblasColMajor, cblas_trans(transa), ma, na, SCALAR(alpha), a, lda, b + (ptrdiff_t)j * ldb, 1,
     SCALAR(beta), c + (ptrdiff_t)j * ldc, 1);
}

int NAME(gemm)(startile_exec *x, char transa, char transb, int m, int n, int k,
               startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
               startile_scalar beta, void *c, int ldc)
{
    (void)x;
    /* BLAS must not read A and B if alpha = 0. The kernels of OpenBLAS 0.3.21 for small matrices
     * (Cooper Lake and later) multiply 0 by their elements, so that a NaN in A or B makes C NaN.
     * With k = 0 OpenBLAS does not read A and B. */
    if (alpha.re == 0 && alpha.im == 0)
        k = 0;
    /* OpenBLAS' xGEMV may read C if beta = 0. */
    bool has_beta = beta.re != 0 || beta.im != 0;
    if (n <= FEW_COLUMNS && k > 0 && transb == 'N' && has_beta) {
        multiply_vectors(transa, transa == 'N' ? m : k, transa == 'N' ? k : m, n, to_element(alpha),
                         a, lda, b, ldb, to_element(beta), c, ldc);
        return 0;
    }
    BLAS(gemm)
    (CblasColMajor, cblas_trans(transa), cblas_trans(transb), m, n, k, SCALAR(to_element(alpha)), a,
     lda, b, ldb, SCALAR(to_element(beta)), c, ldc);
    return 0;
}
