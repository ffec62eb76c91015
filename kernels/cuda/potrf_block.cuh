/*
 * Cholesky of one tile in shared memory, and the inverse of its factor, by a thread block.
 *
 * A warp factors 32 columns, a row to a lane, in registers. What bounds it is the way from one
 * pivot to the next: shuffle, reciprocal root, product, subtraction. A lane keeps its diagonal
 * element apart, so that the exchange of a column through shared memory is off that way. Other
 * warps follow a few columns behind: one inverts, one solves for the rows below. A tile of twice
 * 32 columns is two of these; in between, L21 L21ᴴ is subtracted, and the inverse's lower left
 * block −W22 (L21 W11) is made beside and after the second.
 */
#ifndef STARTILE_POTRF_BLOCK_CUH
#define STARTILE_POTRF_BLOCK_CUH

#include "tile_product.cuh"

namespace startile_cuda
{

constexpr int warp_order = 32;
constexpr int columns_behind = 4;
/* One named barrier for every columns_behind columns */
constexpr int first_follow_barrier = 1;

/* About 1/√p: 20 bits for a normal p; not for others */
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

/* 1/√p and, for a shorter way to 1/p = y² (1 + excess), y */
template <typename R>
struct pivot_root {
    R y, excess, reciprocal;
};

/* With is_any, p may also be infinite, or too small for a normal number. */
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

/* √p, given r = 1/√p to a few roundoffs */
template <typename R>
__device__ inline R root_of(R p, R r)
{
    if (isinf(p))
        return p;
    const R root = p * r;
    return fma(fma(-root, root, p), R(0.5) * r, root);
}

template <typename T>
__device__ inline typename element<T>::real square(T x)
{
    if constexpr (element<T>::is_complex)
        return x.x * x.x + x.y * x.y;
    else
        return x * x;
}

/* Elements of a column of shared memory, 16 bytes at a time */
template <typename T>
struct alignas(16) some_elements {
    static constexpr int count = 16 / sizeof(T);
    T of[count];
};

/* f(k, l[k]) for k = first … 31; first is known to the compiler, l + k aligned for k = 0 */
template <typename T, typename F>
__device__ inline void for_each_behind(int first, const T *l, F f)
{
    using some = some_elements<T>;
#pragma unroll
    for (int k0 = first / some::count * some::count; k0 < warp_order; k0 += some::count) {
        const some e = *reinterpret_cast<const some *>(l + k0);
#pragma unroll
        for (int q = 0; q < some::count; q++)
            if (k0 + q >= first)
                f(k0 + q, e.of[q]);
    }
}

/* The columns behind column j lose what it takes from them. l: the factor, in shared memory */
template <typename T>
__device__ inline void subtract_column(int j, T (&row)[warp_order], T x, const T *l)
{
    const T minus_x = scaled<T>(-1, x);
    for_each_behind(j + 1, l + j * tile<T>::ld, [&](int k, T factor) {
        row[k] = multiply_add(minus_x, conjugate(factor), row[k]);
    });
}

/* Whether all elements of a diagonal are so far inside the range of normal numbers that pivots are,
 * too, but for those that fail */
template <typename R>
__device__ inline bool is_plain(R diagonal)
{
    constexpr R least = sizeof(R) == 8 ? R(1e-270) : R(1e-30), most = 1 / least;
    return __all_sync(0xffffffff, diagonal > least && diagonal < most);
}

/* By a warp, in place: s is the 32 × 32 block at its first element. `listeners` threads take part
 * in the barriers, this warp's among them. Returns the 0-based column of the first pivot that is
 * not above 0, or -1. */
template <bool is_any, typename T>
__device__ int factor_columns(T *s, typename element<T>::real *reciprocals, int listeners)
{
    using real = typename element<T>::real;
    constexpr int ld = tile<T>::ld;
    const int lane = threadIdx.x % 32;
    T row[warp_order];
#pragma unroll
    for (int k = 0; k < warp_order; k++)
        row[k] = s[lane + k * ld];
    real diagonal = real_part(s[lane + lane * ld]), my_pivot = 0;
#pragma unroll
    for (int j = 0; j < warp_order; j++) {
        const real pivot = __shfl_sync(0xffffffff, diagonal, j);
        const pivot_root<real> root = root_of_pivot<is_any>(pivot);
        const real part = square(scaled<T>(root.y, row[j]));
        diagonal = fma(-part, root.excess, diagonal - part);
        my_pivot = lane == j ? pivot : my_pivot;
        const T x = scaled<T>(root.reciprocal, row[j]);
        s[lane + j * ld] = x;
        if (lane == 0)
            reciprocals[j] = root.reciprocal;
        __syncwarp();
        subtract_column(j, row, x, s);
        if (j % columns_behind == columns_behind - 1)
            arrive(first_follow_barrier + j / columns_behind, listeners);
    }
    s[lane + lane * ld] = to_element<T>(root_of(my_pivot, reciprocals[lane]), 0);
    return __ffs(static_cast<int>(__ballot_sync(0xffffffff, !(my_pivot > 0)))) - 1;
}

/* For what is not plain; apart, since it is rare and long */
template <typename T>
__device__ __noinline__ int factor_any_columns(T *s, typename element<T>::real *reciprocals,
                                               int listeners)
{
    return factor_columns<true>(s, reciprocals, listeners);
}

template <typename T>
__device__ int factor_by_warp(T *s, typename element<T>::real *reciprocals, int listeners)
{
    const int lane = threadIdx.x % 32;
    return is_plain(real_part(s[lane + lane * tile<T>::ld]))
               ? factor_columns<false>(s, reciprocals, listeners)
               : factor_any_columns(s, reciprocals, listeners);
}

/* Before column j is used by a warp that follows; listeners = 0: all columns are there. */
__device__ inline void follow(int j, int listeners)
{
    if (j % columns_behind == 0 && listeners > 0)
        sync(first_follow_barrier + j / columns_behind, listeners);
}

/* By a warp: w := the inverse of the factor l, adjoint := wᴴ */
template <typename T>
__device__ void invert_by_warp(const T *l, const typename element<T>::real *reciprocals, T *w,
                               T *adjoint, int listeners)
{
    constexpr int ld = tile<T>::ld;
    const int lane = threadIdx.x % 32;
    T column_of_w[warp_order];
#pragma unroll
    for (int i = 0; i < warp_order; i++)
        column_of_w[i] = to_element<T>(i == lane, 0);
#pragma unroll
    for (int j = 0; j < warp_order; j++) {
        follow(j, listeners);
        const T x = column_of_w[j] = scaled<T>(reciprocals[j], column_of_w[j]);
        const T minus_x = scaled<T>(-1, x);
        for_each_behind(j + 1, l + j * ld, [&](int i, T factor) {
            column_of_w[i] = multiply_add(factor, minus_x, column_of_w[i]);
        });
    }
#pragma unroll
    for (int i = 0; i < warp_order; i++) {
        w[i + lane * ld] = column_of_w[i];
        adjoint[lane + i * ld] = conjugate(column_of_w[i]);
    }
}

/* By a warp: the 32 rows at b := themselves times L⁻ᴴ */
template <typename T>
__device__ void solve_by_warp(const T *l, const typename element<T>::real *reciprocals, T *b,
                              int listeners)
{
    constexpr int ld = tile<T>::ld;
    const int lane = threadIdx.x % 32;
    T row[warp_order];
#pragma unroll
    for (int k = 0; k < warp_order; k++)
        row[k] = b[lane + k * ld];
#pragma unroll
    for (int j = 0; j < warp_order; j++) {
        follow(j, listeners);
        const T x = scaled<T>(reciprocals[j], row[j]);
        b[lane + j * ld] = x;
        subtract_column(j, row, x, l);
    }
}

/* In place: the tile s := its factor L (what is above the diagonal is undefined), w := L⁻¹, zeros
 * above. other: room for a tile. Returns the first failing column, 0-based, or -1, in warp 0. */
template <typename T>
__device__ int factor_tile(T *s, T *w, T *other, typename element<T>::real *reciprocals)
{
    constexpr int ld = tile<T>::ld, h = warp_order;
    constexpr bool is_one_block = tile<T>::order == h;
    constexpr int listeners = is_one_block ? 64 : 96;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int failed = -1;
    if (warp == 0)
        failed = factor_by_warp(s, reciprocals, listeners);
    else if (warp == 1)
        invert_by_warp(s, reciprocals, w, other, listeners);
    if constexpr (!is_one_block) {
        T *const s21 = s + h, *const s22 = s + h + h * ld;
        T *const w21 = w + h, *const w22 = w + h + h * ld;
        if (warp == 2)
            solve_by_warp(s, reciprocals, s21, listeners);
        else if (warp == 3)
            for (int j = h; j < 2 * h; j++)
                w[lane + j * ld] = to_element<T>(0, 0);
        __syncthreads();

        using block = quadrant<T, h / 2>;
        block p;
        p.clear();
        p.add(s21, s21, h);
        p.visit([&](int i, int j, T &x) {
            s22[i + j * ld] = multiply_add(to_element<T>(-1, 0), x, s22[i + j * ld]);
        });
        __syncthreads();

        T *const product = other + h * ld;
        if (warp == 0) {
            const int j = factor_by_warp(s22, reciprocals + h, 64);
            if (failed < 0 && j >= 0)
                failed = h + j;
        } else if (warp == 1) {
            invert_by_warp(s22, reciprocals + h, w22, other + h, 64);
        } else {
            /* (L21 W11)ᴴ, half the columns a warp */
            warp_block<T, h, h / 2> q;
            q.for_each([](int, int, T &x) { x = to_element<T>(0, 0); });
            const int j0 = (warp - 2) * (h / 2);
            add_product(q, s21, other + j0, h);
            q.for_each([&](int i, int j, T &x) { product[j0 + j + i * ld] = conjugate(x); });
        }
        __syncthreads();
        p.clear();
        p.add(w22, product, h);
        p.visit([&](int i, int j, T &x) { w21[i + j * ld] = scaled<T>(-1, x); });
    }
    __syncthreads();
    return failed;
}

/* Rows of the tile c := themselves times L⁻ᴴ, L a tile, without its inverse */
template <typename T>
__device__ void substitute(const T *l, T *c, typename element<T>::real *reciprocals)
{
    constexpr int ld = tile<T>::ld, order = tile<T>::order, h = warp_order;
    const int row = threadIdx.x;
    if (threadIdx.x < order)
        reciprocals[threadIdx.x] = 1 / real_part(l[threadIdx.x + threadIdx.x * ld]);
    __syncthreads();
    if (row < order) {
        T *const mine = c + row / 32 * 32;
        solve_by_warp(l, reciprocals, mine, 0);
        if constexpr (order > h) {
            for (int j = h; j < order; j++) {
                T x = c[row + j * ld];
                for (int k = 0; k < h; k++)
                    x = subtract_product(x, c[row + k * ld], conjugate(l[j + k * ld]));
                c[row + j * ld] = x;
            }
            solve_by_warp(l + h + h * ld, reciprocals + h, mine + h * ld, 0);
        }
    }
    __syncthreads();
}

} // namespace startile_cuda

#endif
