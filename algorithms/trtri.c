/* Inverse of a triangular matrix (LAPACK xTRTRI), in place, by block columns from the left. */
#include "algorithms.h"

/* Submits step k. Before it the leading k block rows and columns hold their inverse W, and the rows
 * m ≥ k below them hold −A₀(m,0:k) W for the original matrix A₀. After it the leading k + 1 block
 * rows are inverted. */
static void invert_row(context ctx, char uplo, char diag, view A, int64_t k)
{
    int64_t urgency = 2 * (A.nt - k);
    tile T = at(A, k, k);
    for (int64_t m = k + 1; m < A.nt; m++) {
        /* A(m,k) := −A(m,k) * T^-1 */
        insert_trsm(ctx, urgency, 'R', uplo, diag, -1, T, at(A, m, k), false);
        /* A(m,n) += A(m,k) * A(k,n) */
        for (int64_t n = 0; n < k; n++)
            insert_gemm(ctx, urgency - (m - k), 1, at(A, m, k), at(A, k, n), 1, at(A, m, n));
    }
    for (int64_t n = 0; n < k; n++)
        insert_trsm(ctx, urgency, 'L', uplo, diag, 1, T, at(A, k, n), false); /* T^-1 * A(k,n) */
    insert_trtri(ctx, urgency, uplo, diag, T);                                /* T := T^-1 */
}

void invert_triangle(context ctx, char uplo, char diag, startile_matrix *A)
{
    view V = view_of(A, uplo == 'L' ? 'N' : 'C');
    if (diag == 'N' && V.nt > 0)
        ctx = after_zero_check(ctx, A, NULL);
    for (int64_t k = 0; k < V.nt; k++) {
        ctx.step = k;
        invert_row(ctx, uplo, diag, V, k);
    }
}

int submit_trtri(char uplo, char diag, startile_matrix *A, startile_request *request)
{
    uplo = capital(uplo), diag = capital(diag);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (!is_one_of(diag, "NU"))
        return -2;
    if (A == NULL || !has_square_tiles(A))
        return -3;
    if (request == NULL)
        return -4;
    if (has_capacity_of(context_of(request), TILE_PRODUCTS, A, NULL)) {
        invert_triangle(context_of(request), uplo, diag, A);
        return_matrix(context_of(request), A);
    }
    return 0;
}
