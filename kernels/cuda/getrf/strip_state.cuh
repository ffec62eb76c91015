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

/* A candidate for the pivot row. The largest order wins, of equals the smallest position. Order 0:
 * none. */
template <typename T, int width>
struct alignas(16) candidate {
    unsigned int low, high; /* words of the order */
    int position, original_row;
    T row[width];
    T reciprocal; /* of the pivot element */

    __device__ unsigned long long order() const
    {
        return static_cast<unsigned long long>(high) << 32 | low;
    }
};

template <typename T, int width>
struct alignas(16) strip_smem {
    uint64_t received[2];            /* mbarriers of inbox */
    unsigned int keys[2][max_warps]; /* keys of the outbox */
    candidate<T, width> outbox[2][max_warps];
    candidate<T, width> inbox[2][max_blocks];
    int original_row[max_columns<T>]; /* of the pivot rows */
    int2 moves[2 * max_columns<T>];
    int moving;
    T multipliers[max_columns<T>]; /* L of a pivot row */
    /* U by rows */
    static constexpr int ld = max_columns<T> + 1;
    T upper[max_columns<T> * ld];
    T spare[max_columns<T> * max_columns<T>];
};

/* Returns the lane of the best candidate. */
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

/* Named barriers (hopper.cuh): compute threads; compute threads and bookkeeping warp once a step,
 * and once a group of columns */
enum { compute_barrier = 1, step_barrier, strip_barrier };

/* Returns a key for a candidate in a list of up to 16: the high bits of its order, and its place
 * counted from the end. The largest key wins, unless another one is too close. */
__device__ inline unsigned int list_key(unsigned int high, int place)
{
    return (high & ~15u) | (15 - place);
}

__device__ inline int place_of(unsigned int key)
{
    return 15 - static_cast<int>(key & 15);
}

/* Returns whether the lanes' keys, among them the largest, leave the winner open. */
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

/* Returns the winner of a list. */
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
