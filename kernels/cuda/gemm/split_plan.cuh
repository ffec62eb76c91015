/*
 * Host side: chooses the launches that multiply split factors.
 */
#ifndef STARTILE_SPLIT_PLAN_CUH
#define STARTILE_SPLIT_PLAN_CUH

#include "gemm/split_block.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Arguments of the launches for one range of k, on the host */
struct split_plan {
    split_factors factors;
    split_arguments arguments;
    int unit_rows; /* number of rows of units of all factors */
};

/* Adds a factor to the plan and returns the index of its first row of units. side: 0 for op(A), 1
 * for op(B). A factor that occurs twice is added once: all products of a tile column share a
 * factor, and a real diagonal tile is multiplied by itself. */
inline int add_factor(split_plan &plan, split_factor f, int side)
{
    split_factors &to = plan.factors;
    for (int i = to.count - 1; i >= 0; i--)
        if (to.factor[i].p == f.p && to.factor[i].ld == f.ld && to.factor[i].length == f.length &&
            to.factor[i].along == f.along && to.factor[i].kind == f.kind &&
            to.factor[i].imaginary_sign == f.imaginary_sign) {
            to.factor[i].used_as[side] = true;
            return to.factor[i].first_unit_row;
        }
    f.first_unit_row = plan.unit_rows;
    f.used_as[side] = true;
    f.is_aligned = reinterpret_cast<uintptr_t>(f.p) % 16 == 0 &&
                   f.ld * (f.kind == real_factor ? 1 : 2) % 4 == 0;
    plan.unit_rows += unit_rows(f.length);
    to.factor[to.count++] = f;
    return f.first_unit_row;
}

/* Plans the launch for the pieces from number `first` on and for k from k0 on. */
template <typename Format, typename T>
void make_plan(split_plan &plan, const product_group<T> &g, int first, int k0)
{
    constexpr int parts = parts_of<T>;
    constexpr factor_kind left = parts == 2 ? complex_left : real_factor,
                          right = parts == 2 ? complex_right : real_factor;
    /* equal for both factors of a real group, which may be the same tile */
    const int sign_a = parts == 2 && g.transa == 'C' ? -1 : 1,
              sign_b = parts == 2 && g.transb == 'C' ? -1 : 1;
    const auto numbers = [](auto *p) { return reinterpret_cast<const float *>(p); };
    plan.unit_rows = plan.factors.count = 0;
    split_arguments &to = plan.arguments;
    to.pieces = std::min(g.pieces - first, split_max_pieces);
    to.tiles = 0;
    to.alpha = real_part(g.alpha);
    to.hermitian = g.hermitian;
    to.triangle = g.triangle;
    to.triangle_is_left = g.triangle_is_left;
    to.c_is_aligned = true;
    for (int q = 0; q < to.pieces; q++) {
        const product_piece<T> &p = g.piece[first + q];
        const bool along_a = g.transa == 'N', along_b = g.transb != 'N';
        const T *from_a = p.a + (along_a ? int64_t(k0) * p.lda : k0),
                *from_b = p.b + (along_b ? int64_t(k0) * p.ldb : k0);
        const int m = parts * p.m, ldc = parts * p.ldc;
        split_factor a = {numbers(from_a), p.lda, m, left, sign_a};
        split_factor b = {numbers(from_b), p.ldb, p.n, right, sign_b};
        a.along = along_a;
        b.along = along_b;
        to.piece[q] = {reinterpret_cast<float *>(p.c),
                       ldc,
                       m,
                       p.n,
                       {add_factor(plan, a, 0), add_factor(plan, b, 1)},
                       p.uplo};
        to.first_tile[q] = to.tiles;
        to.tiles += split_order<Format, parts>::tiles_of_piece(p.uplo, m, p.n);
        to.c_is_aligned = to.c_is_aligned && ldc % 2 == 0 &&
                          reinterpret_cast<uintptr_t>(p.c) % sizeof(float2) == 0;
    }
}

} // namespace startile_cuda

#endif
