/*
 * Search for the largest number of a grid, and barrier of a grid, in kernels whose thread blocks
 * wait for each other (launch_together)
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

} // namespace startile_cuda

#endif
