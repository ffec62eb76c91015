/*
 * The tasks of a factorization and inverse of a matrix (task_list.cuh), except that of a diagonal
 * tile. A thread block computes the one or two tiles of a task for each side, left-looking. The
 * tiles stay in registers from the first product to the last.
 *
 * The comments are those of side L; M is the factor of the other side, V of LU or L of Cholesky.
 * Side V exchanges L and V.
 */
#ifndef STARTILE_BLOCK_TASKS_CUH
#define STARTILE_BLOCK_TASKS_CUH

#include "tile_tasks/factor_tile.cuh"
#include "tile_tasks/tile_job.cuh"

namespace startile_cuda
{

/* Number of tile buffers of a side in shared memory. While products are summed, a buffer holds half
 * a tile of each of the two lines that are multiplied. Before and after, tasks use the buffers for
 * other data. */
constexpr int tile_buffers = 3;

/* Number of columns of tiles whose products are left to the task of a diagonal tile. The presum
 * task, which sums all other products, comes `lookahead` steps earlier. The value is an
 * estimate. */
constexpr int lookahead = 3;

/* Tiles first … last − 1 of two lines of tiles, a and b, which are multiplied in pairs, and the
 * ready flags of both lines. A line of tiles is a row of the factor or a column of the inverse. */
template <typename T>
struct tile_pairs {
    const T *a, *b;
    const int *a_ready, *b_ready;
    int first, last;
};

/* Tasks of one side of a thread block, with its shared memory */
template <typename T, int sides>
struct block_tasks {
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

    /* Computes x := −y M(j, j)⁻ᴴ, a tile of the factor, as the check of the inverse W(j, j) of
     * M(j, j) allows: by W(j, j), by its blocks, or by substitution. Uses all buffers. */
    __device__ void solve(block &y, int j, tile_by_rows<T> &x) const
    {
        T *const c = buffer(0), *const right = buffer(1), *const blocks = buffer(2);
        y.for_each_in_tile([&](int p, int q, T &e) { c[p + q * ld] = scaled<T>(-1, e); });
        const int use = wait_until(other.diagonal_ready + j);
        const int64_t at = int64_t(j) * elements;
        copy_bytes_async(right, (use == use_whole ? other.w_diagonal : other.l_diagonal) + at,
                         tile<T>::bytes);
        if (use == use_blocks)
            copy_bytes_async(blocks, other.w_diagonal + at, tile<T>::bytes);
        wait_for_copies();
        sync_side<sides>();
        if (use == use_whole) {
            x.multiply_by_triangle(c, right);
            return;
        }
        if (use == use_blocks)
            substitute_by_blocks<sides>(right, blocks, c);
        else
            substitute<sides>(right, c);
        x.for_each_in_tile([&](int p, int q, T &e) { e = c[p + q * ld]; });
    }

    /* Stores x for the other thread blocks, as tile (i, j) of the factor. */
    template <typename Block>
    __device__ void store_factor(Block &x, int i, int j) const
    {
        T *const to = job.factor(i, j);
        x.for_each_in_tile([&](int p, int q, T &e) { to[p + q * ld] = e; });
    }

    /* Stores a tile of the factor from shared memory to the caller's matrix and, if the inverse is
     * computed, its column sums to norms_t. Not on the critical path. The caller has passed a
     * barrier after the tile was written. */
    __device__ void store_result(const T *t, int i, int j) const
    {
        store_tile(job, i, j, t, job.a, job.lda, false);
        if (job.w != nullptr && threadIdx.x < order)
            sum_column(job, i, j, t, threadIdx.x, job.norms_t);
        count_norms(i, j, 1);
    }

    /* Adds `count` to the number of tiles with column sums in the stored column of tile (i, j), for
     * which find_norms (task_list.cuh) waits. Does nothing if no inverse is computed. */
    __device__ void count_norms(int i, int j, int count) const
    {
        if (job.w == nullptr)
            return;
        sync_side<sides>();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(job.norms_ready + (job.upper ? i : j), count);
        }
    }

    /* Runs the task of a tile of the factor: L(i, j) := (A(i, j) − Σ L(i, k) M(j, k)ᴴ) M(j, j)⁻ᴴ,
     * sum over k < j. */
    __device__ void panel(int i, int j) const
    {
        block x;
        x.clear();
        for_each_half<false>(pairs_of_factor(i, j, 0, j),
                             [&](const T *a, const T *b) { x.add(a, b, tile<T>::half); });
        subtract(x, i, j);
        tile_by_rows<T> l;
        solve(x, j, l);
        store_factor(l, i, j);
        T *const scratch = buffer(2);
        l.for_each_in_tile([&](int p, int q, T &e) { scratch[p + q * ld] = e; });
        sync_side<sides>();
        if (threadIdx.x == 0)
            store_release(job.factor_ready + i * job.tiles + j, 1);
        store_result(scratch, i, j);
    }

    /* Runs the presum task of the diagonal tile i and the tile to its left: sums the products of
     * all but the last `lookahead` columns of tiles, long before the diagonal task needs them, and
     * subtracts A. Stores both sums in place of the factor's tiles. */
    __device__ void presum(int i) const
    {
        block left;
        shared_block x;
        left.clear();
        x.clear();
        for_each_half<true>(pairs_of_factor(i, i - 1, 0, i - 1 - lookahead),
                            [&](const T *a, const T *b) {
                                left.add(a, b, tile<T>::half);
                                add_of_both(x, a, tile<T>::half);
                            });
        subtract(left, i, i - 1);
        subtract(x, i, i);
        store_factor(left, i, i - 1);
        store_factor(x, i, i);
        sync_side<sides>();
        if (threadIdx.x == 0)
            store_release(job.presum_ready + i, 1);
    }

    /* Returns whether diagonal tile i has a presum task. */
    __device__ static bool has_presum(int i)
    {
        return i > lookahead + 1;
    }

    /* Runs the task of a tile of the inverse: W(i, j) := −W(i, i) Σ L(i, k) W(k, j), sum over j ≤ k
     * < i. */
    __device__ void inverse(int i, int j) const
    {
        block x;
        x.clear();
        const tile_pairs<T> l = {job.factor(i, 0),
                                 job.inverse(j, j) - int64_t(j) * elements,
                                 job.factor_ready + i * job.tiles,
                                 job.inverse_ready + j * job.tiles,
                                 j,
                                 i};
        for_each_half<false>(l, [&](const T *a, const T *b) { x.add(a, b, tile<T>::half); });

        T *const product = buffer(0), *const left = buffer(1), *const scratch = buffer(2);
        x.for_each_in_tile([&](int p, int q, T &e) { product[q + p * ld] = conjugate(e); });
        wait_until(job.diagonal_ready + i);
        copy_bytes_async(left, job.w_diagonal + int64_t(i) * elements, tile<T>::bytes);
        wait_for_copies();
        sync_side<sides>();
        x.clear();
        x.add(left, product, block::row0() + tile<T>::half);
        T *const to = job.inverse(i, j);
        x.for_each_in_tile([&](int p, int q, T &e) {
            scratch[p + q * ld] = e = scaled<T>(-1, e);
            to[q + p * ld] = conjugate(e);
        });
        sync_side<sides>();
        if (threadIdx.x == 0)
            store_release(job.inverse_ready + j * job.tiles + i, 1);
        store_tile(job, i, j, scratch, job.w, job.ldw, true);
        clear_tile_across(job, i, j);
        if (threadIdx.x < order)
            sum_column(job, i, j, scratch, threadIdx.x, job.norms_w);
        count_norms(i, j, 1);
    }
};

} // namespace startile_cuda

#endif
