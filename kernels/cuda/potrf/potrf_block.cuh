/*
 * Cholesky of one tile in shared memory, and the inverse of its factor, by a thread block of four
 * warps. They process eight columns at a time, a strip c0 ... c0 + 7:
 *
 *     warp 0                                  warps 1-3 (helpers)
 *
 *     factor_strip: columns c0 ... c0 + 7     subtract_columns: the products of the columns before
 *       in registers, one row per lane            c0, from columns c0 + 8 ... c0 + 15
 *                                             invert_rows: rows c0 - 8 ... c0 - 1 of the inverse,
 *                                               in two halves around helpers_barrier
 *     ----------------------------- __syncthreads -----------------------------
 *     all warps: subtract_columns: the products of columns c0 ... c0 + 7,
 *       from columns c0 + 8 ... c0 + 15
 *     ----------------------------- __syncthreads -----------------------------
 *
 * In blocks of eight rows and columns, the inverse is W(p, q) = -W(p, p) sum of L(p, k) W(k, q)
 * over q <= k < p. The chain from one pivot to the next bounds warp 0: shuffle, reciprocal root,
 * product, subtraction. A lane keeps the diagonal element of its row separately, so that the rest
 * of the column is not part of that chain.
 *
 * Bound: 165 cycles per column in a strip, and 30 between strips (H200, double). A version unrolled
 * over 32 columns, each through shared memory, took 300 per column.
 */
#ifndef STARTILE_POTRF_BLOCK_CUH
#define STARTILE_POTRF_BLOCK_CUH

#include "common/smem_tile.cuh"

namespace startile_cuda
{

constexpr int strip_width = 8; /* columns of a strip */
enum { helpers_barrier = 1 };  /* named barrier of warps 1-3 */
constexpr int helpers = 96;    /* number of threads of warps 1-3 */

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

/* Returns x of the given lane, to all lanes of the warp. */
template <typename T>
__device__ inline T from_lane(T x, int lane)
{
    if constexpr (element<T>::is_complex)
        return T{__shfl_sync(0xffffffff, x.x, lane), __shfl_sync(0xffffffff, x.y, lane)};
    else
        return __shfl_sync(0xffffffff, x, lane);
}

template <typename T>
using real_of = typename element<T>::real;

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

/* Subtracts the products of columns c0 … c0 + k − 1 from rows row0 … row0 + 15 of columns c1 … c1 +
 * 7, by a warp. */
template <typename T>
__device__ inline void subtract_columns(T *s, int row0, int c0, int k, int c1)
{
    constexpr int ld = tile<T>::ld;
    warp_block<T, 16, strip_width> x;
    T *const to = s + row0 + c1 * ld;
    x.for_each([&](int i, int j, T &e) { e = scaled<T>(-1, to[i + j * ld]); });
    add_product_twofold(x, s + row0 + c0 * ld, s + c1 + c0 * ld, k);
    x.for_each([&](int i, int j, T &e) { to[i + j * ld] = scaled<T>(-1, e); });
}

/* Stores the inverse of the 8 × 8 diagonal block at c0 in w, and its adjoint in `adjoint`, by eight
 * lanes. */
template <typename T>
__device__ inline void invert_small_block(const T *s, int c0, const real_of<T> *reciprocals, T *w,
                                          T *adjoint)
{
    constexpr int ld = tile<T>::ld;
    const T *const l = s + c0 + c0 * ld;
    const int column = threadIdx.x % 32;
    if (column >= strip_width)
        return;
    T x[strip_width];
#pragma unroll
    for (int i = 0; i < strip_width; i++)
        x[i] = to_element<T>(i == column, 0);
#pragma unroll
    for (int j = 0; j < strip_width; j++) {
        x[j] = scaled<T>(reciprocals[c0 + j], x[j]);
#pragma unroll
        for (int i = j + 1; i < strip_width; i++)
            x[i] = subtract_product(x[i], l[i + j * ld], x[j]);
    }
#pragma unroll
    for (int i = 0; i < strip_width; i++) {
        w[c0 + i + (c0 + column) * ld] = x[i];
        adjoint[c0 + column + (c0 + i) * ld] = conjugate(x[i]);
    }
}

/* Computes rows c0 … c0 + 7 of the inverse from rows c0 … c0 + 7 of L and the rows of the inverse
 * above, by the helpers. */
template <typename T>
__device__ inline void invert_rows(const T *s, int c0, const real_of<T> *reciprocals, T *w,
                                   T *adjoint)
{
    constexpr int ld = tile<T>::ld;
    const int helper = threadIdx.x / 32 - 1;
    warp_block<T, 16, strip_width> x;
    T *const to = adjoint + c0 * ld;
    if (helper == 0)
        invert_small_block(s, c0, reciprocals, w, adjoint);
    __syncwarp();
    /* Store (L(p, :) W)ᴴ for rows p = c0 … c0 + 7 where these rows' adjoint will be, 16 columns of
     * W at a time. One warp of the helpers has the first and the last 16 columns, another one has
     * the columns between. */
    for (int row0 = 0; row0 < c0; row0 += 16) {
        if (helper != (row0 == 0 || row0 == 48 ? 1 : 2))
            continue;
        x.for_each([](int, int, T &e) { e = to_element<T>(0, 0); });
        add_product_twofold(x, adjoint + row0 + row0 * ld, s + c0 + row0 * ld, c0 - row0);
        x.for_each([&](int i, int j, T &e) {
            if (row0 + i < c0)
                to[row0 + i + j * ld] = e;
        });
    }
    sync(helpers_barrier, helpers);
    for (int row0 = 16 * helper; row0 < c0; row0 += 48) {
        x.for_each([](int, int, T &e) { e = to_element<T>(0, 0); });
        x.add_columns(to + row0 + x.offset_in_a(), w + c0 + c0 * ld + x.offset_in_b(), 0);
        __syncwarp();
        x.for_each([&](int i, int j, T &e) {
            if (row0 + i >= c0)
                return;
            e = scaled<T>(-1, e);
            to[row0 + i + j * ld] = e;
            w[c0 + j + (row0 + i) * ld] = conjugate(e);
        });
    }
}

/* Sets w and adjoint to zero, by the helpers. */
template <typename T>
__device__ inline void clear_tiles(T *w, T *adjoint)
{
    for (int i = threadIdx.x - 32; i < tile<T>::bytes / 16; i += helpers)
        reinterpret_cast<int4 *>(w)[i] = reinterpret_cast<int4 *>(adjoint)[i] = int4{0, 0, 0, 0};
}

/* Overwrites the tile s with its factor L (undefined above the diagonal), w with W = L⁻¹ and
 * `adjoint` with Wᴴ, including the zeros of both. The helpers call `first` before they write
 * `adjoint`. *failed is −1 on entry, and becomes the first failing column, 0-based, if there is
 * one. Begins and ends with a barrier. */
template <typename T, typename F>
__device__ void factor_tile(T *s, T *w, T *adjoint, real_of<T> *reciprocals, int *failed, F first)
{
    constexpr int order = tile<T>::order;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    bool is_regular = true;
    if (warp == 0)
        for (int i = lane; i < order; i += 32)
            is_regular &= is_regular_diagonal(real_part(s[i + i * tile<T>::ld]));
    is_regular = __all_sync(0xffffffff, is_regular);
#pragma unroll 1
    for (int c0 = 0;; c0 += strip_width) {
        const int c1 = c0 + strip_width;
        if (warp != 0 && c0 == 0) {
            first();
            clear_tiles(w, adjoint);
        } else if (warp != 0) {
            const int row0 = c1 / 16 * 16 + 16 * (warp - 1);
            if (row0 < order)
                subtract_columns(s, row0, 0, c0, c1);
            invert_rows(s, c0 - strip_width, reciprocals, w, adjoint);
        } else if (is_regular && c0 < order) {
            factor_strip<false>(s, c0, reciprocals, failed);
        } else if (c0 < order) {
            factor_any_strip(s, c0, reciprocals, failed);
        }
        __syncthreads();
        if (c0 == order)
            return;
        if (c1 < order && 16 * warp < order && 16 * warp + 16 > c1)
            subtract_columns(s, 16 * warp, c0, strip_width, c1);
        __syncthreads();
    }
}

/* Computes c := c L⁻ᴴ for the tile c, by substitution. Slow; only for an L whose inverse failed its
 * check. Begins and ends with a barrier. */
template <typename T>
__device__ __noinline__ void substitute(const T *l, T *c)
{
    constexpr int ld = tile<T>::ld, order = tile<T>::order;
    T *const row = c + threadIdx.x;
    __syncthreads();
    if (threadIdx.x < order)
        for (int j = 0; j < order; j++) {
            const T x = row[j * ld] = scaled<T>(1 / real_part(l[j + j * ld]), row[j * ld]);
#pragma unroll 8
            for (int k = j + 1; k < order; k++)
                row[k * ld] = subtract_product(row[k * ld], x, conjugate(l[k + j * ld]));
        }
    __syncthreads();
}

} // namespace startile_cuda

#endif
