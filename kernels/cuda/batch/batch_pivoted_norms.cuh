/* Columns of a matrix in groups of lanes, and their norms, for QR with column pivoting of a batch
 * (batch_pivoted.cuh). */
#ifndef STARTILE_BATCH_PIVOTED_NORMS_CUH
#define STARTILE_BATCH_PIVOTED_NORMS_CUH

#include "batch/batch_pivoted_layout.cuh"
#include "geqp3/geqp3.cuh"

namespace startile_cuda
{

/* -- columns ---------------------------------------------------------------------------------- */

/* Calls f(column, c) for the columns c = first … last − 1, by groups of lanes. All lanes of a warp
 * make the same number of calls; c may be ≥ last. */
template <typename Share, typename F>
__device__ inline void for_columns(int first, int last, const F &f)
{
    const int groups = blockDim.x / Share::lanes;
    for (int base = first; base < last; base += groups) {
        Share column;
        column.lane = threadIdx.x % Share::lanes;
        f(column, base + int(threadIdx.x) / Share::lanes);
    }
}

/* Copies the rows of a column of length m, in a group of lanes. */
template <typename Share, typename T>
__device__ inline void copy_column(Share &column, const T *from, int m, T *to)
{
    if constexpr (Share::capacity > 0) {
        column.load({const_cast<T *>(from), 1, m, false});
        column.store({to, 1, m, false});
    } else {
        for (int i = column.lane; i < m; i += Share::lanes)
            to[i] = from[i];
    }
}

/* Call f(e) for the elements e of a column from row `first` on. */
template <typename T, int lanes, int rows, typename F>
__device__ inline void for_rows(const column_share<T, lanes, rows> &column, int first, const F &f)
{
#pragma unroll
    for (int r = 0; r < rows; r++)
        if (column.row(r) >= first)
            f(column.e[r]);
}

template <typename T, typename F>
__device__ inline void for_rows(const long_column<T> &column, int first, const F &f)
{
    for (int i = column.lane; i < column.place.length; i += column.lanes)
        if (i >= first)
            f(column.place.get(i));
}

/* -- norms ------------------------------------------------------------------------------------ */

/* Returns whether a sum of squares has lost no noticeable part to overflow or underflow. */
__device__ inline bool is_safe_square(double square)
{
    return square > 1e-290 && square < 1e300;
}

/* Returns |factor x|². */
template <typename S>
__device__ inline double scaled_square(double factor, S x)
{
    const double re = factor * real_part(x), im = factor * imaginary_part(x);
    return fma(re, re, im * im);
}

/* Returns the norm of the rows of a column from row `first` on, to all lanes of its group. Called
 * by a whole warp. */
template <typename T, typename Share>
__device__ inline double norm_of_rows(const Share &column, int first)
{
    using S = wide<T>;
    double square = 0;
    for_rows(column, first, [&](T e) { square += scaled_square(1, convert<S>(e)); });
    square = sum_over_lanes<Share::lanes>(square);
    const bool is_safe = is_safe_square(square);
    if (__all_sync(all_lanes, is_safe))
        return sqrt(square);
    double largest = 0, rescaled = 0;
    for_rows(column, first, [&](T e) { largest = fmax(largest, largest_part(convert<S>(e))); });
    const double power = power_near(largest_over_lanes<Share::lanes>(largest));
    for_rows(column, first, [&](T e) { rescaled += scaled_square(1 / power, convert<S>(e)); });
    rescaled = sum_over_lanes<Share::lanes>(rescaled);
    return is_safe ? sqrt(square) : power * sqrt(rescaled);
}

/* Numbers the columns of A and computes their norms. */
template <typename Share, typename T>
__device__ inline void begin_norms(const pivoted_problem<T> &p)
{
    for_columns<Share>(0, p.n, [&](Share &column, int c) {
        const bool exists = c < p.n;
        column.load({exists ? p.a + c * p.ld : nullptr, 1, exists ? p.m : 0, false});
        const double norm = norm_of_rows<T>(column, 0);
        if (exists && column.lane == 0) {
            p.norm[c] = p.exact_norm[c] = norm;
            p.order[c] = c;
        }
    });
}

/* Removes the element of R, the first row of the column, from the norm of column c at step j. Where
 * cancellation leaves no correct digit, computes the norm anew. has_norm: there is a column c, and
 * it is A's. Called by a whole warp. */
template <typename T, typename Share>
__device__ inline void update_norm(const pivoted_problem<T> &p, const Share &column, int c,
                                   bool has_norm)
{
    constexpr double half_eps = is_single<T> ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const T r = column.at(0);
    const int number = has_norm ? p.order[c] : 0;
    double norm = has_norm ? p.norm[number] : 0;
    bool is_lost = false;
    if (norm != 0) {
        const double part = magnitude(r) / norm, left = fmax((1 + part) * (1 - part), 0.0),
                     since = norm / p.exact_norm[number];
        is_lost = left * since * since <= sqrt(half_eps);
        norm *= sqrt(left);
    }
    if (__any_sync(all_lanes, is_lost)) {
        const double exact = norm_of_rows<T>(column, 1);
        norm = is_lost ? exact : norm;
    }
    __syncwarp(); /* all lanes have read norm[number] and exact_norm[number] */
    if (!has_norm || column.lane > 0)
        return;
    p.norm[number] = norm;
    if (is_lost)
        p.exact_norm[number] = norm;
}

} // namespace startile_cuda

#endif
