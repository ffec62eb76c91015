/* Inverse of a triangular matrix (LAPACK xTRTRI), in place, by block columns from the left. */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Sends A(k,k) to the tiles on its left and below it, and each A(k,n) left of it to the tiles below
 * in block column n. */
static void broadcast_row(context ctx, int64_t urgency, view A, int64_t k)
{
    int64_t rows_below = A.nt - k - 1;
    send_tile(
        ctx, urgency, at(A, k, k),
        owners_of_both((tile_block){A, k, 0, 1, k}, (tile_block){A, k + 1, k, rows_below, 1}));
    for (int64_t n = 0; n < k; n++)
        send_tile(ctx, urgency, at(A, k, n), owners_of(A, k + 1, n, rows_below, 1));
}

/* Submits step k. Before the step, the leading k block rows and columns hold their inverse W, and
 * the rows m ≥ k below them hold −A₀(m,0:k) W for the original matrix A₀. After the step, the
 * leading k + 1 block rows and columns hold their inverse. */
static void invert_row(context ctx, char uplo, char diag, view A, int64_t k)
{
    int64_t urgency = 2 * (A.nt - k);
    tile T = at(A, k, k);
    broadcast_row(ctx, urgency, A, k);
    for (int64_t m = k + 1; m < A.nt; m++) {
        if (is_own_tile(at(A, m, k))) /* A(m,k) := −A(m,k) * T^-1 */
            insert_trsm(ctx, urgency, 'R', uplo, diag, -1, T, at(A, m, k), false);
        send_tile(ctx, urgency, at(A, m, k), owners_of(A, m, 0, 1, k));
        for_own_tiles_in_row(n, A, m, 0, k)
            /* A(m,n) += A(m,k) * A(k,n) */
            insert_gemm(ctx, urgency - (m - k), 1, at(A, m, k), at(A, k, n), 1, at(A, m, n));
    }
    for (int64_t n = 0; n < k; n++)
        if (is_own_tile(at(A, k, n))) /* A(k,n) := T^-1 * A(k,n) */
            insert_trsm(ctx, urgency, 'L', uplo, diag, 1, T, at(A, k, n), false);
    /* T := T^-1; all processes submit it, because it makes a temporary */
    insert_trtri(ctx, urgency, uplo, diag, T);
}

bool invert_triangle(context ctx, const plan *p)
{
    view V = p->V;
    if (p->diag == 'N' && V.nt > 0)
        ctx = after_zero_check(ctx, p->A, NULL);
    for (int64_t k = 0; k < V.nt; k++) {
        ctx = begin_paced_step(ctx, p->A, k);
        invert_row(ctx, p->uplo, p->diag, V, k);
        end_step(ctx);
    }
    return true;
}

int submit_trtri(char uplo, char diag, startile_matrix *A, startile_request *request)
{
    diag = capital(diag);
    if (!is_one_of(capital(uplo), "LU"))
        return -1;
    if (!is_one_of(diag, "NU"))
        return -2;
    plan p = {
        .name = "trtri", .working_set = TILE_PRODUCTS, .submit = invert_triangle, .diag = diag};
    int wrong = submit_on_triangle(p, uplo, A, request);
    return wrong != 0 ? wrong - 1 : 0; /* diag is argument 2 */
}
