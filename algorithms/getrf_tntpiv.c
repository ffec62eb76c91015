/* LU factorization with tournament pivoting P A = L U (CALU: Grigori, Demmel & Xiang 2011). */
#include "algorithms.h"

/* Submits the tournament among leaves first … first + count − 1; its two halves run in parallel.
 * Returns the n selected rows. A leaf has `height` rows; the last leaf also gets the remaining
 * rows, so that every leaf has at least n rows. */
static candidates *play(startile_request *r, int64_t urgency, column A, int64_t n, int64_t height,
                        int64_t first, int64_t count)
{
    if (count == 1) {
        int64_t row = first * height, left = A.rows - row;
        /* candidates := the n pivot rows of this leaf by partial pivoting */
        return insert_select(r, urgency,
                             rows_of(A.A, A.j, A.row + row, left < 2 * height ? left : height), n);
    }
    candidates *winners = play(r, urgency, A, n, height, first, count / 2);
    candidates *losers = play(r, urgency, A, n, height, first + count / 2, count - count / 2);
    insert_match(r, urgency, winners, losers); /* winners := the n pivot rows among both */
    forget_candidates(losers);
    return winners;
}

/* Selects the pivot rows of panel k by a tournament and moves them to the top of the panel. */
static void tournament(startile_request *r, startile_matrix *A, startile_pivots *P, int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    column panel = below(A, k, k * s.nb);
    int64_t urgency = critical(2 * (s.nt - k)), n = pivots_in_panel(A, k), height = leaf_rows(n);
    int64_t leaves = panel.rows < 2 * height ? 1 : panel.rows / height;
    candidates *winners = play(r, urgency, panel, n, height, 0, leaves);
    insert_order(r, urgency, winners, P, k); /* P_k := interchanges that move winners to the top */
    /* A(k:,k) := P_k A(k:,k) */
    insert_laswp(r, urgency, P, k, k + 1, false, panel, NULL);
    forget_candidates(winners);
}

static inverse *factor_with_tournament(startile_request *r, startile_matrix *A, startile_pivots *P,
                                       int64_t k)
{
    tournament(r, A, P, k);
    return factor_panel(r, A, P, k);
}

int startile_getrf_tntpiv_async(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong == 0)
        factor_lu(request, A, P, factor_with_tournament);
    return wrong;
}

int64_t startile_getrf_tntpiv(startile_matrix *A, startile_pivots *P)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrf_tntpiv_async(A, P, r));
}
