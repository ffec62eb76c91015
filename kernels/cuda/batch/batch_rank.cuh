/*
 * Rank and complete orthogonal factorization of a matrix that a thread block has factored by QR
 * with column pivoting (batch_pivoted.cuh), and the solution of least norm.
 */
#ifndef STARTILE_BATCH_RANK_CUH
#define STARTILE_BATCH_RANK_CUH

#include "batch/batch_pivoted.cuh"

namespace startile_cuda
{

/* -- rank ------------------------------------------------------------------------------------- */

/* Estimate of a singular value for one more row and column: the vector x becomes [s x; c]. */
template <typename S>
struct next_estimate {
    double value;
    S s, c;
};

/* Returns the next estimate of the largest singular value, or of the smallest one, as LAPACK
 * xLAIC1: value² is an eigenvalue of [e² + |alpha|², alpha gamma; conj(alpha) gamma, gamma²], and
 * (s, c) its eigenvector, where e is the estimate so far. Both eigenvectors follow from that of the
 * larger eigenvalue, which has no cancellation. The product of the eigenvalues is e² gamma². */
template <typename S>
__device__ inline next_estimate<S> extend_estimate(double estimate, S alpha, double gamma,
                                                   bool is_least)
{
    const double unit = power_near(fmax(fmax(estimate, magnitude(alpha)), fabs(gamma)));
    const double e = estimate / unit, g = gamma / unit;
    const S a = scaled<S>(1 / unit, alpha);
    const double top = fma(e, e, scaled_square(1, a)), bottom = g * g, half = (top - bottom) / 2;
    const double root = sqrt(fma(half, half, scaled_square(g, a)));
    const double largest = sqrt((top + bottom) / 2 + root);
    S first = to_element<S>(half + root, 0), second = scaled<S>(g, conjugate(a));
    if (half < 0) {
        first = scaled<S>(g, a);
        second = to_element<S>(root - half, 0);
    }
    const double norm = sqrt(scaled_square(1, first) + scaled_square(1, second));
    first = norm == 0 ? to_element<S>(1, 0) : scaled<S>(1 / norm, first);
    second = norm == 0 ? to_element<S>(0, 0) : scaled<S>(1 / norm, second);
    if (!is_least)
        return {unit * largest, first, second};
    return {largest == 0 ? 0 : estimate * (fabs(g) / largest), scaled<S>(-1, conjugate(second)),
            conjugate(first)};
}

/* Returns the order of the largest leading triangle of R with an estimated 1 / condition of at
 * least rcond, to all lanes of a warp. Lanes 0 to 15 estimate the largest singular value, lanes 16
 * to 31 the smallest one. (Bischof, "Incremental condition estimation", SIAM J. Matrix Anal. Appl.
 * 11, 1990) */
template <typename T>
__device__ inline int find_rank(const pivoted_problem<T> &p, double rcond)
{
    using S = wide<T>;
    constexpr int lanes = 16;
    const int k = min(p.m, p.n), lane = threadIdx.x % lanes;
    const bool is_least = threadIdx.x % 32 >= lanes;
    T *const x = p.x + (is_least ? k : 0);
    double estimate = fabs(real_part(convert<S>(p.column(0)[0])));
    if (estimate == 0)
        return 0;
    if (lane == 0)
        x[0] = to_element<T>(1, 0);
    for (int rank = 1; rank < k; rank++) {
        const T *const r = p.column(rank);
        S alpha = to_element<S>(0, 0);
        __syncwarp();
        for (int i = lane; i < rank; i += lanes)
            alpha = multiply_add(conjugate(convert<S>(x[i])), convert<S>(r[i]), alpha);
        alpha = sum_over_lanes<lanes>(alpha);
        const next_estimate<S> next =
            extend_estimate(estimate, alpha, real_part(convert<S>(r[rank])), is_least);
        const double most = __shfl_sync(all_lanes, next.value, 0),
                     least = __shfl_sync(all_lanes, next.value, lanes);
        if (!(most * rcond <= least))
            return rank;
        for (int i = lane; i < rank; i += lanes)
            x[i] = convert<T>(multiply(next.s, convert<S>(x[i])));
        if (lane == 0)
            x[rank] = convert<T>(next.c);
        estimate = next.value;
    }
    return k;
}

/* -- complete orthogonal factorization -------------------------------------------------------- */

/* Computes the reflector of row i of the trapezoid [R11 R12], of `rank` rows, in elements i and
 * rank … n − 1, by one warp. R12 gets its vector; tau[i] its scalar factor. */
template <typename T>
__device__ inline void make_row_reflector(const pivoted_problem<T> &p, int rank, int i, T *tau)
{
    using S = wide<T>;
    const int count = p.n - rank + 1;
    const auto element_at = [&](int l) -> T & { return p.column(l == 0 ? i : rank + l - 1)[i]; };
    const auto at = [&](int l) { return conjugate(convert<S>(element_at(l))); };
    const scaled_reflector<S> found = reflector_of_vector<S>(count, at);
    const double reciprocal = 1 / found.power;
    __syncwarp(); /* all lanes have read the diagonal element */
    for (int l = 1 + threadIdx.x; l < count; l += 32)
        element_at(l) = convert<T>(multiply(found.h.scale, scaled<S>(reciprocal, at(l))));
    if (threadIdx.x > 0)
        return;
    element_at(0) = to_element<T>(found.h.beta * found.power, 0);
    tau[i] = convert<T>(found.h.tau);
}

/* Multiplies a row of the trapezoid by I − tau v vᴴ from the right. v: 1 in element i, and row i
 * from column `rank` on */
template <typename T>
__device__ inline void reflect_row(const pivoted_problem<T> &p, int rank, int i, T tau, int row)
{
    T *const first = p.column(i) + row;
    T sum = *first;
    for (int c = rank; c < p.n; c++)
        sum = multiply_add(p.column(c)[row], p.column(c)[i], sum);
    const T multiple = multiply(scaled<T>(-1, tau), sum);
    *first = plus(*first, multiple);
    for (int c = rank; c < p.n; c++) {
        T *const r = p.column(c);
        r[row] = multiply_add(multiple, conjugate(r[i]), r[row]);
    }
}

/* Overwrites the trapezoid [R11 R12] = [L 0] Z by the triangle L and the reflectors of Z, by a
 * thread block. */
template <typename T>
__device__ inline void reduce_trapezoid(const pivoted_problem<T> &p, int rank, T *tau)
{
    for (int i = rank - 1; i >= 0; i--) {
        if (threadIdx.x < 32)
            make_row_reflector(p, rank, i, tau);
        __syncthreads();
        for (int row = threadIdx.x; row < i; row += blockDim.x)
            reflect_row(p, rank, i, tau[i], row);
        __syncthreads();
    }
}

/* -- solution --------------------------------------------------------------------------------- */

/* x := R⁻¹ x for the leading triangle of order `rank`, by one warp. */
template <typename T>
__device__ inline void substitute_back(const pivoted_problem<T> &p, int rank, T *x)
{
    const int lane = threadIdx.x % 32;
    for (int i = rank - 1; i >= 0; i--) {
        const T *const r = p.column(i);
        __syncwarp();
        const T value = divide(x[i], r[i]);
        __syncwarp();
        if (lane == 0)
            x[i] = value;
        for (int l = lane; l < i; l += 32)
            x[l] = subtract_product(x[l], r[l], value);
    }
    __syncwarp();
}

/* x := Zᴴ [x; 0] with the reflectors of reduce_trapezoid(), by one warp. */
template <typename T>
__device__ inline void multiply_by_z(const pivoted_problem<T> &p, int rank, const T *tau, T *x)
{
    const int lane = threadIdx.x % 32;
    for (int c = rank + lane; c < p.n; c += 32)
        x[c] = to_element<T>(0, 0);
    for (int i = 0; i < rank; i++) {
        T sum = to_element<T>(0, 0);
        for (int c = rank + lane; c < p.n; c += 32)
            sum = multiply_add(conjugate(p.column(c)[i]), x[c], sum);
        const T top = x[i], dot = plus(sum_over_lanes<32>(sum), top);
        const T multiple = multiply(scaled<T>(-1, tau[i]), dot);
        __syncwarp(); /* all lanes have read x[i] */
        if (lane == 0)
            x[i] = plus(top, multiple);
        for (int c = rank + lane; c < p.n; c += 32)
            x[c] = multiply_add(multiple, p.column(c)[i], x[c]);
    }
    __syncwarp();
}

/* Overwrites the first n rows of B by the solution of least norm of [R11 R12] X = the first `rank`
 * rows of B, by a thread block. */
template <typename T>
__device__ inline void solve_pivoted(const pivoted_problem<T> &p, int rank)
{
    T *const tau = p.x; /* find_rank() needs it no more */
    if (rank < p.n)
        reduce_trapezoid(p, rank, tau);
    for (int c = threadIdx.x / 32; c < p.sides; c += blockDim.x / 32) {
        T *const x = p.b + c * p.ldb;
        substitute_back(p, rank, x);
        if (rank < p.n)
            multiply_by_z(p, rank, tau, x);
    }
}

} // namespace startile_cuda

#endif
