/*
 * Search for the largest number of a grid, and barrier of a grid, in kernels whose thread blocks
 * wait for each other (launch_together)
 *
 * A barrier and a list of the largest numbers take two or three dependent accesses of the L2 cache
 * after a thread block's fence: arrive, see that all have arrived, read the list. With numbered
 * words each thread block waits for the list's elements themselves.
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

/* Waits until all thread blocks have arrived; `arrivals` counts those at earlier barriers, too. */
__device__ inline void wait_for_grid(unsigned int *arrived, int arrivals)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (load_acquire(reinterpret_cast<int *>(arrived)) < arrivals)
            ;
    }
    __syncthreads();
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

/* Data of one thread block for all others, and the number of the search that it belongs to, from 1
 * on. They are stored and loaded together. */
struct alignas(16) numbered_word {
    unsigned long long data;
    unsigned int row;
    int search;
};

__device__ inline void store_word(numbered_word *to, numbered_word word)
{
    const unsigned long long of_search =
        (unsigned long long)(unsigned int)word.search << 32 | word.row;
    asm volatile("{\n\t.reg .b128 word;\n\tmov.b128 word, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.b128 [%0], word;\n\t}" ::"l"(to),
                 "l"(word.data), "l"(of_search)
                 : "memory");
}

__device__ inline numbered_word load_word(const numbered_word *from)
{
    unsigned long long data, of_search;
    asm volatile("{\n\t.reg .b128 word;\n\tld.relaxed.gpu.global.b128 word, [%2];\n\t"
                 "mov.b128 {%0, %1}, word;\n\t}"
                 : "=l"(data), "=l"(of_search)
                 : "l"(from)
                 : "memory");
    return {data, unsigned(of_search), int(of_search >> 32)};
}

/* Returns the word of a search; `word` has been loaded before. */
__device__ inline numbered_word wait_for_word(const numbered_word *from, numbered_word word,
                                              int search)
{
    while (word.search != search)
        word = load_word(from);
    return word;
}

/* Orders the accesses of a thread, and those that a barrier of its thread block orders before or
 * behind them, for all threads of the device. Takes less time than __threadfence(), which orders
 * the fences of all threads, too. */
__device__ inline void fence()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* Publishes the best of this thread block, by one thread, after a barrier of the thread block's
 * threads. All that they wrote before is visible to threads behind wait_for_best(). */
__device__ inline void publish_best(numbered_word *list, largest_magnitude best, int search)
{
    fence();
    store_word(list + blockIdx.x, {best.bits, best.row, search});
}

/* Waits until all thread blocks have published their best of a search. Returns the best of them, in
 * all lanes of the warp that calls it. The other warps have to wait for this one. */
__device__ inline largest_magnitude wait_for_best(const numbered_word *list, int search)
{
    constexpr int at_a_time = 5; /* reads that are under way together: 160 thread blocks */
    const int blocks = gridDim.x;
    largest_magnitude best;
    for (int b = threadIdx.x % 32; b < blocks; b += 32 * at_a_time) {
        numbered_word next[at_a_time];
#pragma unroll
        for (int k = 0; k < at_a_time; k++)
            next[k] = load_word(list + min(b + 32 * k, blocks - 1));
#pragma unroll
        for (int k = 0; k < at_a_time; k++) {
            next[k] = wait_for_word(list + min(b + 32 * k, blocks - 1), next[k], search);
            take_larger(best, {next[k].data, next[k].row});
        }
    }
    fence();
    return best_of_warp(best);
}

} // namespace startile_cuda

#endif
