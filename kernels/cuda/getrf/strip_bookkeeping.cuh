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

    static_assert(max_columns<T> == 32, "each lane has one column");

    /* A row of U whose elements in the columns from `next` on, right of the group, are not computed
     * yet. Lane i has the row's element of A in column next + i, and its element of L in column i.
     */
    struct unfinished_row {
        int step; /* −1: none */
        T a, l;
    };

    /* Lets the block receive the candidates of a step. */
    __device__ void expect(int step)
    {
        if (lane == 0 && step < s.columns)
            mbarrier::arrive_expect_tx(shared_address(&smem.received[step % 2]),
                                       blocks * static_cast<int>(sizeof(candidate<T, width>)));
        __syncwarp(); /* the barriers that follow are for whole warps */
    }

    /* Receives and records all pivots of the strip. */
    __device__ void run()
    {
        expect(0);
        expect(1);
        for (int first = 0; first < s.columns; first += width) {
            const int columns = min(width, s.columns - first), next = first + width;
            unfinished_row row = {-1, to_element<T>(0, 0), to_element<T>(0, 0)};
            arrive(step_barrier, all_threads);
            for (int c = 0; c < columns; c++) {
                const unfinished_row previous = row;
                row = record_pivot(first, c, columns);
                finish_row(next, previous);
            }
            if (next >= s.columns)
                break;
            arrive(rows_barrier, all_threads);
            finish_row(next, row);
            sync(strip_barrier, all_threads);
            /* Makes the columns that the compute warps stored before the barrier visible to the
             * other blocks, which read them after the next message. */
            __threadfence();
        }
        if (lane < s.columns)
            smem.top_position[lane] = top_position;
        __syncwarp();
        arrive(strip_barrier, all_threads);
    }

    /* Receives and records the pivot of column c of the group of columns that begins at column
     * `first`. Returns its row, whose elements are still being loaded. */
    __device__ unfinished_row record_pivot(int first, int c, int columns)
    {
        const int step = first + c, b = step % 2, next = first + width;
        mbarrier::wait(shared_address(&smem.received[b]), step / 2 % 2);
        expect(step + 2);
        const candidate<T, width> &pivot =
            smem.block_candidates[b][choose(smem.block_candidates[b], blocks)];
        const int position = pivot.position, original_row = pivot.original_row;
        const bool is_zero = pivot.order() == order_of_zero;
        unfinished_row row = {-1, to_element<T>(0, 0), to_element<T>(0, 0)};
        if (lane >= first && lane < step)
            row.l = pivot.row[lane - first];
        __syncwarp();
        if (c + 1 < columns)
            arrive(step_barrier, all_threads);
        if (next < s.columns) {
            row.step = step;
            if (next + lane < s.columns)
                row.a = __ldcg(&s.a[original_row + (next + lane) * s.ld]);
            if (lane < first)
                row.l = __ldcg(&s.a[original_row + lane * s.ld]);
        }
        top_position = top_position == position ? step
                       : top_position == step   ? position
                                                : top_position;
        if (lane == 0 && rank == 0) {
            s.moves[step] = make_int2(step, original_row);
            s.ipiv[step] = s.row0 + position + 1;
            if (is_zero && *s.info == 0)
                *s.info = s.first + step + 1;
        }
        return row;
    }

    /* Computes the row's elements of U in the columns from `next` on. */
    __device__ void finish_row(int next, unfinished_row row)
    {
        if (row.step < 0)
            return;
        smem.multipliers[lane] = row.l;
        __syncwarp();
        T y = row.a;
        const int column = min(next + lane, max_columns<T> - 1);
#pragma unroll 8
        for (int k = 0; k < row.step; k++)
            y = subtract_product(y, smem.u_rows[k * smem_layout::ld + column], smem.multipliers[k]);
        if (next + lane < s.columns)
            smem.u_rows[row.step * smem_layout::ld + next + lane] = y;
        __syncwarp();
    }
};

} // namespace startile_cuda

#endif
