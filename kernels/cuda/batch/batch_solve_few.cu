/*
 * Triangular solves of a batch with few right-hand sides. Bound: memory, one read of the triangle.
 *
 * A thread block has a triangle and goes down its rows, 32 at a time, left-looking:
 *
 *     warp w: sum += M(rows, k) x(k) for its 32 x 32 blocks k = w, w + 4, ... left of the diagonal
 *     __syncthreads
 *     warp c: adds the sums of all warps for right-hand side c, solves with the diagonal block,
 *             one row per lane
 *     __syncthreads
 */
#include "batch/batch_solve.cuh"
#include "common/warp_solve.cuh"

namespace startile_cuda
{

/* Right-hand sides and warps of a block, one warp for each right-hand side */
constexpr int few_rhs = 4, few_warps = tile_threads / 32;
static_assert(few_rhs == few_warps);

template <typename T>
struct solve_few_smem {
    static constexpr int ld = 33;
    T square[few_warps][32 * ld];
    T x[few_warps][few_rhs][32];
    T sum[few_warps][few_rhs][32];
};

/* Called by one warp. Loads the first 32 × 32 block of `a` to square. */
template <typename T>
__device__ inline void load_square(T *square, const strided<T> &a, bool conjugated)
{
    constexpr int ld = solve_few_smem<T>::ld;
    const int lane = threadIdx.x % 32;
    const bool by_rows = a.is_row_major();
#pragma unroll 8
    for (int e = 0; e < 32; e++) {
        const int i = by_rows ? e : lane, j = by_rows ? lane : e;
        const bool is_inside = i < a.m && j < a.n;
        copy_element_async(square + i + j * ld, is_inside ? &a(i, j) : a.p, is_inside);
    }
    commit_copies();
    wait_for_copies_except<0>();
    __syncwarp();
    if (element<T>::is_complex && conjugated)
        for (int j = 0; j < 32; j++)
            square[lane + j * ld] = conjugate(square[lane + j * ld]);
    __syncwarp();
}

/* Called by one warp, one row per lane. Solves L y = x with the lower triangle L in `square`, for
 * one right-hand side x, and returns the lane's element of y. Rows from n on count as rows of the
 * identity. */
template <typename T>
__device__ inline T solve_lower_in_warp(const T *square, T x, int n, bool unit)
{
    constexpr int ld = solve_few_smem<T>::ld;
    const int lane = threadIdx.x % 32;
    const T zero = to_element<T>(0, 0);
    const T own_reciprocal =
        unit || lane >= n ? to_element<T>(1, 0) : reciprocal(square[lane + lane * ld]);
#pragma unroll 8
    for (int j = 0; j < 32; j++) {
        const T solved = multiply_add(own_reciprocal, x, zero), x_j = from_lane(solved, j);
        if (lane > j)
            x = subtract_product(x, square[lane + j * ld], x_j);
    }
    return multiply_add(own_reciprocal, x, zero);
}

/* Solves for few_rhs right-hand sides of matrix blockIdx.x, from number few_rhs · blockIdx.y on. */
template <typename T>
__global__ void __launch_bounds__(tile_threads) solve_few_kernel(solves<T> s)
{
    constexpr int ld = solve_few_smem<T>::ld;
    extern __shared__ int4 memory[];
    solve_few_smem<T> &smem = *reinterpret_cast<solve_few_smem<T> *>(memory);
    const solve_view view = s.view;
    const int q = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (s.is_skipped(q))
        return;
    const T zero = to_element<T>(0, 0);
    const strided<T> b = view.rhs<T>(s.B[q]).from(0, few_rhs * static_cast<int>(blockIdx.y));
    const strided<T> a = view.triangle<T>(s.A[q], b.m);
    T *const square = smem.square[warp];
    for (int i0 = 0; i0 < a.n && b.n > 0; i0 += 32) {
        const int last = i0 / 32;
        T sum[few_rhs];
#pragma unroll
        for (int c = 0; c < few_rhs; c++)
            sum[c] = zero;
        for (int k = warp; k <= last; k += few_warps) {
            load_square(square, a.from(i0, 32 * k), view.conjugated);
            if (k == last)
                break;
#pragma unroll
            for (int c = 0; c < few_rhs; c++)
                smem.x[warp][c][lane] = c < b.n ? b(32 * k + lane, c) : zero;
            __syncwarp();
#pragma unroll 8
            for (int j = 0; j < 32; j++)
#pragma unroll
                for (int c = 0; c < few_rhs; c++)
                    sum[c] = multiply_add(square[lane + j * ld], smem.x[warp][c][j], sum[c]);
            __syncwarp();
        }
#pragma unroll
        for (int c = 0; c < few_rhs; c++)
            smem.sum[warp][c][lane] = sum[c];
        __syncthreads();
        const bool is_inside = i0 + lane < b.m;
        if (warp < b.n) {
            T x = is_inside ? multiply_add(s.alpha, b(i0 + lane, warp), zero) : zero;
#pragma unroll
            for (int w = 0; w < few_warps; w++)
                x = subtract_product(x, to_element<T>(1, 0), smem.sum[w][warp][lane]);
            x = solve_lower_in_warp(smem.square[last % few_warps], x, a.n - i0, view.unit);
            if (is_inside)
                b(i0 + lane, warp) = x;
        }
        __syncthreads();
    }
}

template <typename T>
int solve_few(startile_exec *x, int count, const solves<T> &s)
{
    const dim3 grid(count, ceil_div(solve_size<T>(s).rhs, few_rhs));
    return launch_with_smem(x, solve_few_kernel<T>, grid, tile_threads, sizeof(solve_few_smem<T>),
                            s);
}

INSTANTIATE(solve_few);

} // namespace startile_cuda
