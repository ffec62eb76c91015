/*
 * Sums over the rows and over the columns of a tile, or of one of its triangles, in double
 * precision. Every sum has a fixed order on any device, without atomic operations.
 *
 * The caller's functor add(i, j, sum) adds the terms of element (i, j) to sum[0 … sums − 1], which
 * belong to the columns of the result.
 */
#ifndef STARTILE_TILE_SUMS_CUH
#define STARTILE_TILE_SUMS_CUH

#include "common/exec.cuh"

namespace startile_cuda
{

/* Shape of row_sums_kernel: neighbouring threads have neighbouring rows, 16 per block, so that
 * loads are contiguous, and a tile of 2048 rows has a block for nearly every multiprocessor. */
constexpr int row_sum_rows = 16, row_sum_parts = 32;

/* Shape of column_sums_kernel: a thread block has two columns, whose terms share what `add` loads
 * for a row. */
constexpr int column_sum_threads = 512, column_sum_columns = 2;

/* Computes acc[i + q ldacc] += Σ_j of the terms, for q = 0 … sums − 1: for uplo
 * 'G' over all columns, otherwise over the triangle uplo without its diagonal. */
template <int sums, typename Add>
__global__ void __launch_bounds__(row_sum_rows *row_sum_parts)
    row_sums_kernel(char uplo, int m, int n, Add add, double *acc, int64_t ldacc)
{
    __shared__ double parts[sums][row_sum_parts][row_sum_rows];
    const int64_t i0 = int64_t(blockIdx.x) * row_sum_rows, i = i0 + threadIdx.x;
    /* Triangle 'U': the columns of the diagonal block come first, so that all threads of a warp
     * begin the others together. */
    const int64_t first = uplo == 'U' ? i0 + row_sum_rows : 0;
    const int64_t last = uplo == 'L' ? min(i, int64_t(n)) : n;
    double sum[sums] = {};
    if (i < m) {
        for (int64_t j = i0 + threadIdx.y; uplo == 'U' && j < min(first, last); j += row_sum_parts)
            if (j > i)
                add(i, j, sum);
#pragma unroll 4
        for (int64_t j = first + threadIdx.y; j < last; j += row_sum_parts)
            add(i, j, sum);
    }
    for (int q = 0; q < sums; q++)
        parts[q][threadIdx.y][threadIdx.x] = sum[q];
    __syncthreads();
    for (int q = threadIdx.y; q < sums && i < m; q += row_sum_parts) {
        double total = 0;
        for (int part = 0; part < row_sum_parts; part++)
            total += parts[q][part][threadIdx.x];
        acc[i + q * ldacc] += total;
    }
}

/* Adds up the sums of all threads of the block. Returns the total of sum[s / sums][s % sums] to
 * thread s. */
template <int columns, int sums>
__device__ double total_of_block(const double (&sum)[columns][sums])
{
    constexpr int warps = column_sum_threads / 32, results = columns * sums;
    __shared__ double parts[results][warps];
#pragma unroll
    for (int s = 0; s < results; s++) {
        double total = sum[s / sums][s % sums];
        for (int distance = 16; distance > 0; distance /= 2)
            total += __shfl_down_sync(~0u, total, distance);
        if (threadIdx.x % 32 == 0)
            parts[s][threadIdx.x / 32] = total;
    }
    __syncthreads();
    double total = 0;
    for (int warp = 0; warp < warps && threadIdx.x < results; warp++)
        total += parts[threadIdx.x][warp];
    return total;
}

/* Computes acc[j + q ldacc] += Σ_i of the terms, for q = 0 … sums − 1, over the
 * triangle uplo of a square tile, or over all rows ('G'). */
template <int sums, typename Add>
__global__ void __launch_bounds__(column_sum_threads)
    column_sums_kernel(char uplo, int m, int n, Add add, double *acc, int64_t ldacc)
{
    const int64_t j0 = int64_t(blockIdx.x) * column_sum_columns;
    /* The rows that both columns have in the triangle; behind the last column, the last one counts
     * twice, without effect. */
    const int64_t first = uplo == 'L' ? j0 + 1 : 0,
                  last = uplo == 'U' ? min(j0 + 1, int64_t(m)) : m;
    const int64_t j1 = min(j0 + 1, int64_t(n - 1));
    double sum[column_sum_columns][sums] = {};
#pragma unroll 4
    for (int64_t i = first + threadIdx.x; i < last; i += column_sum_threads) {
        add(i, j0, sum[0]);
        add(i, j1, sum[1]);
    }
    /* the row that only one of them has */
    if (threadIdx.x == 0 && uplo == 'L')
        add(j0, j0, sum[0]);
    if (threadIdx.x == 0 && uplo == 'U' && j1 > j0)
        add(j1, j1, sum[1]);
    const double total = total_of_block(sum);
    const int s = threadIdx.x;
    if (s < column_sum_columns * sums && j0 + s / sums < n)
        acc[j0 + s / sums + s % sums * ldacc] += total;
}

template <int sums, typename Add>
int row_sums(startile_exec *x, char uplo, int m, int n, Add add, double *acc, int64_t ldacc)
{
    return launch(x, row_sums_kernel<sums, Add>, ceil_div(m, row_sum_rows),
                  dim3(row_sum_rows, row_sum_parts), uplo, m, n, add, acc, ldacc);
}

template <int sums, typename Add>
int column_sums(startile_exec *x, char uplo, int m, int n, Add add, double *acc, int64_t ldacc)
{
    return launch(x, column_sums_kernel<sums, Add>, ceil_div(n, column_sum_columns),
                  column_sum_threads, uplo, m, n, add, acc, ldacc);
}

/* Adds the row sums of the symmetric tile whose triangle uplo is stored: the sums over the columns
 * of the triangle, and those over its rows without the diagonal, which the tile's other triangle
 * mirrors. add_to_column(i, j, sum) and add_to_row(i, j, sum) add the terms of the stored element
 * (i, j) to the sums of rows j and i of the result. */
template <int sums, typename AddToColumn, typename AddToRow>
int symmetric_sums(startile_exec *x, char uplo, int n, AddToColumn add_to_column,
                   AddToRow add_to_row, double *acc, int64_t ldacc)
{
    if (int error = column_sums<sums>(x, uplo, n, n, add_to_column, acc, ldacc))
        return error;
    return row_sums<sums>(x, uplo, n, n, add_to_row, acc, ldacc);
}

} // namespace startile_cuda

#endif
