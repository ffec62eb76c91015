/* Solution with a Cholesky factor (LAPACK xPOTRS); factorization and solution (LAPACK xPOSV). */
#include "algorithms.h"

void solve_by_cholesky(context ctx, char uplo, const startile_matrix *A, view B, bool after_info)
{
    bool lower = uplo == 'L';
    int64_t steps = startile_matrix_shape(A).nt;
    if (end_of_block(A, 0) < steps)
        hint_idle_matrix(A);
    /* tasks of the forward substitution have higher priorities than those of the second one,
     * because A may exceed the memory */
    /* B := L^-1 B, then B := L^-H B, with L = A or U^H */
    solve_triangle(ctx, true, uplo, 'N', 1, view_of(A, lower ? 'N' : 'C'), B, steps, after_info);
    solve_triangle(ctx, false, uplo, 'N', 1, view_of(A, lower ? 'C' : 'N'), B, 0, false);
}

bool is_cholesky_right_side(const startile_matrix *A, const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return A != B && fit_together(A, B) && a.m == b.m && same_tiles(a.m, a.mb, b.mb);
}

static int check(char uplo, const startile_matrix *A, const startile_matrix *B,
                 const startile_request *request)
{
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A))
        return -2;
    if (B == NULL || !is_cholesky_right_side(A, B))
        return -3;
    return request == NULL ? -4 : 0;
}

int submit_potrs(char uplo, const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check(uplo, A, B, request);
    if (wrong == 0 && has_capacity_of(context_of(request), TILE_PRODUCTS, A, B))
        /* B must not change if the factorization fails */
        solve_by_cholesky(context_of(request), uplo, A, view_of(B, 'N'), true);
    return wrong;
}

int submit_posv(char uplo, startile_matrix *A, startile_matrix *B, startile_request *request)
{
    int wrong = check(capital(uplo), A, B, request);
    if (wrong == 0)
        submit_potrf(uplo, A, request);
    return wrong != 0 ? wrong : submit_potrs(uplo, A, B, request);
}
