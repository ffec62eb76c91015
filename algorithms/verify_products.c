/* Detection of silent corruption in products and triangular solves (verify.h) */
#include "grid/owner.h"
#include "grid/partial_sums.h"
#include "operations/insert_norms.h"
#include "verify.h"

#include <complex.h>

/* Returns tile `index` of a checksum. */
static column checksum_tile(const startile_matrix *S, int64_t index)
{
    startile_shape s = startile_matrix_shape(S);
    int64_t row = index * s.mb;
    return rows_of(S, 0, row, s.m - row < s.mb ? s.m - row : s.mb);
}

/* Return the height and the width of the view's tiles. */
static int64_t tile_height(view V)
{
    startile_shape s = startile_matrix_shape(V.A);
    return V.op == 'N' ? s.mb : s.nb;
}

static int64_t tile_width(view V)
{
    startile_shape s = startile_matrix_shape(V.A);
    return V.op == 'N' ? s.nb : s.mb;
}

/* Submits S(j) += alpha V(:,j)^H W for the block columns of the view. */
static void add_checksums(context ctx, startile_complex alpha, view V, const startile_matrix *W,
                          const startile_matrix *S)
{
    ctx = begin_step(ctx, V.A, ctx.step);
    for_own_columns(j, V, 0, V.nt)
        add_column_checksum(ctx, 2 * (V.nt - j), 'G', 'N', alpha, V, 0, V.mt, j, W,
                            checksum_tile(S, j), NULL);
    end_step(ctx);
}

/* D has the checksum of the operands, C that of the result. D is the `input` of the comparison, so
 * a column is checked only if its operands are finite. */
verification verify_before_gemm(context ctx, const plan *p)
{
    view A = p->left, B = p->right, C = p->V;
    startile_shape c = startile_matrix_shape(C.A), b = startile_matrix_shape(B.A);
    int64_t m = C.op == 'N' ? c.m : c.n, n = C.op == 'N' ? c.n : c.m, k = B.op == 'N' ? b.m : b.n;
    verification v = new_verification(ctx, p->name, C, m, tile_height(C), n, tile_width(C),
                                      k > 0 ? k : 1, k > 0 ? tile_width(A) : 1, false);
    if (v.report == NULL)
        return v;
    v.report->last_step = BY_PRODUCTS;
    v.report->steps = p->alpha != 0 && k > 0 ? A.nt : 1;
    if (p->beta != 0) /* D := conj(beta) C^H E */
        add_checksums(ctx, conj(p->beta), C, v.W, v.D);
    if (p->alpha != 0 && k > 0)
        add_checksums(ctx, conj(p->alpha), A, v.W, v.Y); /* Y := conj(alpha) A^H E */
    return v;
}

void verify_after_gemm(context ctx, verification *v, const plan *p)
{
    join_partial_sums(ctx, v->A, v->Y);
    if (p->alpha != 0 && p->right.mt > 0)
        add_checksums(ctx, 1, p->right, v->Y, v->D); /* D += B^H Y */
    add_checksums(ctx, 1, p->V, v->W, v->C);         /* C := C^H E with the result */
    compare_checksums(ctx, v, v->D, v->C);
}

/* With report->diagonal the decision does not check the solution for a singular triangle, which is
 * not finite. */
verification verify_before_trsm(context ctx, const plan *p)
{
    view A = p->left, B = p->V;
    startile_shape a = startile_matrix_shape(A.A), b = startile_matrix_shape(B.A);
    bool is_lower = is_lower_as_seen(p);
    verification v = new_verification(ctx, p->name, B, a.n, a.nb, B.op == 'N' ? b.n : b.m,
                                      tile_width(B), a.n, a.nb, p->diag == 'N');
    if (v.report == NULL)
        return v;
    v.report->last_step = is_lower ? DOWNWARD : UPWARD;
    v.report->steps = A.nt;
    add_checksums(ctx, conj(p->alpha), B, v.W, v.C); /* C := conj(alpha) B^H E */
    ctx = begin_step(ctx, A.A, ctx.step);
    for_own_columns(k, A, 0, A.nt) {
        int64_t first = is_lower ? k : 0, end = is_lower ? A.nt : k + 1;
        if (v.report->diagonal != NULL && is_own_tile(at(A, k, k)))
            insert_diagonal_roots(ctx, at(A, k, k), v.report->diagonal);
        /* Y(k) := A(:,k)^H E */
        add_column_checksum(ctx, 2 * (A.nt - k), is_lower ? 'L' : 'U', p->diag, 1, A, first, end, k,
                            v.W, checksum_tile(v.Y, k), NULL);
    }
    end_step(ctx);
    return v;
}

void verify_after_trsm(context ctx, verification *v, const plan *p)
{
    join_partial_sums(ctx, v->A, v->Y);
    add_checksums(ctx, 1, p->V, v->Y, v->D); /* D := X^H Y */
    compare_checksums(ctx, v, v->C, v->D);
    /* finds elements of A that are not finite */
    compare_within(ctx, v, 1, v->report->columns, v->Y, v->Y);
}
