/*
 * Scaling by powers of two: B := A in the other precision (LAPACK xLAG2y), and A := diag A (LAPACK
 * xLASCL2)
 *
 * The kernel of lag2 is bound by memory. A thread has several columns of one row. It loads all its
 * elements before it stores one, which keeps several loads in flight.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/scaled.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int lag2_threads = 256, lag2_columns = 8;

/* Returns v, or v + old if add, rounded to old's type. __dadd_rn() is not joined with the scaling
 * to one fma, whose result may differ from the CPU's. */
template <typename U, typename V>
__device__ inline U rounded(V v, bool add, U old)
{
    if constexpr (element<U>::is_complex)
        return to_element<U>(add ? __dadd_rn(v.x, old.x) : v.x, add ? __dadd_rn(v.y, old.y) : v.y);
    else
        return to_element<U>(add ? __dadd_rn(v, old) : v, 0);
}

/* row_blocks: number of blocks of rows; the thread blocks of one block of columns follow one
 * another. sign: 1 to divide by f(c_j), else −1. Behind the last column the kernel loads the
 * last one again, because a condition for each load would keep the loads from overlapping. */
template <typename T>
__global__ void __launch_bounds__(lag2_threads)
    lag2_kernel(int m, int n, unsigned int row_blocks, const T *a, int64_t lda, const double *r,
                const double *c, int sign, bool add, typename element<T>::other_precision *b,
                int64_t ldb)
{
    using U = typename element<T>::other_precision;
    __shared__ int column_exponent[lag2_columns];
    const int64_t i = int64_t(blockIdx.x % row_blocks) * lag2_threads + threadIdx.x;
    const int64_t j0 = int64_t(blockIdx.x / row_blocks) * lag2_columns;
    const int count = static_cast<int>(min(int64_t(lag2_columns), n - j0));
    if (threadIdx.x < count)
        column_exponent[threadIdx.x] = startile_exponent(c, j0 + threadIdx.x);
    __syncthreads();
    if (i >= m)
        return;
    T from[lag2_columns];
    U old[lag2_columns] = {};
#pragma unroll
    for (int q = 0; q < lag2_columns; q++)
        from[q] = a[i + (j0 + min(q, count - 1)) * lda];
    if (add) {
#pragma unroll
        for (int q = 0; q < lag2_columns; q++)
            old[q] = b[i + (j0 + min(q, count - 1)) * ldb];
    }
    const int row_exponent = startile_exponent(r, i);
#pragma unroll
    for (int q = 0; q < lag2_columns; q++)
        if (q < count)
            b[i + (j0 + q) * ldb] = rounded(
                scaled_by_power(from[q], sign * column_exponent[q] - row_exponent), add, old[q]);
}

template <typename T>
int lag2(startile_exec *x, int m, int n, const void *a, int lda, const double *r, const double *c,
         int divide, int add, void *b, int ldb)
{
    if (m == 0 || n == 0)
        return 0;
    const unsigned int row_blocks = ceil_div(m, lag2_threads);
    return launch(x, lag2_kernel<T>, row_blocks * ceil_div(n, lag2_columns), lag2_threads, m, n,
                  row_blocks, static_cast<const T *>(a), lda, r, c, divide ? 1 : -1, add != 0,
                  static_cast<typename element<T>::other_precision *>(b), ldb);
}

template <typename T>
struct lascl2_element {
    const double *r;
    T *a;
    int64_t lda;

    __device__ void operator()(int i, int j) const
    {
        T &element = a[i + j * lda];
        element = rounded(scaled_by_power(element, -startile_exponent(r, i)), false, element);
    }
};

template <typename T>
int lascl2(startile_exec *x, int m, int n, const double *r, void *a, int lda)
{
    return apply_elementwise(x, 'G', m, n, lascl2_element<T>{r, static_cast<T *>(a), lda});
}

INSTANTIATE(lag2);
INSTANTIATE(lascl2);

} // namespace startile_cuda
