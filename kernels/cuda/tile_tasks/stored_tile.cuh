/* Copies of tiles between shared memory and the caller's matrices, and sums of their columns, by
 * the threads of a side */
#ifndef STARTILE_STORED_TILE_CUH
#define STARTILE_STORED_TILE_CUH

#include "tile_tasks/tile_job.cuh"

namespace startile_cuda
{

/* Elements that a thread copies between a tile in shared memory and the caller's matrix: in one row
 * of the stored tile, every parts-th element inside the matrix and the stored triangle */
template <typename T, int sides>
struct stored_columns {
    static constexpr int order = tile<T>::order, parts = tile_threads / order;
    int first, end; /* range of stored columns */
    int64_t place, step;
    int place_in_tile, step_in_tile;

    /* Finds the thread's elements of tile (i, j). is_whole: also takes the other triangle of a
     * diagonal tile */
    __device__ stored_columns(const tile_job<T, sides> &job, int i, int j, int64_t ld,
                              bool is_whole)
    {
        const int row0 = (job.upper ? j : i) * order, column0 = (job.upper ? i : j) * order;
        const int along = threadIdx.x % order, across = threadIdx.x / order;
        const bool is_triangle = i == j && !is_whole;
        const int inside = row0 + along < job.n ? min(order, job.n - column0) : 0;
        const int begin = is_triangle && job.upper ? along : 0;
        first = begin + (across - begin % parts + parts) % parts;
        end = is_triangle && !job.upper ? min(inside, along + (job.is_unit() ? 0 : 1)) : inside;
        place = row0 + along + (column0 + int64_t(first)) * ld;
        step = parts * ld;
        place_in_tile = job.upper ? first + along * tile<T>::ld : along + first * tile<T>::ld;
        step_in_tile = job.upper ? parts : parts * tile<T>::ld;
    }

    /* Calls store(place in tile, place in matrix, load(place in tile, place in matrix)) for the
     * elements. Several loads come before their stores, so that loads do not wait for stores. */
    template <typename Load, typename Store>
    __device__ void copy(Load load, Store store) const
    {
        constexpr int in_flight = 8;
#pragma unroll 1
        for (int q = 0; first + q * parts < end; q += in_flight) {
            T e[in_flight];
#pragma unroll
            for (int u = 0; u < in_flight; u++)
                if (first + (q + u) * parts < end)
                    e[u] = load(place_in_tile + (q + u) * step_in_tile, place + (q + u) * step);
#pragma unroll
            for (int u = 0; u < in_flight; u++)
                if (first + (q + u) * parts < end)
                    store(place_in_tile + (q + u) * step_in_tile, place + (q + u) * step, e[u]);
        }
    }
};

/* Loads the tile (i, j) of A to t, for LU whole. A barrier must follow. */
template <typename T, int sides>
__device__ __noinline__ void load_tile(const tile_job<T, sides> &job, int i, int j, T *t)
{
    constexpr int order = tile<T>::order, ld = tile<T>::ld;
    /* Padding */
    if (i == j || (i + 1) * order > job.n) {
        for (int e = threadIdx.x; e < order * order; e += tile_threads)
            t[e % order + e / order * ld] = to_element<T>(i == j && e % order == e / order, 0);
        sync_side<sides>();
    }
    stored_columns<T, sides>(job, i, j, job.lda, sides == 2)
        .copy([&](int, int64_t at) { return job.as_stored(job.a[at]); },
              [&](int in_tile, int64_t, T e) { t[in_tile] = e; });
}

/* Stores t to the tile (i, j) of `to`, one of the caller's matrices. is_whole: also stores the
 * other triangle of a diagonal tile */
template <typename T, int sides>
__device__ __noinline__ void store_tile(const tile_job<T, sides> &job, int i, int j, const T *t,
                                        T *to, int64_t ld, bool is_whole)
{
    stored_columns<T, sides>(job, i, j, ld, is_whole)
        .copy([&](int in_tile, int64_t) { return t[in_tile]; },
              [&](int, int64_t at, T e) { to[at] = job.as_stored(e); });
}

/* Sets the tile of W on the other side of the diagonal from tile (i, j) to zero. */
template <typename T, int sides>
__device__ __noinline__ void clear_tile_across(const tile_job<T, sides> &job, int i, int j)
{
    const T zero = to_element<T>(0, 0);
    stored_columns<T, sides>(job, j, i, job.ldw, true)
        .copy([&](int, int64_t) { return zero; }, [&](int, int64_t at, T e) { job.w[at] = e; });
}

/* Stores the sum of the magnitudes of stored column q of tile (i, j) in `norms`. t: the tile in
 * shared memory. The factor's column of an infinite pivot counts as 0, because the inverse is zero
 * there. */
template <typename T, int sides>
__device__ __noinline__ void sum_column(const tile_job<T, sides> &job, int i, int j, const T *t,
                                        int q, double *norms)
{
    constexpr int order = tile<T>::order, ld = tile<T>::ld;
    const int step = job.upper ? ld : 1;
    const T *const column = t + (job.upper ? q : q * ld);
    double totals[4] = {};
#pragma unroll 8
    for (int e = 0; e < order; e++) {
        const int p = (e + q) % order; /* rotated, so that lanes access different banks */
        const double size = magnitude(column[p * step]);
        const bool counts = i != j || (job.upper ? p <= q : p >= q);
        totals[e % 4] += counts ? size : 0;
    }
    const bool is_infinite = norms == job.norms_t && i == j && isinf(magnitude(column[q * step]));
    norms[tile_job<T, sides>::lower(i, j) * order + q] =
        is_infinite ? 0 : (totals[0] + totals[1]) + (totals[2] + totals[3]);
}

} // namespace startile_cuda

#endif
