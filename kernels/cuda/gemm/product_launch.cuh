/* Choice of the block shape, and launch, for products on FP64 tensor cores */
#ifndef STARTILE_PRODUCT_LAUNCH_CUH
#define STARTILE_PRODUCT_LAUNCH_CUH

#include "common/operations.cuh"
#include "gemm/product_engine.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Returns whether all columns of a matrix are aligned to chunks of 16 bytes. */
template <typename T>
bool is_aligned(const void *p, int ld)
{
    return reinterpret_cast<uintptr_t>(p) % chunk_bytes == 0 && ld % chunk_elements<T> == 0;
}

/* Returns the kernel arguments of a group, without empty pieces. */
template <typename Shape, typename T, int capacity>
product_arguments<T, capacity> product_arguments_of(const product_group<T> &g, bool in_place)
{
    product_arguments<T, capacity> r;
    r.a_is_aligned = r.b_is_aligned = r.c_is_aligned = true;
    r.pieces = r.work_items = 0;
    for (int q = 0; q < g.pieces; q++) {
        const product_piece<T> &p = g.piece[q];
        if (p.m == 0 || p.n == 0)
            continue;
        r.piece[r.pieces++] = {p.a, p.b, p.c, p.lda, p.ldb, p.ldc, p.m, p.n, r.work_items, p.uplo};
        r.work_items +=
            count_work_items<Shape>(p.m, p.n, p.uplo != 'G', in_place, g.triangle_is_left);
        r.a_is_aligned = r.a_is_aligned && is_aligned<T>(p.a, p.lda);
        r.b_is_aligned = r.b_is_aligned && is_aligned<T>(p.b, p.ldb);
        r.c_is_aligned = r.c_is_aligned && is_aligned<T>(p.c, p.ldc);
    }
    r.k = g.k;
    r.alpha = g.alpha;
    r.beta = g.beta;
    r.triangle = g.triangle;
    r.triangle_is_left = g.triangle_is_left;
    r.in_place = in_place;
    r.hermitian = g.hermitian;
    r.conjugate_a = g.transa == 'C';
    r.conjugate_b = g.transb == 'C';
    r.only_if = g.only_if;
    return r;
}

/* Approximate limit of the sum of k over the blocks of C that a thread block computes. A thread
 * block at this limit takes 0.3 ms with the largest blocks. A larger launch has more thread blocks,
 * because work of higher priority on other streams can start only when a thread block ends. In
 * place, a thread block computes at least one block row or block column, even beyond the limit. */
constexpr int max_k_of_thread_block = 4096;

/* Launches the kernel with as many slots as fit into shared memory, at most max_slots. The grid is
 * a multiple of the number of multiprocessors, unless there are fewer work items. */
template <typename Shape, bool a_k_first, bool b_k_first, int capacity, typename T>
int launch_products_of(startile_exec *x, const product_group<T> &g, bool in_place)
{
    const product_arguments<T, capacity> arguments =
        product_arguments_of<Shape, T, capacity>(g, in_place);
    if (arguments.work_items == 0)
        return 0;
    constexpr int bytes = product_slots<T, Shape, a_k_first, b_k_first>::bytes;
    const int slots = std::min((x->max_smem - mbarriers_bytes) / bytes, max_slots);
    const int rounds = std::max(1, max_k_of_thread_block / g.k);
    const int64_t waves = ceil_div(arguments.work_items, int64_t(rounds) * x->multiprocessors);
    const int64_t grid = std::min<int64_t>(arguments.work_items, waves * x->multiprocessors);
    return launch_dependent_with_smem(x, product_kernel<T, Shape, a_k_first, b_k_first, capacity>,
                                      static_cast<unsigned int>(grid), product_threads,
                                      mbarriers_bytes + slots * bytes, arguments, slots);
}

/* Largest number of pieces for which the smaller kernel arguments are used, which launch faster; an
 * estimate */
constexpr int few_products = 24;

template <typename Shape, bool a_k_first, bool b_k_first, typename T>
int launch_products(startile_exec *x, const product_group<T> &g, bool in_place)
{
    return g.pieces <= few_products
               ? launch_products_of<Shape, a_k_first, b_k_first, few_products>(x, g, in_place)
               : launch_products_of<Shape, a_k_first, b_k_first, max_products>(x, g, in_place);
}

/* Launches a group, not in place. Both factors may be transposed. */
template <typename Shape, typename T>
int launch_any_products(startile_exec *x, const product_group<T> &g)
{
    const bool a_k_first = g.transa != 'N', b_k_first = g.transb == 'N';
    return a_k_first ? (b_k_first ? launch_products<Shape, true, true>(x, g, false)
                                  : launch_products<Shape, true, false>(x, g, false))
                     : (b_k_first ? launch_products<Shape, false, true>(x, g, false)
                                  : launch_products<Shape, false, false>(x, g, false));
}

/* Launches a group with a triangle on one side. The factor on the other side is not transposed. */
template <typename Right, typename Left, typename T>
int launch_triangle(startile_exec *x, const product_group<T> &g, bool in_place)
{
    if (g.triangle_is_left)
        return g.transa != 'N' ? launch_products<Left, true, true>(x, g, in_place)
                               : launch_products<Left, false, true>(x, g, in_place);
    return g.transb == 'N' ? launch_products<Right, false, true>(x, g, in_place)
                           : launch_products<Right, false, false>(x, g, in_place);
}

/* Returns the estimated time of the thread block with the most work, in multiples of the time of
 * one element of C. */
template <typename Shape, typename T>
int64_t longest_time(startile_exec *x, const product_group<T> &g)
{
    int64_t work_items = 0;
    for (int q = 0; q < g.pieces; q++)
        work_items += count_work_items<Shape>(g.piece[q].m, g.piece[q].n, g.piece[q].uplo != 'G',
                                              false, g.triangle_is_left);
    return ceil_div(work_items, x->multiprocessors) * int64_t(Shape::bm * Shape::bn);
}

/* Time per element of C for half and small blocks, relative to wide ones: smaller blocks need more
 * reads. The factors are above the measured ones (full H200, C of 8192 × 512 and 2048 × 2048, k =
 * 512: 1.00 to 1.01 for half blocks, 1.28 to 1.30 for small ones; perf_models/NOTES.md,
 * "Products"), so that larger blocks are chosen where the times are close. */
constexpr double half_is_slower = 1.02, small_is_slower = 1.4;

/* Chooses the shape of the blocks and launches. Right, Left: shapes for a triangle on that side, if
 * the other factor is not transposed. Wide, Half, Small: shapes for all other groups */
template <typename Wide, typename Half, typename Small, typename Right, typename Left, typename T>
int multiply_group_by_shape(startile_exec *x, const product_group<T> &g)
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
    const double wide = longest_time<Wide>(x, g), half = longest_time<Half>(x, g) * half_is_slower;
    const double small = longest_time<Small>(x, g) * small_is_slower;
    return wide <= std::min(half, small) ? launch_any_products<Wide>(x, g)
           : half <= small               ? launch_any_products<Half>(x, g)
                                         : launch_any_products<Small>(x, g);
}

} // namespace startile_cuda

#endif
