/* LU factorization without pivoting A = L U on a grid with several process rows, right-looking. Its
 * tasks work on tiles, as Cholesky's do, because no process has a whole block column. */
#include "algorithms.h"

/* Factors A(k,k) and computes block column k of L. */
static inverse *panel(context ctx, const factorization *f, step s)
{
    view A = f->V;
    int64_t k = s.k, next = k + 1, row = first_row(f->A, k), n = pivots_in_panel(f->A, k);
    int64_t urgent = critical(s.urgency), end = (k + 1) * startile_matrix_shape(f->A).mb;
    int64_t m = startile_matrix_shape(f->A).m, rows_below = (end < m ? end : m) - row - n;
    /* rows_below > 0 only in the last step, if A has more rows than columns */
    column diagonal = rows_of(f->A, k, row, n);
    inverse *WL, *WU;
    /* A(k,k) = L(k,k) U(k,k); the rows of A(k,k) below U(k,k) := these rows * U(k,k)^-1 */
    insert_getrf_nopiv(ctx, urgent, diagonal, n, &WL, &WU);
    insert_trsm_column(ctx, urgent, diagonal, n, WU, rows_of(f->A, k, row + n, rows_below));
    release_inverse(WL);
    broadcast_to_both(ctx, urgent, at(A, k, k), (tile_block){A, next, k, A.mt - next, 1},
                      (tile_block){A, k, next, 1, s.last - next});
    for (int64_t i = own_row(A, next); i < A.mt && own_column(A, k) == k; i = own_row(A, i + 1))
        /* A(i,k) := A(i,k) * U(k,k)^-1 */
        insert_trsm(ctx, i == next ? urgent - 1 : s.urgency - (i - k), 'R', 'U', 'N', 1,
                    at(A, k, k), at(A, i, k), false);
    return NULL;
}

/* Sends each L(i,k), i > k, along block row i. */
static void broadcast_factor(context ctx, view A, step s)
{
    for (int64_t i = s.k + 1; i < A.mt; i++)
        broadcast(ctx, s.urgency, at(A, i, s.k), (tile_block){A, i, s.first, 1, s.last - s.first});
}

/* Updates block columns s.first … s.last − 1 by block column k. The tasks on the next panel have
 * the highest priorities. */
static void update(context ctx, const factorization *f, step s, inverse *W)
{
    view A = f->V;
    int64_t k = s.k, next = k + 1;
    (void)W;
    if (s.is_left_looking)
        broadcast(ctx, s.urgency, at(A, k, k), (tile_block){A, k, s.first, 1, s.last - s.first});
    broadcast_factor(ctx, A, s);
    for (int64_t j = s.first; j < s.last; j++) {
        int64_t priority = j == next ? critical(s.urgency - 1) : priority_at(s, j - k);
        if (is_own_tile(at(A, k, j))) /* A(k,j) := L(k,k)^-1 * A(k,j) */
            insert_trsm(ctx, priority, 'L', 'L', 'U', 1, at(A, k, k), at(A, k, j), false);
        broadcast(ctx, priority, at(A, k, j), (tile_block){A, next, j, A.mt - next, 1});
        for (int64_t i = own_row(A, next); i < A.mt && own_column(A, j) == j; i = own_row(A, i + 1))
            /* A(i,j) -= L(i,k) * U(k,j) */
            insert_gemm(ctx, i == next ? priority : priority - (i - k), -1, at(A, i, k),
                        at(A, k, j), 1, at(A, i, j));
        drop_copies(at(A, k, j));
    }
}

void factor_lu_by_tiles(context ctx, startile_matrix *A)
{
    factorization f = {"getrf_nopiv",           panel, update, A, view_of(A, 'N'), panels_of(A),
                       .reuses_inverses = false};
    if (!factor_blocked(begin_factorization(ctx), GETRF, &f))
        return;
    return_matrix(ctx, A);
    after_factorization(ctx);
}
