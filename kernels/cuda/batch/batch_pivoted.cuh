/*
 * QR factorization with column pivoting of a matrix by a thread block, for batches. A group of
 * lanes holds a column while it is multiplied by a reflector. Step j:
 *
 *     warp 0                                    groups of lanes, one column after the other
 *
 *     take_pivot: order[j]
 *     make_reflector: v, tau
 *       -> arrays (batch_pivoted_layout.cuh)
 *     __syncthreads                             __syncthreads
 *                                               column -= conj(tau) v (v^H column)
 *                                               update_norm: norm of its rows below row j
 *     __syncthreads                             __syncthreads
 *
 * The algorithm is that of LAPACK xLAQP2. Norms are down-dated with the safeguard of Drmač &
 * Bujanović, "On the failure of rank-revealing QR factorization software", ACM TOMS 35, 2008. The
 * columns of B get the reflectors, too, but have no norms and are no pivots.
 */
#ifndef STARTILE_BATCH_PIVOTED_CUH
#define STARTILE_BATCH_PIVOTED_CUH

#include "batch/batch_pivoted_norms.cuh"

namespace startile_cuda
{

/* Moves the column with the largest norm to position j, by one warp. */
template <typename T>
__device__ inline void take_pivot(const pivoted_problem<T> &p, int j)
{
    largest_norm best = {-1, p.n};
    for (int c = j + threadIdx.x; c < p.n; c += 32) {
        const largest_norm mine = {p.norm[p.order[c]], c};
        if (comes_before(mine, best))
            best = mine;
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const largest_norm other = {__shfl_xor_sync(all_lanes, best.norm, distance),
                                    __shfl_xor_sync(all_lanes, best.column, distance)};
        if (comes_before(other, best))
            best = other;
    }
    if (threadIdx.x == 0) {
        const int number = p.order[j];
        p.order[j] = p.order[best.column];
        p.order[best.column] = number;
    }
    __syncwarp();
}

/* A reflector of a vector that was divided by `power` */
template <typename S>
struct scaled_reflector {
    reflector<S> h;
    double power;
};

/* Returns the reflector of the vector at(0 … count − 1), of type S, to all lanes of a warp. */
template <typename S, typename At>
__device__ inline scaled_reflector<S> reflector_of_vector(int count, const At &at)
{
    const int lane = threadIdx.x % 32;
    const S top = at(0);
    const auto square_below = [&](double factor) {
        double square = 0;
        for (int i = 1 + lane; i < count; i += 32)
            square += scaled_square(factor, at(i));
        return sum_over_lanes<32>(square);
    };
    double square = square_below(1), power = 1;
    bool is_zero = false;
    if (!is_safe_square(square) || !is_safe_square(square + scaled_square(1, top))) {
        double largest = 0;
        for (int i = 1 + lane; i < count; i += 32)
            largest = fmax(largest, largest_part(at(i)));
        largest = largest_over_lanes<32>(largest);
        is_zero = largest == 0;
        power = power_near(fmax(largest, largest_part(top)));
        square = square_below(1 / power);
    }
    return {reflector_of(scaled<S>(1 / power, top), square, is_zero), power};
}

/* Computes the reflector of the column at position j, by one warp, and stores it in the column and
 * in p.v. tau: destination of all tau, or null */
template <typename T>
__device__ inline void make_reflector(const pivoted_problem<T> &p, int j, T *tau)
{
    using S = wide<T>;
    T *const a = p.column(j) + j;
    const int rows = p.m - j;
    const auto at = [=](int i) { return convert<S>(a[i]); };
    const scaled_reflector<S> found = reflector_of_vector<S>(rows, at);
    const double reciprocal = 1 / found.power;
    __syncwarp(); /* all lanes have read a[0] */
    for (int i = 1 + threadIdx.x; i < rows; i += 32)
        a[i] = p.v[i] =
            convert<T>(multiply(found.h.scale, scaled<S>(reciprocal, convert<S>(a[i]))));
    if (threadIdx.x > 0)
        return;
    a[0] = to_element<T>(found.h.beta * found.power, 0);
    p.v[0] = to_element<T>(1, 0);
    p.v[rows] = to_element<T>(0, 0);
    p.v[tau_of_column] = convert<T>(found.h.tau);
    if (tau != nullptr)
        tau[j] = convert<T>(found.h.tau);
}

/* Multiplies the columns right of position j, and those of B, by the newest reflector. */
template <typename Share, typename T>
__device__ inline void apply_reflector(const pivoted_problem<T> &p, int j)
{
    const T minus_tau = scaled<T>(-1, conjugate(p.v[tau_of_column]));
    const T *const newest = p.v;
    const auto v = [=](int i) { return newest[i]; };
    const int last = p.n + p.sides;
    for_columns<Share>(j + 1, last, [&](Share &column, int c) {
        const bool exists = c < last;
        const strided_vector<T> place = {exists ? p.column(c) + j : nullptr, 1,
                                         exists ? p.m - j : 0, false};
        column.load(place);
        column.add(multiply(minus_tau, column.dot(v)), v);
        column.store(place);
        update_norm(p, column, c, c < p.n);
    });
}

/* Factors A, after begin_norms(). tau: destination of min(m, n) elements, or null */
template <typename Share, typename T>
__device__ inline void factor_pivoted(const pivoted_problem<T> &p, T *tau)
{
    for (int i = threadIdx.x; i < p.v_length; i += blockDim.x)
        p.v[i] = to_element<T>(0, 0);
    __syncthreads();
    for (int j = 0; j < min(p.m, p.n); j++) {
        if (threadIdx.x < 32) {
            take_pivot(p, j);
            make_reflector(p, j, tau);
        }
        __syncthreads();
        apply_reflector<Share>(p, j);
        __syncthreads();
    }
}

} // namespace startile_cuda

#endif
