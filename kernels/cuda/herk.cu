/*
 * C := alpha op(A) op(A)ᴴ + beta C and its symmetric sister, on one triangle, by cuBLAS, whose
 * rank-k update of a tile runs at nearly the rate of its product, and faster than one cut into
 * blocks (perf_models/NOTES.md).
 */
#include "operations.cuh"

namespace startile_cuda
{

template <typename T>
static int rank_k(startile_exec *x, bool hermitian, char uplo, char trans, int n, int k,
                  startile_scalar alpha, const void *a, int lda, startile_scalar beta, void *c,
                  int ldc)
{
    T *to = static_cast<T *>(c);
    const T *from = static_cast<const T *>(a);
    T s = to_element<T>(alpha), t = to_element<T>(beta);
    cublasFillMode_t fill = fill_mode(uplo);
    cublasOperation_t op = operation<T>(trans);
    if (n == 0)
        return 0;
    if (k == 0 || (alpha.re == 0 && alpha.im == 0))
        return scale(x, uplo, hermitian, n, n, t, to, ldc);
    if constexpr (element<T>::is_complex)
        if (hermitian)
            return check(
                element<T>::herk(x->cublas, fill, op, n, k, &s.x, from, lda, &t.x, to, ldc));
    return check(element<T>::syrk(x->cublas, fill, op, n, k, &s, from, lda, &t, to, ldc));
}

template <typename T>
int herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return rank_k<T>(x, true, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
int syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return rank_k<T>(x, false, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template decltype(herk<float>) herk<float>;
template decltype(herk<double>) herk<double>;
template decltype(herk<cuComplex>) herk<cuComplex>;
template decltype(herk<cuDoubleComplex>) herk<cuDoubleComplex>;

template decltype(syrk<float>) syrk<float>;
template decltype(syrk<double>) syrk<double>;
template decltype(syrk<cuComplex>) syrk<cuComplex>;
template decltype(syrk<cuDoubleComplex>) syrk<cuDoubleComplex>;

} // namespace startile_cuda
