/* Solution with a Cholesky factor (LAPACK xPOTRS); factorization and solution (LAPACK xPOSV). */
#include "algorithms.h"

void solve_by_cholesky(context ctx, char uplo, const startile_matrix *A, view B, bool after_info)
{
    bool lower = uplo == 'L';
    int64_t steps = startile_matrix_shape(A).nt;
    /* tasks of the forward substitution have higher priorities than those of the second one,
     * because A may exceed the memory */
    /* B := L^-1 B, then B := L^-H B, with L = A or U^H */
    solve_triangle(ctx, true, uplo, 'N', 1, view_of(A, lower ? 'N' : 'C'), B, steps, after_info);
    solve_triangle(ctx, false, uplo, 'N', 1, view_of(A, lower ? 'C' : 'N'), B, 0, false);
}

static bool solve(context ctx, const plan *p)
{
    /* B must not change if the factorization fails */
    solve_by_cholesky(ctx, p->triangle, p->left.A, p->V, true);
    return true;
}

int submit_potrs(char uplo, const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check_hermitian_system(uplo, A, B, request);
    if (wrong != 0)
        return wrong;
    plan p = {.name = "potrs",
              .working_set = TILE_PRODUCTS,
              .A = B,
              .uplo = 'G',
              .V = view_of(B, 'N'),
              .returns_tiles = true,
              .submit = solve,
              .left = view_of(A, 'N'),
              .triangle = uplo};
    submit_plan(&p, request);
    return 0;
}

int submit_posv(char uplo, startile_matrix *A, startile_matrix *B, startile_request *request)
{
    int wrong = check_hermitian_system(capital(uplo), A, B, request);
    if (wrong == 0)
        submit_potrf(uplo, A, request);
    return wrong != 0 ? wrong : submit_potrs(uplo, A, B, request);
}
