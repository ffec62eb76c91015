/*
 * Row interchanges (LAPACK xLASWP) of one or several panels, each as the permutation that it comes
 * to: a thread block owns some columns and goes over the panels; it copies all elements that a
 * panel moves to shared memory, waits, and puts them to their new rows.
 *
 * Bound: memory. Rows are far apart in a column, and each element of a row below the panel costs a
 * sector of 32 bytes, read and written; the k rows on top are contiguous and cost what they are,
 * provided that neighbouring entries of the lists name neighbouring ones: "to" in its first half,
 * "from" in its second (startile_moves_of_pivots, order_rows.cu). Of sectors × 32 bytes it reaches
 * @@@ % of the speed of a copy on an H100.
 */
#include "operations.cuh"
#include "stack.cuh"

#include <cuda_pipeline.h>

namespace startile_cuda
{

/* All copies of a block are in flight at once, so that few threads do. */
constexpr int laswp_threads = 256;

/* What a block takes of shared memory, where one column fits into it: several blocks to a
 * multiprocessor, of which some read while others write. */
constexpr size_t laswp_shared = size_t(32) << 10;

/* Rather than fewer blocks than this, fewer columns for each. */
constexpr int laswp_blocks = 512;

/* Panels of one launch. */
constexpr int laswp_panels = 64;

struct some_panels {
    startile_pivots_of_panel panel[laswp_panels];
    int count;
};

/* A panel's list of moves. */
struct moves {
    const int64_t *to, *from, *used; /* used[e] < 0: none */
    int count;
};

__device__ inline moves moves_of(startile_pivots_of_panel p, bool inverse)
{
    const int64_t *to = p.of + p.k, *from = p.of + 3 * int64_t(p.k);
    return inverse ? moves{from, to, to, 2 * p.k} : moves{to, from, to, 2 * p.k};
}

template <typename T, int most>
__global__ void __launch_bounds__(laswp_threads)
    laswp_kernel(const __grid_constant__ stack<T, most> argument, int n, int columns, int64_t row0,
                 const __grid_constant__ some_panels panels, bool inverse)
{
    extern __shared__ double2 shared[];
    T *value = reinterpret_cast<T *>(shared); /* column by column of the moves */
    const stack<T, most> &a = shared_copy(argument);
    const int64_t column0 = int64_t(blockIdx.x) * columns;
    columns = min(int64_t(columns), n - column0);

    for (int q = 0; q < panels.count; q++) {
        moves move = moves_of(panels.panel[inverse ? panels.count - 1 - q : q], inverse);
        for (int e = threadIdx.x; e < move.count; e += laswp_threads) {
            if (move.used[e] < 0)
                continue;
            int row = static_cast<int>(move.from[e] - row0);
            const auto &piece = a.piece[a.piece_of(row)];
            const T *from = piece.p + (row - piece.first) + column0 * piece.ld;
            for (int j = 0; j < columns; j++)
                __pipeline_memcpy_async(value + j * move.count + e, from + j * int64_t(piece.ld),
                                        sizeof(T));
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        /* Each thread has back what it has copied itself. */
        for (int e = threadIdx.x; e < move.count; e += laswp_threads) {
            if (move.used[e] < 0)
                continue;
            int row = static_cast<int>(move.to[e] - row0);
            const auto &piece = a.piece[a.piece_of(row)];
            T *to = piece.p + (row - piece.first) + column0 * piece.ld;
            for (int j = 0; j < columns; j++)
                to[j * int64_t(piece.ld)] = value[j * move.count + e];
        }
        __syncthreads();
    }
}

template <typename T, int most>
static int launch_laswp(startile_exec *x, const stack<T, most> &a, int n, int64_t row0,
                        const some_panels &panels, bool inverse)
{
    size_t column = 0;
    for (int q = 0; q < panels.count; q++)
        column = std::max(column, 2 * size_t(panels.panel[q].k) * sizeof(T));
    if (column == 0)
        return 0;
    size_t fit = laswp_shared / column, fill = n / laswp_blocks;
    int columns = static_cast<int>(std::max<size_t>(std::min(fit, fill), 1));

    auto kernel = laswp_kernel<T, most>;
    if (int error = check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(columns * column))))
        return error;
    cudaLaunchConfig_t config = {};
    config.gridDim = ceil_div(n, columns);
    config.blockDim = laswp_threads;
    config.dynamicSmemBytes = columns * column;
    config.stream = x->stream;
    return check(cudaLaunchKernelEx(&config, kernel, a, n, columns, row0, panels, inverse));
}

template <typename T>
int laswp(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0, int panels,
          const startile_pivots_of_panel *p, int inverse)
{
    if (n == 0 || pieces == 0)
        return 0;
    return with_stack<T>(pieces, a, [&](const auto &rows) {
        for (int done = 0; done < panels; done += laswp_panels) {
            some_panels some;
            some.count = std::min(panels - done, laswp_panels);
            const startile_pivots_of_panel *first =
                inverse ? p + panels - done - some.count : p + done;
            std::copy(first, first + some.count, some.panel);
            if (int error = launch_laswp(x, rows, n, row0, some, inverse != 0))
                return error;
        }
        return 0;
    });
}

template decltype(laswp<float>) laswp<float>;
template decltype(laswp<double>) laswp<double>;
template decltype(laswp<cuComplex>) laswp<cuComplex>;
template decltype(laswp<cuDoubleComplex>) laswp<cuDoubleComplex>;

} // namespace startile_cuda
