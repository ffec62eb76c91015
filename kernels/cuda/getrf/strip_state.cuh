/*
 * What the warps of a thread block share while they factor a strip, and how candidates for pivots
 * are compared.
 */
#ifndef STARTILE_STRIP_STATE_CUH
#define STARTILE_STRIP_STATE_CUH

#include "common/mbarrier.cuh"
#include "getrf/getrf.cuh"
#include "getrf/pivot.cuh"

namespace startile_cuda
{

constexpr int max_blocks = 16, max_warps = 16;

/* A row that may become a pivot row: the one with the largest order does, of equals the one with
 * the smallest position. Order 0: none. */
template <typename T, int width>
struct alignas(16) candidate {
    unsigned int low, high; /* words of the order */
    int position, original_row;
    T row[width];
    T reciprocal; /* of the pivot */

    __device__ unsigned long long order() const
    {
        return static_cast<unsigned long long>(high) << 32 | low;
    }
};

template <typename T, int width>
struct alignas(16) strip_smem {
    uint64_t received[2];            /* mbarriers of inbox */
    unsigned int keys[2][max_warps]; /* of the outbox */
    candidate<T, width> outbox[2][max_warps];
    candidate<T, width> inbox[2][max_blocks];
    int original_row[max_columns<T>]; /* of the pivot rows */
    int2 moves[2 * max_columns<T>];
    int moving;
    T multipliers[max_columns<T>]; /* of a pivot row */
    /* U, by rows */
    static constexpr int ld = max_columns<T> + 1;
    T upper[max_columns<T> * ld];
    T spare[max_columns<T> * max_columns<T>];
};

/* The lane whose candidate is best. */
__device__ inline int best_lane(unsigned long long order, int position)
{
    constexpr unsigned int all = 0xffffffff;
    unsigned int high = static_cast<unsigned int>(order >> 32);
    bool in = high == __reduce_max_sync(all, high);
    unsigned int low = in ? static_cast<unsigned int>(order) : 0;
    in = __reduce_max_sync(all, low) == low && in;
    int where = in ? position : no_row;
    in = __reduce_min_sync(all, where) == where && in;
    return __ffs(__ballot_sync(all, in)) - 1;
}

/* Named barriers of a part of the block's threads (hopper.cuh) */
enum { compute_barrier = 1, step_barrier, strip_barrier };

/* A key stands for a candidate of a list of up to 16: the greater part of its order, and its place
 * in the list counted from the end. The largest one wins, unless another is too close to it. */
__device__ inline unsigned int list_key(unsigned int high, int place)
{
    return (high & ~15u) | (15 - place);
}

__device__ inline int place_of(unsigned int key)
{
    return 15 - static_cast<int>(key & 15);
}

/* Whether the keys of the lanes, among them the largest, do not tell the winner */
__device__ inline bool is_close(unsigned int key, unsigned int largest)
{
    return __any_sync(0xffffffff, key != largest && (key ^ largest) < 16);
}

template <typename T, int width>
__device__ inline int choose_exactly(const candidate<T, width> *list, int count)
{
    const int lane = threadIdx.x % 32;
    return best_lane(lane < count ? list[lane].order() : 0,
                     lane < count ? list[lane].position : no_row);
}

/* The winner of a list. */
template <typename T, int width>
__device__ inline int choose(const candidate<T, width> *list, int count)
{
    const int lane = threadIdx.x % 32;
    unsigned int key = lane < count ? list_key(list[lane].high, lane) : 0;
    unsigned int largest = __reduce_max_sync(0xffffffff, key);
    return is_close(key, largest) ? choose_exactly(list, count) : place_of(largest);
}

} // namespace startile_cuda

#endif
