/* Solves with the factors of LU (LAPACK xGETRS), by substitution over block columns of the factors.
 * On grids with several process rows and with square tiles it works on tiles, so that no process
 * receives a block column. */
#include "algorithms.h"

/* Returns A's last tile, which the factorization writes last. Tasks that need a complete
 * factorization wait for it. */
static tile last_tile(const startile_matrix *A)
{
    view V = view_of(A, 'N');
    return at(V, V.mt - 1, V.nt - 1);
}

substitution substitution_step(char uplo, char trans, char diag, const startile_matrix *A,
                               int64_t first, int64_t step)
{
    startile_shape s = startile_matrix_shape(A);
    bool lower = uplo == 'L', forward = lower == (trans == 'N');
    int64_t k = forward ? step : s.nt - 1 - (step - first);
    int64_t row = k * s.nb, n = pivots_in_panel(A, k);
    int64_t top = lower ? row : first * s.nb, bottom = lower ? s.m : row + n;
    return (substitution){uplo, trans, diag, n, rows_of(A, k, top, bottom - top), NULL, NULL};
}

/* Submits one step on block column j of B. */
static void substitute_step(context ctx, const substitution *T, int64_t priority,
                            startile_matrix *B, int64_t j)
{
    /* B_k := T_k^-1 B_k, B_rest -= T_rest B_k; transposed: B_k := op(T_k)^-1 (B_k − op(T_rest)
     * B_rest) */
    insert_substitution(ctx, priority, T, rows_of(B, j, T->T.row, T->T.rows));
}

void substitute(context ctx, char uplo, char trans, char diag, const startile_matrix *A,
                inverse *const *W, startile_matrix *B, int64_t j, int64_t first)
{
    int64_t steps = startile_matrix_shape(A).nt;
    for (int64_t step = first; step < steps; step++) {
        substitution T = substitution_step(uplo, trans, diag, A, first, step);
        T.W = W == NULL ? NULL : W[T.T.j];
        ctx.step = step - first;
        substitute_step(ctx, &T, steps - step, B, j);
    }
}

/* Submits B := op(T)⁻¹ B step by step for all block columns of B, so that a factor larger than the
 * memory is transferred once. `later`: number of steps that the caller submits afterwards, for
 * priorities. The tasks wait for the tile `after` unless it is NULL. */
static void substitute_in_all(context ctx, char uplo, char trans, char diag, int64_t later,
                              const startile_matrix *A, startile_matrix *B, const tile *after)
{
    int64_t steps = startile_matrix_shape(A).nt, columns = startile_matrix_shape(B).nt;
    for (int64_t step = 0; step < steps; step++) {
        substitution T = substitution_step(uplo, trans, diag, A, 0, step);
        int64_t priority = later + steps - step;
        T.after = after;
        ctx = begin_paced_step(ctx, larger(A, B), step);
        send_column(ctx, priority, T.T, owners_of_columns(B, 0, columns));
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
    substitute_in_all(ctx, uplo, trans, diag, 0, A, B, NULL);
}

/* Submits B := op(A)⁻¹ B without interchanges by tasks on tiles. */
static void solve_by_tiles(context ctx, char trans, const startile_matrix *A,
                           const startile_matrix *B)
{
    bool plain = trans == 'N';
    view V = view_of(A, trans), X = view_of(B, 'N');
    int64_t steps = V.nt;
    /* B := L^-1 B, B := U^-1 B, or B := op(U)^-1 B, B := op(L)^-1 B */
    solve_triangle(ctx, true, plain ? 'L' : 'U', plain ? 'U' : 'N', 1, V, X, steps, false);
    solve_triangle(ctx, false, plain ? 'U' : 'L', plain ? 'N' : 'U', 1, V, X, 0, false);
}

/* Submits B := op(A)⁻¹ B without interchanges by tasks on block columns. */
static void solve_by_columns(context ctx, char trans, const startile_matrix *A, startile_matrix *B,
                             const tile *after)
{
    bool plain = trans == 'N';
    int64_t steps = startile_matrix_shape(A).nt;
    substitute_in_all(ctx, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', steps, A, B, after);
    substitute_in_all(ctx, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', 0, A, B, NULL);
}

/* Submits B := P B, or P^T B with `inverse`; nothing if P is NULL. The tasks wait for the tile
 * `after` unless it is NULL; on a grid with several process rows `after` is not used. */
static void interchange(context ctx, int64_t priority, const startile_pivots *P, bool inverse,
                        startile_matrix *B, const tile *after)
{
    if (P == NULL)
        return;
    if (process_rows(B) > 1) {
        interchange_on_grid(ctx, priority, P, inverse, B);
        return;
    }
    ctx = begin_step(ctx, B, ctx.step);
    for (int64_t k = 0; k < pivots_panels(P); k++)
        send_pivots(ctx, priority, P, k, B);
    int64_t columns = startile_matrix_shape(B).nt;
    for_task_columns(j, B, 0, columns)
        /* B(:,j) := P B(:,j), or P^T B(:,j) with `inverse` */
        insert_laswp(ctx, priority, P, 0, pivots_panels(P), inverse, below(B, j, 0), after);
    end_step(ctx);
}

void solve_by_lu(context ctx, char trans, const startile_matrix *A, const startile_pivots *P,
                 startile_matrix *B)
{
    bool plain = trans == 'N';
    int64_t steps = startile_matrix_shape(A).nt;
    /* on a grid the tasks read the info, which the last panel writes */
    bool is_on_grid = startile_matrix_grid(A) != NULL;
    tile last = last_tile(A), *after = is_on_grid ? NULL : &last;
    if (end_of_block(A, 0) < steps)
        hint_idle_matrix(A);
    if (plain)
        interchange(ctx, 2 * steps + 1, P, false, B, after);
    if (has_square_tiles(A) && has_shared_columns(A, B))
        solve_by_tiles(ctx, trans, A, B);
    else
        solve_by_columns(ctx, trans, A, B, after);
    if (!plain)
        interchange(ctx, 0, P, true, B, NULL);
}

int submit_getrs(char trans, const startile_matrix *A, const startile_pivots *P, startile_matrix *B,
                 startile_request *request)
{
    trans = capital(trans);
    if (!is_one_of(trans, "NTC"))
        return -1;
    int wrong = check_factors(A, P);
    if (wrong != 0)
        return wrong - 1;
    if (!is_right_side(B, A))
        return -4;
    if (request == NULL)
        return -5;
    context ctx = context_of(request);
    if (!has_capacity_of(ctx, COLUMN_PRODUCTS, A, B))
        return 0;
    if (startile_matrix_shape(B).n > 0)
        solve_by_lu(ctx, trans, A, P, B);
    return_matrix(ctx, B);
    return 0;
}
