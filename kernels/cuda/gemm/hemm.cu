/* C := alpha A B + beta C for a Hermitian A, by cuBLAS. Real types use its symm. */
#include "common/cublas.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
int hemm(startile_exec *x, char uplo, int m, int n, startile_scalar alpha, const void *a, int lda,
         const void *b, int ldb, startile_scalar beta, void *c, int ldc)
{
    const T alpha_element = to_element<T>(alpha), beta_element = to_element<T>(beta);
    T *to = static_cast<T *>(c);
    if (m == 0 || n == 0)
        return 0;
    if (alpha.re == 0 && alpha.im == 0)
        return scale(x, 'G', false, m, n, beta_element, to, ldc);
    return check(blas<T>::hemm(x->cublas, CUBLAS_SIDE_LEFT, fill_mode(uplo), m, n, &alpha_element,
                               static_cast<const T *>(a), lda, static_cast<const T *>(b), ldb,
                               &beta_element, to, ldc));
}

INSTANTIATE(hemm);

} // namespace startile_cuda
