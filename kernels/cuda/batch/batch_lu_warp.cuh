/*
 * LU of matrices of at most N rows and columns, N ≤ 32, by N lanes each: one row per lane, in
 * registers. Column k, with buffer k % 2:
 *
 *     all lanes of the group: lane_of_pivot (shuffles)
 *     lane of the pivot: its row -> rows[k % 2]
 *     __syncwarp
 *     other lanes: row -= l * pivot row
 *
 * Rows stay in their lanes; at the end each is stored at its position.
 */
#ifndef STARTILE_BATCH_LU_WARP_CUH
#define STARTILE_BATCH_LU_WARP_CUH

#include "batch/batch.cuh"
#include "batch/batch_pivot.cuh"

namespace startile_cuda
{

constexpr int lu_warp_threads = 128;

/* Factors matrices in registers, one matrix per group of N lanes; with partial pivoting if
 * `pivots`. */
template <typename T, int N>
__global__ void __launch_bounds__(lu_warp_threads)
    lu_warp_kernel(int count, batch<T> A, batch<int64_t> P, bool pivots, int64_t *info)
{
    /* The padding puts the rows of different groups in different banks. */
    __shared__ T rows[2][lu_warp_threads / N][N + 16 / sizeof(T)];
    const int group = threadIdx.x / N, lane = threadIdx.x % N, first = threadIdx.x % 32 / N * N;
    const int q = static_cast<int>(blockIdx.x) * (lu_warp_threads / N) + group;
    const bool exists = q < count;
    typename batch<T>::matrix matrix = {nullptr, 0, 0, 0};
    if (exists)
        matrix = A[q];
    const int m = matrix.m, n = matrix.n, steps = min(m, n);
    const bool has_row = lane < m;

    T a[N];
#pragma unroll
    for (int j = 0; j < N; j++)
        a[j] = has_row && j < n ? matrix(lane, j) : to_element<T>(0, 0);

    int position = has_row ? lane : -1, pivot_position = 0, failed = 0;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const bool is_live = k < steps;
        if (!__any_sync(all_lanes, is_live))
            break;
        int winner = first + k;
        if (pivots)
            winner = lane_of_pivot<N>(
                is_live && position >= k ? pivot_order(a[k], position == k) : 0, position);
        const bool is_pivot = is_live && threadIdx.x % 32 == winner;
        const int from = __shfl_sync(all_lanes, position, winner);
        T *const row = rows[k % 2][group];
        if (is_pivot) {
#pragma unroll
            for (int j = k; j < N; j++)
                row[j] = a[j];
            position = k;
        } else if (is_live && position == k) {
            position = from;
        }
        if (lane == k)
            pivot_position = from;
        __syncwarp();
        const T pivot = row[k];
        if (is_live && failed == 0 && is_zero(pivot))
            failed = k + 1;
        if (is_live && position > k) {
            a[k] = divisor<T>(pivot)(a[k]);
#pragma unroll
            for (int j = k + 1; j < N; j++)
                a[j] = subtract_product(a[j], a[k], row[j]);
        }
    }

    if (!exists)
        return;
#pragma unroll
    for (int j = 0; j < N; j++)
        if (has_row && j < n)
            matrix(position, j) = a[j];
    if (pivots && lane < steps)
        P[q].p[lane] = pivot_position + 1;
    if (lane == 0)
        info[q] = failed;
}

} // namespace startile_cuda

#endif
