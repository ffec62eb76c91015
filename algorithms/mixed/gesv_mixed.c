/* Solution by LU in single precision and refinement (LAPACK xSGESV, xCGESV). */
#include "data/pivots.h"
#include "memory/capacity.h"
#include "mixed.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "startile_mixed.h"

/* Scales rows by their sums, then columns by their maxima. (LAPACK's xGEEQU uses maxima for both.)
 * The rows need one pass over A; the columns are scaled as they are converted. */
static void convert(context ctx, iteration *it)
{
    const mixed_system *s = it->system;
    if (takes_whole(s->A, it->X))
        insert_whole_abs_sums(ctx, 'G', s->A, s->row); /* row_i := Σ_j |a_ij| */
    else
        for (part p = first_part(ctx, s->A); p.rows.A != NULL; p = next_part(p))
            if (is_own_part(p.rows))
                insert_abs_sums(p.ctx, 'I', p.rows, s->row); /* row_i += Σ_j |a_ij| */
    values_join(ctx, s->row, JOIN_BY_SUM);
    for (part p = first_part(ctx, s->A); p.rows.A != NULL; p = next_part(p))
        if (is_own_part(p.rows))
            /* column_j := max_i f(row_i) |a_ij| */
            insert_column_maxima(p.ctx, p.rows, s->row, s->column);
    values_join(ctx, s->column, JOIN_BY_LARGEST);
    for (part p = first_part(ctx, s->A); p.rows.A != NULL; p = next_part(p))
        if (is_own_part(p.rows))
            /* F(:,j) := f(row) A(:,j) f(column_j) */
            insert_lag2(p.ctx, 0, p.rows, s->row, s->column, false, false, same_rows(s->F, p.rows));
}

static void factor(iteration *it)
{
    const mixed_system *s = it->system;
    submit_getrf(s->F, s->P, s->low); /* P F = L U */
    context ctx = context_of(s->low);
    invert_diagonal_blocks(ctx, it, 'L', 'U', s->WL);
    invert_diagonal_blocks(ctx, it, 'U', 'N', s->WU);
}

static void solve(context ctx, iteration *it, startile_matrix *V)
{
    const mixed_system *s = it->system;
    /* V := P V, V := L⁻¹ V, V := U⁻¹ V */
    if (startile_matrix_grid(V) != NULL) {
        solve_by_lu(ctx, 'N', factors_for(s, V), s->P, V);
        return;
    }
    if (takes_whole(s->F, V)) {
        solve_whole(ctx, s, 2, (triangular_factor[]){{'L', 'N', 'U'}, {'U', 'N', 'N'}}, V);
        return;
    }
    for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
        insert_laswp(ctx, 0, s->P, 0, pivots_panels(s->P), false, rows_from(V, j, 0), NULL);
    substitute_factor(ctx, s, 'L', 'N', 'U', s->WL, V);
    substitute_factor(ctx, s, 'U', 'N', 'N', s->WU, V);
}

static void update_residual(context ctx, iteration *it)
{
    const mixed_system *s = it->system;
    /* R := B - A X */
    if (takes_whole(s->A, it->X))
        find_whole_residual(ctx, it, 'G');
    else
        find_residual(ctx, s->A, it->X, it->B, it->R);
}

static void abs_product(context ctx, const iteration *it, const startile_matrix *W)
{
    const mixed_system *s = it->system;
    startile_shape a = startile_matrix_shape(s->A);
    for (int64_t k = 0; k < a.nt; k++) {
        ctx = begin_paced_step(ctx, s->A, ctx.step);
        for (part p = first_part(ctx, W); p.rows.A != NULL; p = next_part(p))
            /* W(:,j) += |A(:,k)| * |X(k,j)| */
            insert_abs_gemm_column(p.ctx, rows_of(s->A, k, p.rows.row, p.rows.rows),
                                   rows_of(it->X, p.rows.j, k * a.nb, pivots_in_panel(s->A, k)),
                                   p.rows);
        end_step(ctx);
    }
}

static void solve_in_double(const iteration *it, startile_request *full)
{
    const mixed_system *s = it->system;
    submit_lacpy('G', it->B, it->X, full); /* X := B */
    submit_getrf(s->A, s->P, full);
    solve_by_lu(context_of(full), 'N', s->A, s->P, it->X);
}

static const mixed_steps by_lu = {.convert = convert,
                                  .factor = factor,
                                  .solve = solve,
                                  .find_first_residual = copy_right_hand_side,
                                  .find_residual = update_residual,
                                  .error = rowwise_error,
                                  .abs_product = abs_product,
                                  .solve_in_double = solve_in_double};

int submit_gesv_mixed(startile_matrix *A, startile_pivots *P, const startile_matrix *B,
                      startile_matrix *X, const startile_mixed_options *options,
                      startile_mixed_result *result, startile_request *request)
{
    int wrong = check_factors(A, P);
    if (wrong != 0 || P == NULL)
        return wrong != 0 ? wrong : -2;
    if (!is_double_precision(A))
        return -1;
    if (!is_right_hand_side(B, A))
        return -3;
    if (!is_right_hand_side(X, A) || !is_solution_of(X, B, A))
        return -4;
    startile_mixed_options o;
    if (!read_mixed_options(&o, options))
        return -5;
    if (!has_valid_size(result))
        return -6;
    if (request == NULL)
        return -7;
    if (has_capacity_for_working_set(context_of(request), COLUMN_PRODUCTS, A, B))
        solve_mixed(&by_lu, 0, A, P, B, X, &o, result, request);
    return 0;
}
