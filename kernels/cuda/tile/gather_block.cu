/*
 * Blocks of P A Pᵀ for the interchanges of several panels. gather_block writes consecutive rows and
 * reads random rows of one column at a time, which the L2 cache holds: thread blocks on the same
 * columns are neighbours in the grid. Bound: accesses to the L2 cache, 32 bytes for each element
 * read. A thread works on several columns, because it reads the order of its row once.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"

namespace startile_cuda
{

constexpr int compose_threads = 1024, gather_threads = 256, gather_columns = 4;

/* Runs in one thread block. All entries are read before any is overwritten. */
__global__ void __launch_bounds__(compose_threads)
    compose_moves_kernel(startile_pivots_of_panel pivots, int64_t *order)
{
    extern __shared__ int64_t held[];
    const int64_t *to = pivots.of + pivots.k, *from = pivots.of + 3 * int64_t(pivots.k);
    for (int e = threadIdx.x; e < 2 * pivots.k; e += compose_threads)
        if (to[e] >= 0)
            held[e] = order[from[e]] != 0 ? order[from[e]] : from[e] + 1;
    __syncthreads();
    for (int e = threadIdx.x; e < 2 * pivots.k; e += compose_threads)
        if (to[e] >= 0)
            order[to[e]] = held[e];
}

/* T only selects the table of kernels. */
template <typename T>
int compose_moves(startile_exec *x, startile_pivots_of_panel pivots, int64_t *order)
{
    if (pivots.k == 0)
        return 0;
    return launch_with_smem(x, compose_moves_kernel, 1, compose_threads,
                            2 * sizeof(int64_t) * pivots.k, pivots, order);
}

INSTANTIATE(compose_moves);

/* Returns the row of the matrix that is at row i. */
__device__ inline int64_t original(const int64_t *order, int64_t i)
{
    const int64_t o = order[i];
    return o != 0 ? o - 1 : i;
}

/* `line` is a tile_column only because that type holds many pieces. */
template <typename T, int capacity>
__global__ void __launch_bounds__(gather_threads)
    gather_block_kernel(const __grid_constant__ tile_column<T, capacity> line, int nb,
                        int64_t first, const int64_t *order, int64_t row0, int64_t column0, int m,
                        int n, T *c, int64_t ldc)
{
    const int64_t i = int64_t(blockIdx.x) * gather_threads + threadIdx.x;
    if (i >= m)
        return;
    const int64_t row = original(order, row0 + i);
    for (int64_t j0 = int64_t(blockIdx.y) * gather_columns; j0 < n;
         j0 += int64_t(gridDim.y) * gather_columns)
#pragma unroll
        for (int64_t j = j0; j < j0 + gather_columns; j++) {
            const int64_t column = j < n ? original(order, column0 + j) - first : -1;
            if (column < 0 || column >= int64_t(line.count) * nb)
                continue;
            const auto &block = line.piece[column / nb];
            if (block.p != nullptr)
                c[i + j * ldc] = block.p[row + (column % nb) * block.ld];
        }
}

template <typename T>
int gather_block(startile_exec *x, int blocks, const startile_piece *a, int nb, int64_t first,
                 const int64_t *order, int64_t row0, int64_t column0, int m, int n, void *c,
                 int ldc)
{
    if (blocks == 0 || m == 0 || n == 0)
        return 0;
    const dim3 grid(ceil_div(m, gather_threads),
                    std::min<int>(ceil_div(n, gather_columns), max_grid_y));
    return with_tile_column<T>(blocks, a, [&](const auto &line) {
        return launch(x, gather_block_kernel<T, sizeof line.piece / sizeof *line.piece>, grid,
                      gather_threads, line, nb, first, order, row0, column0, m, n,
                      static_cast<T *>(c), int64_t(ldc));
    });
}

INSTANTIATE(gather_block);

} // namespace startile_cuda
