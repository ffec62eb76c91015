/*
 * The tasks that Cholesky and inverse of a matrix are made of (potrf_tile.cu), each a tile or two
 * by one thread block: left-looking, a tile in registers from its first product to its last.
 */
#ifndef STARTILE_POTRF_TASKS_CUH
#define STARTILE_POTRF_TASKS_CUH

#include "potrf_block.cuh"
#include "potrf_tile.cuh"

namespace startile_cuda
{

/* Halves of two tiles at a time come through three buffers; the tasks use them for other things
 * before and after. */
constexpr int tile_buffers = 3;

/* Two lines of tiles, of which the tiles from first to last − 1 are multiplied pairwise */
template <typename T>
struct lines {
    const T *a, *b;
    const int *a_there, *b_there;
    int first, last;
};

template <typename T>
struct potrf_worker {
    using real = typename element<T>::real;
    using block = quadrant<T>;
    static constexpr int order = tile<T>::order, ld = tile<T>::ld, elements = tile<T>::elements;

    const potrf_job<T> &job;
    T *buffers;        /* tile_buffers tiles */
    real *reciprocals; /* order of them */
    double *bounds;    /* 2 · order */

    __device__ T *buffer(int i) const
    {
        return buffers + i * elements;
    }

    __device__ lines<T> of_factor(int i, int j, int first, int last) const
    {
        return {job.factor(i, 0),
                job.factor(j, 0),
                job.factor_there + i * job.tiles,
                job.factor_there + j * job.tiles,
                first,
                last};
    }

    /* Columns of half a tile, numbered through the line, into their buffer */
    __device__ void fetch(const lines<T> &l, int chunk) const
    {
        constexpr int half = elements / 2, bytes = tile<T>::bytes / 2;
        const int64_t from = (int64_t(2) * l.first + chunk) * half;
        T *const to = buffer(chunk % tile_buffers);
        copy_bytes_later(to, l.a + from, bytes);
        copy_bytes_later(to + half, l.b + from, bytes);
        end_copies();
    }

    /* f(half of A's tile, half of B's, tile's number), as the tiles become there */
    template <typename F>
    __device__ void for_each_half(const lines<T> &l, F f) const
    {
        constexpr int most_ahead = tile_buffers - 1;
        const int chunks = 2 * (l.last - l.first);
        int fetched = 0, there = 0; /* chunks */
        __syncthreads();
        for (int c = 0; c < chunks; c++) {
            /* Only this chunk is waited for. */
            while (there <= c)
                there += 2 * count_there(l.a_there, l.b_there, l.first + there / 2, l.last);
            for (; fetched <= c; fetched++)
                fetch(l, fetched);
            if (fetched > c + 1)
                wait_for_copies_but<most_ahead - 1>();
            else
                wait_for_copies_but<0>();
            __syncthreads();
            if (there < chunks && there <= c + most_ahead)
                there += 2 * count_there(l.a_there, l.b_there, l.first + there / 2, l.last);
            for (; fetched < min(there, c + most_ahead + 1); fetched++)
                fetch(l, fetched);
            const T *const a = buffer(c % tile_buffers);
            f(a, a + elements / 2, l.first + c / 2);
        }
        __syncthreads();
    }

    __device__ void take_minus(block &x, int i, int j) const
    {
        x.visit(
            [&](int p, int q, T &e) { e = scaled<T>(-1, job.get(i * order + p, j * order + q)); });
    }

    /* x := −y W(j, j)ᴴ, the tile of the factor; uses buffers 0 and 1 */
    __device__ void solve(block &y, int j, strip<T> &x) const
    {
        T *const c = buffer(0), *const right = buffer(1);
        y.visit([&](int p, int q, T &e) { c[p + q * ld] = scaled<T>(-1, e); });
        const bool use_inverse = wait_until(job.diagonal_there + j) == 1;
        copy_bytes_later(right,
                         (use_inverse ? job.w_diagonal : job.l_diagonal) + int64_t(j) * elements,
                         tile<T>::bytes);
        wait_for_copies();
        __syncthreads();
        if (use_inverse) {
            x.multiply_by_triangle(c, right);
        } else {
            substitute(right, c, reciprocals);
            x.visit([&](int p, int q, T &e) { e = c[p + q * ld]; });
        }
    }

    template <typename Block>
    __device__ void store_factor(Block &x, int i, int j) const
    {
        T *const to = job.factor(i, j);
        x.visit([&](int p, int q, T &e) { to[p + q * ld] = e; });
    }

    /* f(row, column, element) of a tile in shared memory, along the columns of what is stored: some
     * at a time, so that loads need not wait for f's stores */
    template <typename F>
    __device__ void for_each_of(const T *t, F f) const
    {
        constexpr int parts = tile_threads / order, some = 8;
        const int along = threadIdx.x % order;
        for (int first = threadIdx.x / order; first < order; first += some * parts) {
            T e[some];
#pragma unroll
            for (int u = 0; u < some; u++) {
                const int across = first + u * parts;
                e[u] = t[job.upper ? across + along * ld : along + across * ld];
            }
#pragma unroll
            for (int u = 0; u < some; u++) {
                const int across = first + u * parts;
                f(job.upper ? across : along, job.upper ? along : across, e[u]);
            }
        }
    }

    /* Off the way to the next diagonal tile: a tile in shared memory to the caller's matrix, and
     * its norms */
    __device__ void report_factor(const T *t, int i, int j) const
    {
        for_each_of(t, [&](int p, int q, T e) { job.put(i * order + p, j * order + q, e); });
        if (threadIdx.x < order)
            sum(t, job.norms_t, i, j, threadIdx.x);
        count_norms(i, j, 1);
    }

    __device__ void count_norms(int i, int j, int count) const
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(job.norms_there + (job.upper ? i : j), count);
        }
    }

    /* The sum of the stored column q of the tile (i, j), by a thread; +∞ on the diagonal does not
     * count, since its column is empty in the inverse. */
    __device__ void sum(const T *t, double *norms, int i, int j, int q) const
    {
        if (job.w == nullptr)
            return;
        double totals[4] = {};
#pragma unroll 16
        for (int e = 0; e < order; e++) {
            const int p = (e + q) % order; /* so that lanes do not meet in a bank */
            const int row = job.upper ? q : p, column = job.upper ? p : q;
            const int y = i * order + row, x = j * order + column;
            const double size = magnitude(t[row + column * ld]);
            totals[e % 4] += y < x || y >= job.n || (y == x && isinf(size)) ? 0 : size;
        }
        norms[potrf_job<T>::lower(i, j) * order + q] =
            (totals[0] + totals[1]) + (totals[2] + totals[3]);
    }

    __device__ void panel(int i, int j) const
    {
        block x;
        take_minus(x, i, j);
        for_each_half(of_factor(i, j, 0, j),
                      [&](const T *a, const T *b, int) { x.add(a, b, tile<T>::half); });
        strip<T> l;
        solve(x, j, l);
        store_factor(l, i, j);
        T *const room = buffer(2);
        l.visit([&](int p, int q, T &e) { room[p + q * ld] = e; });
        __syncthreads();
        if (threadIdx.x == 0)
            announce(job.factor_there + i * job.tiles + j, 1);
        report_factor(room, i, j);
    }

    /* Of the diagonal tile i, what the columns of tiles before i − 2 take from it */
    __device__ void start(int i) const
    {
        block x;
        take_minus(x, i, i);
        for_each_half(of_factor(i, i, 0, i - 2),
                      [&](const T *a, const T *b, int) { x.add(a, b, tile<T>::half); });
        store_factor(x, i, i);
        __syncthreads();
        if (threadIdx.x == 0)
            announce(job.start_there + i, 1);
    }

    __device__ void inverse(int i, int j) const
    {
        block x;
        x.clear();
        const lines<T> l = {job.factor(i, 0),
                            job.inverse(j, j) - int64_t(j) * elements,
                            job.factor_there + i * job.tiles,
                            job.inverse_there + j * job.tiles,
                            j,
                            i};
        for_each_half(l, [&](const T *a, const T *b, int) { x.add(a, b, tile<T>::half); });

        T *const product = buffer(0), *const left = buffer(1), *const room = buffer(2);
        x.visit([&](int p, int q, T &e) { product[q + p * ld] = conjugate(e); });
        wait_until(job.diagonal_there + i);
        copy_bytes_later(left, job.w_diagonal + int64_t(i) * elements, tile<T>::bytes);
        wait_for_copies();
        __syncthreads();
        x.clear();
        x.add(left, product, block::row0() + tile<T>::half);
        T *const to = job.inverse(i, j);
        x.visit([&](int p, int q, T &e) {
            room[p + q * ld] = e = scaled<T>(-1, e);
            to[q + p * ld] = conjugate(e);
        });
        __syncthreads();
        if (threadIdx.x == 0)
            announce(job.inverse_there + j * job.tiles + i, 1);
        for_each_of(room,
                    [&](int p, int q, T e) { job.put_inverse(i * order + p, j * order + q, e); });
        if (threadIdx.x < order)
            sum(room, job.norms_w, i, j, threadIdx.x);
        count_norms(i, j, 1);
    }
};

} // namespace startile_cuda

#endif
