/*
 * Shared memory of the LU strip kernel (getrf_strip.cu), and the comparison of candidates for
 * pivots
 */
#ifndef STARTILE_STRIP_STATE_CUH
#define STARTILE_STRIP_STATE_CUH

#include "common/mbarrier.cuh"
#include "getrf/getrf.cuh"
#include "getrf/pivot.cuh"

namespace startile_cuda
{

constexpr int max_blocks = 16, max_warps = 16;

/* A candidate for the pivot row. The largest order (pivot.cuh) wins; if orders are equal, the
 * smallest position. Order 0: no candidate. position: current row in the strip; original_row: row
 * before the strip's interchanges */
template <typename T, int width>
struct alignas(16) candidate {
    unsigned int low, high; /* low and high word of the order */
    int position, original_row;
    T row[width];
    T reciprocal; /* reciprocal of the pivot element */

    __device__ unsigned long long order() const
    {
        return static_cast<unsigned long long>(high) << 32 | low;
    }
};

template <typename T, int width>
struct alignas(16) strip_smem {
    uint64_t received[2];                 /* mbarriers of block_candidates */
    unsigned int warp_keys[2][max_warps]; /* keys of warp_candidates */
    candidate<T, width> warp_candidates[2][max_warps];
    candidate<T, width> block_candidates[2][max_blocks];
    int original_row[max_columns<T>]; /* original_row of each pivot row */
    int top_position[max_columns<T>]; /* final position of each of the strip's top rows */
    int2 moves[2 * max_columns<T>];   /* this block's moves: row .x gets the elements of row .y */
    int moved_rows;                   /* number of entries in `moves` */
    T multipliers[max_columns<T>];    /* elements of L in a pivot row */
    static constexpr int ld = max_columns<T>;
    alignas(16) T u_rows[max_columns<T> * ld]; /* rows of U */
};

/* Called by one warp with one candidate per lane. Returns the lane of the best candidate. */
__device__ inline int best_lane(unsigned long long order, int position)
{
    constexpr unsigned int all = 0xffffffff;
    unsigned int high = static_cast<unsigned int>(order >> 32);
    bool is_best = high == __reduce_max_sync(all, high);
    unsigned int low = is_best ? static_cast<unsigned int>(order) : 0;
    is_best = __reduce_max_sync(all, low) == low && is_best;
    int own_position = is_best ? position : no_row;
    is_best = __reduce_min_sync(all, own_position) == own_position && is_best;
    return __ffs(__ballot_sync(all, is_best)) - 1;
}

/* Named barriers (hopper.cuh):
 * - compute_barrier: compute threads
 * - step_barrier: compute threads and bookkeeping warp, once a step
 * - rows_barrier, strip_barrier: compute threads and bookkeeping warp, once after each group of
 *   columns, when all rows of U but the last one are complete, and when that one is */
enum { compute_barrier = 1, step_barrier, rows_barrier, strip_barrier };

/* Returns the key of a candidate in a list of up to 16: the high bits of its order, then its index
 * counted from the end. The largest key wins, unless is_close() is true. */
__device__ inline unsigned int list_key(unsigned int high, int index)
{
    return (high & ~15u) | (15 - index);
}

/* Returns the index of the candidate that has this key. */
__device__ inline int index_of_key(unsigned int key)
{
    return 15 - static_cast<int>(key & 15);
}

/* Called by one warp with one key per lane. Returns whether the keys do not decide: a lane's key
 * differs from the largest key only in the index. choose_exactly() then finds the winner. */
__device__ inline bool is_close(unsigned int key, unsigned int largest)
{
    return __any_sync(0xffffffff, key != largest && (key ^ largest) < 16);
}

/* Called by one warp. Returns the index of the winner of a list, by whole orders and positions. */
template <typename T, int width>
__device__ inline int choose_exactly(const candidate<T, width> *list, int count)
{
    const int lane = threadIdx.x % 32;
    return best_lane(lane < count ? list[lane].order() : 0,
                     lane < count ? list[lane].position : no_row);
}

/* Called by one warp. Returns the index of the winner of a list, by the keys if they decide,
 * otherwise by choose_exactly(). */
template <typename T, int width>
__device__ inline int choose(const candidate<T, width> *list, int count)
{
    const int lane = threadIdx.x % 32;
    unsigned int key = lane < count ? list_key(list[lane].high, lane) : 0;
    unsigned int largest = __reduce_max_sync(0xffffffff, key);
    return is_close(key, largest) ? choose_exactly(list, count) : index_of_key(largest);
}

} // namespace startile_cuda

#endif
