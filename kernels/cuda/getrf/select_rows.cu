/*
 * Selects k rows by partial pivoting: one match of tournament pivoting (Grigori, Demmel & Xiang,
 * "CALU: a communication optimal LU factorization algorithm", SIAM J. Matrix Anal. Appl. 32, 2011).
 * Factors a copy of the tile column as a panel. The panel's interchanges give the selected rows,
 * which are copied from the original tile column.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"

namespace startile_cuda
{

/* Arrays in x->copy, because getrf uses the workspace */
template <typename T>
struct factored_copy {
    T *a; /* the factored copy, m × n with leading dimension m */
    int64_t *pivots;
    startile_tile_status *status; /* written by getrf; not read */
};

template <typename T>
static int reserve_factored_copy(startile_exec *x, int64_t m, int n, int k, factored_copy<T> *t)
{
    const size_t matrix = aligned_size(size_t(m) * n * sizeof(T));
    const size_t pivots = 5 * size_t(k) * sizeof(int64_t);
    if (int error = reserve_copy(x, matrix + pivots + sizeof(startile_tile_status)))
        return error;
    char *p = static_cast<char *>(x->copy);
    *t = {reinterpret_cast<T *>(p), reinterpret_cast<int64_t *>(p + matrix),
          reinterpret_cast<startile_tile_status *>(p + matrix + pivots)};
    return 0;
}

/* Copies the tile column to B, m × n with leading dimension m. */
template <typename T, int capacity>
__global__ void __launch_bounds__(elementwise_threads)
    flatten_kernel(const __grid_constant__ tile_column<T, capacity> argument, int m, int n, T *b)
{
    const tile_column<T, capacity> &a = shared_copy(argument);
    const int64_t i = int64_t(blockIdx.x) * elementwise_threads + threadIdx.x;
    if (i >= m)
        return;
    const auto &piece = a.piece[a.piece_of(static_cast<int>(i))];
    const T *row = piece.p + (i - piece.first);
    for (int64_t j = blockIdx.y; j < n; j += gridDim.y)
        b[i + j * m] = row[j * piece.ld];
}

constexpr int chosen_threads = 256;

/* Sets chosen[j] to the original index of the row that the interchanges moved to row j. */
__global__ void __launch_bounds__(chosen_threads)
    chosen_kernel(int k, const int64_t *of, int *chosen)
{
    const int64_t *to = of + k, *from = of + 3 * int64_t(k);
    for (int j = threadIdx.x; j < k; j += chosen_threads)
        chosen[j] = j;
    __syncthreads();
    for (int e = threadIdx.x; e < 2 * k; e += chosen_threads)
        if (to[e] >= 0 && to[e] < k)
            chosen[to[e]] = static_cast<int>(from[e]);
}

template <int capacity>
struct piece_row_ids {
    const int64_t *of[capacity]; /* row numbers in the matrix of each piece's rows; null: `rows`
                                    gives them */
    startile_rows rows;
};

/* Returns the row number in the matrix of the process' row i. */
__device__ inline int64_t matrix_row(const startile_rows &rows, int64_t i)
{
    i += rows.skip;
    return rows.first + i / rows.mb * rows.mb * rows.processes + i % rows.mb;
}

/* Copies the chosen rows to B (k × n, leading dimension k) and their ids to row_ids. */
template <typename T, int capacity>
__global__ void __launch_bounds__(elementwise_threads)
    copy_rows_kernel(const __grid_constant__ tile_column<T, capacity> argument,
                     const __grid_constant__ piece_row_ids<capacity> in, int k, int n,
                     const int *chosen, T *b, int64_t *row_ids)
{
    const tile_column<T, capacity> &a = shared_copy(argument);
    const int j = blockIdx.x * elementwise_threads + threadIdx.x;
    if (j >= k)
        return;
    const int row = chosen[j], q = a.piece_of(row);
    const auto &piece = a.piece[q];
    const int row_in_piece = row - piece.first;
    for (int64_t c = blockIdx.y; c < n; c += gridDim.y)
        b[j + c * k] = piece.p[row_in_piece + c * piece.ld];
    if (blockIdx.y == 0)
        row_ids[j] = in.of[q] != nullptr ? in.of[q][row_in_piece] : matrix_row(in.rows, row);
}

/* Copies the chosen rows and their ids to their destinations, through the workspace, because B and
 * rows_out may be part of the input. */
template <typename T, int capacity>
static int copy_rows(startile_exec *x, const tile_column<T, capacity> &a,
                     const piece_row_ids<capacity> &in, int k, int n, const int64_t *pivots, T *b,
                     int ldb, int64_t *rows_out)
{
    const size_t rows = aligned_size(size_t(k) * n * sizeof(T));
    if (int error = reserve(x, rows + k * (sizeof(int64_t) + sizeof(int))))
        return error;
    char *p = static_cast<char *>(x->workspace);
    T *selected = reinterpret_cast<T *>(p);
    int64_t *row_ids = reinterpret_cast<int64_t *>(p + rows);
    int *chosen = reinterpret_cast<int *>(row_ids + k);
    dim3 grid(ceil_div(k, elementwise_threads),
              std::min<int>(ceil_div(n, elementwise_columns), max_grid_y));

    if (int error = launch(x, chosen_kernel, 1, chosen_threads, k, pivots, chosen))
        return error;
    if (int error = launch(x, copy_rows_kernel<T, capacity>, grid, elementwise_threads, a, in, k, n,
                           chosen, selected, row_ids))
        return error;
    if (int error = lacpy<T>(x, 'G', k, n, selected, k, b, ldb))
        return error;
    return check(cudaMemcpyAsync(rows_out, row_ids, k * sizeof(int64_t), cudaMemcpyDeviceToDevice,
                                 x->stream));
}

template <typename T>
int select_rows(startile_exec *x, int pieces, const startile_piece *a, int n, startile_rows rows,
                const int64_t *const *rows_in, void *b, int ldb, int64_t *rows_out)
{
    const int m = static_cast<int>(rows_of(pieces, a)), k = std::min(m, n);
    factored_copy<T> t;
    if (k == 0)
        return 0;
    if (int error = reserve_factored_copy(x, m, n, k, &t))
        return error;
    dim3 grid(ceil_div(m, elementwise_threads),
              std::min<int>(ceil_div(n, elementwise_columns), max_grid_y));

    return with_tile_column<T>(pieces, a, [&](const auto &all) {
        constexpr int capacity = sizeof all.piece / sizeof *all.piece;
        if (int error =
                launch(x, flatten_kernel<T, capacity>, grid, elementwise_threads, all, m, n, t.a))
            return error;
        const startile_piece copy = {t.a, m, m};
        if (int error = getrf<T>(x, 1, &copy, n, 0, {t.pivots, k}, nullptr, 0, t.status))
            return error;
        piece_row_ids<capacity> in = {{}, rows};
        std::copy(rows_in, rows_in + pieces, in.of);
        return copy_rows(x, all, in, k, n, t.pivots, static_cast<T *>(b), ldb, rows_out);
    });
}

INSTANTIATE(select_rows);

} // namespace startile_cuda
