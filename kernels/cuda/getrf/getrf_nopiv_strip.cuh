/*
 * LU without pivoting of strips of a tile (factor_tile.cuh): L by side 0, V = Uᴴ by side 1, one or
 * two rows per lane. Both sides factor the 8 × 8 block on the diagonal, which they read from side
 * 0's tile. They use the same operations in the same order, so that their pivots and multipliers
 * agree to the last bit. If they did not, A − L Vᴴ could be large after a cancellation in a pivot.
 * The chain from one pivot to the next bounds a warp: shuffle, reciprocal, product, subtraction.
 *
 * Double of order 1024 takes 1.2 times as long as Cholesky's (H100; perf_models/NOTES.md,
 * "Diagonal tiles").
 */
#ifndef STARTILE_GETRF_NOPIV_STRIP_CUH
#define STARTILE_GETRF_NOPIV_STRIP_CUH

#include "tile_tasks/factor_tile.cuh"

namespace startile_cuda
{

/* Returns 1/p to 20 bits or more, for normal p only. */
__device__ inline double rough_reciprocal(double p)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(p));
    return y;
}

__device__ inline float rough_reciprocal(float p)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(p));
    return y;
}

/* Returns 1/p to a few roundoffs. With is_any, p may be any number, otherwise only a regular pivot.
 * The result for the conjugate of p is the conjugate of the result. */
template <bool is_any, typename T>
__device__ inline T reciprocal_of_pivot(T p)
{
    using real = real_of<T>;
    if constexpr (is_any) {
        return reciprocal(p);
    } else if constexpr (element<T>::is_complex) {
        const real square = fma(p.y, p.y, p.x * p.x);
        return scaled<T>(reciprocal_of_pivot<false>(square), conjugate(p));
    } else {
        const real y = rough_reciprocal(p), e = fma(-p, y, real(1));
        return fma(y, fma(e, e, e), y);
    }
}

/* Returns whether 1/p is computed without overflow and underflow. */
template <typename T>
__device__ inline bool is_regular_pivot(T p)
{
    using real = real_of<T>;
    constexpr real least = sizeof(real) == 8        ? element<T>::is_complex ? 1e-140 : 1e-270
                           : element<T>::is_complex ? 1e-15
                                                    : 1e-30;
    if constexpr (element<T>::is_complex) {
        const real size = fabs(p.x) + fabs(p.y);
        return size > least && size < 1 / least;
    } else {
        return fabs(p) > least && fabs(p) < 1 / least;
    }
}

/* Returns x / p, where r is reciprocal_of_pivot(p). With is_any it divides, because 1/p may
 * overflow where x / p does not. The result for conjugates is the conjugate of the result. */
template <bool is_any, typename T>
__device__ inline T multiplier(T x, T p, T r)
{
    return is_any ? divide(x, p) : times_reciprocal<T>(r, x);
}

/* A strip c0 … c0 + 7 of L (is_v: of V) in the registers of a warp: one or two rows per lane */
template <typename T, bool is_v>
struct nopiv_strip {
    static constexpr int ld = tile<T>::ld;

    T a[strip_width], b[strip_width]; /* the lane's rows */
    T my_pivot, my_reciprocal;        /* of the lane's row, if it is in the strip */
    int mine, first;                  /* the lane's upper row; lane of row c0 */
    bool is_mine;                     /* the row is in the strip */
    bool has_two; /* the lane has row mine + 32, too: in a tile of order 64 if c0 < 32 */

    __device__ explicit nopiv_strip(int c0)
    {
        const int lane = threadIdx.x % 32;
        mine = c0 / 32 * 32 + lane;
        first = c0 % 32;
        is_mine = lane >= first && lane < first + strip_width;
        has_two = tile<T>::order > 32 && c0 < 32;
    }

    /* Loads the strip from the side's tile s; l: side 0's tile */
    __device__ void load(const T *s, const T *l, int c0)
    {
        const T *const row = s + mine + c0 * ld, *const adjoint = l + c0 + mine * ld;
#pragma unroll
        for (int k = 0; k < strip_width; k++) {
            a[k] = is_v && is_mine ? conjugate(adjoint[k]) : row[k * ld];
            b[k] = has_two ? row[k * ld + 32] : to_element<T>(0, 0);
        }
        my_pivot = my_reciprocal = to_element<T>(1, 0);
    }

    /* Factors the strip. Both sides compute L(k, j) by the same operations. */
    template <bool is_any>
    __device__ void factor()
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int j = 0; j < strip_width; j++) {
            const T pivot = from_lane(a[j], first + j);
            const T r = reciprocal_of_pivot<is_any>(pivot);
            my_pivot = lane == first + j ? pivot : my_pivot;
            my_reciprocal = lane == first + j ? r : my_reciprocal;
            if constexpr (!is_v) {
                a[j] = multiplier<is_any>(a[j], pivot, r);
                b[j] = multiplier<is_any>(b[j], pivot, r);
            }
#pragma unroll
            for (int k = j + 1; k < strip_width; k++) {
                const T of_pivot_row = from_lane(a[k], first + j);
                if constexpr (is_v) {
                    const T factor = multiplier<is_any>(of_pivot_row, pivot, r);
                    a[k] = subtract_product(a[k], factor, a[j]);
                    b[k] = subtract_product(b[k], factor, b[j]);
                } else {
                    a[k] = subtract_product(a[k], a[j], of_pivot_row);
                    b[k] = subtract_product(b[k], b[j], of_pivot_row);
                }
            }
        }
    }

    /* Stores the strip to the side's tile, and the reciprocals of its diagonal. */
    __device__ void store(T *s, int c0, T *reciprocals) const
    {
        T *const row = s + mine + c0 * ld;
#pragma unroll
        for (int k = 0; k < strip_width; k++) {
            row[k * ld] = a[k];
            if (has_two)
                row[k * ld + 32] = b[k];
        }
        if (!is_mine)
            return;
        s[mine + mine * ld] = is_v ? my_pivot : to_element<T>(1, 0);
        reciprocals[mine] = is_v ? my_reciprocal : to_element<T>(1, 0);
    }
};

/* Factors columns c0 … c0 + 7 of the tile s, by a warp. The caller has subtracted the products of
 * columns 0 … c0 − 1. Overwrites the elements above the diagonal with undefined values. If *failed
 * is −1, side 0 sets it to the first column whose pivot is 0, if there is one. Returns false, and
 * does nothing, if there is an irregular pivot and not is_any. */
template <bool is_any, bool is_v, typename T>
__device__ bool factor_nopiv_strip(T *s, const T *other, int c0, T *reciprocals, int *failed)
{
    nopiv_strip<T, is_v> strip(c0);
    strip.load(s, is_v ? other : s, c0);
    strip.template factor<is_any>();
    if (!is_any && !__all_sync(0xffffffff, is_regular_pivot(strip.my_pivot)))
        return false;
    /* Side 0 overwrites the block that side 1 reads from its tile. */
    if constexpr (is_v)
        arrive(strips_barrier, 64);
    else
        sync(strips_barrier, 64);
    strip.store(s, c0, reciprocals);
    const unsigned int bad = __ballot_sync(0xffffffff, is_zero(strip.my_pivot));
    if (!is_v && bad != 0 && threadIdx.x % 32 == 0 && *failed < 0)
        *failed = strip.mine + __ffs(static_cast<int>(bad)) - 1;
    return true;
}

/* Calls factor_nopiv_strip for strips with irregular pivots. Not inlined, because calls are rare
 * and the code is long. */
template <bool is_v, typename T>
__device__ __noinline__ void factor_any_nopiv_strip(T *s, const T *other, int c0, T *reciprocals,
                                                    int *failed)
{
    factor_nopiv_strip<true, is_v>(s, other, c0, reciprocals, failed);
}

/* LU of a tile by strips, by warp 0 of each side. s: the side's tile, `other`: that of the other
 * side */
template <typename T>
struct nopiv_strips {
    static constexpr int sides = 2;
    using pivot = T;

    T *s;
    const T *other;
    pivot *reciprocals; /* 1 / diagonal of L and V */
    int *failed;

    __device__ void begin(bool) const
    {
    }

    __device__ void factor(int c0) const
    {
        if (threadIdx.y == 0)
            factor_of_side<false>(c0);
        else
            factor_of_side<true>(c0);
    }

    template <bool is_v>
    __device__ void factor_of_side(int c0) const
    {
        if (!factor_nopiv_strip<false, is_v>(s, other, c0, reciprocals, failed))
            factor_any_nopiv_strip<is_v>(s, other, c0, reciprocals, failed);
    }
};

} // namespace startile_cuda

#endif
