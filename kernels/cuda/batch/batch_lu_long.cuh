/*
 * LU of a panel with more rows than lu_block_kernel takes, in global memory. Rare and slow: each
 * step reads and writes all columns of the panel right of its pivot.
 */
#ifndef STARTILE_BATCH_LU_LONG_CUH
#define STARTILE_BATCH_LU_LONG_CUH

#include "batch/batch.cuh"
#include "batch/batch_pivot.cuh"

namespace startile_cuda
{

constexpr int lu_long_threads = 1024;

/* Returns the row of the pivot of column k, to all threads of the block. */
template <typename T>
__device__ inline int find_long_pivot(const typename batch<T>::matrix &a, int k)
{
    __shared__ unsigned long long orders[lu_long_threads / 32];
    __shared__ int rows[lu_long_threads / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned long long best_order = 0;
    int row = no_row;
    for (int i = k + threadIdx.x; i < a.m; i += lu_long_threads) {
        const unsigned long long order = pivot_order(a(i, k), i == k);
        if (order > best_order)
            best_order = order, row = i;
    }
    if (lane == lane_of_pivot<32>(best_order, row))
        orders[warp] = best_order, rows[warp] = row;
    __syncthreads();
    row = rows[lane_of_pivot<32>(orders[lane], rows[lane])];
    __syncthreads();
    return row;
}

/* Factors columns first … first + width − 1 as lu_block_kernel does. */
template <typename T>
__global__ void __launch_bounds__(lu_long_threads)
    lu_long_kernel(batch<T> A, batch<int64_t> P, bool pivots, int64_t *info, int first, int width,
                   int *sources)
{
    const int t = threadIdx.x;
    const auto a = A[blockIdx.x];
    const int end = min(first + width, a.n), steps = min(end, a.m);
    int failed = 0;
    if (sources != nullptr)
        sources += static_cast<int64_t>(blockIdx.x) * A.m;
    for (int i = first + t; sources != nullptr && i < a.m; i += lu_long_threads)
        sources[i] = i;
    __syncthreads();
    for (int k = first; k < steps; k++) {
        const int p = pivots ? find_long_pivot<T>(a, k) : k;
        if (pivots && t == 0) {
            P[blockIdx.x].p[k] = p + 1;
            const int source = sources[k];
            sources[k] = sources[p], sources[p] = source;
        }
        if (p != k && first + t < end) {
            const T y = a(k, first + t);
            a(k, first + t) = a(p, first + t), a(p, first + t) = y;
        }
        __syncthreads();
        const T pivot = a(k, k);
        if (failed == 0 && is_zero(pivot))
            failed = k + 1;
        const divisor<T> divide(pivot);
        for (int i = k + 1 + t; i < a.m; i += lu_long_threads) {
            const T l = a(i, k) = divide(a(i, k));
            for (int j = k + 1; j < end; j++)
                a(i, j) = subtract_product(a(i, j), l, a(k, j));
        }
        __syncthreads();
    }
    if (t == 0 && (first == 0 || info[blockIdx.x] == 0))
        info[blockIdx.x] = failed;
}

} // namespace startile_cuda

#endif
