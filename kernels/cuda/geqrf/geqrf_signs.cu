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
 * A step factors 32 columns: one kernel computes 32 columns of L and 32 rows of U, and one product
 * updates the rest of the matrix.
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "geqrf/geqrf_tall.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int sign_order = 32;
constexpr int sign_threads = 128;

/* A diagonal block and its factors, in shared memory */
template <typename T>
struct diagonal_block {
    T at[sign_order][sign_order + 1];
    T reciprocal[sign_order]; /* reciprocals of the pivots */
    T sign[sign_order];
};

/* Loads a diagonal block. Elements outside Q are zero; their factors are not used. */
template <typename T>
__device__ void load_block(diagonal_block<T> &d, int rows, const T *q, int64_t ldq)
{
    const int i = threadIdx.x % sign_order;
    for (int j = threadIdx.x / sign_order; j < sign_order; j += sign_threads / sign_order)
        d.at[i][j] = i < rows && j < rows ? q[i + j * ldq] : to_element<T>(0, 0);
    __syncthreads();
}

/* Overwrites a diagonal block with its factors and chooses its signs. */
template <typename T>
__device__ void factor_block(diagonal_block<T> &d)
{
    const int column = threadIdx.x % sign_order, part = threadIdx.x / sign_order;
    for (int k = 0; k < sign_order; k++) {
        if (threadIdx.x == 0) {
            T sign = to_element<T>(-copysign(1.0, static_cast<double>(real_part(d.at[k][k]))), 0);
            d.sign[k] = sign;
            d.at[k][k] = subtract_product(d.at[k][k], sign, to_element<T>(1, 0));
            d.reciprocal[k] = reciprocal(d.at[k][k]);
        }
        __syncthreads();
        if (threadIdx.x > k && threadIdx.x < sign_order)
            d.at[threadIdx.x][k] =
                multiply_add(d.at[threadIdx.x][k], d.reciprocal[k], to_element<T>(0, 0));
        __syncthreads();
        for (int i = k + 1 + part; i < sign_order && column > k; i += sign_threads / sign_order)
            d.at[i][column] = subtract_product(d.at[i][column], d.at[i][k], d.at[k][column]);
        __syncthreads();
    }
}

/* Computes a row x of L below the block from x U = q. */
template <typename T>
__device__ void solve_row(const diagonal_block<T> &d, const T *q, T *l, int64_t ld)
{
    T x[sign_order];
#pragma unroll
    for (int j = 0; j < sign_order; j++)
        x[j] = q[j * ld];
#pragma unroll
    for (int j = 0; j < sign_order; j++) {
#pragma unroll
        for (int k = 0; k < j; k++)
            x[j] = subtract_product(x[j], x[k], d.at[k][j]);
        x[j] = multiply_add(x[j], d.reciprocal[j], to_element<T>(0, 0));
        l[j * ld] = x[j];
    }
}

/* Computes a column x of U right of the block from L x = q. */
template <typename T>
__device__ void solve_column(const diagonal_block<T> &d, const T *q, T *u)
{
    T x[sign_order];
#pragma unroll
    for (int i = 0; i < sign_order; i++)
        x[i] = q[i];
#pragma unroll
    for (int i = 0; i < sign_order; i++) {
#pragma unroll
        for (int k = 0; k < i; k++)
            x[i] = subtract_product(x[i], d.at[i][k], x[k]);
        u[i] = x[i];
    }
}

/* Factors the diagonal block, in every thread block redundantly, and computes the rows of L below
 * it and the columns of U right of it. The first thread block stores the diagonal block. q and lu
 * begin at that block; n: rows and columns from there on */
template <typename T>
__global__ void __launch_bounds__(sign_threads)
    sign_step_kernel(int n, const T *q, T *lu, int64_t ld, T *signs)
{
    __shared__ diagonal_block<T> d;
    const int rows = min(n, sign_order), remaining = n - rows;
    load_block(d, rows, q, ld);
    factor_block(d);
    if (blockIdx.x == 0) {
        const int i = threadIdx.x % sign_order;
        for (int j = threadIdx.x / sign_order; j < rows; j += sign_threads / sign_order)
            if (i < rows)
                lu[i + j * ld] = d.at[i][j];
        if (threadIdx.x < rows)
            signs[threadIdx.x] = d.sign[threadIdx.x];
    }
    const int line = blockIdx.x * sign_threads + threadIdx.x;
    if (line < remaining)
        solve_row(d, q + sign_order + line, lu + sign_order + line, ld);
    else if (line < 2 * remaining)
        solve_column(d, q + (sign_order + line - remaining) * ld,
                     lu + (sign_order + line - remaining) * ld);
}

template <typename T>
int factor_with_signs(startile_exec *x, int n, T *q, T *lu, T *signs)
{
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    for (int k = 0; k < n; k += sign_order) {
        const int64_t corner = k + int64_t(k) * n;
        const int remaining = n - k - sign_order;
        const unsigned int blocks =
            std::max(ceil_div(2 * int64_t(std::max(remaining, 0)), sign_threads), 1u);
        if (int error = launch(x, sign_step_kernel<T>, blocks, sign_threads, n - k, q + corner,
                               lu + corner, n, signs + k))
            return error;
        if (remaining <= 0)
            break;
        const int64_t right = corner + int64_t(sign_order) * n, next = right + sign_order;
        if (int error = multiply<T>(x, 'N', 'N', remaining, remaining, sign_order, minus_one,
                                    {lu + corner + sign_order, n, 0}, {lu + right, n, 0}, one,
                                    {q + next, n, 0}))
            return error;
    }
    return 0;
}

template decltype(factor_with_signs<float>) factor_with_signs<float>;
template decltype(factor_with_signs<double>) factor_with_signs<double>;
template decltype(factor_with_signs<cuComplex>) factor_with_signs<cuComplex>;
template decltype(factor_with_signs<cuDoubleComplex>) factor_with_signs<cuDoubleComplex>;

} // namespace startile_cuda
