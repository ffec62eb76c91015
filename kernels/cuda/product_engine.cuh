/*
 * Products on FP64 tensor cores: the kernel, and its launch.
 *
 * A block of eight warps computes a block of C after the other, bm × bn, while four more fetch: the
 * slots of the ring in shared memory go on from one block of C to the next, so that the tensor
 * cores need not wait for memory there. Two warps share a tensor core, and the second begins some
 * slots later than the first. Since nothing but the ring holds them together they stay apart, and
 * while one brings its sums to C the other one computes.
 */
#ifndef STARTILE_PRODUCT_ENGINE_CUH
#define STARTILE_PRODUCT_ENGINE_CUH

#include "operations.cuh"
#include "product_sums.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int product_warps = 8; /* that compute */
constexpr int product_threads = 32 * (product_warps + fetching_warps);

/* The register file is dealt out evenly, 168 to a thread, and then from those that fetch to those
 * that compute. */
constexpr int registers_to_fetch = 40, registers_to_compute = 232;

template <int block_m, int block_n, int warps_m>
struct product_shape {
    using blocks = product_blocks<block_m, block_n>;
    static constexpr int bm = block_m, bn = block_n;
    static constexpr int wm = bm / warps_m, wn = bn / (product_warps / warps_m);
    static constexpr int across = warps_m;
};

/* The ring: its slots, and for each a gate that opens when it is full and one when it is empty. The
 * gates are in front. */
constexpr int gates_bytes = 256;
constexpr int most_slots = 16;

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
        return base + 8 * (most_slots + slot);
    }
    __device__ uint32_t data() const
    {
        return base + gates_bytes + slot * slot_bytes;
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

/* So many slots before a block of C is fetched to its end, it is brought to the cache. */
constexpr int slots_before_end = 8;

template <typename T, typename Shape, bool a_k_first, bool b_k_first, typename Arguments>
__device__ void fetch_products(const Arguments &g, product_ring ring)
{
    using A = left_operand<T, Shape, a_k_first, b_k_first>;
    using B = right_operand<T, Shape, a_k_first, b_k_first>;
    const int fetcher = threadIdx.x - 32 * product_warps, part = fetcher / 32;
    typename Shape::blocks at;
    while (at.next(g)) {
        const auto &p = g.piece[at.piece];
        const bool early = g.c_by_chunks && !is_zero(g.beta) && at.i + Shape::bm <= p.m;
        const int last_call = max(at.k_end - slots_before_end * slot_depth<T>, at.k_begin);
        for (int k = at.k_begin; k < at.k_end; k += slot_depth<T>) {
            wait_at_gate(ring.empty(), ring.parity ^ 1);
            const uint32_t to = ring.data();
            A::fetch(g.a_by_chunks, ring.full(), part, to, p.a, p.lda, at.i, p.m, k, at.k_end);
            B::fetch(g.b_by_chunks, ring.full(), part, to + A::bytes, p.b, p.ldb, at.j, p.n, k,
                     at.k_end);
            arrive_at_gate_with_copies(ring.full());
            ring.advance();
            if (early && k <= last_call && last_call < k + slot_depth<T>)
                for (int j = at.j + fetcher; j < min(at.j + Shape::bn, p.n);
                     j += 32 * fetching_warps)
                    bring_to_cache(p.c + at.i + int64_t(j) * p.ldc, Shape::bm * sizeof(T));
        }
    }
}

template <typename T, typename Shape, bool a_k_first, bool b_k_first, typename Arguments>
__device__ void compute_products(const Arguments &g, product_ring ring)
{
    using A = left_operand<T, Shape, a_k_first, b_k_first>;
    using B = right_operand<T, Shape, a_k_first, b_k_first>;
    using sums_of_warp = product_sums<T, Shape::wm, Shape::wn, B::rows_are_pairs>;
    constexpr int lines = Shape::wm / 16, columns = Shape::wn / 16;
    static_assert(lines % 2 == 0, "fragments of A take turns");
    const int warp = threadIdx.x / 32;
    const int row = warp % Shape::across * Shape::wm, column = warp / Shape::across * Shape::wn;
    const uint32_t a_place = A::place(row), b_place = A::bytes + B::place(column);

    constexpr int apart = 3; /* slots that the second of two warps on a tensor core begins later */
    constexpr int apart_barrier = 1;
    const bool second = warp >= product_warps / 2;
    int until_second = min(apart, ring.slots - 1); /* the next slot is waited for before */
    if (second)
        sync(apart_barrier, 32 * product_warps);

    /* A slot is given back when what was read there has been used, that is, when the next is begun:
     * the arrival does not wait for reads that are under way. */
    uint32_t before = 0;
    auto release = [](uint32_t gate) {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive_at_gate(gate);
    };

    sums_of_warp sums;
    typename Shape::blocks at;
    while (at.next(g)) {
        sums.clear();
        fragment<T> a[2], b[columns];
        wait_at_gate(ring.full(), ring.parity);
        a[0] = A::read(ring.data(), a_place, 0);
#pragma unroll
        for (int j = 0; j < columns; j++)
            b[j] = B::read(ring.data(), b_place, j);

        for (int k = at.k_begin; k < at.k_end; k += slot_depth<T>) {
            if (k > at.k_begin)
                release(before);
            before = ring.empty();
#pragma unroll
            for (int i = 0; i < lines; i++) {
                const bool last = i == lines - 1;
                if (last) {
                    ring.advance();
                    /* behind the last slot: what is read there is not used */
                    if (k + slot_depth<T> < at.k_end)
                        wait_at_gate(ring.full(), ring.parity);
                }
                a[(i + 1) % 2] = A::read(ring.data(), a_place, last ? 0 : i + 1);
#pragma unroll
                for (int j = 0; j < columns; j++) {
                    sums.add(i, j, a[i % 2], b[j], g.conjugate_a, g.conjugate_b);
                    if (last)
                        b[j] = B::read(ring.data(), b_place, j);
                }
            }
            if (!second && until_second > 0 &&
                (--until_second == 0 || k + slot_depth<T> >= at.k_end)) {
                arrive(apart_barrier, 32 * product_warps);
                until_second = 0;
            }
        }

        release(before);

        const auto &p = g.piece[at.piece];
        const bool triangle = g.uplo != 'G' && at.piece == 0;
        const int i = at.i, j = at.j;
        const bool aside = !triangle || i >= j + Shape::bn || j >= i + Shape::bm;
        const bool whole = aside && i + Shape::bm <= p.m && j + Shape::bn <= p.n;
        const product_target<T> to = {p.c,
                                      p.ldc,
                                      p.m,
                                      p.n,
                                      i + row,
                                      j + column,
                                      g.alpha,
                                      g.beta,
                                      !is_zero(g.beta),
                                      triangle ? g.uplo : 'G',
                                      triangle && g.hermitian};
        if (g.c_by_chunks && whole)
            store_whole(sums, to);
        else
            store_part(sums, to);
    }
}

template <typename T, typename Shape, bool a_k_first, bool b_k_first, int most>
__global__ void __launch_bounds__(product_threads, 1)
    product_kernel(const __grid_constant__ product_arguments<T, most> g, int slots)
{
    extern __shared__ __align__(128) unsigned char product_shared[];
    product_ring ring{shared_address(product_shared), slots,
                      slot_bytes<T, Shape, a_k_first, b_k_first>};
    if (threadIdx.x < slots) {
        create_gate(ring.base + 8 * threadIdx.x, 32 * fetching_warps);
        create_gate(ring.base + 8 * (most_slots + threadIdx.x), product_warps);
    }
    __syncthreads();
    wait_for_kernel_before();
    if (threadIdx.x >= 32 * product_warps) {
        give_registers_back<registers_to_fetch>();
        fetch_products<T, Shape, a_k_first, b_k_first>(g, ring);
    } else {
        take_more_registers<registers_to_compute>();
        compute_products<T, Shape, a_k_first, b_k_first>(g, ring);
    }
}

template <typename T>
bool is_by_chunks(const void *p, int ld)
{
    return reinterpret_cast<uintptr_t>(p) % chunk_bytes == 0 && ld % chunk_elements<T> == 0;
}

template <typename Shape, typename T, int most>
product_arguments<T, most> product_arguments_of(const product_group<T> &g, bool in_place)
{
    product_arguments<T, most> r;
    r.a_by_chunks = r.b_by_chunks = r.c_by_chunks = true;
    r.pieces = r.units = 0;
    for (int q = 0; q < g.pieces; q++) {
        const product_piece<T> &p = g.piece[q];
        const bool is_triangle = r.pieces == 0 && q == 0 && g.uplo != 'G';
        if (p.m == 0 || p.n == 0)
            continue;
        r.piece[r.pieces++] = {p.a, p.b, p.c, p.lda, p.ldb, p.ldc, p.m, p.n, r.units};
        r.units += units_of_piece<Shape>(p.m, p.n, is_triangle, in_place, g.triangle_is_left);
        r.a_by_chunks = r.a_by_chunks && is_by_chunks<T>(p.a, p.lda);
        r.b_by_chunks = r.b_by_chunks && is_by_chunks<T>(p.b, p.ldb);
        r.c_by_chunks = r.c_by_chunks && is_by_chunks<T>(p.c, p.ldc);
    }
    r.k = g.k;
    r.alpha = g.alpha;
    r.beta = g.beta;
    r.uplo = g.pieces > 0 && g.piece[0].m > 0 ? g.uplo : 'G';
    r.triangle = g.triangle;
    r.triangle_is_left = g.triangle_is_left;
    r.in_place = in_place;
    r.hermitian = g.hermitian;
    r.conjugate_a = g.transa == 'C';
    r.conjugate_b = g.transb == 'C';
    return r;
}

template <typename Shape, bool a_k_first, bool b_k_first, int most, typename T>
int launch_products_of(startile_exec *x, const product_group<T> &g, bool in_place)
{
    const product_arguments<T, most> arguments = product_arguments_of<Shape, T, most>(g, in_place);
    if (arguments.units == 0)
        return 0;
    constexpr int bytes = slot_bytes<T, Shape, a_k_first, b_k_first>;
    const int slots = std::min((x->most_shared - gates_bytes) / bytes, most_slots);
    return launch_early_with_shared(x, product_kernel<T, Shape, a_k_first, b_k_first, most>,
                                    std::min(arguments.units, x->multiprocessors), product_threads,
                                    gates_bytes + slots * bytes, arguments, slots);
}

/* Few pieces make small arguments, which are launched sooner. */
constexpr int few_products = 24;

template <typename Shape, bool a_k_first, bool b_k_first, typename T>
int launch_products(startile_exec *x, const product_group<T> &g, bool in_place)
{
    return g.pieces <= few_products
               ? launch_products_of<Shape, a_k_first, b_k_first, few_products>(x, g, in_place)
               : launch_products_of<Shape, a_k_first, b_k_first, most_products>(x, g, in_place);
}

template <typename Shape, typename T>
int launch_any_products(startile_exec *x, const product_group<T> &g)
{
    const bool a = g.transa != 'N', b = g.transb == 'N';
    return a ? (b ? launch_products<Shape, true, true>(x, g, false)
                  : launch_products<Shape, true, false>(x, g, false))
             : (b ? launch_products<Shape, false, true>(x, g, false)
                  : launch_products<Shape, false, false>(x, g, false));
}

/* With a triangle on one side and a factor on the other that is not transposed */
template <typename Right, typename Left, typename T>
int launch_triangle(startile_exec *x, const product_group<T> &g, bool in_place)
{
    if (g.triangle_is_left)
        return g.transa != 'N' ? launch_products<Left, true, true>(x, g, in_place)
                               : launch_products<Left, false, true>(x, g, in_place);
    return g.transb == 'N' ? launch_products<Right, false, true>(x, g, in_place)
                           : launch_products<Right, false, false>(x, g, in_place);
}

/* What remains without factors */
template <typename T>
int scale_group(startile_exec *x, const product_group<T> &g)
{
    for (int q = 0; q < g.pieces; q++)
        if (int error = scale(x, q == 0 ? g.uplo : 'G', q == 0 && g.hermitian, g.piece[q].m,
                              g.piece[q].n, g.beta, g.piece[q].c, g.piece[q].ldc))
            return error;
    return 0;
}

/* How long it takes, in units of the time for one element of C: the thread block that has most */
template <typename Shape, typename T>
int64_t length_of(startile_exec *x, const product_group<T> &g)
{
    int64_t units = 0;
    for (int q = 0; q < g.pieces; q++)
        units += units_of_piece<Shape>(g.piece[q].m, g.piece[q].n, q == 0 && g.uplo != 'G', false,
                                       g.triangle_is_left);
    return ceil_div(units, x->multiprocessors) * int64_t(Shape::bm * Shape::bn);
}

/* Smaller blocks take more reads for each element of C: so much longer. Seen on an H200. */
constexpr double half_is_slower = 1.08, small_is_slower = 1.35;

/* Wide, Half, Small: blocks of products of two full factors; Right, Left: with a triangle there. */
template <typename Wide, typename Half, typename Small, typename Right, typename Left, typename T>
int multiply_group_in(startile_exec *x, const product_group<T> &g)
{
    if (g.k == 0 || is_zero(g.alpha))
        return scale_group(x, g);
    if (g.triangle != 'G' && (g.triangle_is_left ? g.transb : g.transa) == 'N') {
        bool in_place = false;
        for (int q = 0; q < g.pieces; q++)
            in_place =
                in_place || g.piece[q].c == (g.triangle_is_left ? g.piece[q].b : g.piece[q].a);
        return launch_triangle<Right, Left>(x, g, in_place);
    }
    const double wide = length_of<Wide>(x, g), half = length_of<Half>(x, g) * half_is_slower;
    const double small = length_of<Small>(x, g) * small_is_slower;
    return wide <= std::min(half, small) ? launch_any_products<Wide>(x, g)
           : half <= small               ? launch_any_products<Half>(x, g)
                                         : launch_any_products<Small>(x, g);
}

} // namespace startile_cuda

#endif
