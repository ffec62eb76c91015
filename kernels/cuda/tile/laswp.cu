/*
 * Row interchanges (LAPACK xLASWP) of one or several panels, each applied as a permutation. A
 * thread block handles one column. For each panel in turn, it copies all elements that move to
 * shared memory, synchronises, and stores them to their new rows.
 *
 * Bound: single accesses to memory. The k top rows are contiguous, but every other row costs 64
 * bytes read and 32 written (hardware counters of an H100), in any order of the list. On an H100
 * (double, k = 512, random rows) a column of 8192 rows takes 25 ns, and one of 32768 rows 39 ns.
 * That is 21 and 14 % of a copy's rate for the elements moved, and 61 and 48 % for the traffic
 * caused. In a row-major matrix, where a row is contiguous, the moves would be three to five times
 * as fast (perf_models/NOTES.md, "Kernels on one tile").
 *
 * Few columns are in flight at a time. Several columns per block, or more blocks per
 * multiprocessor, take up to twice as long, because lines leave the L2 cache between reading and
 * writing. For the same reason the panels of a call share launches: 63 panels in one launch take
 * half the time of 63 launches.
 */
#include "common/operations.cuh"
#include "common/tile_column.cuh"

#include <cuda_pipeline.h>

namespace startile_cuda
{

/* Largest number of threads of a thread block. Up to this number, each move of a panel has a thread
 * of its own. */
constexpr int laswp_threads = 1024;

/* Largest number of panels in one launch */
constexpr int laswp_panels = 64;

struct panel_list {
    startile_pivots_of_panel panel[laswp_panels];
    int count;
};

/* Moves of a panel: row to[e] gets the elements of row from[e] */
struct moves {
    const int64_t *to, *from, *used; /* used[e] < 0: entry e is not used */
    int count;
};

__device__ inline moves moves_of(startile_pivots_of_panel p, bool inverse)
{
    const int64_t *to = p.of + p.k, *from = p.of + 3 * int64_t(p.k);
    return inverse ? moves{from, to, to, 2 * p.k} : moves{to, from, to, 2 * p.k};
}

/* Applies the moves of all panels to one column per thread block. */
template <typename T, int capacity>
__global__ void __launch_bounds__(laswp_threads)
    laswp_kernel(const __grid_constant__ tile_column<T, capacity> argument, int64_t row0,
                 const __grid_constant__ panel_list panels, bool inverse)
{
    extern __shared__ double2 shared[];
    T *value = reinterpret_cast<T *>(shared);
    const tile_column<T, capacity> &a = shared_copy(argument);
    const int64_t column = blockIdx.x;

    for (int q = 0; q < panels.count; q++) {
        const moves move = moves_of(panels.panel[inverse ? panels.count - 1 - q : q], inverse);
        for (int e = threadIdx.x; e < move.count; e += blockDim.x)
            if (move.used[e] >= 0)
                __pipeline_memcpy_async(
                    value + e, a.at(static_cast<int>(move.from[e] - row0), column), sizeof(T));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        /* All elements are read before any is overwritten. Each thread stores the elements that it
         * copied. */
        __syncthreads();
        for (int e = threadIdx.x; e < move.count; e += blockDim.x)
            if (move.used[e] >= 0)
                *a.at(static_cast<int>(move.to[e] - row0), column) = value[e];
        __syncthreads();
    }
}

/* Applies the interchanges, up to laswp_panels panels a launch. */
template <typename T, int capacity>
static int move_rows(startile_exec *x, const tile_column<T, capacity> &a, int n, int64_t row0,
                     int panels, const startile_pivots_of_panel *p, bool inverse)
{
    for (int done = 0; done < panels; done += laswp_panels) {
        panel_list list;
        list.count = std::min(panels - done, laswp_panels);
        const startile_pivots_of_panel *first = inverse ? p + panels - done - list.count : p + done;
        std::copy(first, first + list.count, list.panel);
        int max_moves = 0;
        for (int q = 0; q < list.count; q++)
            max_moves = std::max(max_moves, 2 * list.panel[q].k);
        if (max_moves == 0)
            continue;
        int threads = std::min<int>(32 * ceil_div(max_moves, 32), laswp_threads);
        if (int error = launch_with_smem(x, laswp_kernel<T, capacity>, n, threads,
                                         max_moves * sizeof(T), a, row0, list, inverse))
            return error;
    }
    return 0;
}

template <typename T>
int laswp(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0, int panels,
          const startile_pivots_of_panel *p, int inverse)
{
    if (n == 0 || pieces == 0)
        return 0;
    return with_tile_column<T>(pieces, a, [&](const auto &rows) {
        return move_rows(x, rows, n, row0, panels, p, inverse != 0);
    });
}

INSTANTIATE(laswp);

} // namespace startile_cuda
