/*
 * Column interchanges (LAPACK xLAPMT) of one panel on a row of blocks. Columns are contiguous in
 * memory, so that plain copies are enough: all columns that move are copied to the workspace, and
 * from there to their new places. Bound: memory bandwidth; the columns that move are read and
 * written twice. exchange_columns, for blocks in other memories than the panel, needs no workspace:
 * it copies each column once.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"

namespace startile_cuda
{

/* Returns the address of element (i, j) in a row of blocks of nb columns, or NULL if its block is
 * elsewhere. `line` is a tile_column only because that type holds many pieces. */
template <typename T, int capacity>
__device__ T *element_of(const tile_column<T, capacity> &line, int nb, int64_t i, int64_t j)
{
    const auto &block = line.piece[j / nb];
    return block.p == nullptr ? nullptr : block.p + i + (j % nb) * block.ld;
}

/* For every e with to[e] ≥ 0 and a block for column to[e], copies A's column from[e], or else
 * column to[e] of `arrived`, to column e of the workspace (to_workspace), or column e of the
 * workspace to A's column to[e]; with `inverse` to and from change roles. */
template <typename T, int capacity>
__global__ void __launch_bounds__(elementwise_threads)
    lapmt_kernel(const __grid_constant__ tile_column<T, capacity> line, const T *arrived,
                 int ld_arrived, int m, int nb, int64_t column0, startile_pivots_of_panel pivots,
                 bool inverse, T *workspace, bool to_workspace)
{
    const int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    const int64_t *to = pivots.of + pivots.k, *from = pivots.of + 3 * int64_t(pivots.k);
    if (i >= m)
        return;
    for (int64_t e = blockIdx.y; e < 2 * int64_t(pivots.k); e += gridDim.y) {
        if (to[e] < 0)
            continue;
        int64_t target = (inverse ? from[e] : to[e]) - column0,
                source = (inverse ? to[e] : from[e]) - column0;
        T *a = element_of(line, nb, i, target), *w = workspace + i + e * m;
        if (a == nullptr)
            continue;
        if (to_workspace) {
            const T *here = element_of(line, nb, i, source);
            *w = here != nullptr ? *here : arrived[i + target * ld_arrived];
        } else {
            *a = *w;
        }
    }
}

inline dim3 grid_of_moves(int m, int moves)
{
    return dim3(ceil_div(m, elementwise_threads),
                std::min<int>(ceil_div(moves, elementwise_columns), max_grid_y));
}

template <typename T>
int lapmt(startile_exec *x, int blocks, const startile_piece *a, startile_piece arrived, int nb,
          int64_t column0, startile_pivots_of_panel pivots, int inverse)
{
    if (blocks == 0 || a[0].m == 0 || pivots.k == 0)
        return 0;
    const int m = a[0].m, moves = 2 * pivots.k;
    T *copy;
    if (int error = workspace(x, size_t(m) * moves, &copy))
        return error;
    return with_tile_column<T>(blocks, a, [&](const auto &line) {
        for (bool to_workspace : {true, false})
            if (int error = launch(x, lapmt_kernel<T, sizeof line.piece / sizeof *line.piece>,
                                   grid_of_moves(m, moves), elementwise_threads, line,
                                   static_cast<const T *>(arrived.p), arrived.ld, m, nb, column0,
                                   pivots, inverse != 0, copy, to_workspace))
                return error;
        return 0;
    });
}

INSTANTIATE(lapmt);

/* Copies the columns that leave the blocks to `arrived` (is_leaving), or the panel's columns that
 * enter the blocks. */
template <typename T, int capacity>
__global__ void __launch_bounds__(elementwise_threads)
    exchange_kernel(const __grid_constant__ tile_column<T, capacity> line, const T *panel,
                    int ld_panel, T *arrived, int ld_arrived, int m, int nb, int64_t column0,
                    startile_pivots_of_panel pivots, bool is_leaving)
{
    const int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    const int64_t *to = pivots.of + pivots.k, *from = pivots.of + 3 * int64_t(pivots.k);
    if (i >= m)
        return;
    for (int64_t e = blockIdx.y; e < 2 * int64_t(pivots.k); e += gridDim.y) {
        if (to[e] < 0)
            continue;
        int64_t target = to[e] - column0, source = from[e] - column0;
        T *a = element_of(line, nb, i, is_leaving ? source : target);
        if (a == nullptr)
            continue;
        if (is_leaving)
            arrived[i + target * ld_arrived] = *a;
        else
            *a = panel[i + source * ld_panel];
    }
}

template <typename T>
int exchange_columns(startile_exec *x, int blocks, const startile_piece *a, startile_piece panel,
                     startile_piece arrived, int nb, int64_t column0,
                     startile_pivots_of_panel pivots)
{
    if (blocks == 0 || panel.m == 0 || pivots.k == 0)
        return 0;
    return with_tile_column<T>(blocks, a, [&](const auto &line) {
        for (bool is_leaving : {true, false})
            if (int error =
                    launch(x, exchange_kernel<T, sizeof line.piece / sizeof *line.piece>,
                           grid_of_moves(panel.m, 2 * pivots.k), elementwise_threads, line,
                           static_cast<const T *>(panel.p), panel.ld, static_cast<T *>(arrived.p),
                           arrived.ld, panel.m, nb, column0, pivots, is_leaving))
                return error;
        return 0;
    });
}

INSTANTIATE(exchange_columns);

} // namespace startile_cuda
