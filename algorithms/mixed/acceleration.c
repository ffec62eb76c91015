/*
 * Acceleration of refinement: Anderson's, with one earlier step (Walker & Ni, SIAM J. Numer. Anal.
 * 49, 2011). Each column is a system of its own. D is the correction in the scaled system, G = X +
 * D the solution of plain refinement, D' and G' those of the step before:
 *
 *     t := the number with the least ‖D − t (D' − D)‖₂;  X := G + t V, where V = G − G'
 *
 * V is the correction plus t' V', because X = G' + t' V' with the t' and V' of the step before.
 *
 * The errors of refinement often lie in one direction, that of A's smallest singular value, and
 * shrink by one factor. Then X is the limit of their geometric series: 3 or 4 steps suffice instead
 * of 6 to 11 (test_mixed.c). Without rounding errors the next correction is a linear map of
 * D − t (D' − D), which is at most as large as D; in plain refinement it is this map of D.
 */
#include "mixed.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"

enum { BUFFERS = 4 }; /* matrices like X */

/* Acceleration follows a step that has reduced the error by this factor; the value is an estimate,
 * not a measurement. Where refinement hardly converges, GMRES is the better remedy (test_gmres() of
 * test_mixed.c). */
enum { GAIN_OF_LAST_STEP = 4 };

/* Acceleration needs residuals from the reciprocal of this number up to this number. A correction
 * is a number in single precision times about the residual, and its square must not over- or
 * underflow. */
static const double largest_residual = 1e100;

bool make_buffers(context ctx, iteration *it)
{
    const startile_matrix *X = it->X;
    startile_shape x = startile_matrix_shape(X);
    bool is_complete = true;
    if (!is_within_workspace_limit(it, BUFFERS))
        return true;
    for (int i = 0; i < 2; i++) {
        it->corrections[i] = temporary_on_grid(ctx, X, x.dtype, x);
        it->differences[i] = temporary_on_grid(ctx, X, x.dtype, x);
        is_complete = is_complete && it->corrections[i] != NULL && it->differences[i] != NULL;
    }
    return is_complete;
}

bool can_accelerate(const mixed_solver *s, int i)
{
    const iteration *it = &s->iteration;
    bool can = i > 0 && it->corrections[0] != NULL &&
               GAIN_OF_LAST_STEP * s->errors.error <= s->errors.last_error;
    for (int64_t j = 0; j < it->nrhs && can; j++) {
        double r = values_read(it->maxima[i].r_scaled)[j];
        can = r == 0 || (r < largest_residual && r > 1 / largest_residual);
    }
    return can;
}

void accelerate(context ctx, iteration *it, const values *r)
{
    const mixed_system *s = it->system;
    const int now = it->submitted % 2, before = 1 - now;
    startile_matrix *D = it->corrections[now], *V = it->differences[now],
                    *last_D = it->corrections[before], *last_V = it->differences[before];
    if (D == NULL)
        return;
    for (part p = first_part(ctx, D); p.rows.A != NULL; p = next_part(p)) {
        column S_j = same_rows(it->S, p.rows);
        /* D := S / f(r), V := f(column) S / f(r) */
        insert_lag2(p.ctx, 0, S_j, NULL, r, true, false, p.rows);
        insert_lag2(p.ctx, 0, S_j, s->column, r, true, false, same_rows(V, p.rows));
    }
    if (it->product != NULL)
        add_columns(ctx, 1, it->product, it->norm, last_V, V); /* V := V + t' V' */
    it->product = it->norm = NULL;
    if (!it->accelerates)
        return;
    add_columns(ctx, -1, NULL, NULL, D, last_D); /* D' := D' - D */
    values *product = column_dots_of(ctx, it, last_D, D),
           *norm = column_dots_of(ctx, it, last_D, last_D);
    if (product == NULL || norm == NULL)
        return;
    add_columns(ctx, 1, product, norm, V, it->X); /* X := X + t V, t = D'^H D / D'^H D' */
    it->product = product;
    it->norm = norm;
}
