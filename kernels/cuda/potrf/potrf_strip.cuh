/*
 * Cholesky of strips of a tile (factor_tile.cuh). The chain from one pivot to the next bounds warp
 * 0: shuffle, reciprocal root, product, subtraction. A lane keeps the diagonal element of its row
 * separately, so that the rest of the column is not part of that chain.
 *
 * Bound: 165 cycles per column in a strip, and 30 between strips (H200, double). A version unrolled
 * over 32 columns, each through shared memory, took 300 per column.
 */
#ifndef STARTILE_POTRF_STRIP_CUH
#define STARTILE_POTRF_STRIP_CUH

#include "tile_tasks/factor_tile.cuh"

namespace startile_cuda
{

/* Returns 1/√p to 20 bits or more, for normal p only. */
__device__ inline double rough_reciprocal_root(double p)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(p));
    return y;
}

__device__ inline float rough_reciprocal_root(float p)
{
    return rsqrtf(p);
}

__device__ inline double reciprocal_root(double p)
{
    return rsqrt(p);
}

__device__ inline float reciprocal_root(float p)
{
    return rsqrtf(p);
}

/* Root of a pivot p: reciprocal = 1/√p, and y and excess with 1/p = y² (1 + excess). The next pivot
 * is computed from y and excess, because it depends on fewer operations then. */
template <typename R>
struct pivot_root {
    R y, excess, reciprocal;
};

/* Returns the root of a pivot p. With is_any, p may also be infinite or below the normal numbers.
 */
template <bool is_any, typename R>
__device__ inline pivot_root<R> root_of_pivot(R p)
{
    if constexpr (is_any) {
        const R r = reciprocal_root(p);
        return {r, 0, r};
    }
    const R y = rough_reciprocal_root(p);
    const R e = fma(-(p * y), y, R(1));
    return {y, fma(e, e, e), fma(y * e, fma(e, R(0.375), R(0.5)), y)};
}

/* Returns √p, given r = 1/√p to a few roundoffs. */
template <typename R>
__device__ inline R root_of(R p, R r)
{
    if (isinf(p))
        return p;
    const R root = p * r;
    return fma(fma(-root, root, p), R(0.5) * r, root);
}

/* Returns |x|². */
template <typename T>
__device__ inline typename element<T>::real square(T x)
{
    if constexpr (element<T>::is_complex)
        return x.x * x.x + x.y * x.y;
    else
        return x * x;
}

/* Returns whether a diagonal element is so far from overflow and underflow that its pivot is either
 * a normal number or not positive. */
template <typename R>
__device__ inline bool is_regular_diagonal(R diagonal)
{
    constexpr R least = sizeof(R) == 8 ? R(1e-270) : R(1e-30), most = 1 / least;
    return diagonal > least && diagonal < most;
}

/* Factors columns c0 … c0 + 7 of the tile s, by a warp. The caller has subtracted the products of
 * columns 0 … c0 − 1. Overwrites the elements above the diagonal with undefined values. If *failed
 * is −1, sets it to the first column whose pivot is not above 0, if there is one. */
template <bool is_any, typename T>
__device__ void factor_strip(T *s, int c0, real_of<T> *reciprocals, int *failed)
{
    using real = typename element<T>::real;
    constexpr int ld = tile<T>::ld;
    constexpr bool two_rows = tile<T>::order > 32;
    /* In a tile of order 64 a lane has two rows if c0 < 32; later it has one, in the lower half. */
    const int lane = threadIdx.x % 32, mine = c0 / 32 * 32 + lane, first = c0 % 32;
    const bool has_two = two_rows && c0 < 32;
    T *const upper = s + mine + c0 * ld, *const lower = upper + 32;
    T a[strip_width], b[strip_width];
#pragma unroll
    for (int k = 0; k < strip_width; k++) {
        a[k] = upper[k * ld];
        if constexpr (two_rows)
            b[k] = has_two ? lower[k * ld] : to_element<T>(0, 0);
    }
    /* Read only the diagonal elements of this strip: other warps are writing the other rows. */
    const bool is_mine = lane >= first && lane < first + strip_width;
    real diagonal = is_mine ? real_part(s[mine + mine * ld]) : 1, my_pivot = 1, my_reciprocal = 1;
#pragma unroll
    for (int j = 0; j < strip_width; j++) {
        const real pivot = __shfl_sync(0xffffffff, diagonal, first + j);
        const pivot_root<real> root = root_of_pivot<is_any>(pivot);
        const real part = square(scaled<T>(root.y, a[j]));
        diagonal = fma(-part, root.excess, diagonal - part);
        my_pivot = lane == first + j ? pivot : my_pivot;
        my_reciprocal = lane == first + j ? root.reciprocal : my_reciprocal;
        a[j] = scaled<T>(root.reciprocal, a[j]);
        if constexpr (two_rows)
            b[j] = scaled<T>(root.reciprocal, b[j]);
#pragma unroll
        for (int k = j + 1; k < strip_width; k++) {
            const T factor = scaled<T>(-1, conjugate(from_lane(a[j], first + k)));
            a[k] = multiply_add(a[j], factor, a[k]);
            if constexpr (two_rows)
                b[k] = multiply_add(b[j], factor, b[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < strip_width; k++) {
        upper[k * ld] = a[k];
        if constexpr (two_rows)
            if (has_two)
                lower[k * ld] = b[k];
    }
    if (is_mine) {
        s[mine + mine * ld] = to_element<T>(root_of(my_pivot, my_reciprocal), 0);
        reciprocals[mine] = my_reciprocal;
    }
    const unsigned int bad = __ballot_sync(0xffffffff, is_mine && !(my_pivot > 0));
    if (bad != 0 && lane == 0 && *failed < 0)
        *failed = mine + __ffs(static_cast<int>(bad)) - 1;
}

/* Calls factor_strip for tiles with irregular diagonal elements. Not inlined, because calls are
 * rare and the code is long. */
template <typename T>
__device__ __noinline__ void factor_any_strip(T *s, int c0, real_of<T> *reciprocals, int *failed)
{
    factor_strip<true>(s, c0, reciprocals, failed);
}

/* Cholesky of a tile s by strips, by warp 0. For Cholesky `other` is s. */
template <typename T>
struct potrf_strips {
    static constexpr int sides = 1;
    using pivot = real_of<T>;

    T *s;
    const T *other;
    pivot *reciprocals; /* 1 / diagonal */
    int *failed;
    bool is_regular = true;

    /* Sets is_regular. Called by all warps. */
    __device__ void begin(bool is_first_warp)
    {
        if (is_first_warp)
            for (int i = threadIdx.x % 32; i < tile<T>::order; i += 32)
                is_regular &= is_regular_diagonal(real_part(s[i + i * tile<T>::ld]));
        is_regular = __all_sync(0xffffffff, is_regular);
    }

    __device__ void factor(int c0) const
    {
        if (is_regular)
            factor_strip<false>(s, c0, reciprocals, failed);
        else
            factor_any_strip(s, c0, reciprocals, failed);
    }
};

} // namespace startile_cuda

#endif
