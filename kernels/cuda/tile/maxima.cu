/*
 * Largest scaled elements and largest quotients of each column
 *
 * The kernel is bound by memory. A thread has several columns, which share the scale of a row. The
 * rows of few columns are distributed over many thread blocks. The blocks combine their maxima by
 * atomicMax on the bits of doubles ≥ 0, which compare as the doubles do. The bits of a positive NaN
 * are the largest. A maximum does not depend on the order of the blocks.
 */
#include "common/operations.cuh"
#include "common/scaled.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int maxima_threads = 256;

/* Thread blocks for each multiprocessor, which runs two to four of them at a time */
constexpr int maxima_blocks_of_multiprocessor = 4;

/* The two functions whose maxima are computed. load() returns the operands of element (i, j),
 * row_exponent() the exponent of the scale of row i, and value() the function ≥ 0 of both. columns:
 * number of columns of a thread, whose operands are in its registers */

template <typename T>
struct scaled_magnitude {
    static constexpr int columns = 8;

    const T *a;
    int64_t lda;
    const double *r;

    __device__ T load(int64_t i, int64_t j) const
    {
        return a[i + j * lda];
    }
    __device__ int row_exponent(int64_t i) const
    {
        return -startile_exponent(r, i);
    }
    static __device__ double value(T element, int exponent)
    {
        return magnitude1(scaled_by_power(element, exponent));
    }
};

/* |a_ij| / (|b_ij| + w_ij), where 0/0 counts as 0 */
template <typename T>
struct ratio {
    static constexpr int columns = 4;

    const T *a, *b;
    const double *w;
    int64_t lda, ldb, ldw;

    struct operands {
        T a, b;
        double w;
    };

    __device__ operands load(int64_t i, int64_t j) const
    {
        return {a[i + j * lda], b[i + j * ldb], w[i + j * ldw]};
    }
    static __device__ int row_exponent(int64_t)
    {
        return 0;
    }
    static __device__ double value(const operands &of, int)
    {
        const double numerator = magnitude1(of.a), denominator = magnitude1(of.b) + of.w;
        return numerator == 0 && denominator == 0 ? 0 : numerator / denominator;
    }
};

using double_bits = unsigned long long;

/* Returns the maximum of all threads of the warp. */
__device__ inline double_bits largest_of_warp(double_bits mine)
{
    for (int distance = 16; distance > 0; distance /= 2)
        mine = max(mine, __shfl_xor_sync(~0u, mine, distance));
    return mine;
}

/* Computes acc[j] := max(acc[j], max_i of the function) for the columns of the block, blockIdx.x,
 * over the rows of the block, blockIdx.y. Behind the last column it computes the last one again,
 * without effect. */
template <typename Of>
__global__ void __launch_bounds__(maxima_threads) maxima_kernel(int m, int n, Of of, double *acc)
{
    constexpr int warps = maxima_threads / 32;
    __shared__ double_bits parts[Of::columns][warps];
    const int64_t j0 = int64_t(blockIdx.x) * Of::columns;
    double_bits largest[Of::columns] = {};
    for (int64_t i = int64_t(blockIdx.y) * maxima_threads + threadIdx.x; i < m;
         i += int64_t(gridDim.y) * maxima_threads) {
        decltype(of.load(i, j0)) loaded[Of::columns];
#pragma unroll
        for (int q = 0; q < Of::columns; q++)
            loaded[q] = of.load(i, min(j0 + q, int64_t(n - 1)));
        const int exponent = of.row_exponent(i);
#pragma unroll
        for (int q = 0; q < Of::columns; q++) {
            const double v = fabs(of.value(loaded[q], exponent));
            largest[q] = max(largest[q], double_bits(__double_as_longlong(v)));
        }
    }
#pragma unroll
    for (int q = 0; q < Of::columns; q++) {
        const double_bits of_warp = largest_of_warp(largest[q]);
        if (threadIdx.x % 32 == 0)
            parts[q][threadIdx.x / 32] = of_warp;
    }
    __syncthreads();
    const int q = threadIdx.x;
    if (q >= Of::columns || j0 + q >= n)
        return;
    double_bits of_block = 0;
    for (int warp = 0; warp < warps; warp++)
        of_block = max(of_block, parts[q][warp]);
    atomicMax(reinterpret_cast<double_bits *>(acc + j0 + q), of_block);
}

template <typename Of>
static int maxima(startile_exec *x, int m, int n, Of of, double *acc)
{
    if (m == 0 || n == 0)
        return 0;
    const int column_blocks = ceil_div(n, Of::columns);
    const int row_blocks = std::min<int>(
        ceil_div(m, maxima_threads),
        ceil_div(maxima_blocks_of_multiprocessor * x->multiprocessors, column_blocks));
    return launch(x, maxima_kernel<Of>, dim3(column_blocks, row_blocks), maxima_threads, m, n, of,
                  acc);
}

template <typename T>
int column_maxima(startile_exec *x, int m, int n, const void *a, int lda, const double *r,
                  double *acc)
{
    return maxima(x, m, n, scaled_magnitude<T>{static_cast<const T *>(a), lda, r}, acc);
}

template <typename T>
int ratio_maxima(startile_exec *x, int m, int n, const void *a, int lda, const void *b, int ldb,
                 const double *w, int ldw, double *acc)
{
    return maxima(x, m, n,
                  ratio<T>{static_cast<const T *>(a), static_cast<const T *>(b), w, lda, ldb, ldw},
                  acc);
}

INSTANTIATE(column_maxima);
INSTANTIATE(ratio_maxima);

} // namespace startile_cuda
