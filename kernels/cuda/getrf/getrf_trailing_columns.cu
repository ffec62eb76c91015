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

/* Called by one warp. Moves v[.y] to v[.x] for all moves with .x ≥ 0. */
template <typename E>
__device__ inline void move_rows(const int2 *moves, int count, E *v)
{
    /* Moves per lane; 32 · moves_of_lane ≥ count, because a strip has at most 32 columns, and two
     * entries in `moves` per column. */
    constexpr int moves_of_lane = 2;
    const int lane = threadIdx.x % 32;
    int to[moves_of_lane];
    E row[moves_of_lane];
#pragma unroll
    for (int i = 0; i < moves_of_lane; i++) {
        to[i] = -1;
        if (lane + 32 * i < count) {
            int2 move = moves[lane + 32 * i];
            to[i] = move.x;
            if (move.x >= 0)
                row[i] = v[move.y];
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < moves_of_lane; i++)
        if (to[i] >= 0)
            v[to[i]] = row[i];
    __syncwarp();
}

/* Called by one warp. Computes b := L⁻¹ b. Meanwhile other warps move the rows of L in the columns
 * left of the strip; so those rows are read from the copy s.left_rows. */
template <typename T>
__device__ inline void solve(const trailing_columns<T> &task, T *b)
{
    constexpr int parts = max_solved / 32;
    const strip<T> &s = task.s;
    const int n = task.solve_rows, lane = threadIdx.x % 32;
    const T *l = task.a + task.solve_row + task.solve_row * s.ld;
    const int copy_begin = s.columns > 0 ? s.first - task.solve_row : n;
    const T *copy = s.left_rows + (s.left - copy_begin) * max_columns<T>;
    T y[parts];
#pragma unroll
    for (int p = 0; p < parts; p++)
        y[p] = lane + 32 * p < n ? b[lane + 32 * p] : to_element<T>(0, 0);
    solve_unit_lower(n, y, l, s.ld, copy_begin, copy, max_columns<T>);
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
        if (column == task.n)
            move_rows(s.moves, 2 * s.columns, s.row_ids + s.first);
        else if (column < task.n && (column < s.first || column >= s.first + s.columns))
            move_rows(s.moves, 2 * s.columns, b + s.first);
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
