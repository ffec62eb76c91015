/*
 * Kernel that calls op(i, j) for every element of a tile or of one of its triangles. Neighbouring
 * threads have neighbouring rows, which are contiguous in memory.
 */
#ifndef STARTILE_APPLY_ELEMENTWISE_CUH
#define STARTILE_APPLY_ELEMENTWISE_CUH

#include "common/exec.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Returns whether element (i, j) is in the triangle uplo; always true for 'G'. */
__host__ __device__ inline bool in_triangle(char uplo, int i, int j)
{
    return uplo == 'G' || (uplo == 'L' ? i >= j : i <= j);
}

/* Shape of the grid: a thread block has 256 rows, and each of its threads has several columns of
 * one row, which keeps several loads in flight. elementwise_columns: columns per thread, unless the
 * grid is limited by max_grid_y */
constexpr int elementwise_threads = 256;
constexpr int elementwise_columns = 8;
constexpr int max_grid_y = 65535;

template <typename Op>
__global__ void __launch_bounds__(elementwise_threads)
    apply_elementwise_kernel(char uplo, int m, int n, Op op)
{
    int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    if (i >= m)
        return;
    for (int64_t j = blockIdx.y; j < n; j += gridDim.y)
        if (in_triangle(uplo, i, j))
            op(static_cast<int>(i), static_cast<int>(j));
}

/* Calls op(i, j) for every element of an m × n tile that is in the triangle uplo. */
template <typename Op>
int apply_elementwise(startile_exec *x, char uplo, int m, int n, Op op)
{
    if (m == 0 || n == 0)
        return 0;
    dim3 grid(ceil_div(m, elementwise_threads),
              std::min<int>(ceil_div(n, elementwise_columns), max_grid_y));
    return launch(x, apply_elementwise_kernel<Op>, grid, elementwise_threads, uplo, m, n, op);
}

} // namespace startile_cuda

#endif
