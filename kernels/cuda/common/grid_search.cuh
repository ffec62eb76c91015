/*
 * Search for the largest number of a grid, and barrier of a grid, in kernels whose thread blocks
 * wait for each other (launch_together)
 *
 * On an H200 a barrier of 132 thread blocks by a counter takes 0.9 µs, and 1.9 µs with a list of
 * their numbers that is read behind it. Thread blocks that wait for the list's elements instead
 * take 2.2 to 9 µs.
 */
#ifndef STARTILE_GRID_SEARCH_CUH
#define STARTILE_GRID_SEARCH_CUH

#include "common/hopper.cuh"

namespace startile_cuda
{

/* The largest number of some rows. row: −1 if all numbers are NaN, or there is none */
struct largest_row {
    double value;
    int row;
};

/* NaN is never the largest; of equal values the first row is. */
__device__ inline void take_larger(largest_row &best, double value, int row)
{
    const bool is_larger =
        row >= 0 && !isnan(value) &&
        (best.row < 0 || value > best.value || (value == best.value && row < best.row));
    best.value = is_larger ? value : best.value;
    best.row = is_larger ? row : best.row;
}

/* Returns the best of the warp, in all lanes. */
__device__ inline largest_row best_of_warp(largest_row best)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        const double value = __shfl_xor_sync(0xffffffff, best.value, distance);
        const int row = __shfl_xor_sync(0xffffffff, best.row, distance);
        take_larger(best, value, row);
    }
    return best;
}

/* Returns the best of a list that each thread block has an element of, in all lanes of a warp. */
__device__ inline largest_row best_of_grid(const largest_row *list)
{
    constexpr int at_a_time = 5; /* reads that are under way together: 160 thread blocks */
    const int blocks = gridDim.x;
    largest_row best = {NAN, -1};
    for (int b = threadIdx.x % 32; b < blocks; b += 32 * at_a_time) {
        largest_row next[at_a_time];
#pragma unroll
        for (int k = 0; k < at_a_time; k++) {
            const largest_row *const from = list + min(b + 32 * k, blocks - 1);
            next[k] = {__ldcg(&from->value), __ldcg(&from->row)};
        }
#pragma unroll
        for (int k = 0; k < at_a_time; k++)
            take_larger(best, next[k].value, next[k].row);
    }
    return best_of_warp(best);
}

/* The largest magnitude of some rows. bits: those of a double ≥ 0, which compare as the doubles do
 */
struct largest_magnitude {
    unsigned long long bits = 0;
    unsigned int row = no_row;

    static constexpr unsigned int no_row = ~0u; /* all magnitudes are NaN, or there is none */
};

/* NaN is never the largest; of equal magnitudes the first row is. */
__device__ inline void take_larger(largest_magnitude &best, largest_magnitude other)
{
    constexpr unsigned long long infinity = 0x7ff0000000000000;
    const bool is_larger =
        other.bits <= infinity &&
        (other.bits > best.bits || (other.bits == best.bits && other.row < best.row));
    best.bits = is_larger ? other.bits : best.bits;
    best.row = is_larger ? other.row : best.row;
}

__device__ inline largest_magnitude magnitude_of_row(double magnitude, int row)
{
    return {(unsigned long long)__double_as_longlong(magnitude), unsigned(row)};
}

/* Returns the best of the warp, in all lanes. */
__device__ inline largest_magnitude best_of_warp(largest_magnitude best)
{
    const unsigned int high = unsigned(best.bits >> 32), low = unsigned(best.bits),
                       high_of_warp = __reduce_max_sync(0xffffffff, high),
                       low_of_warp = __reduce_max_sync(0xffffffff, high == high_of_warp ? low : 0);
    const bool is_best = high == high_of_warp && low == low_of_warp;
    return {(unsigned long long)high_of_warp << 32 | low_of_warp,
            __reduce_min_sync(0xffffffff, is_best ? best.row : largest_magnitude::no_row)};
}

/* Lets this thread block arrive, by one thread, after a barrier of the thread block's threads. All
 * that they wrote before is visible to threads behind wait_for_arrivals(). */
__device__ inline void arrive_at_grid(unsigned int *arrived)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
}

/* Waits, in one thread, until the thread blocks have arrived as often as `arrivals` says. The
 * thread block's other threads have to wait for this one. */
__device__ inline void wait_for_arrivals(const unsigned int *arrived, unsigned int arrivals)
{
    while (unsigned(load_acquire(reinterpret_cast<const int *>(arrived))) < arrivals)
        ;
}

/* Waits until all thread blocks have arrived; `arrivals` counts those at earlier barriers, too. */
__device__ inline void wait_for_grid(unsigned int *arrived, unsigned int arrivals)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_at_grid(arrived);
        wait_for_arrivals(arrived, arrivals);
    }
    __syncthreads();
}

} // namespace startile_cuda

#endif
