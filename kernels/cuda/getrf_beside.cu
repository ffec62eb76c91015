/*
 * The columns beside a strip: its row moves, and rows of U.
 *
 * A warp takes a column of the panel (and one more warp the names of the rows), reads the rows that
 * move, writes them where they belong, and, for the columns asked for, solves with the unit lower
 * triangle L of up to 128 rows, by 32 at a time, a row to a lane.
 */
#include "cluster.cuh"
#include "getrf.cuh"
#include "solve.cuh"

namespace startile_cuda
{

constexpr int columns_of_block = 4;
constexpr int threads = 32 * columns_of_block;

/* v[.x] := v[.y] for all moves, by a warp */
template <typename E>
__device__ inline void move_rows(const int2 *moves, int count, E *v)
{
    constexpr int most = 4; /* 32 · 4 = 2 · 64 columns of a strip */
    const int lane = threadIdx.x % 32;
    int to[most];
    E row[most];
#pragma unroll
    for (int i = 0; i < most; i++) {
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
    for (int i = 0; i < most; i++)
        if (to[i] >= 0)
            v[to[i]] = row[i];
    __syncwarp();
}

/* b := L⁻¹ b, each warp for its column, if it takes part. The columns of L go through shared
 * memory, some at a time. Left of the strip, its rows of L are moving meanwhile: these come from
 * the copy. */
template <typename T>
__device__ inline void solve(const beside<T> &task, T *b, bool takes_part)
{
    constexpr int parts = most_solved / 32, at_once = 16;
    constexpr int share = at_once * most_solved / threads;
    __shared__ T columns[at_once][most_solved];
    const strip<T> &s = task.s;
    const int n = task.solve_rows;
    const T *l = task.a + task.solve_row + task.solve_row * s.ld;
    const int moving = s.columns > 0 ? s.first - task.solve_row : n;
    const T *copy = s.left_rows + (s.left - moving) * most_columns<T> - moving;
    const int lane = threadIdx.x % 32, row = threadIdx.x % most_solved;
    const int first = threadIdx.x / most_solved * share;
    T next[share], y[parts];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < share; i++) {
            const int k = k0 + first + i;
            const T *from =
                row >= moving && k < moving ? copy + row + k * most_columns<T> : l + row + k * s.ld;
            next[i] = row < n && k < n ? *from : to_element<T>(0, 0);
        }
    };
    fetch(0);
#pragma unroll
    for (int p = 0; p < parts; p++)
        y[p] = takes_part && lane + 32 * p < n ? b[lane + 32 * p] : to_element<T>(0, 0);
#pragma unroll
    for (int k = 0; k < most_solved; k += at_once) {
        if (k >= n)
            break;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < share; i++)
            columns[first + i][row] = next[i];
        __syncthreads();
        fetch(k + at_once);
        substitute(k, at_once, y, [&](int i, int j) { return columns[j - k][i]; });
    }
#pragma unroll
    for (int p = 0; p < parts; p++)
        if (takes_part && lane + 32 * p < n)
            b[lane + 32 * p] = y[p];
}

template <typename T>
__global__ void __launch_bounds__(threads) beside_kernel(beside<T> task)
{
    const strip<T> &s = task.s;
    const int first = blockIdx.x * columns_of_block, column = first + threadIdx.x / 32;
    T *b = task.a + column * s.ld;
    wait_for_kernel_before();
    if (s.columns > 0) {
        if (column == task.n)
            move_rows(s.moves, 2 * s.columns, s.names + s.first);
        else if (column < task.n && (column < s.first || column >= s.first + s.columns))
            move_rows(s.moves, 2 * s.columns, b + s.first);
    }
    const int solve_end = task.solve_first + task.solve_columns;
    if (first < solve_end && first + columns_of_block > task.solve_first)
        solve(task, b + task.solve_row, column >= task.solve_first && column < solve_end);
    let_next_kernel_start();
}

template <typename T>
int carry_beside(startile_exec *x, const beside<T> &task)
{
    return launch_early(x, beside_kernel<T>, ceil_div(int64_t(task.n) + 1, columns_of_block),
                        threads, task);
}

template decltype(carry_beside<float>) carry_beside<float>;
template decltype(carry_beside<double>) carry_beside<double>;
template decltype(carry_beside<cuComplex>) carry_beside<cuComplex>;
template decltype(carry_beside<cuDoubleComplex>) carry_beside<cuDoubleComplex>;

} // namespace startile_cuda
