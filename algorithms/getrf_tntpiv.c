/* LU factorization with tournament pivoting P A = L U (CALU: Grigori, Demmel & Xiang 2011). */
#include "algorithms.h"

/* Submits the tournament among leaves first … first + count − 1; its two halves run in parallel.
 * Returns the n selected rows. A leaf has `height` rows; the last leaf also gets the remaining
 * rows, so that every leaf has at least n rows. */
static candidates *run_tournament(context ctx, int64_t urgency, column A, int64_t n, int64_t height,
                                  int64_t first, int64_t count)
{
    if (count == 1) {
        int64_t row = first * height, remaining_rows = A.rows - row;
        int64_t rows = remaining_rows < 2 * height ? remaining_rows : height;
        /* candidates := the n pivot rows of this leaf by partial pivoting */
        return insert_select(ctx, urgency, rows_within(A, row, rows), n);
    }
    candidates *winners = run_tournament(ctx, urgency, A, n, height, first, count / 2);
    candidates *losers =
        run_tournament(ctx, urgency, A, n, height, first + count / 2, count - count / 2);
    insert_match(ctx, urgency, winners, losers); /* winners := the n pivot rows among both */
    return winners;
}

candidates *select_rows(context ctx, int64_t urgency, column A, int64_t n)
{
    int64_t height = leaf_rows(n), leaves = A.rows < 2 * height ? 1 : A.rows / height;
    return run_tournament(ctx, urgency, A, n, height, 0, leaves);
}

/* Selects the pivot rows of panel k by a tournament, moves them to the top of the panel, and
 * factors it without pivoting. */
static inverse *factor_with_tournament(const step *s)
{
    startile_matrix *A = s->p->A;
    startile_pivots *P = s->p->P;
    column panel = rows_from(A, s->k, first_row(A, s->k));
    int64_t urgency = critical(s->urgency), n = pivots_in_panel(A, s->k);
    candidates *winners = select_rows(s->panel, urgency, panel, n);
    /* P_k := interchanges that move the winners to the top */
    insert_order(s->panel, urgency, winners, P, s->k);
    /* A(k:,k) := P_k A(k:,k) */
    insert_laswp(s->panel, urgency, P, s->k, s->k + 1, false, panel, NULL);
    return factor_panel_nopiv(s);
}

int submit_getrf_tntpiv(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong != 0)
        return wrong;
    plan p = plan_of_lu("getrf_tntpiv", A, P, factor_with_tournament);
    p.by_tournament = true;
    submit_plan(&p, request);
    return 0;
}
