/*
 * Update of the other columns of a panel after a strip: row moves, and the triangular solve for
 * rows of U
 *
 *     thread blocks that solve: one warp for each column
 *         all warps copy L to shared memory
 *         move the rows of the column  <- meanwhile
 *         b := L⁻¹ b, with b in registers: lane i has rows i, i + 32, …
 *     other thread blocks: move rows in four columns for each warp
 *
 * L is stored in panels of 32 columns, without the rows above each panel's diagonal block.
 *
 * Bound: latency; in double precision 80 KiB of L for each thread block, and 32 steps of four
 * unknowns.
 */
#include "common/hopper.cuh"
#include "common/warp_solve.cuh"
#include "getrf/getrf.cuh"

namespace startile_cuda
{

constexpr int warps_of_block = 8;
constexpr int threads = 32 * warps_of_block;

/* Number of thread blocks that solve; the others only move rows. */
template <typename T>
struct trailing_arguments {
    trailing_columns<T> task;
    int solving_blocks;
};

/* Returns the index in shared memory of panel q of L, for `rows` rows, a multiple of 32. */
__host__ __device__ constexpr int panel_begin(int rows, int q)
{
    return 32 * (q * rows - 16 * q * (q - 1));
}

/* Returns the bytes of shared memory of a triangle with `rows` rows, a multiple of 32. */
template <typename T>
static size_t triangle_bytes(int rows)
{
    return panel_begin(rows, rows / 32) * sizeof(T);
}

/* Returns n rounded up to a multiple of 32. */
__host__ __device__ constexpr int round_up_to_panels(int n)
{
    return (n + 31) / 32 * 32;
}

/* Starts copying the lower triangle of order n to shared memory, by the thread block; elements of
 * the last panel's rows and columns from n on become zero. */
template <typename T>
__device__ inline void fetch_triangle(int n, const T *l, int64_t ld, T *smem)
{
    const int lane = threadIdx.x % 32, rows = round_up_to_panels(n);
    for (int q = 0; 32 * q < n; q++) {
        const T *from = l + 32 * q + 32 * q * ld;
        T *to = smem + panel_begin(rows, q);
        for (int c = threadIdx.x / 32; c < 32; c += warps_of_block)
            for (int i = lane; i < rows - 32 * q; i += 32) {
                T *element = to + i + c * (rows - 32 * q);
                if (i < n - 32 * q && c < n - 32 * q)
                    copy_async(element, from + i + c * ld);
                else
                    *element = to_element<T>(0, 0);
            }
    }
}

/* Eliminates the unknowns from row 32 q on, where q = max_solved / 32 − parts, from y, whose first
 * element has row 32 q + lane, by a warp. smem: L, of order n, from there on */
template <int parts, typename T>
__device__ inline void eliminate(int n, T *y, const T *smem)
{
    if (n <= 0)
        return;
    const int rows = round_up_to_panels(n);
    eliminate_panel<parts>(min(n, 32), y, smem, rows);
    if constexpr (parts > 1)
        eliminate<parts - 1>(n - 32, y + 1, smem + 32 * rows);
}

/* Computes b := L⁻¹ b, by a warp; L is in shared memory. */
template <typename T>
__device__ inline void solve(int n, const T *smem, T *b)
{
    constexpr int parts = max_solved / 32;
    const int lane = threadIdx.x % 32;
    T y[parts];
#pragma unroll
    for (int p = 0; p < parts; p++)
        y[p] = lane + 32 * p < n ? b[lane + 32 * p] : to_element<T>(0, 0);
    eliminate<parts>(n, y, smem);
#pragma unroll
    for (int p = 0; p < parts; p++)
        if (lane + 32 * p < n)
            b[lane + 32 * p] = y[p];
}

template <typename T>
__global__ void __launch_bounds__(threads)
    trailing_columns_kernel(const __grid_constant__ trailing_arguments<T> arguments)
{
    extern __shared__ double2 shared[];
    const trailing_columns<T> &task = arguments.task;
    const strip<T> &s = task.s;
    T *const smem = reinterpret_cast<T *>(shared);
    const int warp = threadIdx.x / 32, block = static_cast<int>(blockIdx.x);
    const int last = task.solve_first + task.solve_columns;
    wait_for_previous_kernel();
    if (block >= arguments.solving_blocks) {
        other_columns<T>{s, task.n, task.solve_first, last}.move(
            task.a, (block - arguments.solving_blocks) * warps_of_block + warp);
        allow_next_kernel();
        return;
    }
    const int column = task.solve_first + block * warps_of_block + warp;
    T *const b = task.a + column * s.ld;
    fetch_triangle(task.solve_rows, task.a + task.solve_row + task.solve_row * s.ld, s.ld, smem);
    if (s.columns > 0 && column < last) {
        const int row = min(static_cast<int>(threadIdx.x) % 32, s.columns - 1);
        move_rows<1>(s.columns, s.moves[row].y, s.moves[s.columns + row].x, b + s.first, s.ld, 1);
    }
    wait_for_copies();
    __syncthreads();
    if (column < last)
        solve(task.solve_rows, smem, b + task.solve_row);
    allow_next_kernel();
}

template <typename T>
int solved_at_a_time(const startile_exec *x)
{
    return triangle_bytes<T>(max_solved) <= size_t(x->max_smem) ? max_solved : max_solved / 2;
}

template <typename T>
int update_trailing_columns(startile_exec *x, const trailing_columns<T> &task)
{
    const int last = task.solve_first + task.solve_columns;
    const int groups =
        task.s.columns == 0 ? 0 : other_columns<T>{task.s, task.n, task.solve_first, last}.groups();
    const trailing_arguments<T> arguments = {
        task, static_cast<int>(ceil_div(task.solve_columns, warps_of_block))};
    return launch_dependent_with_smem(
        x, trailing_columns_kernel<T>, arguments.solving_blocks + ceil_div(groups, warps_of_block),
        threads, triangle_bytes<T>(round_up_to_panels(task.solve_rows)), arguments);
}

INSTANTIATE(solved_at_a_time);
INSTANTIATE(update_trailing_columns);

} // namespace startile_cuda
