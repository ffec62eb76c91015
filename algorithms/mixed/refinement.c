/*
 * Iterative refinement of a solution in single precision (Higham 2002, chapter 12; LAPACK xSGESV):
 *
 *     F := A in single precision, scaled;  F := its factors
 *     X := 0;  R := B
 *     repeat:  D := F⁻¹ R in single precision;  X := X + D;  R := B − A X in double precision
 *
 * acceleration.c moves X further from the third step on.
 */
#include "mixed.h"

void invert_diagonal_blocks(context ctx, const mixed_solver *s, char uplo, char diag, inverse **W)
{
    const startile_matrix *F = s->F;
    if (W == NULL || takes_whole(F, s->S))
        return;
    for (int64_t k = 0; k < panels_of(F); k++) {
        int64_t n = pivots_in_panel(F, k);
        W[k] = insert_inverse(ctx, 0, uplo, diag, rows_of(F, k, first_row(F, k), n), n);
    }
}

values *one_per_column(mixed_solver *s)
{
    return values_begin(context_of(s->work), s->nrhs);
}

void copy_right_side(context ctx, mixed_solver *s)
{
    submit_lacpy('G', s->B, s->R, ctx.request);
}

values *column_maxima_of(context ctx, mixed_solver *s, const startile_matrix *V,
                         const values *scale)
{
    values *v = one_per_column(s);
    if (v == NULL)
        return NULL;
    for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
        insert_column_maxima(ctx, below(V, j, 0), scale, v);
    return v;
}

values *column_dots_of(context ctx, const mixed_solver *s, const startile_matrix *U,
                       const startile_matrix *V)
{
    values *t = values_begin(context_of(s->work), 2 * s->nrhs);
    if (t == NULL)
        return NULL;
    for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
        insert_column_dots(ctx, below(U, j, 0), below(V, j, 0), t);
    return t;
}

void add_columns(context ctx, int sign, const values *t, const values *norm,
                 const startile_matrix *U, const startile_matrix *V)
{
    for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
        insert_column_axpys(ctx, sign, t, norm, below(U, j, 0), below(V, j, 0));
}

bool has_room_for(const mixed_solver *s, int64_t blocks)
{
    const int64_t small = 1 << 20, sixteenth = s->n * s->n / 16;
    return blocks * s->n * s->nrhs <= (sixteenth > small ? sixteenth : small);
}

void find_residual_maxima(context ctx, mixed_solver *s, column_maxima *m)
{
    bool is_scaled_alike = s->row == s->row_sums || s->steps->is_least_squares;
    m->r_scaled = column_maxima_of(ctx, s, s->R, s->row);
    m->r = is_scaled_alike ? m->r_scaled : column_maxima_of(ctx, s, s->R, s->row_sums);
}

void solve_whole(context ctx, const mixed_solver *s, int steps, const triangular_factor *step,
                 const startile_matrix *V)
{
    for (int64_t j = 0; j < startile_matrix_shape(V).nt; j++)
        /* V(:,j) := P V(:,j), V(:,j) := op(T)^-1 V(:,j) for one triangle after the other */
        insert_whole_solve(ctx, s->P, steps, step, s->F, V, j);
}

void substitute_factor(context ctx, const mixed_solver *s, char uplo, char trans, char diag,
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

void find_whole_residual(context ctx, const mixed_solver *s, char uplo)
{
    for (int64_t j = 0; j < startile_matrix_shape(s->X).nt; j++)
        insert_whole_residual(ctx, uplo, s->A, s->X, s->B, s->R,
                              j); /* R(:,j) := B(:,j) - A X(:,j) */
}

/* X := X + f(column) F⁻¹ f(row) R, R := B − A X. The columns of R are scaled, too, so that none
 * becomes too small for single precision. */
void refine(mixed_solver *s)
{
    context ctx = context_of(s->low);
    int64_t columns = startile_matrix_shape(s->X).nt;
    bool is_first = s->submitted == 0;
    const values *r = is_first ? s->before.r_scaled : s->maxima[s->submitted - 1].r_scaled;
    column_maxima *m = &s->maxima[s->submitted++];
    m->x = one_per_column(s);
    m->d = one_per_column(s);
    if (m->x == NULL || m->d == NULL || r == NULL)
        return;
    for (int64_t j = 0; j < columns; j++)
        /* S := f(row) R f(r) */
        insert_lag2(ctx, columns, below(s->R, j, 0), s->row, r, false, false, below(s->S, j, 0));
    s->steps->solve(ctx, s, s->S); /* S := F⁻¹ S */
    for (int64_t j = 0; j < columns; j++) {
        column S_j = below(s->S, j, 0);
        insert_column_maxima(ctx, S_j, s->column, m->d);
        /* X := X + f(column) S / f(r) */
        insert_lag2(ctx, 0, S_j, s->column, r, true, !is_first, below(s->X, j, 0));
    }
    if (!is_first)
        accelerate(ctx, s, r);
    for (int64_t j = 0; j < columns; j++)
        insert_column_maxima(ctx, below(s->X, j, 0), NULL, m->x);
    s->steps->find_residual(ctx, s);
    find_residual_maxima(ctx, s, m);
}
