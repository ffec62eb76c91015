/* A := 2^p A for p = e(*up) − e(*down), exact unless a result leaves the range. If *up or *down is
 * zero or infinite, the result is the same as LAPACK's (kernel_list.h). Usually p = 0, and A is not
 * read. */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

#include <algorithm>
#include <cfloat>

namespace startile_cuda
{

/* Returns e(x) (kernel_list.h). An x > 1/s is scaled to below 1/s only, as by LAPACK: elements much
 * smaller than x would underflow otherwise. */
template <typename T>
__device__ inline int exponent(const double *x)
{
    constexpr double s = sizeof(typename element<T>::real) == sizeof(double)
                             ? DBL_MIN / DBL_EPSILON
                             : FLT_MIN / FLT_EPSILON;
    if (x == nullptr || !(*x > 0) || isinf(*x) || (*x >= s && *x <= 1 / s))
        return 0;
    return *x < s ? -ilogb(*x) : -ilogb(*x) - ilogb(s) - 1;
}

/* Scaling by 2^p, with LAPACK's results in special cases: `clears` (*up is 0) sets elements to 0;
 * up_infinite multiplies them by 0 before the scaling, down_infinite by infinity after it. */
struct scaling {
    int p;
    bool clears, up_infinite, down_infinite;

    template <typename real>
    __device__ real apply(real v) const
    {
        if (clears)
            return 0;
        if (up_infinite)
            v *= real(0);
        v = static_cast<real>(scalbn(static_cast<double>(v), p));
        return down_infinite ? v * static_cast<real>(INFINITY) : v;
    }
};

template <typename T>
__device__ inline scaling scaling_of(const double *up, const double *down)
{
    return {exponent<T>(up) - exponent<T>(down), up != nullptr && *up == 0,
            up != nullptr && isinf(*up), down != nullptr && isinf(*down)};
}

template <typename T>
__device__ inline T scaled(T a, scaling s)
{
    if constexpr (element<T>::is_complex)
        return T{s.apply(a.x), s.apply(a.y)};
    else
        return s.apply(a);
}

template <typename T>
__global__ void __launch_bounds__(elementwise_threads)
    lascl_kernel(int m, int n, const double *up, const double *down, T *a, int64_t lda)
{
    const scaling s = scaling_of<T>(up, down);
    const int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    if ((s.p == 0 && !s.clears && !s.up_infinite && !s.down_infinite) || i >= m)
        return;
    for (int64_t j = blockIdx.y; j < n; j += gridDim.y)
        a[i + j * lda] = scaled(a[i + j * lda], s);
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

INSTANTIATE(lascl);

} // namespace startile_cuda
