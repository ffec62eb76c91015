/* A := 2^p A, exact unless a result leaves the range. Usually p = 0, and nothing is read. */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

#include <algorithm>
#include <cfloat>

namespace startile_cuda
{

template <typename T>
__device__ inline int exponent(const double *x)
{
    constexpr double least = sizeof(typename element<T>::real) == sizeof(double)
                                 ? DBL_MIN / DBL_EPSILON
                                 : FLT_MIN / FLT_EPSILON;
    if (x == nullptr || !(*x > 0) || isinf(*x) || (*x >= least && *x <= 1 / least))
        return 0;
    return -ilogb(*x);
}

template <typename T>
__device__ inline T shifted(T a, int p)
{
    using real = typename element<T>::real;
    if constexpr (element<T>::is_complex)
        return T{static_cast<real>(scalbn(static_cast<double>(a.x), p)),
                 static_cast<real>(scalbn(static_cast<double>(a.y), p))};
    else
        return static_cast<T>(scalbn(static_cast<double>(a), p));
}

template <typename T>
__global__ void __launch_bounds__(elementwise_threads)
    lascl_kernel(int m, int n, const double *up, const double *down, T *a, int64_t lda)
{
    const int p = exponent<T>(up) - exponent<T>(down);
    const int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    if (p == 0 || i >= m)
        return;
    for (int64_t j = blockIdx.y; j < n; j += gridDim.y)
        a[i + j * lda] = shifted(a[i + j * lda], p);
}

template <typename T>
int lascl(startile_exec *x, int m, int n, const double *up, const double *down, void *a, int lda)
{
    if (m == 0 || n == 0)
        return 0;
    dim3 grid(ceil_div(m, elementwise_threads),
              std::min<int>(ceil_div(n, elementwise_columns), max_grid_y));
    return launch(x, lascl_kernel<T>, grid, elementwise_threads, m, n, up, down,
                  static_cast<T *>(a), static_cast<int64_t>(lda));
}

template decltype(lascl<float>) lascl<float>;
template decltype(lascl<double>) lascl<double>;
template decltype(lascl<cuComplex>) lascl<cuComplex>;
template decltype(lascl<cuDoubleComplex>) lascl<cuDoubleComplex>;

} // namespace startile_cuda
