/*
 * Factors L U = Q − S without pivoting. Q is the top of a matrix of orthonormal columns. S is a
 * diagonal matrix of signs, chosen step by step: sᵢ = −sign(re qᵢᵢ) for the updated qᵢᵢ of step i.
 * In magnitude, no pivot is below 1 and no multiplier above 1. Householder's method applied to Q
 * gives the same L and U, and R = S (Ballard, Demmel, Grigori, Jacquelin, Knight & Nguyen,
 * "Reconstructing Householder vectors from tall-skinny QR", J. Parallel Distrib. Comput. 85, 2015).
 * The signs are real also for complex Q, because LAPACK's R has a real diagonal.
 *
 * Error: |L U − (Q − S)| ≤ c n eps |L| |U|, elementwise, with a small constant c (Higham, Accuracy
 * and Stability of Numerical Algorithms, 2nd ed., 9.3).
 *
 * A step factors 64 columns (complex double: 32): one kernel computes these columns of L and rows
 * of U, and one product updates the rest of the matrix. Bound: the latency of the chain of pivots
 * in a diagonal block.
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "geqrf/geqrf_tall.cuh"
#include "geqrf/reflector.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Order of a diagonal block: a thread holds a row of it, or a column, in registers. */
template <typename T>
constexpr int sign_order = sizeof(T) > 8 ? 32 : 64;

/* Threads of a thread block: parts_of_row for each row of a diagonal block */
constexpr int parts_of_row = 4;
template <typename T>
constexpr int sign_threads = parts_of_row *sign_order<T>;

/* Rows of L and columns of U of a thread block; as many of its threads solve for one each. */
template <typename T>
constexpr int sign_lines = 2 * sign_order<T>;

/* A diagonal block, its factors, and the column and row of a pivot, in shared memory */
template <typename T>
struct diagonal_block {
    static constexpr int order = sign_order<T>;
    T at[order][order + 1];
    T reciprocal[order]; /* reciprocals of the pivots */
    T sign[order];
    T column[2][order], row[2][order];
};

/* Returns 1/pivot. |pivot| is at least 1, and hardly above 2. */
template <typename T>
__device__ inline T inverse_of_pivot(T pivot)
{
    if constexpr (element<T>::is_complex) {
        const auto factor = inverse_of_pivot(fma(pivot.x, pivot.x, pivot.y * pivot.y));
        return T{pivot.x * factor, -pivot.y * factor};
    } else if constexpr (is_single<T>) {
        return __frcp_rn(pivot);
    } else {
        return quick_inverse(pivot);
    }
}

/* Overwrites the diagonal block with its factors and chooses its signs. Elements outside Q are
 * zero; their factors are not used. A thread holds part of a row in registers; the threads with the
 * pivot's column and row share these, one barrier per pivot. */
template <typename T>
__device__ void factor_block(diagonal_block<T> &d, int rows, const T *q, int64_t ldq)
{
    constexpr int order = sign_order<T>, width = order / parts_of_row;
    const int i = threadIdx.x % order, first = threadIdx.x / order * width;
    T x[width];
#pragma unroll
    for (int j = 0; j < width; j++)
        x[j] = i < rows && first + j < rows ? q[i + (first + j) * ldq] : to_element<T>(0, 0);
#pragma unroll
    for (int k = 0; k < order; k++) {
        const int b = k % 2, c = k % width, owner = k / width * width;
        if (first == owner)
            d.column[b][i] = x[c];
        if (i == k)
#pragma unroll
            for (int j = 0; j < width; j++)
                d.row[b][first + j] = x[j];
        __syncthreads();
        T pivot = d.column[b][k];
        const T sign = to_element<T>(-copysign(1.0, static_cast<double>(real_part(pivot))), 0);
        pivot = subtract_product(pivot, sign, to_element<T>(1, 0));
        const T inverse = inverse_of_pivot(pivot);
        if (threadIdx.x == 0) {
            d.sign[k] = sign;
            d.reciprocal[k] = inverse;
        }
        if (i == k && first == owner)
            x[c] = pivot;
        if (i <= k || first < owner)
            continue;
        const T l = multiply_add(d.column[b][i], inverse, to_element<T>(0, 0));
        if (first == owner) {
            x[c] = l;
#pragma unroll
            for (int j = c + 1; j < width; j++)
                x[j] = subtract_product(x[j], l, d.row[b][first + j]);
        } else {
#pragma unroll
            for (int j = 0; j < width; j++)
                x[j] = subtract_product(x[j], l, d.row[b][first + j]);
        }
    }
#pragma unroll
    for (int j = 0; j < width; j++)
        d.at[i][first + j] = x[j];
    __syncthreads();
}

/* Computes a row x of L below the block from x U = q. */
template <typename T>
__device__ void solve_row(const diagonal_block<T> &d, const T *q, T *l, int64_t ld)
{
    constexpr int order = sign_order<T>;
    T x[order];
#pragma unroll
    for (int j = 0; j < order; j++)
        x[j] = q[j * ld];
#pragma unroll
    for (int k = 0; k < order; k++) {
        x[k] = multiply_add(x[k], d.reciprocal[k], to_element<T>(0, 0));
#pragma unroll
        for (int j = k + 1; j < order; j++)
            x[j] = subtract_product(x[j], x[k], d.at[k][j]);
    }
#pragma unroll
    for (int j = 0; j < order; j++)
        l[j * ld] = x[j];
}

/* Computes a column x of U right of the block from L x = q. */
template <typename T>
__device__ void solve_column(const diagonal_block<T> &d, const T *q, T *u)
{
    constexpr int order = sign_order<T>;
    T x[order];
#pragma unroll
    for (int i = 0; i < order; i++)
        x[i] = q[i];
#pragma unroll
    for (int k = 0; k < order; k++)
#pragma unroll
        for (int i = k + 1; i < order; i++)
            x[i] = subtract_product(x[i], d.at[i][k], x[k]);
#pragma unroll
    for (int i = 0; i < order; i++)
        u[i] = x[i];
}

/* Factors the diagonal block, in every thread block redundantly, and computes the rows of L below
 * it and the columns of U right of it. The first thread block stores the diagonal block. q and lu
 * begin at that block; n: rows and columns from there on */
template <typename T>
__global__ void __launch_bounds__(sign_threads<T>)
    sign_step_kernel(int n, const T *q, T *lu, int64_t ld, T *signs)
{
    constexpr int order = sign_order<T>;
    __shared__ diagonal_block<T> d;
    const int rows = min(n, order), remaining = n - rows;
    factor_block(d, rows, q, ld);
    if (blockIdx.x == 0) {
        const int i = threadIdx.x % order;
        for (int j = threadIdx.x / order; j < rows; j += parts_of_row)
            if (i < rows)
                lu[i + j * ld] = d.at[i][j];
        if (threadIdx.x < rows)
            signs[threadIdx.x] = d.sign[threadIdx.x];
    }
    const int line = blockIdx.x * sign_lines<T> + threadIdx.x;
    if (threadIdx.x >= sign_lines<T>)
        return;
    if (line < remaining)
        solve_row(d, q + order + line, lu + order + line, ld);
    else if (line < 2 * remaining)
        solve_column(d, q + (order + line - remaining) * ld, lu + (order + line - remaining) * ld);
}

template <typename T>
int factor_with_signs(startile_exec *x, int n, T *q, T *lu, T *signs)
{
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    constexpr int order = sign_order<T>;
    for (int k = 0; k < n; k += order) {
        const int64_t corner = k + int64_t(k) * n;
        const int remaining = n - k - order;
        const unsigned int blocks =
            std::max(ceil_div(2 * int64_t(std::max(remaining, 0)), sign_lines<T>), 1u);
        if (int error = launch(x, sign_step_kernel<T>, blocks, sign_threads<T>, n - k, q + corner,
                               lu + corner, n, signs + k))
            return error;
        if (remaining <= 0)
            break;
        const int64_t right = corner + int64_t(order) * n, next = right + order;
        if (int error =
                multiply<T>(x, 'N', 'N', remaining, remaining, order, minus_one,
                            {lu + corner + order, n, 0}, {lu + right, n, 0}, one, {q + next, n, 0}))
            return error;
    }
    return 0;
}

INSTANTIATE(factor_with_signs);

} // namespace startile_cuda
