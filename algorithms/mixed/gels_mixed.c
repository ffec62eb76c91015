/*
 * Least squares by QR in single precision and refinement of the normal equations: Aᴴ A X = Aᴴ B is
 * solved with the factor R of the QR factorization of A, D := R⁻¹ R⁻ᴴ Aᴴ (B − A X). The products
 * with A and Aᴴ are in double precision, and Aᴴ A is not formed. (Björck, Numerical Methods for
 * Least Squares Problems, 1996, section 6.6.5, corrected seminormal equations)
 *
 * A step shrinks the error by about cond(A) times the roundoff of the factorization. The error that
 * remains is that of a backward stable method, because R only decides how fast it shrinks.
 */
#include "mixed.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "startile_mixed.h"

#include <math.h>

/* Scales columns by their sums. */
static void convert(context ctx, iteration *it)
{
    const mixed_system *s = it->system;
    for (part p = first_part(ctx, s->A); p.rows.A != NULL; p = next_part(p))
        if (is_own_part(p.rows)) {
            insert_abs_sums(p.ctx, 'I', p.rows, s->row_sums); /* row_sums_i += Σ_j |a_ij| */
            insert_abs_sums(p.ctx, '1', p.rows, s->column);   /* column_j += Σ_i |a_ij| */
        }
    values_join(ctx, s->row_sums, JOIN_BY_SUM);
    values_join(ctx, s->column, JOIN_BY_SUM);
    for (part p = first_part(ctx, s->A); p.rows.A != NULL; p = next_part(p))
        if (is_own_part(p.rows))
            /* F(:,j) := A(:,j) f(column_j) */
            insert_lag2(p.ctx, 0, p.rows, NULL, s->column, false, false, same_rows(s->F, p.rows));
}

static void factor(iteration *it)
{
    const mixed_system *s = it->system;
    context ctx = context_of(s->low);
    startile_shape f = startile_matrix_shape(s->F);
    startile_shape of_t = {.m = f.nb, .n = f.n, .mb = f.nb, .nb = f.nb};
    startile_matrix *T = temporary_on_grid(ctx, s->A, f.dtype, of_t);
    if (T != NULL && factor_by_panels(ctx, s->F, T)) /* F = Q R */
        invert_diagonal_blocks(ctx, it, 'U', 'N', s->WL);
}

/* Submits V := op(R)⁻¹ V. */
static void solve_with_r(context ctx, const mixed_system *s, char trans, startile_matrix *V)
{
    if (startile_matrix_grid(V) != NULL)
        substitute_all(ctx, 'U', trans, 'N', s->F, V);
    else
        substitute_factor(ctx, s, 'U', trans, 'N', s->WL, V);
}

static void solve(context ctx, iteration *it, startile_matrix *V)
{
    solve_with_r(ctx, it->system, 'C', V); /* V := R⁻ᴴ V */
    it->maxima[it->submitted - 1].projected = column_maxima_of(ctx, it, V, NULL);
    solve_with_r(ctx, it->system, 'N', V); /* V := R⁻¹ V */
}

/* Submits R := Aᴴ E. */
static void find_normal_residual(context ctx, const iteration *it)
{
    const mixed_system *s = it->system;
    view R = view_of(it->R, 'N');
    if (rows_are_split_alike(s->A, it->E)) {
        submit_gemm('C', 'N', 1, s->A, it->E, 0, it->R, ctx.request);
        return;
    }
    for (int64_t k = 0; k < R.mt; k++) {
        ctx = begin_paced_step(ctx, s->A, ctx.step);
        for (int64_t c = 0; c < R.nt; c++)
            /* R(k,c) := A(:,k)^H E(:,c) */
            insert_column_product(ctx, 0, 1, rows_from(s->A, k, 0), rows_from(it->E, c, 0), 0,
                                  at(R, k, c));
        end_step(ctx);
    }
}

static void find_first_residual(context ctx, iteration *it)
{
    submit_lacpy('G', it->B, it->E, ctx.request); /* E := B */
    find_normal_residual(ctx, it);
}

static void update_residual(context ctx, iteration *it)
{
    find_residual(ctx, it->system->A, it->X, it->B, it->E); /* E := B - A X */
    it->maxima[it->submitted - 1].e = column_maxima_of(ctx, it, it->E, NULL);
    find_normal_residual(ctx, it);
}

/* Returns the smaller of
 * - max_i |Aᴴ e|_i / (‖a_i‖₁ ‖e‖∞) for the columns a_i of A, which is 0 for the solution;
 * - ‖Qᴴ e‖∞ / (‖A‖∞ ‖x‖∞) for the residual e before the last correction, and x before or after it,
 *   whichever is smaller. The part Q Qᴴ e of e in the range of A is 0 for the solution: x solves
 * the problem with B − Q Qᴴ e exactly.
 *
 * The first is large if e is hardly more than rounding errors, and then the second is small.
 * Returns NaN if Aᴴ e may have under- or overflowed. */
static double error_of(const mixed_solver *s, int i, int64_t column)
{
    const iteration *it = &s->iteration;
    const errors *found = &s->errors;
    const double least = 1e-280, most = 1e290;
    const column_maxima *m = &it->maxima[i], *before = i == 0 ? &it->before : m - 1;
    double g = values_read(m->r)[column], e = values_read(m->e)[column],
           x = values_read(m->x)[column], f_r = scale_factor(values_read(before->r)[column]);
    if (e == 0)
        return 0;
    if (!(e * found->least_scale > least && e * found->largest_scale < most))
        return NAN;
    double angle = g / found->least_sum / e;
    if (i == 0)
        return angle;
    double x_before = values_read(before->x)[column],
           projected = values_read(m->projected)[column] / f_r / found->largest_sum /
                       (x_before < x ? x_before : x);
    return projected < angle ? projected : angle;
}

static void solve_in_double(const iteration *it, startile_request *full)
{
    const mixed_system *s = it->system;
    context ctx = context_of(full);
    startile_matrix *Y = temporary_like(ctx, it->B);
    if (Y == NULL)
        return;
    submit_lacpy('G', it->B, Y, full); /* Y := B */
    submit_gels('N', s->A, Y, full);
    for (part p = first_part(ctx, it->X); p.rows.A != NULL; p = next_part(p))
        insert_copy(p.ctx, 0, 'G', same_rows(Y, p.rows), p.rows); /* X := Y(0:n,:) */
}

static const mixed_steps by_qr = {.is_least_squares = true,
                                  .convert = convert,
                                  .factor = factor,
                                  .solve = solve,
                                  .find_first_residual = find_first_residual,
                                  .find_residual = update_residual,
                                  .error = error_of,
                                  .solve_in_double = solve_in_double};

int submit_gels_mixed(startile_matrix *A, const startile_matrix *B, startile_matrix *X,
                      const startile_mixed_options *options, startile_mixed_result *result,
                      startile_request *request)
{
    startile_shape a = startile_matrix_shape(A), x = startile_matrix_shape(X);
    if (A == NULL || a.m < a.n || !has_panels(A) || !is_double_precision(A))
        return -1;
    if (!is_right_hand_side(B, A))
        return -2;
    if (X == NULL || !have_same_type_and_grid(A, X) || x.m != a.n || !is_solution_of(X, B, A))
        return -3;
    startile_mixed_options o;
    if (!read_mixed_options(&o, options) || o.method == STARTILE_METHOD_GMRES)
        return -4;
    if (!has_valid_size(result))
        return -5;
    if (request == NULL)
        return -6;
    o.method = STARTILE_METHOD_REFINEMENT;
    if (has_capacity_for_working_set(context_of(request), GELS_BY_PANELS, A, B))
        solve_mixed(&by_qr, 'Q', A, NULL, B, X, &o, result, request);
    return 0;
}
