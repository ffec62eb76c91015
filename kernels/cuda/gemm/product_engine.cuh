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
 *           +--> | A B | A B | ... | C | C | ----> wait full[slot]
 *                                                  | read fragments, mma.f64 into registers
 *                                                  +-- arrive empty[slot] (one lane per warp)
 *     after the last k, as above:                     after the last k:
 *       old columns of C, if beta is not 0              C := alpha sums + beta C
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
#include "gemm/product_ring.cuh"

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

template <typename T, typename Shape, bool a_k_first, bool b_k_first>
using left_operand = operand<T, a_k_first, Shape::bm, a_k_first, true>;
template <typename T, typename Shape, bool a_k_first, bool b_k_first>
using right_operand = operand<T, b_k_first, Shape::bn, a_k_first, false>;

/* The slots of a kernel: a slot holds slot_depth indices k of both factors, or a strip of some
 * columns of a block of C, in one or two pieces of slot_depth columns. */
template <typename T, typename Shape, bool a_k_first, bool b_k_first>
struct product_slots {
    using A = left_operand<T, Shape, a_k_first, b_k_first>;
    using B = right_operand<T, Shape, a_k_first, b_k_first>;
    using C = operand<T, false, Shape::bm, false, true>;
    static constexpr int of_factors = A::bytes + B::bytes, of_piece = C::bytes;
    /* Two pieces may take 1/64 more than the factors: doubles 33,280 instead of 33,024 bytes, which
     * fit 6 times into 227 KiB, too. */
    static constexpr int pieces_of_strip = 65 * of_factors / 64 >= 2 * of_piece ? 2 : 1;
    static constexpr int of_strip = pieces_of_strip * of_piece;
    static constexpr int bytes = of_factors > of_strip ? of_factors : of_strip;
    static constexpr int strip_columns = pieces_of_strip * slot_depth<T>;
    static constexpr int strips = Shape::bn / strip_columns;
    static_assert(Shape::bn % strip_columns == 0, "strips cover a block");
    static_assert(Shape::wn % strip_columns == 0 || strip_columns % Shape::wn == 0,
                  "warps have whole strips, or strips whole parts of warps");
};

/* Returns whether C := alpha sums + beta C needs the old elements. */
template <typename Arguments>
__device__ bool reads_c(const Arguments &g)
{
    return !is_zero(g.beta);
}

/* Fetches the block of C to the ring; elements outside C are zero there. */
template <typename Slots, typename Shape, typename Arguments>
__device__ void fetch_strips(const Arguments &g, const typename Shape::blocks &at,
                             product_ring &ring, int part)
{
    using C = typename Slots::C;
    const auto &p = g.piece[at.piece];
    constexpr int columns = Slots::strip_columns / Slots::pieces_of_strip;
    for (int j = at.j; j < at.j + Shape::bn; j += Slots::strip_columns) {
        wait_empty(ring);
#pragma unroll
        for (int q = 0; q < Slots::pieces_of_strip; q++)
            C::fetch(g.c_is_aligned, ring.full(), part, ring.data() + q * C::bytes, p.c, p.ldc,
                     at.i, p.m, j + q * columns, p.n);
        mbarrier::arrive_after_copies(ring.full());
        ring.advance();
    }
}

/* Fetches A, B and C of all blocks of this thread block to the ring, by the fetching warps. */
template <typename T, typename Shape, bool a_k_first, bool b_k_first, typename Arguments>
__device__ void fetch_products(const Arguments &g, product_ring ring)
{
    using slots = product_slots<T, Shape, a_k_first, b_k_first>;
    using A = typename slots::A;
    using B = typename slots::B;
    const int part = threadIdx.x / 32 - product_warps;
    typename Shape::blocks at;
    while (at.next(g)) {
        const auto &p = g.piece[at.piece];
        for (int k = at.k_begin; k < at.k_end; k += slot_depth<T>) {
            wait_empty(ring);
            const uint32_t to = ring.data();
            A::fetch(g.a_is_aligned, ring.full(), part, to, p.a, p.lda, at.i, p.m, k, at.k_end);
            B::fetch(g.b_is_aligned, ring.full(), part, to + A::bytes, p.b, p.ldb, at.j, p.n, k,
                     at.k_end);
            mbarrier::arrive_after_copies(ring.full());
            ring.advance();
        }
        if (reads_c(g))
            fetch_strips<slots, Shape>(g, at, ring, part);
    }
}

/* Stores a warp's accumulators to C, whose old elements are in the ring. column: position of the
 * accumulators in the block of C */
template <typename Slots, int wn, typename Sums, typename T>
__device__ void store_strips(const Sums &sums, const product_target<T> &to, product_ring &ring,
                             int row, int column)
{
    using C = typename Slots::C;
    constexpr int width = Slots::strip_columns, strips = wn > width ? wn / width : 1;
    const int first = column / width;
    pass_slots(ring, first);
#pragma unroll
    for (int s = 0; s < strips; s++) {
        wait_full(ring);
        const uint32_t old = ring.data() + (column % width) * C::pitch + row * int(sizeof(T));
        if (to.is_whole)
            store_columns<true, C::pitch>(sums, to, s * width, wn / strips, old);
        else
            store_columns<false, C::pitch>(sums, to, s * width, wn / strips, old);
        release_slot(ring.empty());
        ring.advance();
    }
    pass_slots(ring, Slots::strips - first - strips);
}

/* Stores a warp's accumulators to C. row, column: position of the accumulators in the block of C */
template <typename Slots, typename Shape, typename Sums, typename T, typename Arguments>
__device__ void store_sums(const Sums &sums, const Arguments &g, const typename Shape::blocks &at,
                           product_ring &ring, int row, int column)
{
    const auto &p = g.piece[at.piece];
    const bool is_off_diagonal =
        p.uplo == 'G' || at.i >= at.j + Shape::bn || at.j >= at.i + Shape::bm;
    const bool is_inside = at.i + Shape::bm <= p.m && at.j + Shape::bn <= p.n;
    const product_target<T> to = {p.c,
                                  p.ldc,
                                  p.m,
                                  p.n,
                                  at.i + row,
                                  at.j + column,
                                  g.alpha,
                                  g.beta,
                                  g.c_is_aligned && is_off_diagonal && is_inside,
                                  p.uplo,
                                  p.uplo != 'G' && g.hermitian};
    if (reads_c(g))
        store_strips<Slots, Shape::wn>(sums, to, ring, row, column);
    else if (to.is_whole)
        store_new<true>(sums, to);
    else
        store_new<false>(sums, to);
}

/* Computes and stores all blocks of this thread block from the ring, by the computing warps. */
template <typename T, typename Shape, bool a_k_first, bool b_k_first, typename Arguments>
__device__ void compute_products(const Arguments &g, product_ring ring)
{
    using slots = product_slots<T, Shape, a_k_first, b_k_first>;
    using A = typename slots::A;
    using B = typename slots::B;
    using sums_of_warp = product_accumulators<T, Shape::wm, Shape::wn, B::rows_are_pairs>;
    constexpr int lines = Shape::wm / 16, columns = Shape::wn / 16;
    static_assert(lines % 2 == 0, "fragments of A take turns");
    const int warp = threadIdx.x / 32;
    const int row = warp % Shape::parts_down * Shape::wm;
    const int column = warp / Shape::parts_down * Shape::wn;
    const uint32_t a_place = A::place(row), b_place = A::bytes + B::place(column);

    /* number of slots by which warps 4-7 start later; 1 to 5 are equally fast with 192 terms (H200,
     * perf_models/NOTES.md, "LDLᴴ on one GPU") */
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
        wait_full(ring);
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
                    wait_full(ring);
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
        store_sums<slots, Shape, sums_of_warp, T>(sums, g, at, ring, row, column);
    }
}

template <typename T, typename Shape, bool a_k_first, bool b_k_first, int capacity>
__global__ void __launch_bounds__(product_threads, 1)
    product_kernel(const __grid_constant__ product_arguments<T, capacity> g, int slots)
{
    extern __shared__ __align__(128) unsigned char product_shared[];
    product_ring ring{shared_address(product_shared), slots,
                      product_slots<T, Shape, a_k_first, b_k_first>::bytes};
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
