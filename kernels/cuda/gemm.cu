/*
 * C := alpha op(A) op(B) + beta C, by cuBLAS. With k = 0 or alpha = 0 nothing but C is touched, as
 * BLAS has it: neither A and B nor their pointers then matter.
 */
#include "blocks.cuh"
#include "operations.cuh"
#include "visit.cuh"

namespace startile_cuda
{

template <typename T>
struct scale_visitor {
    bool hermitian;
    T beta;
    bool overwrite;
    T *c;
    int64_t ldc;

    __device__ void operator()(int i, int j) const
    {
        T zero = to_element<T>(0, 0);
        T value = overwrite ? zero : multiply_add(beta, c[i + j * ldc], zero);
        c[i + j * ldc] = hermitian && i == j ? to_element<T>(real_part(value), 0) : value;
    }
};

template <typename T>
int scale(startile_exec *x, char uplo, bool hermitian, int m, int n, T beta, T *c, int ldc)
{
    bool overwrite, unchanged;
    if constexpr (element<T>::is_complex) {
        overwrite = beta.x == 0 && beta.y == 0;
        unchanged = beta.x == 1 && beta.y == 0;
    } else {
        overwrite = beta == 0;
        unchanged = beta == 1;
    }
    if (unchanged)
        return 0;
    return visit(x, uplo, m, n, scale_visitor<T>{hermitian, beta, overwrite, c, ldc});
}

template <typename T>
int gemm(startile_exec *x, char transa, char transb, int m, int n, int k, startile_scalar alpha,
         const void *a, int lda, const void *b, int ldb, startile_scalar beta, void *c, int ldc)
{
    if (m == 0 || n == 0)
        return 0;
    if (k == 0 || (alpha.re == 0 && alpha.im == 0))
        return scale(x, 'G', false, m, n, to_element<T>(beta), static_cast<T *>(c), ldc);
    return multiply<T>(x, transa, transb, m, n, k, to_element<T>(alpha),
                       {static_cast<const T *>(a), lda, 0}, {static_cast<const T *>(b), ldb, 0},
                       to_element<T>(beta), {static_cast<T *>(c), ldc, 0});
}

template decltype(scale<float>) scale<float>;
template decltype(scale<double>) scale<double>;
template decltype(scale<cuComplex>) scale<cuComplex>;
template decltype(scale<cuDoubleComplex>) scale<cuDoubleComplex>;

template decltype(gemm<float>) gemm<float>;
template decltype(gemm<double>) gemm<double>;
template decltype(gemm<cuComplex>) gemm<cuComplex>;
template decltype(gemm<cuDoubleComplex>) gemm<cuDoubleComplex>;

} // namespace startile_cuda
