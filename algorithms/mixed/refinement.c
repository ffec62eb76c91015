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
    return values_on_grid(context_of(s->work), s->A, s->nrhs);
}

/* Returns the part that begins at `row`; A NULL: none. */
static column part_at(const startile_matrix *A, int64_t j, int64_t row)
{
    startile_shape a = startile_matrix_shape(A);
    if (row == a.m)
        row = 0, j++;
    int64_t rows = startile_matrix_grid(A) != NULL && a.m - row > a.mb ? a.mb : a.m - row;
    return j < a.nt ? rows_of(A, j, row, rows) : (column){.A = NULL};
}

column first_part(const startile_matrix *A)
{
    return part_at(A, 0, 0);
}

column next_part(column c)
{
    return part_at(c.A, c.j, c.row + c.rows);
}

bool is_own_part(column c)
{
    return is_own_tile((tile){c.A, c.row / startile_matrix_shape(c.A).mb, c.j, 'N'});
}

column same_rows(const startile_matrix *V, column c)
{
    return rows_of(V, c.j, c.row, c.rows);
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
    for (column V_j = first_part(V); V_j.A != NULL; V_j = next_part(V_j))
        insert_column_maxima(ctx, V_j, scale, v);
    values_join(ctx, v, JOIN_BY_LARGEST);
    return v;
}

values *column_dots_of(context ctx, const mixed_solver *s, const startile_matrix *U,
                       const startile_matrix *V)
{
    values *t = values_on_grid(context_of(s->work), s->A, 2 * s->nrhs);
    if (t == NULL)
        return NULL;
    for (column V_j = first_part(V); V_j.A != NULL; V_j = next_part(V_j))
        insert_column_dots(ctx, same_rows(U, V_j), V_j, t);
    values_join(ctx, t, JOIN_BY_SUM);
    return t;
}

void add_columns(context ctx, int sign, const values *t, const values *norm,
                 const startile_matrix *U, const startile_matrix *V)
{
    for (column V_j = first_part(V); V_j.A != NULL; V_j = next_part(V_j))
        insert_column_axpys(ctx, sign, t, norm, same_rows(U, V_j), V_j);
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

const startile_matrix *factors_for(context ctx, mixed_solver *s, const startile_matrix *V)
{
    startile_shape f = startile_matrix_shape(s->F), v = startile_matrix_shape(V);
    if (f.dtype == v.dtype || s->in_double != NULL)
        return f.dtype == v.dtype ? s->F : s->in_double;
    s->in_double = temporary_on_grid(ctx, s->A, v.dtype, f);
    if (s->in_double == NULL)
        return s->F;
    prepare_own_loops(ctx, s->in_double);
    for (column F_ij = first_part(s->F); F_ij.A != NULL; F_ij = next_part(F_ij)) {
        int64_t i = F_ij.row / f.mb;
        if (is_own_part(F_ij) && (s->uplo == 'L' ? i >= F_ij.j : s->uplo != 'U' || i <= F_ij.j))
            insert_lag2(ctx, 0, F_ij, NULL, NULL, false, false, same_rows(s->in_double, F_ij));
    }
    return s->in_double;
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
    column S_j, X_j;
    bool is_first = s->submitted == 0;
    const values *r = is_first ? s->before.r_scaled : s->maxima[s->submitted - 1].r_scaled;
    column_maxima *m = &s->maxima[s->submitted++];
    m->x = one_per_column(s);
    m->d = one_per_column(s);
    if (m->x == NULL || m->d == NULL || r == NULL)
        return;
    for (S_j = first_part(s->S); S_j.A != NULL; S_j = next_part(S_j))
        /* S := f(row) R f(r) */
        insert_lag2(ctx, columns, same_rows(s->R, S_j), s->row, r, false, false, S_j);
    s->steps->solve(ctx, s, s->S); /* S := F⁻¹ S */
    for (X_j = first_part(s->X); X_j.A != NULL; X_j = next_part(X_j)) {
        S_j = same_rows(s->S, X_j);
        insert_column_maxima(ctx, S_j, s->column, m->d);
        /* X := X + f(column) S / f(r) */
        insert_lag2(ctx, 0, S_j, s->column, r, true, !is_first, X_j);
    }
    values_join(ctx, m->d, JOIN_BY_LARGEST);
    if (!is_first)
        accelerate(ctx, s, r);
    for (X_j = first_part(s->X); X_j.A != NULL; X_j = next_part(X_j))
        insert_column_maxima(ctx, X_j, NULL, m->x);
    values_join(ctx, m->x, JOIN_BY_LARGEST);
    s->steps->find_residual(ctx, s);
    find_residual_maxima(ctx, s, m);
}
