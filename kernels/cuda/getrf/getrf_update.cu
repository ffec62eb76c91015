/*
 * Update of a few columns of a panel in one kernel: A12 := L11⁻¹ A12 and A22 −= L21 A12, for L11 of
 * order up to 64
 *
 *     A12  order × 32     every thread block solves for its 32 columns of A12, which it reads from
 *     -----------------   strip::top_rows, because another thread block overwrites A12
 *     A22  64 × 32        one thread block: a square of A22, in registers; the one at the top also
 *     A22  64 × 32        stores A12
 *
 * Repeating the solve in every thread block takes less time than waiting for one kernel that
 * solves. Further thread blocks move rows in the columns that the strip's kernel has not moved.
 *
 * Bound: latency, of the launch, of the loads, and of the substitution. Hence the products use no
 * tensor cores, and with more than 64 columns of A12 at a time two kernels are as fast
 * (perf_models/NOTES.md, "LU on one GPU").
 */
#include "common/hopper.cuh"
#include "common/warp_solve.cuh"
#include "getrf/getrf.cuh"

namespace startile_cuda
{

constexpr int threads = 128;
constexpr int rows_of_block = 64, columns_of_block = 32;

template <typename T>
struct update_arguments {
    strip<T> s;
    T *a;
    int n;
    int row_blocks, column_blocks; /* thread blocks that update, by rows and columns of A22 */
};

/* Shared memory of a thread block that updates. l: columns of L11, followed in each column by the
 * thread block's rows of L21. u: rows of A12; the padding spreads the stores over the banks. */
template <typename T, int order>
struct update_smem {
    T l[order][order + rows_of_block];
    T u[order][columns_of_block + 8];
};

/* Returns the order of L11. */
template <typename T>
__host__ __device__ inline int order_of(const strip<T> &s)
{
    return s.first + s.columns - s.moved_first;
}

/* Solves with L11 for a column of A12, by four lanes: row 4 r + part is y[r] in the lane `part` of
 * the four. Eliminates four unknowns at a time, as eliminate_panel() does. */
template <typename T, int order>
__device__ inline void solve_by_four_lanes(int k, T (&y)[order / 4], const update_smem<T, order> &s)
{
    const int lane = threadIdx.x % 32, part = lane % 4;
#pragma unroll
    for (int r = 0; r < order / 4; r++) {
        if (4 * r >= k)
            break;
        T x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[j] = from_lane(y[r], lane - part + j);
#pragma unroll
            for (int i = 0; i < j; i++)
                x[j] = subtract_product(x[j], s.l[4 * r + i][4 * r + j], x[i]);
            y[r] = part == j ? x[j] : y[r];
        }
#pragma unroll
        for (int q = r + 1; q < order / 4; q++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                y[q] = subtract_product(y[q], s.l[4 * r + j][4 * q + part], x[j]);
    }
}

/* Updates square (i, j) of A22. For i = 0, also stores the columns of A12. */
template <typename T, int order>
__device__ inline void update_square(const update_arguments<T> &task, int i, int j,
                                     update_smem<T, order> &smem)
{
    const strip<T> &s = task.s;
    const int k = order_of(s), end = s.first + s.columns;
    const int rows = min(rows_of_block, s.first + s.m - end - i * rows_of_block);
    const int columns = min(columns_of_block, s.moved_last - end - j * columns_of_block);
    const T *l = task.a + s.moved_first + s.moved_first * s.ld;
    T *a12 = task.a + s.moved_first + (end + j * columns_of_block) * s.ld;
    T *a22 = a12 + k + i * rows_of_block;

    constexpr int all_rows = order + rows_of_block;
    for (int e = threadIdx.x; e < k * all_rows; e += threads) {
        const int row = e % all_rows, c = e / all_rows, below = row - order;
        if (below < 0 ? row < k : below < rows)
            copy_async(&smem.l[c][row],
                       l + (below < 0 ? row : k + i * rows_of_block + below) + c * s.ld);
    }
    /* This thread solves for part of column c of A12. */
    const int c = threadIdx.x / 4, part = threadIdx.x % 4;
    const T *top = s.top_rows + (j * columns_of_block + c) * max_order_of_update<T>;
    T y[order / 4];
#pragma unroll
    for (int r = 0; r < order / 4; r++)
        y[r] = c < columns && 4 * r + part < k ? top[4 * r + part] : to_element<T>(0, 0);
    /* It updates rows row, row + 16, … of columns column … column + 3 of the square. */
    const int row = threadIdx.x % 16, column = threadIdx.x / 16 * 4;
    T x[4][4];
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (row + 16 * p < rows && column + q < columns)
                x[p][q] = a22[row + 16 * p + (column + q) * s.ld];
    wait_for_copies();
    __syncthreads();
    allow_next_kernel();
    solve_by_four_lanes(k, y, smem);
#pragma unroll
    for (int r = 0; r < order / 4; r++)
        if (4 * r + part < k) {
            smem.u[4 * r + part][c] = y[r];
            if (i == 0 && c < columns)
                a12[4 * r + part + c * s.ld] = y[r];
        }
    __syncthreads();
#pragma unroll 4
    for (int t = 0; t < k; t++)
#pragma unroll
        for (int p = 0; p < 4; p++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                x[p][q] = subtract_product(x[p][q], smem.l[t][order + row + 16 * p],
                                           smem.u[t][column + q]);
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (row + 16 * p < rows && column + q < columns)
                a22[row + 16 * p + (column + q) * s.ld] = x[p][q];
}

template <typename T, int order>
__global__ void __launch_bounds__(threads) panel_update_kernel(update_arguments<T> task)
{
    extern __shared__ double2 shared[];
    const int squares = task.row_blocks * task.column_blocks, block = static_cast<int>(blockIdx.x);
    wait_for_previous_kernel();
    if (block < squares)
        update_square(task, block / task.column_blocks, block % task.column_blocks,
                      *reinterpret_cast<update_smem<T, order> *>(shared));
    else
        other_columns<T>{task.s, task.n, task.n, task.n}.move(
            task.a, (block - squares) * (threads / 32) + threadIdx.x / 32);
}

template <typename T, int order>
static int launch_update(startile_exec *x, const update_arguments<T> &task)
{
    const strip<T> &s = task.s;
    const int groups = other_columns<T>{s, task.n, task.n, task.n}.groups();
    const unsigned int squares = task.row_blocks * task.column_blocks;
    return launch_dependent_with_smem(x, panel_update_kernel<T, order>,
                                      squares + ceil_div(groups, threads / 32), threads,
                                      sizeof(update_smem<T, order>), task);
}

template <typename T>
int update_by_one_kernel(startile_exec *x, const strip<T> &s, T *a, int n)
{
    constexpr int most = max_order_of_update<T>;
    const update_arguments<T> task = {
        s, a, n, static_cast<int>(ceil_div(s.m - s.columns, rows_of_block)),
        static_cast<int>(ceil_div(s.moved_last - s.first - s.columns, columns_of_block))};
    return order_of(s) <= 32 ? launch_update<T, 32>(x, task) : launch_update<T, most>(x, task);
}

INSTANTIATE(update_by_one_kernel);

} // namespace startile_cuda
