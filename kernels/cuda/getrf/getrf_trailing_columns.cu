/*
 * Update of the other columns of a panel after a strip: row moves, and the triangular solve for
 * rows of U
 *
 * Each warp has one column of the panel; one more warp has row_ids. A warp reads the rows that move
 * and writes them to their new places. If the column is one of those to solve, the warp then
 * substitutes forward with the unit lower triangle of up to 128 rows. The warp holds the column in
 * registers: lane i has rows i, i + 32, ….
 */
#include "common/hopper.cuh"
#include "common/warp_solve.cuh"
#include "getrf/getrf.cuh"

namespace startile_cuda
{

constexpr int columns_of_block = 4;
constexpr int threads = 32 * columns_of_block;

/* Called by one warp. Computes b := L⁻¹ b. */
template <typename T>
__device__ inline void solve(const trailing_columns<T> &task, T *b)
{
    constexpr int parts = max_solved / 32;
    const strip<T> &s = task.s;
    const int n = task.solve_rows, lane = threadIdx.x % 32;
    const T *l = task.a + task.solve_row + task.solve_row * s.ld;
    T y[parts];
#pragma unroll
    for (int p = 0; p < parts; p++)
        y[p] = lane + 32 * p < n ? b[lane + 32 * p] : to_element<T>(0, 0);
    solve_unit_lower(n, y, l, s.ld);
#pragma unroll
    for (int p = 0; p < parts; p++)
        if (lane + 32 * p < n)
            b[lane + 32 * p] = y[p];
}

/* Updates one column per warp. The warp of column n updates row_ids. */
template <typename T>
__global__ void __launch_bounds__(threads) trailing_columns_kernel(trailing_columns<T> task)
{
    const strip<T> &s = task.s;
    const int column = blockIdx.x * columns_of_block + threadIdx.x / 32;
    T *b = task.a + column * s.ld;
    wait_for_previous_kernel();
    if (s.columns > 0) {
        const int row = min(static_cast<int>(threadIdx.x) % 32, s.columns - 1);
        const int from = s.moves[row].y, to = s.moves[s.columns + row].x;
        if (column == task.n)
            move_rows<1>(s.columns, from, to, s.row_ids + s.first, 0, 1);
        else if (column < task.n && (column < s.moved_first || column >= s.moved_last))
            move_rows<1>(s.columns, from, to, b + s.first, s.ld, 1);
    }
    if (column >= task.solve_first && column < task.solve_first + task.solve_columns)
        solve(task, b + task.solve_row);
    allow_next_kernel();
}

template <typename T>
int update_trailing_columns(startile_exec *x, const trailing_columns<T> &task)
{
    return launch_dependent(x, trailing_columns_kernel<T>,
                            ceil_div(int64_t(task.n) + 1, columns_of_block), threads, task);
}

template decltype(update_trailing_columns<float>) update_trailing_columns<float>;
template decltype(update_trailing_columns<double>) update_trailing_columns<double>;
template decltype(update_trailing_columns<cuComplex>) update_trailing_columns<cuComplex>;
template decltype(update_trailing_columns<cuDoubleComplex>)
    update_trailing_columns<cuDoubleComplex>;

} // namespace startile_cuda
