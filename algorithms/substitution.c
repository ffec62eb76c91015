/* Substitution with a triangle by block columns: B := op(T)⁻¹ B (Higham 2002, chapter 8). */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

substitution substitution_step(char uplo, char trans, char diag, const startile_matrix *A,
                               int64_t first, int64_t step)
{
    startile_shape s = startile_matrix_shape(A);
    bool lower = uplo == 'L', forward = lower == (trans == 'N');
    int64_t k = forward ? step : s.nt - 1 - (step - first);
    int64_t row = k * s.nb, n = pivots_in_panel(A, k);
    int64_t top = lower ? row : first * s.nb, bottom = lower ? s.m : row + n;
    return (substitution){.uplo = uplo,
                          .trans = trans,
                          .diag = diag,
                          .n = n,
                          .columns = rows_of(A, k, top, bottom - top)};
}

/* Submits one step on block column j of B. */
static void substitute_step(context ctx, const substitution *T, int64_t priority,
                            startile_matrix *B, int64_t j)
{
    /* B_k := T_k^-1 B_k, B_rest -= T_rest B_k; transposed: B_k := op(T_k)^-1 (B_k − op(T_rest)
     * B_rest) */
    insert_substitution(ctx, priority, T, rows_of(B, j, T->columns.row, T->columns.rows));
}

void substitute(context ctx, char uplo, char trans, char diag, const startile_matrix *A,
                inverse *const *W, startile_matrix *B, int64_t j, int64_t first)
{
    int64_t steps = startile_matrix_shape(A).nt;
    for (int64_t step = first; step < steps; step++) {
        substitution T = substitution_step(uplo, trans, diag, A, first, step);
        T.W = W == NULL ? NULL : W[T.columns.j];
        ctx.step = step - first;
        substitute_step(ctx, &T, steps - step, B, j);
    }
}

void substitute_step_by_step(context ctx, char uplo, char trans, char diag, int64_t later,
                             const startile_matrix *A, startile_matrix *B, const tile *after)
{
    int64_t steps = startile_matrix_shape(A).nt, columns = startile_matrix_shape(B).nt;
    for (int64_t step = 0; step < steps; step++) {
        substitution T = substitution_step(uplo, trans, diag, A, 0, step);
        int64_t priority = later + steps - step;
        T.after = after;
        ctx = begin_paced_step(ctx, larger_matrix(A, B), step);
        send_column(ctx, priority, T.columns, owners_of_columns(B, 0, columns));
        for_task_columns(j, B, 0, columns)
            substitute_step(ctx, &T, priority, B, j);
        end_step(ctx);
    }
}

/* Without a grid, solves for one block column of B after the other. On a grid, submits each step
 * for all block columns, so that a process has the copies of few steps. */
void substitute_all(context ctx, char uplo, char trans, char diag, const startile_matrix *A,
                    startile_matrix *B)
{
    if (startile_matrix_grid(B) == NULL) {
        for (int64_t j = 0; j < startile_matrix_shape(B).nt; j++)
            substitute(ctx, uplo, trans, diag, A, NULL, B, j, 0);
        return;
    }
    substitute_step_by_step(ctx, uplo, trans, diag, 0, A, B, NULL);
}
