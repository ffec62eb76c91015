/* Solves with the factors of LU (LAPACK xGETRS), by substitution over block columns of the factors.
 * On grids with several process rows and with square tiles it works on tiles, so that no process
 * receives a block column; on cores also without a grid, so that all cores read the factors. */
#include "algorithms.h"

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
    substitute_step_by_step(ctx, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', steps, A, B, after);
    substitute_step_by_step(ctx, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', 0, A, B, NULL);
}

void solve_by_lu(context ctx, char trans, const startile_matrix *A, const startile_pivots *P,
                 startile_matrix *B)
{
    bool plain = trans == 'N';
    view V = view_of(A, 'N');
    /* The tasks wait for the tile that the factorization writes last; on a grid they read the info,
     * which the last panel writes. */
    tile last = at(V, V.mt - 1, V.nt - 1), *after = startile_matrix_grid(A) != NULL ? NULL : &last;
    if (plain)
        interchange_rows(ctx, 2 * V.nt + 1, P, false, B, after);
    if (has_square_tiles(A) && (is_on_cores(A) || rows_are_split_alike(A, B)))
        solve_by_tiles(ctx, trans, A, B);
    else
        solve_by_columns(ctx, trans, A, B, after);
    if (!plain)
        interchange_rows(ctx, 0, P, true, B, NULL);
}

static bool solve(context ctx, const plan *p)
{
    if (startile_matrix_shape(p->A).n > 0)
        solve_by_lu(ctx, p->op, p->left.A, p->interchanges, p->A);
    return true;
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
    if (!is_right_hand_side(B, A))
        return -4;
    if (request == NULL)
        return -5;
    plan p = {.name = "getrs",
              .working_set = COLUMN_PRODUCTS,
              .A = B,
              .uplo = 'G',
              .V = view_of(B, 'N'),
              .submit = solve,
              .left = view_of(A, 'N'),
              .interchanges = P,
              .op = trans};
    submit_plan(&p, request);
    return 0;
}
