/* LU factorization without pivoting A = L U on a grid with several process rows, right-looking. Its
 * tasks work on tiles, as Cholesky's do, because no process has a whole block column. */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Submits A(k,k) = L(k,k) U(k,k). In the last step of a tall A the tile has rows below U(k,k),
 * which become these rows * U(k,k)^-1. */
static void factor_diagonal(const step *s)
{
    const startile_matrix *A = s->p->A;
    startile_shape shape = startile_matrix_shape(A);
    int64_t k = s->k, row = first_row(A, k), n = pivots_in_panel(A, k), end = (k + 1) * shape.mb;
    int64_t rows_below = (end < shape.m ? end : shape.m) - row - n;
    column diagonal = rows_of(A, k, row, n);
    inverse *WU;
    insert_getrf_nopiv(s->panel, critical(s->urgency), diagonal, n, &WU);
    insert_trsm_column(s->panel, critical(s->urgency), diagonal, n, WU,
                       rows_of(A, k, row + n, rows_below));
}

bool factor_lu_by_tiles(context ctx, const plan *p)
{
    view A = p->V;
    step s = first_step(ctx, p);
    /* Before step k, block columns 0 … k − 1 hold L and U. The others of the current block hold U
     * above block row k, and A − L(k:,:k) * U(:k,:) from there on; later blocks hold A. */
    while (next_step(&s)) {
        int64_t k = s.k, next = k + 1, urgent = critical(s.urgency);
        if (s.has_panel) {
            factor_diagonal(&s); /* A(k,k) = L(k,k) U(k,k) */
            send_tile(s.panel, urgent, at(A, k, k),
                      owners_of_both((tile_block){A, next, k, A.mt - next, 1},
                                     (tile_block){A, k, next, 1, s.last - next}));
            for_own_tiles_in_column(i, A, k, next, A.mt)
                /* A(i,k) := A(i,k) * U(k,k)^-1 */
                insert_trsm(s.panel, i == next ? urgent - 1 : s.urgency - (i - k), 'R', 'U', 'N', 1,
                            at(A, k, k), at(A, i, k), false);
        } else {
            send_tile(s.update, s.urgency, at(A, k, k),
                      owners_of(A, k, s.first, 1, s.last - s.first));
        }
        for (int64_t i = next; i < A.mt; i++) /* send L(i,k) along block row i */
            send_tile(s.update, s.urgency, at(A, i, k),
                      owners_of(A, i, s.first, 1, s.last - s.first));
        for (int64_t j = s.first; j < s.last; j++) {
            /* the tasks on the next panel have the highest priorities */
            int64_t priority = j == next ? critical(s.urgency - 1) : priority_at(&s, j - k);
            if (is_own_tile(at(A, k, j))) /* A(k,j) := L(k,k)^-1 * A(k,j) */
                insert_trsm(s.update, priority, 'L', 'L', 'U', 1, at(A, k, k), at(A, k, j), false);
            send_tile(s.update, priority, at(A, k, j), owners_of(A, next, j, A.mt - next, 1));
            for_own_tiles_in_column(i, A, j, next, A.mt)
                /* A(i,j) -= L(i,k) * U(k,j) */
                insert_gemm(s.update, i == next ? priority : priority - (i - k), -1, at(A, i, k),
                            at(A, k, j), 1, at(A, i, j));
        }
    }
    return s.is_complete;
}
