/*
 * The warp of a thread block that keeps the books while the others factor a strip (getrf_strip.cu).
 */
#ifndef STARTILE_STRIP_CLERK_CUH
#define STARTILE_STRIP_CLERK_CUH

#include "common/hopper.cuh"
#include "getrf/strip_state.cuh"

namespace startile_cuda
{

/* The warp beside the team: keeps the books of pivots, and finishes rows of U. It gets every
 * message that the team gets, and arrives at the next step's barrier when it has read it. */
template <typename T, int width, int team>
struct strip_clerk {
    using room = workshop<T, width>;
    static constexpr int everybody = team + 32;
    const strip<T> &s;
    room &shop;
    int blocks, rank, lane;

    __device__ void keep_books()
    {
        for (int first = 0; first < s.columns; first += width) {
            if (first > 0) {
                sync(strip_barrier, everybody);
                /* What the team stored before that barrier: others may read it after the next
                 * message. */
                __threadfence();
            }
            const int columns = min(width, s.columns - first);
            arrive(step_barrier, everybody);
            for (int c = 0; c < columns; c++)
                take_message(first, c, columns);
        }
    }

    __device__ void take_message(int first, int c, int columns)
    {
        const int step = first + c, b = step % 2;
        if (lane == 0)
            mbarrier::arrive_expect_tx(shared_address(&shop.received[b]),
                                       blocks * static_cast<int>(sizeof(candidate<T, width>)));
        __syncwarp();
        mbarrier::wait(shared_address(&shop.received[b]), step / 2 % 2);
        const candidate<T, width> &pivot = shop.inbox[b][choose(shop.inbox[b], blocks)];
        const int position = pivot.position, home = pivot.home;
        const bool is_zero = pivot.order() == order_of_zero;
        if (lane < c)
            shop.multipliers[first + lane] = pivot.row[lane];
        __syncwarp();
        if (c + 1 < columns)
            arrive(step_barrier, everybody);
        if (lane == 0 && rank == 0) {
            s.moves[step] = make_int2(step, home);
            s.ipiv[step] = s.row0 + position + 1;
            if (is_zero && *s.info == 0)
                *s.info = s.first + step + 1;
        }
        if (first + width < s.columns)
            finish_row(first, step, home);
    }

    /* Row `step` of U in the columns to come: its L in the columns before `first` is in memory. */
    __device__ void finish_row(int first, int step, int home)
    {
        constexpr int parts = most_columns<T> / 32;
        const int next = first + width;
        T y[parts];
#pragma unroll
        for (int p = 0; p < parts; p++) {
            int c = next + lane + 32 * p;
            y[p] = c < s.columns ? __ldcg(&s.a[home + c * s.ld]) : to_element<T>(0, 0);
        }
        for (int k = lane; k < first; k += 32)
            shop.multipliers[k] = __ldcg(&s.a[home + k * s.ld]);
        __syncwarp();
#pragma unroll 8
        for (int k = 0; k < step; k++)
#pragma unroll
            for (int p = 0; p < parts; p++) {
                int c = min(next + lane + 32 * p, most_columns<T> - 1);
                y[p] = subtract_product(y[p], shop.upper[k * room::ld + c], shop.multipliers[k]);
            }
#pragma unroll
        for (int p = 0; p < parts; p++)
            if (next + lane + 32 * p < s.columns)
                shop.upper[step * room::ld + next + lane + 32 * p] = y[p];
        __syncwarp();
    }
};

} // namespace startile_cuda

#endif
