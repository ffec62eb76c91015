/*
 * GMRES with the factors as preconditioner, for systems in which refinement stagnates (GMRES-IR:
 * Carson & Higham, SIAM J. Sci. Comput. 40, 2018), in the form of GCR (Eisenstat, Elman & Schultz,
 * SIAM J. Numer. Anal. 20, 1983). A step of refinement gives a direction D and its image Q = A D.
 * Then X and R are moved along the direction to the least ‖R‖₂. Each column is a system of its own:
 *
 *     D := F⁻¹ R;  X' := X + D;  R' := B − A X';  ends if R' is small enough: the solution is X'
 *     Q := R − R'
 *     for the earlier directions:  t := Q_iᴴ Q / Q_iᴴ Q_i;  Q := Q − t Q_i;  D := D − t D_i
 *     t := Qᴴ R / Qᴴ Q;  X := X + t D;  R := R − t Q
 *
 * F⁻¹ is applied in double precision. In single precision its rounding errors differ from step to
 * step, and the directions do not span what makes refinement stagnate.
 */
#include "memory/capacity.h"
#include "mixed.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "request/request.h"

bool has_capacity_for_direction(const iteration *it)
{
    return is_within_workspace_limit(it, (it->directions + 1) * 2);
}

/* Returns the number of columns of F that are converted to double precision at a time, in one of
 * two buffers. Both buffers take at most a sixteenth of A's memory, unless they have the LEAST
 * width. Fewer columns make more tasks. */
static int64_t converted_width(const mixed_system *s)
{
    enum { PARTS = 32, LEAST = 32 };
    int64_t nb = startile_matrix_shape(s->F).nb, width = s->n / PARTS;
    width = width > LEAST ? width : LEAST;
    return width < nb ? width : nb;
}

/* Returns the step of T's columns first … first + n − 1, which is a part of the step T. */
static substitution part_of_step(const substitution *T, int64_t first, int64_t n)
{
    substitution part = *T;
    bool is_lower = T->uplo == 'L';
    part.n = n;
    part.columns.row += is_lower ? first : 0;
    part.columns.rows -= is_lower ? first : T->n - first - n;
    return part;
}

void substitute_in_double(context ctx, const mixed_system *s, char uplo, char trans, char diag,
                          startile_matrix *V)
{
    const bool is_forward = (uplo == 'L') == (trans == 'N');
    const int64_t width = converted_width(s), steps = startile_matrix_shape(s->F).nt;
    int64_t conversions = 0;
    for (int64_t step = 0; step < steps; step++) {
        substitution whole = substitution_step(uplo, trans, diag, s->F, 0, step);
        int64_t parts = (whole.n + width - 1) / width;
        for (int64_t p = 0; p < parts; p++) {
            int64_t first = (is_forward ? p : parts - 1 - p) * width;
            int64_t n = whole.n - first < width ? whole.n - first : width;
            substitution T = part_of_step(&whole, first, n);
            column in_double =
                rows_of(s->converted[conversions++ % 2], 0, T.columns.row, T.columns.rows);
            insert_lag2_columns(ctx, T.columns, first, n, in_double);
            T.columns = in_double;
            for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
                /* V_k := T_k^-1 V_k, V_rest -= T_rest V_k; transposed as in substitute() */
                insert_substitution(ctx, 0, &T, rows_of(V, j, T.columns.row, T.columns.rows));
        }
    }
}

/* Moves X and R from X' and R' to the least ‖R‖ along the newest direction. */
static void minimize(context ctx, iteration *it)
{
    const mixed_system *s = it->system;
    direction *d = &it->direction[it->directions - 1];
    add_columns(ctx, -1, NULL, NULL, it->R, d->Q); /* Q := R - R' */
    add_columns(ctx, 1, NULL, NULL, d->Q, it->R);  /* R := R' + Q */
    add_columns(ctx, -1, NULL, NULL, d->D, it->X); /* X := X' - D */
    for (const direction *e = it->direction; e < d; e++) {
        values *t = column_dots_of(ctx, it, e->Q, d->Q); /* t := Q_i^H Q */
        if (t == NULL)
            return;
        add_columns(ctx, -1, t, e->norm, e->Q, d->Q); /* Q := Q - t / norm Q_i */
        add_columns(ctx, -1, t, e->norm, e->D, d->D); /* D := D - t / norm D_i */
    }
    d->largest_d = column_maxima_of(ctx, it, d->D, NULL);
    d->largest_q = column_maxima_of(ctx, it, d->Q, s->row_sums);
    d->norm = column_dots_of(ctx, it, d->Q, d->Q);
    values *t = column_dots_of(ctx, it, d->Q, it->R); /* t := Q^H R */
    if (d->norm == NULL || t == NULL)
        return;
    add_columns(ctx, 1, t, d->norm, d->D, it->X);  /* X := X + t / norm D */
    add_columns(ctx, -1, t, d->norm, d->Q, it->R); /* R := R - t / norm Q */
}

/* On a grid: submits in_double := F. */
static void convert_factors(context ctx, const mixed_system *s)
{
    startile_shape f = startile_matrix_shape(s->F);
    for (part p = first_part(ctx, s->F); p.rows.A != NULL; p = next_part(p)) {
        int64_t i = p.rows.row / f.mb, j = p.rows.j;
        bool is_factor = s->uplo == 'L' ? i >= j : s->uplo == 'U' ? i <= j : true;
        if (is_factor && is_own_part(p.rows))
            insert_lag2(p.ctx, 0, p.rows, NULL, NULL, false, false,
                        same_rows(s->in_double, p.rows));
    }
}

/* Creates the matrices for F in double precision: on a grid one like F, else two buffers of
 * converted_width() columns. Returns whether memory sufficed. */
static bool create_converted(context ctx, mixed_system *s, startile_dtype dtype)
{
    startile_shape f = startile_matrix_shape(s->F);
    int64_t width = converted_width(s);
    startile_shape of_step = {.m = f.m, .n = width, .mb = f.mb, .nb = width};
    if (startile_matrix_grid(s->A) != NULL) {
        s->in_double = temporary_on_grid(ctx, s->A, dtype, f);
        return s->in_double != NULL;
    }
    for (int i = 0; i < 2; i++)
        s->converted[i] = temporary_of_type(ctx, dtype, of_step);
    return s->converted[0] != NULL && s->converted[1] != NULL;
}

/* Creates the matrices of a direction, and those for F before the first direction. Returns false if
 * memory did not suffice, or the request has failed. */
static bool new_direction(context ctx, const iteration *it, direction *d)
{
    mixed_system *s = it->system;
    startile_shape r = startile_matrix_shape(it->X);
    bool is_first = s->converted[0] == NULL && s->in_double == NULL && !takes_whole(s->F, it->R);
    bool is_complete = !is_first || create_converted(ctx, s, r.dtype);
    d->D = temporary_on_grid(ctx, s->A, r.dtype, r);
    d->Q = temporary_on_grid(ctx, s->A, r.dtype, r);
    is_complete = is_complete && d->D != NULL && d->Q != NULL;
    request_fail(s->low, is_complete ? 0 : STARTILE_ERROR_MEMORY);
    if (request_agree(s->low) != 0)
        return false;
    if (is_first && s->in_double != NULL)
        convert_factors(ctx, s);
    return true;
}

void step_of_gmres(iteration *it)
{
    const mixed_system *s = it->system;
    context ctx = context_of(s->low);
    column_maxima *m = &it->maxima[it->submitted++];
    if (it->directions > 0)
        minimize(ctx, it);
    direction *d = &it->direction[it->directions];
    m->x = new_column_values(it);
    m->d = new_column_values(it);
    if (m->x == NULL || m->d == NULL || !new_direction(ctx, it, d))
        return;
    it->directions++;
    submit_lacpy('G', it->R, d->Q, s->low); /* Q := R, for minimize() */
    submit_lacpy('G', it->R, d->D, s->low); /* D := R */
    for (part p = first_part(ctx, d->D); p.rows.A != NULL; p = next_part(p))
        insert_lascl2(p.ctx, s->row, p.rows); /* D := f(row) D */
    s->steps->solve(ctx, it, d->D);           /* D := F^-1 D */
    for (part p = first_part(ctx, it->X); p.rows.A != NULL; p = next_part(p)) {
        column D_j = same_rows(d->D, p.rows);
        insert_lascl2(p.ctx, s->column, D_j); /* D := f(column) D */
        insert_column_maxima(p.ctx, D_j, NULL, m->d);
        insert_column_axpys(p.ctx, 1, NULL, NULL, D_j, p.rows); /* X := X + D */
        insert_column_maxima(p.ctx, p.rows, NULL, m->x);
    }
    values_join(ctx, m->d, JOIN_BY_LARGEST);
    values_join(ctx, m->x, JOIN_BY_LARGEST);
    s->steps->find_residual(ctx, it); /* R := B - A X */
    find_residual_maxima(ctx, it, m);
}
