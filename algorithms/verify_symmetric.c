/* Detection of silent corruption in symmetric indefinite factorizations (verify.h): P A Pᵀ = L D
 * op(L) by Bunch–Kaufman, P A Pᵀ = L T op(L) by Aasen's method, where op is ᵀ or ᴴ. */
#include "aasen.h"
#include "data/pivots.h"
#include "data/temporary.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "grid/partial_sums.h"
#include "ldl.h"
#include "operations/insert_checksum.h"
#include "verify.h"

/* Returns block k of a checksum. */
static column block_of(const startile_matrix *S, int64_t k)
{
    startile_shape s = startile_matrix_shape(S);
    int64_t row = k * s.mb;
    return rows_of(S, 0, row, s.mb < s.m - row ? s.mb : s.m - row);
}

verification verify_before_symmetric(context ctx, const plan *p)
{
    startile_shape s = startile_matrix_shape(p->A);
    view L = view_of(p->A, p->uplo == 'L' ? 'N' : p->op);
    verification v = new_verification(ctx, p->name, L, s.n, s.nb, s.n, s.nb, s.n, s.nb, false);
    if (v.report == NULL)
        return v;
    v.report->last_step = UNKNOWN;
    v.report->is_complete = true;
    add_symmetric_checksum(ctx, &v, p->op, L);
    return v;
}

/* Submits S := S + op(T) W for the triangle or trapezoid T in tile rows first … end − 1 of block
 * column j of V, whose columns correspond to block k of the checksum S (op 'T' or 'C') or W ('N').
 * uplo 'L': the first of these tiles is a lower triangle; 'U': the last one is an upper triangle.
 */
static void add_product(context ctx, char op, char uplo, char diag, view V, int64_t j,
                        int64_t first, int64_t end, int64_t k, const startile_matrix *W,
                        const startile_matrix *S)
{
    startile_shape s = startile_matrix_shape(W);
    for_own_ranges(r, V, j, first, NO_INDEX) {
        if (r.i >= end)
            return;
        r.count = r.count < end - r.i ? r.count : end - r.i;
        bool has_triangle = uplo == 'L' ? r.i == first : r.i + r.count == end;
        int64_t row = r.i * s.mb, below = row + r.count * s.mb;
        int64_t rows = (below < s.m ? below : s.m) - row;
        insert_checksum(ctx, 0, op, has_triangle ? uplo : 'G', diag, 1, r,
                        op == 'N' ? block_of(W, k) : rows_of(W, 0, row, rows),
                        op == 'N' ? rows_of(S, 0, row, rows) : block_of(S, k), NULL);
    }
}

/* -- Bunch–Kaufman ------------------------------------------------------------------------------
 */

/* Submits S := S + op(L) W for the factor L or U with all interchanges, op 'N', 'T' or 'C'. Its
 * block columns are temporaries, one at a time. */
static void multiply_by_factor(context ctx, char op, const plan *p, const startile_matrix *W,
                               const startile_matrix *S)
{
    startile_shape s = startile_matrix_shape(p->A);
    for (int64_t k = 0; k < s.nt; k++) {
        bool is_lower = p->uplo == 'L';
        context step = begin_paced_step(ctx, p->A, ctx.step);
        startile_matrix *T =
            temporary_matrix(step, p->A, s.n, pivots_in_panel(p->A, k), s.nb, s.nb);
        if (T == NULL)
            return;
        insert_ldl_column(step, 0, p->A, k, p->symmetric_pivots, T, 0);
        add_product(step, op, p->uplo, 'U', view_of(T, 'N'), 0, is_lower ? k : 0,
                    is_lower ? s.nt : k + 1, k, W, S);
        end_step(step);
    }
}

/* Reads the factors twice, so that it also finds a bit that flips between the two readings. */
void verify_after_ldl(context ctx, verification *v, const plan *p)
{
    startile_shape s = startile_matrix_shape(p->A);
    startile_matrix *made = temporary_matrix(ctx, p->A, s.n, 2, s.n, 2);
    startile_pivots *order = made == NULL ? NULL : temporary_pivots(ctx, p->A);
    if (order == NULL)
        return;
    tile D = at(view_of(made, 'N'), 0, 0);
    insert_ldl_diagonal(ctx, p->op, p->A, p->symmetric_pivots, false, D);
    insert_ldl_order(ctx, p->symmetric_pivots, order, s.n);
    interchange_rows(ctx, 0, order, false, v->E, NULL); /* E := P E */
    submit_checksum_of_weights(ctx, v, 0, v->X);
    multiply_by_factor(ctx, p->op, p, v->X, v->Y);             /* Y := op(L) P E */
    insert_ldl_checksum(ctx, p->op, D, rows_from(v->Y, 0, 0)); /* Y := D Y */
    multiply_by_factor(ctx, 'N', p, v->Y, v->D);               /* D := L Y */
    interchange_rows(ctx, 0, order, true, v->D, NULL);         /* D := P^T D */
    compare_checksums(ctx, v, v->C, v->D);
}

/* -- Aasen --------------------------------------------------------------------------------------
 */

/* Submits S := L W or op(L) W, for S = 0. The first block column of L is that of the identity;
 * block column k is that of the view of A left of it. */
static void multiply_by_l(context ctx, char op, const plan *p, const startile_matrix *W,
                          const startile_matrix *S)
{
    if (is_own_tile(at(p->V, 0, 0)))
        insert_lacpy(ctx, 'G', at(view_of(W, 'N'), 0, 0), at(view_of(S, 'N'), 0, 0));
    for (int64_t k = 1; k < p->V.nt; k++)
        add_product(ctx, op, 'L', 'U', p->V, k - 1, k, p->V.nt, k, W, S);
}

/* Submits S := Q^T L' U W, for the factors of the band matrix T = Q^T L' U and S = 0. */
static void multiply_by_band(context ctx, const plan *p, const startile_matrix *W,
                             const startile_matrix *S)
{
    startile_shape s = startile_matrix_shape(W);
    view band = view_of(p->band, 'N');
    startile_matrix *UW = partial_sums(ctx, p->A, s.m, s.n, s.mb);
    if (UW == NULL)
        return;
    for (int64_t k = 0; k < band.nt; k++) /* UW += U(:,k) W(k) */
        add_product(ctx, 'N', 'U', 'N', band, k, k > 2 ? k - 2 : 0, k + 1, k, W, UW);
    join_partial_sums(ctx, p->A, UW);
    for (int64_t k = band.nt - 1; k >= 0; k--) {
        column rows = band_lower(p->band, k).columns;
        /* S(k:k+1) := Q_k^T (S(k:k+1) + L'(k:k+1,k) UW(k)) */
        add_product(ctx, 'N', 'L', 'U', band, k, k, k + 2 < band.nt ? k + 2 : band.nt, k, UW, S);
        send_pivots_to_all(ctx, p->band_pivots, k, p->A);
        insert_laswp(ctx, 0, p->band_pivots, k, k + 1, true, rows_of(S, 0, rows.row, rows.rows),
                     NULL);
    }
}

void verify_after_ltl(context ctx, verification *v, const plan *p)
{
    startile_shape s = startile_matrix_shape(v->Y);
    startile_matrix *Z = partial_sums(ctx, p->A, s.m, s.n, s.mb);
    if (Z == NULL)
        return;
    interchange_rows(ctx, 0, p->P, false, v->E, NULL); /* E := P E */
    submit_checksum_of_weights(ctx, v, 0, v->X);
    multiply_by_l(ctx, p->op, p, v->X, v->Y); /* Y := op(L) P E */
    join_partial_sums(ctx, p->A, v->Y);
    multiply_by_band(ctx, p, v->Y, Z); /* Z := T Y */
    join_partial_sums(ctx, p->A, Z);
    multiply_by_l(ctx, 'N', p, Z, v->D); /* D := L Z */
    for (int64_t k = 0; k < pivots_panels(p->P); k++)
        send_pivots_to_all(ctx, p->P, k, p->A);
    interchange_rows(ctx, 0, p->P, true, v->D, NULL); /* D := P^T D */
    compare_checksums(ctx, v, v->C, v->D);
}
