/*
 * Column interchanges (LAPACK xLAPMT) of one panel on a row of blocks. Columns are contiguous in
 * memory, so that plain copies are enough: all columns that move are copied to the workspace, and
 * from there to their new places. Bound: memory bandwidth; the columns that move are read and
 * written twice.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"

namespace startile_cuda
{

/* For every e with to[e] ≥ 0, copies A's column from[e] to column e of the workspace
 * (to_workspace), or column e of the workspace to A's column to[e]; with `inverse` to and from
 * change roles. `line` is a tile_column only because that type holds many pieces. */
template <typename T, int capacity>
__global__ void __launch_bounds__(elementwise_threads)
    lapmt_kernel(const __grid_constant__ tile_column<T, capacity> line, int m, int nb,
                 int64_t column0, startile_pivots_of_panel pivots, bool inverse, T *workspace,
                 bool to_workspace)
{
    const int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    const int64_t *to = pivots.of + pivots.k, *from = pivots.of + 3 * int64_t(pivots.k);
    if (i >= m)
        return;
    for (int64_t e = blockIdx.y; e < 2 * int64_t(pivots.k); e += gridDim.y) {
        if (to[e] < 0)
            continue;
        int64_t column = (to_workspace == inverse ? to[e] : from[e]) - column0;
        const auto &block = line.piece[column / nb];
        T *a = block.p + i + (column % nb) * block.ld;
        T *w = workspace + i + e * m;
        if (to_workspace)
            *w = *a;
        else
            *a = *w;
    }
}

template <typename T>
int lapmt(startile_exec *x, int blocks, const startile_piece *a, int nb, int64_t column0,
          startile_pivots_of_panel pivots, int inverse)
{
    if (blocks == 0 || a[0].m == 0 || pivots.k == 0)
        return 0;
    const int m = a[0].m, moves = 2 * pivots.k;
    T *copy;
    if (int error = workspace(x, size_t(m) * moves, &copy))
        return error;
    dim3 grid(ceil_div(m, elementwise_threads),
              std::min<int>(ceil_div(moves, elementwise_columns), max_grid_y));
    return with_tile_column<T>(blocks, a, [&](const auto &line) {
        for (bool to_workspace : {true, false})
            if (int error = launch(x, lapmt_kernel<T, sizeof line.piece / sizeof *line.piece>, grid,
                                   elementwise_threads, line, m, nb, column0, pivots, inverse != 0,
                                   copy, to_workspace))
                return error;
        return 0;
    });
}

INSTANTIATE(lapmt);

} // namespace startile_cuda
