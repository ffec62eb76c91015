/*
 * The tasks of a factorization and inverse of a matrix (task_list.cuh), except that of a diagonal
 * tile. A thread block computes the one or two tiles of a task for each side, left-looking. The
 * tiles stay in registers from the first product to the last. L and M: block_state.cuh
 */
#ifndef STARTILE_BLOCK_TASKS_CUH
#define STARTILE_BLOCK_TASKS_CUH

#include "tile_tasks/block_state.cuh"

namespace startile_cuda
{

/* Tasks of one side of a thread block */
template <typename T, int sides>
struct block_tasks : block_state<T, sides> {
    using base = block_state<T, sides>;
    using base::add_of_both, base::buffer, base::elements, base::job, base::ld, base::order,
        base::other, base::pairs_of_factor, base::subtract;
    using typename base::block, typename base::shared_block;

    /* Computes x := −y M(j, j)⁻ᴴ, a tile of the factor, as the check of the inverse W(j, j) of
     * M(j, j) allows: by W(j, j), by its blocks, or by substitution. Uses all buffers. */
    __device__ void solve(block &y, int j, tile_by_rows<T> &x) const
    {
        T *const c = buffer(0), *const right = buffer(1), *const blocks = buffer(2);
        y.for_each_in_tile([&](int p, int q, T &e) { c[p + q * ld] = scaled<T>(-1, e); });
        const int use = wait_until(other.diagonal_ready + j);
        const bool use_inverse = use == use_whole;
        copy_bytes_async(
            right, (use_inverse ? other.w_diagonal : other.l_diagonal) + int64_t(j) * elements,
            tile<T>::bytes);
        if (sides == 2 && use == use_blocks)
            copy_bytes_async(blocks, other.w_diagonal + int64_t(j) * elements, tile<T>::bytes);
        wait_for_copies();
        sync_side<sides>();
        if (use_inverse) {
            x.multiply_by_triangle(c, right);
        } else {
            if (sides == 2 && use == use_blocks)
                substitute_by_blocks<sides>(right, blocks, c);
            else
                substitute<sides>(right, c);
            x.for_each_in_tile([&](int p, int q, T &e) { e = c[p + q * ld]; });
        }
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
        this->template for_each_half<false>(
            pairs_of_factor(i, j, 0, j),
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
        this->template for_each_half<true>(pairs_of_factor(i, i - 1, 0, i - 1 - lookahead),
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
        this->template for_each_half<false>(
            l, [&](const T *a, const T *b) { x.add(a, b, tile<T>::half); });

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
