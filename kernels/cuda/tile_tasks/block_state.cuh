/*
 * A side of a thread block: its buffers in shared memory, and the sums of products of tiles that
 * tasks begin with (block_tasks.cuh)
 *
 *     global memory --fetch--> half tiles in the buffers --f of for_each_half--> sums in registers
 *
 * Comments describe side L. M is the factor of the other side: V for LU, L itself for Cholesky. On
 * side V of LU, L and V change places.
 */
#ifndef STARTILE_BLOCK_STATE_CUH
#define STARTILE_BLOCK_STATE_CUH

#include "tile_tasks/factor_tile.cuh"
#include "tile_tasks/stored_tile.cuh"

namespace startile_cuda
{

/* Tiles first … last − 1 of two lines of tiles, a and b, which are multiplied in pairs, and the
 * ready flags of both lines. A line of tiles is a row of the factor or a column of the inverse. */
template <typename T>
struct tile_pairs {
    const T *a, *b;
    const int *a_ready, *b_ready;
    int first, last;
};

/* Number of tile buffers of a side in shared memory. While products are summed, a buffer holds half
 * a tile of each of the two lines of tiles that are multiplied. Before and after, tasks use the
 * buffers for other data. */
constexpr int tile_buffers = 3;

/* Number of columns of tiles whose products are left to the task of a diagonal tile. The presum
 * task, which sums all other products, comes `lookahead` steps earlier. The value is an
 * estimate. */
constexpr int lookahead = 3;

/* A side of a thread block, with its shared memory */
template <typename T, int sides>
struct block_state {
    using block = quadrant<T>;
    /* The sides share the sum of a diagonal tile, half the columns each. */
    using shared_block = quadrant<T, tile<T>::half, sides>;
    static constexpr int order = tile<T>::order, ld = tile<T>::ld, elements = tile<T>::elements;

    const tile_job<T, sides> &job, &other; /* of this and of the other side; Cholesky: the same */
    T *buffers;                            /* tile_buffers tiles */
    unsigned int *norm_bits;               /* 8 entries */

    __device__ T *buffer(int i) const
    {
        return buffers + i * elements;
    }

    /* Returns the element of a side's buffers that corresponds to *x, an element of this side's. */
    template <typename E>
    __device__ static E *of_side(int side, E *x)
    {
        return sides == 1 ? x : x + (side - own_side<sides>()) * tile_buffers * elements;
    }

    /* Returns the job of side 0. */
    __device__ const tile_job<T, sides> &first_job() const
    {
        return own_side<sides>() == 0 ? job : other;
    }

    /* Adds the products for a diagonal tile: x := x + A Bᴴ, for k columns from *tile on of this
     * side's tile and those of the other side's. A belongs to side 0. */
    __device__ static void add_of_both(shared_block &x, const T *tile, int k)
    {
        x.add(of_side(0, tile), of_side(sides - 1, tile), k);
    }

    /* Returns the tiles of the product of row i of L and row j of M. */
    __device__ tile_pairs<T> pairs_of_factor(int i, int j, int first, int last) const
    {
        return {job.factor(i, 0),
                other.factor(j, 0),
                job.factor_ready + i * job.tiles,
                other.factor_ready + j * job.tiles,
                first,
                last};
    }

    /* Starts copying half tile `chunk`, counted from tile l.first, of both lines to a buffer. */
    __device__ void fetch(const tile_pairs<T> &l, int chunk) const
    {
        constexpr int half = elements / 2, bytes = tile<T>::bytes / 2;
        const int64_t from = (int64_t(2) * l.first + chunk) * half;
        T *const to = buffer(chunk % tile_buffers);
        copy_bytes_async(to, l.a + from, bytes);
        copy_bytes_async(to + half, l.b + from, bytes);
        commit_copies();
    }

    /* Synchronises the threads of both sides, or only of this side. */
    template <bool both>
    __device__ static void sync_these()
    {
        if constexpr (both)
            __syncthreads();
        else
            sync_side<sides>();
    }

    /* Calls f(half of a's tile, half of b's tile) for both halves of all pairs, as the tiles become
     * ready. in_step: the sides call f at the same time, and may read each other's tiles */
    template <bool in_step, typename F>
    __device__ void for_each_half(const tile_pairs<T> &l, F f) const
    {
        constexpr int max_ahead = tile_buffers - 1;
        const int chunks = 2 * (l.last - l.first);
        int fetched = 0, ready = 0; /* in chunks */
        sync_these<in_step>();
        for (int c = 0; c < chunks; c++) {
            /* Wait until at least this chunk is ready. */
            while (ready <= c)
                ready += 2 * count_ready(l.a_ready, l.b_ready, l.first + ready / 2, l.last);
            for (; fetched <= c; fetched++)
                fetch(l, fetched);
            if (fetched > c + 1)
                wait_for_copies_except<max_ahead - 1>();
            else
                wait_for_copies_except<0>();
            sync_these<in_step>();
            if (ready < chunks && ready <= c + max_ahead)
                ready += 2 * count_ready(l.a_ready, l.b_ready, l.first + ready / 2, l.last);
            for (; fetched < min(ready, c + max_ahead + 1); fetched++)
                fetch(l, fetched);
            const T *const a = buffer(c % tile_buffers);
            f(a, a + elements / 2);
        }
        sync_these<in_step>();
    }

    /* Loads tile (i, j) of `from`, a job, to buffer 0, and returns the buffer. */
    __device__ T *load(const tile_job<T, sides> &from, int i, int j) const
    {
        T *const t = buffer(0);
        load_tile(from, i, j, t);
        sync_side<sides>();
        return t;
    }

    /* Computes x := −A(i, j), through buffer 0. Of a diagonal tile x has side 0's elements. */
    template <typename Block>
    __device__ void load_negated(Block &x, int i, int j) const
    {
        const T *const t = load(i == j ? first_job() : job, i, j);
        x.for_each_in_tile([&](int p, int q, T &e) { e = scaled<T>(-1, t[p + q * ld]); });
        sync_side<sides>();
    }

    /* Computes x := x − A(i, j), when x is the sum of all products. If the sum started with A,
     * every product would be rounded to A's size, and the residual would be about √n times as
     * large. Uses buffer 0. */
    template <typename Block>
    __device__ void subtract(Block &x, int i, int j) const
    {
        const T *const t = load(i == j ? first_job() : job, i, j);
        x.for_each_in_tile(
            [&](int p, int q, T &e) { e = multiply_add(to_element<T>(-1, 0), t[p + q * ld], e); });
        sync_side<sides>();
    }
};

} // namespace startile_cuda

#endif
