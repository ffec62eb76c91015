/*
 * Row interchanges (LAPACK xLASWP) of one or several panels, each as the permutation that it comes
 * to.
 *
 * Panel by panel: a thread block owns a column, copies all elements that a panel moves to shared
 * memory, waits, and puts them to their new rows. Bound: memory, by single accesses: the k rows on
 * top are contiguous, but of the others each costs at least a sector of 32 bytes, read and written.
 * @@@
 * Several columns of a block, or more blocks on a multiprocessor, are up to twice as slow: what has
 * been read is then no longer in the L2 cache when it is written.
 *
 * All panels at once, where they move most rows: what they come to together, and then two copies of
 * the matrix with contiguous accesses to memory, whatever the number of panels.
 */
#include "operations.cuh"
#include "stack.cuh"
#include "visit.cuh"

#include <cuda_pipeline.h>

namespace startile_cuda
{

/* All at once from this many moves of several panels for each row on. @@@ */
constexpr double permute_from = 0.5;

/* Size of the copy, which should stay in the L2 cache between its two uses. */
constexpr size_t permute_copy = size_t(16) << 20;

/* A thread for each move; few columns at a time, see above. */
constexpr int laswp_threads = 1024;

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

/* One block per column. */
template <typename T, int most>
__global__ void __launch_bounds__(laswp_threads)
    laswp_kernel(const __grid_constant__ stack<T, most> argument, int64_t row0,
                 const __grid_constant__ some_panels panels, bool inverse)
{
    extern __shared__ double2 shared[];
    T *value = reinterpret_cast<T *>(shared);
    const stack<T, most> &a = shared_copy(argument);
    const int64_t column = blockIdx.x;

    for (int q = 0; q < panels.count; q++) {
        const moves move = moves_of(panels.panel[inverse ? panels.count - 1 - q : q], inverse);
        for (int e = threadIdx.x; e < move.count; e += blockDim.x)
            if (move.used[e] >= 0)
                __pipeline_memcpy_async(
                    value + e, a.at(static_cast<int>(move.from[e] - row0), column), sizeof(T));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        /* All have been read before any is overwritten. Each thread has back what it has copied. */
        __syncthreads();
        for (int e = threadIdx.x; e < move.count; e += blockDim.x)
            if (move.used[e] >= 0)
                *a.at(static_cast<int>(move.to[e] - row0), column) = value[e];
        __syncthreads();
    }
}

/* Panel by panel. */
template <typename T, int most>
static int move_rows(startile_exec *x, const stack<T, most> &a, int n, int64_t row0, int panels,
                     const startile_pivots_of_panel *p, bool inverse)
{
    for (int done = 0; done < panels; done += laswp_panels) {
        some_panels some;
        some.count = std::min(panels - done, laswp_panels);
        const startile_pivots_of_panel *first = inverse ? p + panels - done - some.count : p + done;
        std::copy(first, first + some.count, some.panel);
        int most_moves = 0;
        for (int q = 0; q < some.count; q++)
            most_moves = std::max(most_moves, 2 * some.panel[q].k);
        if (most_moves == 0)
            continue;
        int threads = std::min<int>(32 * ceil_div(most_moves, 32), laswp_threads);
        if (int error = launch_with_shared(x, laswp_kernel<T, most>, n, threads,
                                           most_moves * sizeof(T), a, row0, some, inverse))
            return error;
    }
    return 0;
}

template <typename T, int most>
__global__ void __launch_bounds__(visit_threads)
    permute_kernel(const __grid_constant__ stack<T, most> argument, int m, int n, int64_t column0,
                   const int *source, T *copy, bool to_copy)
{
    const stack<T, most> &a = shared_copy(argument);
    const int64_t i = int64_t(blockIdx.x) * visit_threads + threadIdx.x;
    if (i >= m || source[i] == i)
        return;
    const int row = to_copy ? source[i] : static_cast<int>(i), q = a.piece_of(row);
    T *p = a.piece[q].p + (row - a.piece[q].first) + column0 * a.piece[q].ld;
    for (int64_t j = blockIdx.y; j < n; j += gridDim.y)
        if (to_copy)
            copy[i + j * m] = p[j * a.piece[q].ld];
        else
            p[j * a.piece[q].ld] = copy[i + j * m];
}

struct identity_visitor {
    int *source;

    __device__ void operator()(int i, int) const
    {
        source[i] = i;
    }
};

/* All panels at once: their interchanges, done to the vector 0, 1, …, say where each row comes
 * from. Some columns at a time go by way of a copy. */
template <typename T, int most>
static int permute_rows(startile_exec *x, const stack<T, most> &a, int m, int n, int64_t row0,
                        int panels, const startile_pivots_of_panel *p, bool inverse)
{
    const size_t column = m * sizeof(T), vector = (m * sizeof(int) + 255) / 256 * 256;
    const int columns = static_cast<int>(
        std::min<size_t>(std::max<size_t>(permute_copy / column, 1), static_cast<size_t>(n)));
    if (int error = reserve(x, vector + columns * column))
        return error;
    int *source = static_cast<int *>(x->workspace);
    T *copy = reinterpret_cast<T *>(static_cast<char *>(x->workspace) + vector);
    const startile_piece sources = {source, m, m};

    if (int error = visit(x, 'G', m, 1, identity_visitor{source}))
        return error;
    if (int error = move_rows(x, make_stack<int, 1>(1, &sources), 1, row0, panels, p, inverse))
        return error;
    for (int column0 = 0; column0 < n; column0 += columns) {
        const int some = std::min(columns, n - column0);
        dim3 grid(ceil_div(m, visit_threads),
                  std::min<int>(ceil_div(some, visit_columns), max_grid_y));
        for (bool to_copy : {true, false})
            if (int error = launch(x, permute_kernel<T, most>, grid, visit_threads, a, m, some,
                                   int64_t(column0), source, copy, to_copy))
                return error;
    }
    return 0;
}

template <typename T>
int laswp(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0, int panels,
          const startile_pivots_of_panel *p, int inverse)
{
    int64_t moves = 0;
    for (int q = 0; q < panels; q++)
        moves += 2 * p[q].k;
    if (n == 0 || moves == 0)
        return 0;
    const int m = static_cast<int>(rows_of(pieces, a));
    const bool at_once = panels > 1 && moves >= permute_from * m;
    return with_stack<T>(pieces, a, [&](const auto &rows) {
        return at_once ? permute_rows(x, rows, m, n, row0, panels, p, inverse != 0)
                       : move_rows(x, rows, n, row0, panels, p, inverse != 0);
    });
}

template decltype(laswp<float>) laswp<float>;
template decltype(laswp<double>) laswp<double>;
template decltype(laswp<cuComplex>) laswp<cuComplex>;
template decltype(laswp<cuDoubleComplex>) laswp<cuDoubleComplex>;

} // namespace startile_cuda
