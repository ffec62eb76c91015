/*
 * Factorization of one tile in shared memory, and the inverse of its factor, by four warps for each
 * side. They process eight columns at a time, a strip c0 ... c0 + 7:
 *
 *     warp 0                                  warps 1-3 (helpers)
 *
 *     Strips::factor: columns c0 ... c0 + 7   subtract_columns: the products of the columns before
 *       in registers, one row per lane            c0, from columns c0 + 8 ... c0 + 15
 *                                             invert_rows: rows c0 - 8 ... c0 - 1 of the inverse,
 *                                               in two halves around helpers_barrier
 *     ----------------------------- __syncthreads -----------------------------
 *     all warps: subtract_columns: the products of columns c0 ... c0 + 7,
 *       from columns c0 + 8 ... c0 + 15
 *     ----------------------------- __syncthreads -----------------------------
 *
 * In blocks of eight rows and columns, the inverse is W(p, q) = -W(p, p) sum of L(p, k) W(k, q)
 * over q <= k < p. Strips is potrf_strips (potrf_strip.cuh) or nopiv_strips
 * (getrf_nopiv_strip.cuh).
 */
#ifndef STARTILE_FACTOR_TILE_CUH
#define STARTILE_FACTOR_TILE_CUH

#include "common/warp_solve.cuh"
#include "tile_tasks/tile_job.cuh"

#include <type_traits>

namespace startile_cuda
{

constexpr int strip_width = 8; /* columns of a strip */
constexpr int helpers = 96;    /* number of threads of a side's warps 1-3 */

template <typename T>
using real_of = typename element<T>::real;

/* Returns r x for the reciprocal r of a pivot. */
template <typename T>
__device__ inline T times_reciprocal(real_of<T> r, T x)
{
    return scaled<T>(r, x);
}

template <typename T>
__device__ inline std::enable_if_t<element<T>::is_complex, T> times_reciprocal(T r, T x)
{
    return multiply_add(r, x, to_element<T>(0, 0));
}

/* Subtracts the products of columns c0 … c0 + k − 1 of s and `other` from rows row0 … row0 + 15 of
 * columns c1 … c1 + 7 of s, by a warp. */
template <typename T>
__device__ inline void subtract_columns(T *s, const T *other, int row0, int c0, int k, int c1)
{
    constexpr int ld = tile<T>::ld;
    warp_block<T, 16, strip_width> x;
    T *const to = s + row0 + c1 * ld;
    x.for_each([&](int i, int j, T &e) { e = scaled<T>(-1, to[i + j * ld]); });
    add_product_twofold(x, s + row0 + c0 * ld, other + c1 + c0 * ld, k);
    x.for_each([&](int i, int j, T &e) { to[i + j * ld] = scaled<T>(-1, e); });
}

/* Stores the inverse of the 8 × 8 diagonal block at c0 in w, and its adjoint in `adjoint`, by eight
 * lanes. */
template <typename T, typename P>
__device__ inline void invert_small_block(const T *s, int c0, const P *reciprocals, T *w,
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
        x[j] = times_reciprocal<T>(reciprocals[c0 + j], x[j]);
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
template <int sides, typename T, typename P>
__device__ inline void invert_rows(const T *s, int c0, const P *reciprocals, T *w, T *adjoint)
{
    constexpr int ld = tile<T>::ld;
    const int helper = thread_of_side<sides>() / 32 - 1;
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
    sync(helpers_barrier + own_side<sides>(), helpers);
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
template <int sides, typename T>
__device__ inline void clear_tiles(T *w, T *adjoint)
{
    for (int i = thread_of_side<sides>() - 32; i < tile<T>::bytes / 16; i += helpers)
        reinterpret_cast<int4 *>(w)[i] = reinterpret_cast<int4 *>(adjoint)[i] = int4{0, 0, 0, 0};
}

/* Overwrites the tile strips.s with its factor L (undefined above the diagonal), w with W = L⁻¹ and
 * `adjoint` with Wᴴ, including the zeros of both, on each side. The helpers call `first` before
 * they write `adjoint`. *strips.failed is −1 on entry, and becomes the first failing column,
 * 0-based, if there is one. Begins and ends with a barrier. */
template <typename Strips, typename T, typename F>
__device__ void factor_tile(Strips &strips, T *w, T *adjoint, F first)
{
    constexpr int order = tile<T>::order, sides = Strips::sides;
    T *const s = strips.s;
    const int warp = thread_of_side<sides>() / 32;
    __syncthreads();
    strips.begin(warp == 0);
#pragma unroll 1
    for (int c0 = 0;; c0 += strip_width) {
        const int c1 = c0 + strip_width;
        if (warp != 0 && c0 == 0) {
            first();
            clear_tiles<sides>(w, adjoint);
        } else if (warp != 0) {
            const int row0 = c1 / 16 * 16 + 16 * (warp - 1);
            if (row0 < order)
                subtract_columns(s, strips.other, row0, 0, c0, c1);
            invert_rows<sides>(s, c0 - strip_width, strips.reciprocals, w, adjoint);
        } else if (c0 < order) {
            strips.factor(c0);
        }
        __syncthreads();
        if (c0 == order)
            return;
        if (c1 < order && 16 * warp < order && 16 * warp + 16 > c1)
            subtract_columns(s, strips.other, 16 * warp, c0, strip_width, c1);
        __syncthreads();
    }
}

/* Returns x / d for a diagonal element d, which Cholesky has real. */
template <int sides, typename T>
__device__ inline T over_diagonal(T x, T d)
{
    if constexpr (sides == 1)
        return scaled<T>(1 / real_part(d), x);
    else
        return divide(x, d);
}

/* Computes c := c L⁻ᴴ for the tile c, by substitution. Slow; only if the inverse of a block of L
 * has failed its check. Begins and ends with a barrier of the side. */
template <int sides, typename T>
__device__ __noinline__ void substitute(const T *l, T *c)
{
    constexpr int ld = tile<T>::ld, order = tile<T>::order;
    T *const row = c + threadIdx.x;
    sync_side<sides>();
    if (threadIdx.x < order)
        for (int j = 0; j < order; j++) {
            const T x = row[j * ld] = over_diagonal<sides>(row[j * ld], conjugate(l[j + j * ld]));
#pragma unroll 8
            for (int k = j + 1; k < order; k++)
                row[k * ld] = subtract_product(row[k * ld], x, conjugate(l[k + j * ld]));
        }
    sync_side<sides>();
}

/* Computes c := c L⁻ᴴ for the tile c, by substitution with blocks of 8 × 8, whose inverses are on
 * the diagonal of w. Each warp computes a quarter of the rows. Begins and ends with a barrier of
 * the side. */
template <int sides, typename T>
__device__ __noinline__ void substitute_by_blocks(const T *l, const T *w, T *c)
{
    constexpr int ld = tile<T>::ld, order = tile<T>::order, rows = order / 4;
    T *const first = c + threadIdx.x / 32 * rows;
    sync_side<sides>();
#pragma unroll 1
    for (int p = 0; p < order; p += strip_width) {
        warp_block<T, rows, strip_width> x;
        T *const to = first + p * ld;
        x.for_each([&](int i, int j, T &e) { e = scaled<T>(-1, to[i + j * ld]); });
        add_product_twofold(x, first, l + p, p);
        x.for_each([&](int i, int j, T &e) { to[i + j * ld] = scaled<T>(-1, e); });
        __syncwarp();
        x.for_each([](int, int, T &e) { e = to_element<T>(0, 0); });
        x.add_columns(to + x.offset_in_a(), w + p + p * ld + x.offset_in_b(), 0);
        __syncwarp();
        x.for_each([&](int i, int j, T &e) { to[i + j * ld] = e; });
        __syncwarp();
    }
    sync_side<sides>();
}

} // namespace startile_cuda

#endif
