/* Detection of silent corruption in products and triangular solves (verify.h) */
#include "operations/insert_norms.h"
#include "verify.h"

#include <complex.h>

/* Returns rows `row` … of one tile of `tile_rows` rows in a checksum, cut at its last row. */
static column part(const startile_matrix *W, int64_t index)
{
    startile_shape s = startile_matrix_shape(W);
    int64_t row = index * s.mb;
    return rows_of(W, 0, row, s.m - row < s.mb ? s.m - row : s.mb);
}

static column whole(const startile_matrix *W)
{
    return below(W, 0, 0);
}

/* Returns the tile width of the view. */
static int64_t tile_width(view V)
{
    startile_shape s = startile_matrix_shape(V.A);
    return V.op == 'N' ? s.nb : s.mb;
}

/* Submits S(j) += alpha V(:,j)^H W for the block columns of the view. */
static void add_sums(context ctx, startile_complex alpha, view V, const startile_matrix *W,
                     const startile_matrix *S)
{
    for (int64_t j = 0; j < V.nt; j++)
        verify_sums(ctx, 2 * (V.nt - j), 'G', 'N', alpha, V, 0, V.mt, j, whole(W), part(S, j),
                    NULL);
}

/* C has the checksum of the result, D that of the operands: a column of a result that should be
 * finite is checked only if the operands are finite. */
verification verify_gemm(context ctx, startile_complex alpha, view A, view B, startile_complex beta,
                         view C)
{
    startile_shape c = startile_matrix_shape(C.A), b = startile_matrix_shape(B.A);
    int64_t k = B.op == 'N' ? b.m : b.n;
    verification v = verify_begin(ctx, "gemm", C, c.m, c.n, c.nb, k > 0 ? k : 1,
                                  k > 0 ? tile_width(A) : 1, 1, false);
    if (v.routine == NULL)
        return v;
    v.last_step = BY_PRODUCTS;
    v.steps = alpha != 0 && k > 0 ? A.nt : 1;
    if (beta != 0) /* D := beta' C^H E */
        add_sums(ctx, conj(beta), C, v.W, v.D);
    if (alpha != 0 && k > 0) {
        add_sums(ctx, conj(alpha), A, v.W, v.Y); /* Y := alpha' A^H E */
        add_sums(ctx, 1, B, v.Y, v.D);           /* D += B^H Y */
    }
    return v;
}

void verify_gemm_end(context ctx, verification *v, view C)
{
    if (v->routine == NULL)
        return;
    add_sums(ctx, 1, C, v->W, v->C); /* C := C^H E with the result */
    verify_compare(ctx, v, v->D, v->C);
    verify_end(ctx, v);
}

/* The solution with a singular triangle is not finite, and is not checked. */
verification verify_trsm(context ctx, bool is_lower, char diag, startile_complex alpha, view A,
                         view B)
{
    startile_shape a = startile_matrix_shape(A.A), b = startile_matrix_shape(B.A);
    verification v = verify_begin(ctx, "trsm", B, a.n, B.op == 'N' ? b.n : b.m, tile_width(B), a.n,
                                  a.nb, 1, diag == 'N');
    if (v.routine == NULL)
        return v;
    v.last_step = is_lower ? DOWNWARD : UPWARD;
    v.steps = A.nt;
    if (v.diagonal != NULL)
        for (int64_t k = 0; k < A.nt; k++)
            insert_diagonal_roots(ctx, at(A, k, k), v.diagonal);
    add_sums(ctx, conj(alpha), B, v.W, v.C); /* C := alpha' B^H E */
    for (int64_t k = 0; k < A.nt; k++) {     /* Y(k) := A(:,k)^H E */
        int64_t first = is_lower ? k : 0, end = is_lower ? A.nt : k + 1;
        int64_t row = first * a.nb, below_end = end * a.nb < a.n ? end * a.nb : a.n;
        verify_sums(ctx, 2 * (A.nt - k), is_lower ? 'L' : 'U', diag, 1, A, first, end, k,
                    rows_of(v.W, 0, row, below_end - row), part(v.Y, k), NULL);
    }
    return v;
}

void verify_trsm_end(context ctx, verification *v, view B)
{
    if (v->routine == NULL)
        return;
    add_sums(ctx, 1, B, v->Y, v->D); /* D := X^H Y */
    verify_compare(ctx, v, v->C, v->D);
    verify_pair(ctx, v, 1, v->columns, v->Y, v->Y); /* finds elements of A that are not finite */
    verify_end(ctx, v);
}
