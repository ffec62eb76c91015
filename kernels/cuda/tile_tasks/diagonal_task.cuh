/*
 * The task on the critical path (task_list.cuh): a diagonal tile and the tile to its left. Because
 * one thread block computes both, the path from one diagonal tile to the next passes between thread
 * blocks only once, by one ready flag.
 *
 *     presum tiles (if any) --> prepare: last products, L(i, i-1) --> factor_tile --> W(i, i)
 *                                                             |             |
 *                               helpers: publish_left, factor_ready         |
 *                                               all: diagonal_ready(i) <----+, then store_results
 *
 * Multiplication by the inverse W of a diagonal tile L leaves a larger residual than substitution,
 * by a factor of up to about ‖ |L| |W| ‖. So tasks of the factor multiply by W only if ‖L‖ ‖W‖ ≤
 * order in the ∞-norm, with |re| + |im| as magnitude. Otherwise they substitute with single
 * columns. Tasks of LU substitute with blocks of 8 × 8 and multiply by the blocks' inverses, if ‖
 * |L| |W| ‖ ≤ order for all blocks. With pivoted rows, most diagonal tiles fail the first check.
 */
#ifndef STARTILE_DIAGONAL_TASK_CUH
#define STARTILE_DIAGONAL_TASK_CUH

#include "tile_tasks/block_tasks.cuh"

namespace startile_cuda
{

/* Returns whether tasks of the factor may multiply by the inverses of the 8 × 8 blocks on the
 * diagonal of L, which w holds, to all threads of the side. flags: 4 entries for scratch. Contains
 * barriers. Not inlined, because calls are rare. */
template <int sides, typename T>
__device__ __noinline__ bool can_multiply_by_blocks(const T *l, const T *w, unsigned int *flags)
{
    constexpr int order = tile<T>::order, ld = tile<T>::ld, parts = tile_threads / order;
    const int row = threadIdx.x / parts, first = row / strip_width * strip_width;
    double sum = 0; /* row sum of |L| |W| */
    for (int j = first + threadIdx.x % parts; j < first + strip_width; j += parts)
        for (int k = j; k <= row; k++)
            sum += magnitude1(l[row + k * ld]) * magnitude1(w[k + j * ld]);
#pragma unroll
    for (int distance = 1; distance < parts; distance *= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    sync_side<sides>();
    const bool passes = __all_sync(0xffffffff, sum <= order); /* false for NaN */
    if (threadIdx.x % 32 == 0)
        flags[threadIdx.x / 32] = passes;
    sync_side<sides>();
    return flags[0] != 0 && flags[1] != 0 && flags[2] != 0 && flags[3] != 0;
}

/* The task; Strips factors strips of a diagonal tile (factor_tile.cuh). */
template <typename T, typename Strips>
struct diagonal_task : block_tasks<T, Strips::sides> {
    static constexpr int sides = Strips::sides;
    using base = block_tasks<T, sides>;
    using base::norm_bits, base::buffer, base::elements, base::job, base::ld, base::order;
    using typename base::block, typename base::shared_block;

    typename Strips::pivot *reciprocals; /* `order` elements */
    int *failed;

    static constexpr int publisher =
        tile_threads - 1; /* thread that sets ready flags; outside warp 0 */

    /* Returns, to all threads of the side, whether tasks of the factor may multiply by the inverse
     * W. Contains a barrier of the side. */
    __device__ bool can_multiply(const T *l, const T *w) const
    {
        constexpr int parts = tile_threads / order;
        const int row = threadIdx.x / parts;
        double sum_l = 0, sum_w = 0;
#pragma unroll 8
        for (int j = threadIdx.x % parts; j < order; j += parts) {
            const double size = magnitude1(l[row + j * ld]);
            sum_l += j <= row ? size : 0;
            sum_w += magnitude1(w[row + j * ld]);
        }
#pragma unroll
        for (int distance = 1; distance < parts; distance *= 2) {
            sum_l += __shfl_xor_sync(0xffffffff, sum_l, distance);
            sum_w += __shfl_xor_sync(0xffffffff, sum_w, distance);
        }
        /* The bits of numbers ≥ 0 compare as the numbers do, with NaN above infinity. */
        const unsigned int max_l =
            __reduce_max_sync(0xffffffff, __float_as_uint(static_cast<float>(sum_l)));
        const unsigned int max_w =
            __reduce_max_sync(0xffffffff, __float_as_uint(static_cast<float>(sum_w)));
        const int warp = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0) {
            norm_bits[warp] = max_l;
            norm_bits[4 + warp] = max_w;
        }
        sync_side<sides>();
        const unsigned int all_l =
            max(max(norm_bits[0], norm_bits[1]), max(norm_bits[2], norm_bits[3]));
        const unsigned int all_w =
            max(max(norm_bits[4], norm_bits[5]), max(norm_bits[6], norm_bits[7]));
        return __uint_as_float(all_l) * __uint_as_float(all_w) <= order;
    }

    /* Returns the use of the inverse W that failed its check, to all threads of the side. Only LU
     * uses the inverses of blocks. */
    __device__ inverse_use use_of_blocks(const T *l, const T *w) const
    {
        if constexpr (sides == 2)
            return can_multiply_by_blocks<sides>(l, w, norm_bits) ? use_blocks : use_none;
        return use_none;
    }

    /* Copies a tile, by `threads` threads; `thread` is the index of the calling thread among
     * them. */
    __device__ void copy_out(T *to, const T *from, int thread, int threads) const
    {
        constexpr int pieces = tile<T>::bytes / 16, in_flight = 9;
        int4 e[in_flight];
        for (int first = thread; first < pieces; first += in_flight * threads) {
#pragma unroll
            for (int u = 0; u < in_flight; u++)
                if (first + u * threads < pieces)
                    e[u] = reinterpret_cast<const int4 *>(from)[first + u * threads];
#pragma unroll
            for (int u = 0; u < in_flight; u++)
                if (first + u * threads < pieces)
                    reinterpret_cast<int4 *>(to)[first + u * threads] = e[u];
        }
    }

    /* Loads the results of presum() for tile (i, j). */
    template <typename Block>
    __device__ void load_presum(Block &x, int i, int j) const
    {
        const T *const from = job.factor(i, j);
        x.for_each_in_tile([&](int p, int q, T &e) { e = __ldcg(from + p + q * ld); });
    }

    /* Computes x := −A(i, i) plus the products of the tiles left of it. Leaves L(i, i − 1) in
     * buffer 2. */
    __device__ void prepare(shared_block &x, int i) const
    {
        const int j = i - 1;
        block left;
        if (this->has_presum(i)) {
            wait_until(job.presum_ready + i);
            load_presum(left, i, j);
            load_presum(x, i, i);
        } else {
            this->load_negated(left, i, j);
            this->load_negated(x, i, i);
        }
        const int first = this->has_presum(i) ? j - lookahead : 0;
        this->template for_each_half<true>(this->pairs_of_factor(i, j, first, j),
                                           [&](const T *a, const T *b) {
                                               left.add(a, b, tile<T>::half);
                                               this->add_of_both(x, a, tile<T>::half);
                                           });
        tile_by_rows<T> solved;
        this->solve(left, j, solved);
        T *const l = buffer(2);
        solved.for_each_in_tile([&](int p, int q, T &e) { l[p + q * ld] = e; });
        __syncthreads();
        this->add_of_both(x, l, order);
        __syncthreads();
    }

    /* Stores L(i, i − 1) from buffer 2 for the other thread blocks and sets its flag, by the
     * helpers. Does nothing if i = 0. */
    __device__ void publish_left(int i) const
    {
        if (i == 0)
            return;
        copy_out(job.factor(i, i - 1), buffer(2), thread_of_side<sides>() - 32, helpers);
        sync(helpers_barrier + own_side<sides>(), helpers);
        if (thread_of_side<sides>() == publisher)
            store_release(job.factor_ready + i * job.tiles + i - 1, 1);
    }

    /* Stores −x to buffer 0, for LU with the 8 × 8 blocks on the diagonal and what is below to side
     * 0's, and the adjoint of the rest to side 1's. */
    __device__ void store_sum(shared_block &x) const
    {
        T *const l = this->of_side(0, buffer(0)), *const v = this->of_side(sides - 1, buffer(0));
        x.for_each_in_tile([&](int p, int q, T &e) {
            const T sum = scaled<T>(-1, e);
            if (sides == 1 || q / strip_width <= p / strip_width)
                l[p + q * ld] = sum;
            else
                v[q + p * ld] = conjugate(sum);
        });
    }

    /* Runs the task: computes and stores L(i, i), W(i, i) and L(i, i − 1). */
    __device__ void diagonal(int i) const
    {
        T *const l = buffer(0), *const w = buffer(1), *const adjoint = buffer(2);
        shared_block x;
        if (threadIdx.x == 0)
            *failed = -1;
        if (i > 0) {
            prepare(x, i);
        } else {
            this->load_negated(x, 0, 0);
            if constexpr (sides == 2)
                __syncthreads();
        }
        store_sum(x);
        Strips strips = {l, this->of_side(sides - 1 - own_side<sides>(), l), reciprocals, failed};
        factor_tile(strips, w, adjoint, [&] { publish_left(i); });
        if (threadIdx.x == 0 && *failed >= 0 && job.control->info == 0)
            job.control->info = i * order + *failed + 1;

        const bool can_multiply = this->can_multiply(l, w);
        const inverse_use use = can_multiply ? use_whole : use_of_blocks(l, w);
        const int64_t at = int64_t(i) * elements;
        copy_out(job.w_diagonal + at, w, threadIdx.x, tile_threads);
        if (!can_multiply)
            copy_out(job.l_diagonal + at, l, threadIdx.x, tile_threads);
        sync_side<sides>();
        if (thread_of_side<sides>() == publisher)
            store_release(job.diagonal_ready + i, use);
        store_results(i);
    }

    /* Stores the results that the next diagonal tile does not need. */
    __device__ void store_results(int i) const
    {
        T *const l = buffer(0), *const w = buffer(1), *const scratch = buffer(2);
        if (job.w != nullptr) {
            copy_out(job.inverse(i, i), scratch, threadIdx.x, tile_threads);
            sync_side<sides>();
            if (thread_of_side<sides>() == publisher)
                store_release(job.inverse_ready + i * job.tiles + i, 1);
            store_tile(job, i, i, w, job.w, job.ldw, true);
            if (threadIdx.x < order)
                sum_column(job, i, i, w, threadIdx.x, job.norms_w);
            this->count_norms(i, i, 1);
        }
        this->store_result(l, i, i);
        if (i > 0) {
            sync_side<sides>();
            copy_bytes_async(scratch, job.factor(i, i - 1), tile<T>::bytes);
            wait_for_copies();
            sync_side<sides>();
            this->store_result(scratch, i, i - 1);
        }
        if (i == job.tiles - 1 && threadIdx.x == 0 && own_side<sides>() == 0)
            store_info();
    }

    /* Stores info, and *status if no inverse is computed, by one thread. */
    __device__ void store_info() const
    {
        job.state->info = job.control->info;
        if (job.status == nullptr || job.w != nullptr)
            return;
        job.status->info = job.control->info;
        job.status->use_inverse = 0;
        __threadfence_system();
    }
};

} // namespace startile_cuda

#endif
