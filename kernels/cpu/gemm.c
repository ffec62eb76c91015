/* C := alpha op(A) op(B) + beta C, by BLAS xGEMM or xGEMV. Error bound of the product:
 * γ_k |op(A)| |op(B)| (Higham 2002, section 3.5). */
#include "dtype.h"

/* Least dimension of A for xGEMV; a smaller A stays in the cache. */
enum { LEAST_FOR_VECTORS = 64 };

static void multiply(char transa, char transb, int m, int n, int k, element alpha, const element *a,
                     int lda, const element *b, int ldb, element beta, element *c, int ldc)
{
    BLAS(gemm)
    (CblasColMajor, cblas_trans(transa), cblas_trans(transb), m, n, k, SCALAR(alpha), a, lda, b,
     ldb, SCALAR(beta), c, ldc);
}

/* C := alpha op(A) B + beta C column by column. xGEMM computes with the last rows of A: xGEMV of
 * OpenBLAS 0.3.21 (z, Zen) reads beyond the end of A if the number of A's rows is no multiple of 4.
 */
static void multiply_vectors(char transa, int m, int n, int k, element alpha, const element *a,
                             int lda, const element *b, int ldb, element beta, element *c, int ldc)
{
    bool plain = transa == 'N';
    int rows = plain ? m : k, done = rows / 4 * 4, remaining = rows - done;
    for (int j = 0; j < n; j++)
        BLAS(gemv)
    (CblasColMajor, cblas_trans(transa), done, plain ? k : m, SCALAR(alpha), a, lda,
     b + (ptrdiff_t)j * ldb, 1, SCALAR(beta), c + (ptrdiff_t)j * ldc, 1);
    if (remaining > 0 && plain)
        multiply(transa, 'N', remaining, n, k, alpha, a + done, lda, b, ldb, beta, c + done, ldc);
    else if (remaining > 0)
        multiply(transa, 'N', m, n, remaining, alpha, a + done, lda, b + done, ldb, 1, c, ldc);
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
    bool has_beta = beta.re != 0 || beta.im != 0; /* xGEMV may read C if beta = 0 */
    if (n <= FEW_COLUMNS && m >= LEAST_FOR_VECTORS && k >= LEAST_FOR_VECTORS && transb == 'N' &&
        has_beta)
        multiply_vectors(transa, m, n, k, to_element(alpha), a, lda, b, ldb, to_element(beta), c,
                         ldc);
    else
        multiply(transa, transb, m, n, k, to_element(alpha), a, lda, b, ldb, to_element(beta), c,
                 ldc);
    return 0;
}
