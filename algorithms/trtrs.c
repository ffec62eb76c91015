/* Triangular systems (LAPACK xTRTRS): trsm after a search for zeros on the diagonal. */
#include "algorithms.h"

static bool check_and_solve(context ctx, const plan *p)
{
    if (p->diag == 'N' && p->left.nt > 0)
        ctx = after_zero_check(ctx, p->left.A, NULL);
    solve_triangle(ctx, is_lower_as_seen(p), p->triangle, p->diag, p->alpha, p->left, p->V, 0,
                   false);
    return true;
}

int submit_trtrs(char uplo, char trans, char diag, const startile_matrix *A, startile_matrix *B,
                 startile_request *request)
{
    plan p = {.name = "trtrs", .equation = SOLUTION, .submit = check_and_solve};
    int wrong = submit_with_triangle(p, 'L', uplo, trans, diag, 1, A, B, request);
    /* trsm's arguments side, uplo, trans, diag, alpha, A, B: without side, alpha */
    return wrong == 0 ? 0 : wrong > -5 ? wrong + 1 : wrong + 2;
}
