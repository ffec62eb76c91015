/* Cholesky of a matrix by a thread block: of one tile, or tile by tile (batch_potrf.cu) */
#ifndef STARTILE_BATCH_POTRF_TILES_CUH
#define STARTILE_BATCH_POTRF_TILES_CUH

#include "batch/batch_tile.cuh"
#include "potrf/potrf_strip.cuh"

namespace startile_cuda
{

/* Returns the view of A whose lower triangle is factored. */
template <typename T>
__device__ inline strided<T> lower_of(const typename batch<T>::matrix &a, bool is_upper)
{
    return is_upper ? as_stored<T>(a).transposed() : as_stored<T>(a);
}

/* Factors n columns of a tile in shared memory by the thread block, as factor_tile
 * (tile_tasks/factor_tile.cuh) does, but without the inverse. Begins and ends with a barrier. */
template <typename T>
__device__ inline void factor_columns(T *s, int n, real_of<T> *reciprocals, int *failed)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
    bool is_regular = true;
    for (int i = lane; i < n; i += 32)
        is_regular &= is_regular_diagonal(real_part(s[i + i * tile<T>::ld]));
    is_regular = __all_sync(0xffffffff, is_regular);
#pragma unroll 1
    for (int c0 = 0; c0 < n; c0 += strip_width) {
        const int c1 = c0 + strip_width;
        if (warp != 0) {
            const int row0 = c1 / 16 * 16 + 16 * (warp - 1);
            if (c1 < n && row0 < n)
                subtract_columns(s, s, row0, 0, c0, c1);
        } else if (is_regular) {
            factor_strip<false>(s, c0, reciprocals, failed);
        } else {
            factor_any_strip(s, c0, reciprocals, failed);
        }
        __syncthreads();
        if (c1 < n && 16 * warp < n && 16 * warp + 16 > c1)
            subtract_columns(s, s, 16 * warp, c0, strip_width, c1);
        __syncthreads();
    }
}

/* Sets the diagonal of the tile to 1 from row n on. */
template <typename T>
__device__ inline void extend_by_identity(T *s, int n)
{
    const int i = threadIdx.x;
    if (i >= n && i < tile<T>::order)
        s[i + i * tile<T>::ld] = to_element<T>(1, 0);
}

/* Stores the lower triangle of a tile to the lower triangle of A, as far as A has rows. */
template <typename T>
__device__ inline void store_lower(const strided<T> &a, const T *s)
{
    for_each_in_part<T, tile<T>::order>(a.is_row_major(), [&](int i, int j) {
        if (j <= i && i < a.m)
            a(i, j) = s[i + j * tile<T>::ld];
    });
}

/* Factors matrices of at most one tile, one matrix per block. */
template <typename T>
__global__ void __launch_bounds__(tile_threads)
    potrf_one_tile_kernel(batch<T> A, bool is_upper, int64_t *info)
{
    constexpr int order = tile<T>::order;
    extern __shared__ int4 memory[];
    __shared__ real_of<T> reciprocals[order];
    __shared__ int failed;
    T *const s = reinterpret_cast<T *>(memory);
    const int q = blockIdx.x;
    const strided<T> a = lower_of<T>(A[q], is_upper);
    for_each_in_part<T, order>(a.is_row_major(), [&](int i, int j) {
        const bool is_inside = j <= i && i < a.m;
        copy_element_async(s + i + j * tile<T>::ld, is_inside ? &a(i, j) : a.p, is_inside);
    });
    commit_copies();
    wait_for_copies_except<0>();
    if (threadIdx.x == 0)
        failed = -1;
    __syncthreads();
    extend_by_identity(s, a.n);
    factor_columns(s, a.n, reciprocals, &failed);
    store_lower(a, s);
    if (threadIdx.x == 0)
        info[q] = failed + 1;
}

/* Returns |re| + |im|. */
template <typename T>
__device__ inline float cabs1(T x)
{
    if constexpr (element<T>::is_complex)
        return static_cast<float>(fabs(x.x) + fabs(x.y));
    else
        return static_cast<float>(fabs(x));
}

/* Called by the thread block. Returns whether ‖L‖ ‖W‖ ≤ order in the ∞-norm with |re| + |im| for
 * magnitudes, up to roundoff, so that multiplication by W may replace substitution. NaN counts as
 * infinite. bounds: scratch */
template <typename T>
__device__ inline bool may_multiply(const T *l, const T *w, unsigned int (&bounds)[2])
{
    constexpr int order = tile<T>::order;
    const int row = threadIdx.x % order, which = threadIdx.x / order;
    float sum = 0;
    if (which < 2)
#pragma unroll 8
        for (int j = 0; j < order; j++)
            if (j <= row)
                sum += cabs1((which == 0 ? l : w)[row + j * tile<T>::ld]);
    if (threadIdx.x < 2)
        bounds[threadIdx.x] = 0;
    __syncthreads();
    /* The bits of numbers ≥ 0, as integers, compare as the numbers do, with NaN above infinity. */
    const unsigned int most = __reduce_max_sync(0xffffffff, __float_as_uint(sum));
    if (which < 2 && threadIdx.x % 32 == 0)
        atomicMax(&bounds[which], most);
    __syncthreads();
    return __uint_as_float(bounds[0]) * __uint_as_float(bounds[1]) <= order;
}

/* State of a thread block that factors a matrix tile by tile */
template <typename T>
struct tiles_of_matrix {
    static constexpr int order = tile<T>::order, ld = tile<T>::ld;
    strided<T> a;
    T *s, *w, *adjoint; /* tiles in shared memory: the current tile, W = L⁻¹, and a buffer */

    /* Loads the tile at (i0, k0) to s, and subtracts the products of the tiles left of it. */
    __device__ void update(int i0, int k0) const
    {
        const strided<T> c = a.from(i0, k0);
        const bool is_diagonal = i0 == k0;
        for_each_in_part<T, order>(c.is_row_major(), [&](int i, int j) {
            const bool is_inside = i < c.m && j < c.n && (!is_diagonal || j <= i);
            copy_element_async(s + i + j * ld, is_inside ? &c(i, j) : c.p, is_inside);
        });
        commit_copies();
        wait_for_copies_except<0>();
        __syncthreads();
        if (k0 > 0) {
            quadrant<T> sum;
            sum.for_each_in_tile([&](int i, int j, T &x) { x = scaled<T>(-1, s[i + j * ld]); });
            __syncthreads();
            add_product_of_factors<T>(sum, {a.from(i0, 0), false, s},
                                      {a.from(k0, 0), false, is_diagonal ? s : adjoint}, k0,
                                      !is_diagonal || sum.row0() >= sum.column0());
            sum.for_each_in_tile([&](int i, int j, T &x) { s[i + j * ld] = scaled<T>(-1, x); });
            __syncthreads();
        }
        if (is_diagonal)
            extend_by_identity(s, c.m);
    }

    /* Computes A(i0, k0) := s Wᴴ. */
    __device__ void multiply(int i0, int k0) const
    {
        const strided<T> c = a.from(i0, k0);
        tile_by_rows<T> x;
        x.multiply_by_triangle(s, w);
        x.for_each_in_tile([&](int i, int j, T &e) {
            if (i < c.m)
                c(i, j) = e;
        });
        __syncthreads();
    }

    /* Computes A(i0, k0) := s L⁻ᴴ by substitution. */
    __device__ void solve(int i0, int k0) const
    {
        copy_part_async<T, order>(adjoint, a.from(k0, k0));
        commit_copies();
        wait_for_copies_except<0>();
        substitute<1>(adjoint, s);
        const strided<T> c = a.from(i0, k0);
        for_each_in_part<T, order>(c.is_row_major(), [&](int i, int j) {
            if (i < c.m)
                c(i, j) = s[i + j * ld];
        });
        __syncthreads();
    }
};

/* Number of thread blocks on a multiprocessor, limited by shared memory and registers */
template <typename T>
constexpr int blocks_of_tiles = sizeof(T) == 4 ? 4 : 2;

/* Factors the diagonal tile at k0: A(k0, k0) := L, s := L, and W := L⁻¹ unless the tile is the last
 * one. Sets *failed to the column that is not positive, if there is one. */
template <typename T>
__device__ inline void factor_diagonal(const tiles_of_matrix<T> &tiles, int k0,
                                       real_of<T> *reciprocals, int *failed)
{
    T *const s = tiles.s;
    tiles.update(k0, k0);
    potrf_strips<T> strips = {s, s, reciprocals, failed};
    if (tiles.a.n - k0 <= tile<T>::order)
        factor_columns(s, tiles.a.n - k0, reciprocals, failed);
    else
        factor_tile(strips, tiles.w, tiles.adjoint, [] {});
    store_lower(tiles.a.from(k0, k0), s);
}

/* Factors matrices tile by tile, one per thread block (batch_potrf.cu has the picture). */
template <typename T>
__global__ void __launch_bounds__(tile_threads, blocks_of_tiles<T>)
    potrf_tiles_kernel(batch<T> A, bool is_upper, int64_t *info)
{
    constexpr int order = tile<T>::order;
    extern __shared__ int4 memory[];
    __shared__ real_of<T> reciprocals[order];
    __shared__ int failed;
    __shared__ unsigned int bounds[2];
    T *const s = reinterpret_cast<T *>(memory);
    const int q = blockIdx.x;
    const strided<T> a = lower_of<T>(A[q], is_upper);
    const tiles_of_matrix<T> tiles = {a, s, s + tile<T>::elements, s + 2 * tile<T>::elements};
    if (threadIdx.x == 0)
        failed = -1;
    int64_t result = 0;
    for (int k0 = 0; k0 < a.n; k0 += order) {
        factor_diagonal(tiles, k0, reciprocals, &failed);
        if (failed >= 0) {
            result = k0 + failed + 1;
            break;
        }
        const bool can_multiply = a.n - k0 > order && may_multiply(s, tiles.w, bounds);
        __syncthreads();
        for (int i0 = k0 + order; i0 < a.n; i0 += order) {
            tiles.update(i0, k0);
            if (can_multiply)
                tiles.multiply(i0, k0);
            else
                tiles.solve(i0, k0);
        }
    }
    if (threadIdx.x == 0)
        info[q] = result;
}

/* Inverses of the diagonal tiles of a column of tiles, one per matrix, in global memory, and
 * whether products may use them */
template <typename T>
struct diagonal_inverses {
    T *w;
    int *can_multiply;
};

/* Factors the diagonal tile at k0 of each matrix, one per thread block. */
template <typename T>
__global__ void __launch_bounds__(tile_threads, blocks_of_tiles<T>)
    potrf_diagonal_kernel(batch<T> A, bool is_upper, int k0, diagonal_inverses<T> inverses,
                          int64_t *info)
{
    constexpr int order = tile<T>::order, elements = tile<T>::elements;
    extern __shared__ int4 memory[];
    __shared__ real_of<T> reciprocals[order];
    __shared__ int failed;
    __shared__ unsigned int bounds[2];
    T *const s = reinterpret_cast<T *>(memory);
    const int q = blockIdx.x;
    const strided<T> a = lower_of<T>(A[q], is_upper);
    const tiles_of_matrix<T> tiles = {a, s, s + elements, s + 2 * elements};
    if (k0 > 0 && (k0 >= a.n || info[q] != 0))
        return;
    if (threadIdx.x == 0)
        failed = -1;
    __syncthreads();
    if (k0 < a.n)
        factor_diagonal(tiles, k0, reciprocals, &failed);
    const bool is_inverted = a.n - k0 > order && failed < 0;
    const bool can_multiply = is_inverted && may_multiply(s, tiles.w, bounds);
    if (can_multiply)
        for (int e = threadIdx.x; e < elements; e += tile_threads)
            inverses.w[q * static_cast<int64_t>(elements) + e] = tiles.w[e];
    if (threadIdx.x == 0) {
        inverses.can_multiply[q] = can_multiply;
        info[q] = failed < 0 ? 0 : k0 + failed + 1;
    }
}

/* Computes the tiles below the diagonal tile at k0 of each matrix, one per thread block: matrix
 * blockIdx.x, tile blockIdx.y. */
template <typename T>
__global__ void __launch_bounds__(tile_threads, blocks_of_tiles<T>)
    potrf_below_kernel(batch<T> A, bool is_upper, int k0, diagonal_inverses<T> inverses,
                       const int64_t *info)
{
    constexpr int order = tile<T>::order, elements = tile<T>::elements;
    extern __shared__ int4 memory[];
    T *const s = reinterpret_cast<T *>(memory);
    const int q = blockIdx.x, i0 = k0 + (static_cast<int>(blockIdx.y) + 1) * order;
    const strided<T> a = lower_of<T>(A[q], is_upper);
    const tiles_of_matrix<T> tiles = {a, s, s + elements, s + 2 * elements};
    if (i0 >= a.n || info[q] != 0)
        return;
    tiles.update(i0, k0);
    if (!inverses.can_multiply[q]) {
        tiles.solve(i0, k0);
        return;
    }
    for (int e = threadIdx.x; e < elements; e += tile_threads)
        tiles.w[e] = inverses.w[q * static_cast<int64_t>(elements) + e];
    __syncthreads();
    tiles.multiply(i0, k0);
}

} // namespace startile_cuda

#endif
