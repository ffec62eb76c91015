/* Shape of a strip of solve.cu, and the inverse M of the strip's diagonal block in shared memory */
#ifndef STARTILE_SOLVE_INVERSE_CUH
#define STARTILE_SOLVE_INVERSE_CUH

#include "whole/whole.cuh"

namespace startile_cuda
{

constexpr int solve_threads = 512, solve_warps = solve_threads / 32;

/* Shape of a strip of a matrix of type T; the sums, the inverse and the solution are of type V.
 * Rows: each thread has two blocks of a strip's rows and columns in up to 64 registers. */
template <typename T, typename V>
struct solve_shape {
    using number = V;
    static constexpr int rows = sizeof(T) == 4 ? 128 : 64;
    static constexpr int columns_of_warp = rows / solve_warps, rows_of_lane = rows / 32;
    static constexpr int groups = solve_threads / rows; /* of threads in a product with M */
    static constexpr int ld = rows + 1;                 /* of M; lanes access different banks */
};

/* Order of the blocks of M that a warp inverts */
constexpr int inverted_by_warp = 32;

/* Inverts the diagonal blocks of order inverted_by_warp, a warp each, row by row. A lane has a
 * column. */
template <typename Shape, typename T = typename Shape::number>
__device__ void invert_small_blocks(T *m)
{
    constexpr int ld = Shape::ld, blocks = Shape::rows / inverted_by_warp;
    const int warp = threadIdx.x / 32, j = threadIdx.x % 32;
    if (warp >= blocks)
        return;
    T *const w = m + warp * inverted_by_warp * (ld + 1);
    for (int i = 0; i < inverted_by_warp; i++) {
        T sum = to_element<T>(0, 0);
#pragma unroll 4
        for (int k = 0; k < i; k++)
            sum = multiply_add(w[i + k * ld], w[k + j * ld], sum);
        const T one_over = reciprocal(w[i + i * ld]);
        __syncwarp();
        if (j <= i)
            w[i + j * ld] =
                j == i ? one_over : scaled<T>(-1, multiply_add(one_over, sum, to_element<T>(0, 0)));
        __syncwarp();
    }
}

/* c := ±a b for the pairs of diagonal blocks of order `half`: a thread computes its elements, and
 * stores them after a barrier. a and c are at a_0 and c_0 of the first pair, and so on. */
template <typename Shape, int half, typename T = typename Shape::number>
__device__ void multiply_blocks(T *m, int a_row, int a_column, int b_row, int b_column, int sign)
{
    constexpr int ld = Shape::ld, pairs = Shape::rows / (2 * half);
    constexpr int elements = pairs * half * half / solve_threads;
    constexpr int columns_at_once = solve_threads / half; /* of all pairs side by side */
    static_assert(elements > 0 && solve_threads % half == 0);
    const int i = threadIdx.x % half, first = threadIdx.x / half;
    T result[elements];
#pragma unroll
    for (int e = 0; e < elements; e++) {
        const int column = first + e * columns_at_once;
        T *const pair = m + column / half * 2 * half * (ld + 1);
        const T *const a = pair + (a_row * half + i) + a_column * half * ld,
                       *const b = pair + b_row * half + (b_column * half + column % half) * ld;
        T sum = to_element<T>(0, 0);
#pragma unroll 8
        for (int k = 0; k < half; k++)
            sum = multiply_add(a[k * ld], b[k], sum);
        result[e] = scaled<T>(sign, sum);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < elements; e++) {
        const int column = first + e * columns_at_once;
        m[column / half * 2 * half * (ld + 1) + half + i + column % half * ld] = result[e];
    }
    __syncthreads();
}

/* Doubles the order of the inverted blocks: [A 0; C D]⁻¹ = [A⁻¹ 0; −D⁻¹ C A⁻¹ D⁻¹] */
template <typename Shape, int half, typename T = typename Shape::number>
__device__ void join_inverses(T *m)
{
    if constexpr (2 * half <= Shape::rows) {
        multiply_blocks<Shape, half>(m, 1, 0, 0, 0, 1);  /* C := C A⁻¹ */
        multiply_blocks<Shape, half>(m, 1, 1, 1, 0, -1); /* C := −D⁻¹ C */
        join_inverses<Shape, 2 * half>(m);
    }
}

} // namespace startile_cuda

#endif
