/* The bookkeeping warp of the LU strip kernel (getrf_strip.cu) */
#ifndef STARTILE_STRIP_BOOKKEEPING_CUH
#define STARTILE_STRIP_BOOKKEEPING_CUH

#include "common/hopper.cuh"
#include "getrf/strip_state.cuh"

namespace startile_cuda
{

/* State of the bookkeeping warp, which records pivots and finishes rows of U. The warp receives
 * every message that the compute warps receive, and after reading one it arrives at the barrier of
 * the next step. */
template <typename T, int width, int compute_threads>
struct strip_bookkeeping_warp {
    using smem_layout = strip_smem<T, width>;
    static constexpr int all_threads = compute_threads + 32;
    const strip<T> &s;
    smem_layout &smem;
    int blocks, rank, lane;
    int top_position; /* current position of row `lane` of the strip */

    /* Receives and records all pivots of the strip. */
    __device__ void run()
    {
        for (int first = 0; first < s.columns; first += width) {
            if (first > 0) {
                sync(strip_barrier, all_threads);
                /* Makes the columns that the compute warps stored before the barrier visible to the
                 * other blocks, which read them after the next message. */
                __threadfence();
            }
            const int columns = min(width, s.columns - first);
            arrive(step_barrier, all_threads);
            for (int c = 0; c < columns; c++)
                receive_pivot(first, c, columns);
        }
        if (lane < s.columns)
            smem.top_position[lane] = top_position;
        __syncwarp();
        arrive(strip_barrier, all_threads);
    }

    /* Receives and records the pivot of column c of the group of columns that begins at column
     * `first`. */
    __device__ void receive_pivot(int first, int c, int columns)
    {
        const int step = first + c, b = step % 2;
        if (lane == 0)
            mbarrier::arrive_expect_tx(shared_address(&smem.received[b]),
                                       blocks * static_cast<int>(sizeof(candidate<T, width>)));
        __syncwarp();
        mbarrier::wait(shared_address(&smem.received[b]), step / 2 % 2);
        const candidate<T, width> &pivot =
            smem.block_candidates[b][choose(smem.block_candidates[b], blocks)];
        const int position = pivot.position, original_row = pivot.original_row;
        const bool is_zero = pivot.order() == order_of_zero;
        if (lane < c)
            smem.multipliers[first + lane] = pivot.row[lane];
        __syncwarp();
        if (c + 1 < columns)
            arrive(step_barrier, all_threads);
        top_position = top_position == position ? step
                       : top_position == step   ? position
                                                : top_position;
        if (lane == 0 && rank == 0) {
            s.moves[step] = make_int2(step, original_row);
            s.ipiv[step] = s.row0 + position + 1;
            if (is_zero && *s.info == 0)
                *s.info = s.first + step + 1;
        }
        if (first + width < s.columns)
            finish_row(first, step, original_row);
    }

    /* Computes row `step` of U in the columns right of the group. The row's elements of L in the
     * columns before `first` are read from global memory. */
    __device__ void finish_row(int first, int step, int original_row)
    {
        constexpr int parts = max_columns<T> / 32;
        const int next = first + width;
        T y[parts];
#pragma unroll
        for (int p = 0; p < parts; p++) {
            int c = next + lane + 32 * p;
            y[p] = c < s.columns ? __ldcg(&s.a[original_row + c * s.ld]) : to_element<T>(0, 0);
        }
        for (int k = lane; k < first; k += 32)
            smem.multipliers[k] = __ldcg(&s.a[original_row + k * s.ld]);
        __syncwarp();
#pragma unroll 8
        for (int k = 0; k < step; k++)
#pragma unroll
            for (int p = 0; p < parts; p++) {
                int c = min(next + lane + 32 * p, max_columns<T> - 1);
                y[p] = subtract_product(y[p], smem.u_rows[k * smem_layout::ld + c],
                                        smem.multipliers[k]);
            }
#pragma unroll
        for (int p = 0; p < parts; p++)
            if (next + lane + 32 * p < s.columns)
                smem.u_rows[step * smem_layout::ld + next + lane + 32 * p] = y[p];
        __syncwarp();
    }
};

} // namespace startile_cuda

#endif
