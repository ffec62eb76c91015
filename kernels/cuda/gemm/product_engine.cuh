/*
 * Kernel for products on FP64 tensor cores. A thread block has twelve warps and computes bm × bn
 * blocks of C, one after the other.
 *
 *     warps 8-11: fetch                               warps 0-7: compute
 *     40 registers per thread (sm_90a)                  232 registers per thread (sm_90a)
 *
 *     wait empty[slot] <---------------------------+
 *     copy A(i, k), B(k, j) to the slot            |
 *       by cp.async, or columns by bulk copies     |
 *     arrive full[slot] after the copies           |
 *           |                                      |
 *           |    ring of slots in shared memory    |
 *           +--> | A B | A B | ... | A B | ------> wait full[slot]
 *                                                  | read fragments, mma.f64 into registers
 *                                                  +-- arrive empty[slot] (one lane per warp)
 *     prefetch C to the L2 cache                      after the last k:
 *       some slots before the block ends              C := alpha sums + beta C
 *
 * full[slot] counts the 128 fetching threads and the bytes of bulk copies. empty[slot] counts the
 * eight computing warps. The ring continues from one block of C to the next, so that the tensor
 * cores do not wait for memory in between.
 *
 * Warps w and w + 4 share a tensor core. Warps 4-7 start `stagger` slots later than warps 0-3: they
 * wait at the named barrier stagger_barrier, where warps 0-3 only arrive. Later only the ring
 * synchronises warps 0-3 with warps 4-7, so that the distance remains: four warps compute while the
 * other four store to C.
 */
#ifndef STARTILE_PRODUCT_ENGINE_CUH
#define STARTILE_PRODUCT_ENGINE_CUH

#include "gemm/product_accumulators.cuh"

namespace startile_cuda
{

constexpr int product_warps = 8; /* warps that compute */
constexpr int product_threads = 32 * (product_warps + fetching_warps);

/* Registers per thread after their redistribution (sm_90a only). The kernel starts with 168; the
 * fetching warps release some to the computing warps. */
constexpr int registers_to_fetch = 40, registers_to_compute = 232;

/* Shape of a block of C: bm × bn elements, cut into a part of wm × wn elements for each computing
 * warp. parts_down: number of parts from top to bottom */
template <int block_m, int block_n, int warps_m>
struct product_shape {
    using blocks = product_blocks<block_m, block_n>;
    static constexpr int bm = block_m, bn = block_n;
    static constexpr int wm = bm / warps_m, wn = bn / (product_warps / warps_m);
    static constexpr int parts_down = warps_m;
};

/* Bytes in front of the slots, for the mbarriers `full` and `empty` of each slot */
constexpr int mbarriers_bytes = 256;
constexpr int max_slots = 16;

/* Position in the ring of slots in shared memory */
struct product_ring {
    uint32_t base;
    int slots, slot_bytes;
    int slot = 0, parity = 0;

    __device__ uint32_t full() const
    {
        return base + 8 * slot;
    }
    __device__ uint32_t empty() const
    {
        return base + 8 * (max_slots + slot);
    }
    __device__ uint32_t data() const
    {
        return base + mbarriers_bytes + slot * slot_bytes;
    }
    __device__ void advance()
    {
        if (++slot == slots) {
            slot = 0;
            parity ^= 1;
        }
    }
};

template <typename T, typename Shape, bool a_k_first, bool b_k_first>
using left_operand = operand<T, a_k_first, Shape::bm, a_k_first, true>;
template <typename T, typename Shape, bool a_k_first, bool b_k_first>
using right_operand = operand<T, b_k_first, Shape::bn, a_k_first, false>;

template <typename T, typename Shape, bool a_k_first, bool b_k_first>
constexpr int slot_bytes = left_operand<T, Shape, a_k_first, b_k_first>::bytes +
                           right_operand<T, Shape, a_k_first, b_k_first>::bytes;

/* Number of slots before the end of a block of C at which the prefetch of C to the L2 cache starts.
 * Compared with no prefetch, no difference above the noise was measured (H200). */
constexpr int slots_before_end = 8;

/* Fetches A and B of all blocks of this thread block to the ring, by the fetching warps. */
template <typename T, typename Shape, bool a_k_first, bool b_k_first, typename Arguments>
__device__ void fetch_products(const Arguments &g, product_ring ring)
{
    using A = left_operand<T, Shape, a_k_first, b_k_first>;
    using B = right_operand<T, Shape, a_k_first, b_k_first>;
    const int fetcher = threadIdx.x - 32 * product_warps, part = fetcher / 32;
    typename Shape::blocks at;
    while (at.next(g)) {
        const auto &p = g.piece[at.piece];
        const bool prefetches = g.c_is_aligned && !is_zero(g.beta) && at.i + Shape::bm <= p.m;
        const int prefetch_at = max(at.k_end - slots_before_end * slot_depth<T>, at.k_begin);
        for (int k = at.k_begin; k < at.k_end; k += slot_depth<T>) {
            while (!mbarrier::try_wait(ring.empty(), ring.parity ^ 1)) {
            }
            const uint32_t to = ring.data();
            A::fetch(g.a_is_aligned, ring.full(), part, to, p.a, p.lda, at.i, p.m, k, at.k_end);
            B::fetch(g.b_is_aligned, ring.full(), part, to + A::bytes, p.b, p.ldb, at.j, p.n, k,
                     at.k_end);
            mbarrier::arrive_after_copies(ring.full());
            ring.advance();
            if (prefetches && k <= prefetch_at && prefetch_at < k + slot_depth<T>)
                for (int j = at.j + fetcher; j < min(at.j + Shape::bn, p.n);
                     j += 32 * fetching_warps)
                    prefetch_bulk_to_l2(p.c + at.i + int64_t(j) * p.ldc, Shape::bm * sizeof(T));
        }
    }
}

/* Releases a slot, by a warp. The caller has already used all fragments of the slot, so that the
 * arrival does not wait for reads in flight. */
__device__ inline void release_slot(uint32_t empty)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        mbarrier::arrive(empty);
}

/* Stores a warp's accumulators to C. row, column: position of the accumulators in the block of C */
template <typename Shape, typename Sums, typename T, typename Arguments>
__device__ void store_sums(const Sums &sums, const Arguments &g, const typename Shape::blocks &at,
                           int row, int column)
{
    const auto &p = g.piece[at.piece];
    const int i = at.i, j = at.j;
    const bool off_diagonal = p.uplo == 'G' || i >= j + Shape::bn || j >= i + Shape::bm;
    const bool whole = off_diagonal && i + Shape::bm <= p.m && j + Shape::bn <= p.n;
    const product_target<T> to = {p.c,
                                  p.ldc,
                                  p.m,
                                  p.n,
                                  i + row,
                                  j + column,
                                  g.alpha,
                                  g.beta,
                                  !is_zero(g.beta),
                                  p.uplo,
                                  p.uplo != 'G' && g.hermitian};
    if (g.c_is_aligned && whole)
        store_whole(sums, to);
    else
        store_part(sums, to);
}

/* Computes and stores all blocks of this thread block from the ring, by the computing warps. */
template <typename T, typename Shape, bool a_k_first, bool b_k_first, typename Arguments>
__device__ void compute_products(const Arguments &g, product_ring ring)
{
    using A = left_operand<T, Shape, a_k_first, b_k_first>;
    using B = right_operand<T, Shape, a_k_first, b_k_first>;
    using sums_of_warp = product_accumulators<T, Shape::wm, Shape::wn, B::rows_are_pairs>;
    constexpr int lines = Shape::wm / 16, columns = Shape::wn / 16;
    static_assert(lines % 2 == 0, "fragments of A take turns");
    const int warp = threadIdx.x / 32;
    const int row = warp % Shape::parts_down * Shape::wm;
    const int column = warp / Shape::parts_down * Shape::wn;
    const uint32_t a_place = A::place(row), b_place = A::bytes + B::place(column);

    /* number of slots by which warps 4-7 start later; other values were not measured */
    constexpr int stagger = 3;
    constexpr int stagger_barrier = 1;
    const bool is_staggered = warp >= product_warps / 2;
    /* At most slots − 1: warps 0-3 wait for one more slot before they arrive at the barrier, and a
     * slot is refilled only after warps 4-7 have released it. */
    int slots_until_start = min(stagger, ring.slots - 1);
    if (is_staggered)
        sync(stagger_barrier, 32 * product_warps);

    uint32_t previous_empty = 0; /* `empty` of the previous slot */
    sums_of_warp sums;
    typename Shape::blocks at;
    while (at.next(g)) {
        sums.clear();
        fragment<T> a[2], b[columns];
        while (!mbarrier::try_wait(ring.full(), ring.parity)) {
        }
        a[0] = A::read(ring.data(), a_place, 0);
#pragma unroll
        for (int j = 0; j < columns; j++)
            b[j] = B::read(ring.data(), b_place, j);

        for (int k = at.k_begin; k < at.k_end; k += slot_depth<T>) {
            if (k > at.k_begin)
                release_slot(previous_empty);
            previous_empty = ring.empty();
#pragma unroll
            for (int i = 0; i < lines; i++) {
                const bool last = i == lines - 1;
                /* In the last slot of a block, the reads below for the next slot read this slot
                 * again; their values are not used. */
                if (last && k + slot_depth<T> < at.k_end) {
                    ring.advance();
                    while (!mbarrier::try_wait(ring.full(), ring.parity)) {
                    }
                }
                a[(i + 1) % 2] = A::read(ring.data(), a_place, last ? 0 : i + 1);
#pragma unroll
                for (int j = 0; j < columns; j++) {
                    sums.add(i, j, a[i % 2], b[j], g.conjugate_a, g.conjugate_b);
                    if (last)
                        b[j] = B::read(ring.data(), b_place, j);
                }
            }
            if (!is_staggered && slots_until_start > 0 &&
                (--slots_until_start == 0 || k + slot_depth<T> >= at.k_end)) {
                arrive(stagger_barrier, 32 * product_warps);
                slots_until_start = 0;
            }
        }

        release_slot(previous_empty);
        ring.advance();
        store_sums<Shape, sums_of_warp, T>(sums, g, at, row, column);
    }
}

template <typename T, typename Shape, bool a_k_first, bool b_k_first, int capacity>
__global__ void __launch_bounds__(product_threads, 1)
    product_kernel(const __grid_constant__ product_arguments<T, capacity> g, int slots)
{
    extern __shared__ __align__(128) unsigned char product_shared[];
    product_ring ring{shared_address(product_shared), slots,
                      slot_bytes<T, Shape, a_k_first, b_k_first>};
    if (threadIdx.x < slots) {
        mbarrier::init(ring.base + 8 * threadIdx.x, 32 * fetching_warps);
        mbarrier::init(ring.base + 8 * (max_slots + threadIdx.x), product_warps);
    }
    mbarrier::fence_init();
    __syncthreads();
    wait_for_previous_kernel();
    if (g.only_if != nullptr && *g.only_if == 0)
        return;
    if (threadIdx.x >= 32 * product_warps) {
        release_registers<registers_to_fetch>();
        fetch_products<T, Shape, a_k_first, b_k_first>(g, ring);
    } else {
        acquire_registers<registers_to_compute>();
        compute_products<T, Shape, a_k_first, b_k_first>(g, ring);
    }
}

} // namespace startile_cuda

#endif
