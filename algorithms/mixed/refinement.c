/*
 * Iterative refinement of a solution in single precision (Higham 2002, chapter 12; LAPACK xSGESV):
 *
 *     F := A in single precision, scaled;  F := its factors
 *     X := 0;  R := B
 *     repeat:  D := F⁻¹ R in single precision;  X := X + D;  R := B − A X in double precision
 *
 * acceleration.c moves X further from the third step on.
 */
#include "grid/owner.h"
#include "memory/capacity.h"
#include "mixed.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"

void invert_diagonal_blocks(context ctx, const iteration *it, char uplo, char diag, inverse **W)
{
    const mixed_system *s = it->system;
    const startile_matrix *F = s->F;
    if (W == NULL || takes_whole(F, it->S))
        return;
    for (int64_t k = 0; k < panels_of(F); k++) {
        int64_t n = pivots_in_panel(F, k);
        W[k] = insert_inverse(ctx, 0, uplo, diag, rows_of(F, k, first_row(F, k), n), n);
    }
}

values *new_column_values(iteration *it)
{
    const mixed_system *s = it->system;
    return values_on_grid(context_of(s->work), s->A, it->nrhs);
}

/* Returns the part that begins at row `row` of block column j, or with block column j + 1 if `row`
 * is the end of j. The result has A = NULL if there is none. */
static column rows_at(const startile_matrix *A, int64_t j, int64_t row)
{
    startile_shape a = startile_matrix_shape(A);
    if (row == a.m)
        row = 0, j++;
    int64_t rows = startile_matrix_grid(A) != NULL && a.m - row > a.mb ? a.mb : a.m - row;
    return j < a.nt ? rows_of(A, j, row, rows) : (column){.A = NULL};
}

part first_part(context ctx, const startile_matrix *A)
{
    return (part){begin_step(ctx, A, ctx.step), rows_at(A, 0, 0)};
}

part next_part(part p)
{
    p.rows = rows_at(p.rows.A, p.rows.j, p.rows.row + p.rows.rows);
    if (p.rows.A == NULL)
        end_step(p.ctx);
    return p;
}

bool is_own_part(column rows)
{
    int64_t i = rows.row / startile_matrix_shape(rows.A).mb;
    return is_own_tile((tile){rows.A, i, rows.j, 'N'});
}

column same_rows(const startile_matrix *V, column c)
{
    return rows_of(V, c.j, c.row, c.rows);
}

void copy_right_hand_side(context ctx, iteration *it)
{
    submit_lacpy('G', it->B, it->R, ctx.request);
}

values *column_maxima_of(context ctx, iteration *it, const startile_matrix *V, const values *scale)
{
    values *v = new_column_values(it);
    if (v == NULL)
        return NULL;
    for (part p = first_part(ctx, V); p.rows.A != NULL; p = next_part(p))
        insert_column_maxima(p.ctx, p.rows, scale, v);
    values_join(ctx, v, JOIN_BY_LARGEST);
    return v;
}

values *column_dots_of(context ctx, const iteration *it, const startile_matrix *U,
                       const startile_matrix *V)
{
    const mixed_system *s = it->system;
    values *t = values_on_grid(context_of(s->work), s->A, 2 * it->nrhs);
    if (t == NULL)
        return NULL;
    for (part p = first_part(ctx, V); p.rows.A != NULL; p = next_part(p))
        insert_column_dots(p.ctx, same_rows(U, p.rows), p.rows, t);
    values_join(ctx, t, JOIN_BY_SUM);
    return t;
}

void add_columns(context ctx, int sign, const values *t, const values *norm,
                 const startile_matrix *U, const startile_matrix *V)
{
    for (part p = first_part(ctx, V); p.rows.A != NULL; p = next_part(p))
        insert_column_axpys(p.ctx, sign, t, norm, same_rows(U, p.rows), p.rows);
}

bool is_within_workspace_limit(const iteration *it, int64_t blocks)
{
    const mixed_system *s = it->system;
    const int64_t small = 1 << 20, sixteenth = s->n * s->n / 16;
    return blocks * s->n * it->nrhs <= (sixteenth > small ? sixteenth : small);
}

void find_residual_maxima(context ctx, iteration *it, column_maxima *m)
{
    const mixed_system *s = it->system;
    bool is_scaled_alike = s->row == s->row_sums || s->steps->is_least_squares;
    m->r_scaled = column_maxima_of(ctx, it, it->R, s->row);
    m->r = is_scaled_alike ? m->r_scaled : column_maxima_of(ctx, it, it->R, s->row_sums);
}

void solve_whole(context ctx, const mixed_system *s, int steps, const triangular_factor *step,
                 const startile_matrix *V)
{
    for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
        /* V(:,j) := P V(:,j), V(:,j) := op(T)^-1 V(:,j) for one triangle after the other */
        insert_whole_solve(ctx, s->P, steps, step, s->F, V, j);
}

void substitute_factor(context ctx, const mixed_system *s, char uplo, char trans, char diag,
                       inverse *const *W, startile_matrix *V)
{
    startile_shape v = startile_matrix_shape(V);
    if (takes_whole(s->F, V))
        solve_whole(ctx, s, 1, &(triangular_factor){uplo, trans, diag}, V);
    else if (v.dtype != startile_matrix_shape(s->F).dtype)
        substitute_in_double(ctx, s, uplo, trans, diag, V);
    else
        for (int64_t j = 0; j < v.nt; j++)
            substitute(ctx, uplo, trans, diag, s->F, W, V, j, 0);
}

const startile_matrix *factors_for(const mixed_system *s, const startile_matrix *V)
{
    bool is_single = startile_matrix_shape(V).dtype == startile_matrix_shape(s->F).dtype;
    return is_single ? s->F : s->in_double;
}

void find_whole_residual(context ctx, const iteration *it, char uplo)
{
    const mixed_system *s = it->system;
    for (int64_t j = 0; j < startile_matrix_shape(it->X).nt; j++)
        insert_whole_residual(ctx, uplo, s->A, it->X, it->B, it->R,
                              j); /* R(:,j) := B(:,j) - A X(:,j) */
}

/* X := X + f(column) F⁻¹ f(row) R, R := B − A X. The columns of R are scaled, too, so that none
 * becomes too small for single precision. */
void refine(iteration *it)
{
    const mixed_system *s = it->system;
    context ctx = context_of(s->low);
    int64_t columns = startile_matrix_shape(it->X).nt;
    bool is_first = it->submitted == 0;
    const values *r = is_first ? it->before.r_scaled : it->maxima[it->submitted - 1].r_scaled;
    column_maxima *m = &it->maxima[it->submitted++];
    m->x = new_column_values(it);
    m->d = new_column_values(it);
    if (m->x == NULL || m->d == NULL || r == NULL)
        return;
    for (part p = first_part(ctx, it->S); p.rows.A != NULL; p = next_part(p))
        /* S := f(row) R f(r) */
        insert_lag2(p.ctx, columns, same_rows(it->R, p.rows), s->row, r, false, false, p.rows);
    s->steps->solve(ctx, it, it->S); /* S := F⁻¹ S */
    for (part p = first_part(ctx, it->X); p.rows.A != NULL; p = next_part(p)) {
        column S_j = same_rows(it->S, p.rows);
        insert_column_maxima(p.ctx, S_j, s->column, m->d);
        /* X := X + f(column) S / f(r) */
        insert_lag2(p.ctx, 0, S_j, s->column, r, true, !is_first, p.rows);
    }
    values_join(ctx, m->d, JOIN_BY_LARGEST);
    if (!is_first)
        accelerate(ctx, it, r);
    for (part p = first_part(ctx, it->X); p.rows.A != NULL; p = next_part(p))
        insert_column_maxima(p.ctx, p.rows, NULL, m->x);
    values_join(ctx, m->x, JOIN_BY_LARGEST);
    s->steps->find_residual(ctx, it);
    find_residual_maxima(ctx, it, m);
}
