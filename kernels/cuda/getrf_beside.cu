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

/* b := L⁻¹ b for n rows, by a warp */
template <typename T>
__device__ inline void solve(int n, const T *l, int64_t ldl, T *b)
{
    constexpr int parts = most_solved / 32;
    const int lane = threadIdx.x % 32;
    T y[parts];
#pragma unroll
    for (int p = 0; p < parts; p++)
        y[p] = lane + 32 * p < n ? b[lane + 32 * p] : to_element<T>(0, 0);
    solve_unit_lower<8>(n, y, [&](int i, int k) { return l[i + k * ldl]; });
#pragma unroll
    for (int p = 0; p < parts; p++)
        if (lane + 32 * p < n)
            b[lane + 32 * p] = y[p];
}

template <typename T>
__global__ void __launch_bounds__(threads) beside_kernel(beside<T> s)
{
    wait_for_kernel_before();
    const int column = blockIdx.x * columns_of_block + threadIdx.x / 32;
    if (column == s.n && s.columns > 0)
        move_rows(s.moves, 2 * s.columns, s.names + s.first);
    if (column >= s.n)
        return;
    T *b = s.a + column * s.ld;
    if (column < s.first || column >= s.first + s.columns)
        move_rows(s.moves, 2 * s.columns, b + s.first);
    if (column >= s.solve_first && column < s.solve_first + s.solve_columns)
        solve(s.solve_rows, s.a + s.solve_row + s.solve_row * s.ld, s.ld, b + s.solve_row);
    let_next_kernel_start();
}

template <typename T>
int carry_beside(startile_exec *x, const beside<T> &s)
{
    return launch_early(x, beside_kernel<T>, ceil_div(int64_t(s.n) + 1, columns_of_block), threads,
                        s);
}

template decltype(carry_beside<float>) carry_beside<float>;
template decltype(carry_beside<double>) carry_beside<double>;
template decltype(carry_beside<cuComplex>) carry_beside<cuComplex>;
template decltype(carry_beside<cuDoubleComplex>) carry_beside<cuDoubleComplex>;

} // namespace startile_cuda
