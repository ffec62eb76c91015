/* LU on a grid with several process rows: the panel. Its rows belong to several process rows, which
 * choose pivots together, by partial pivoting or by a tournament. */
#include "getrf_grid.h"
#include "grid/broadcast.h"
#include "operations/insert_rows.h"

/* Submits P_k A(:,k) = L U with partial pivoting; no later task reads factors(r,k). */
static void factor_with_pivots(context ctx, int64_t priority, const struct grid_lu *g,
                               const grid_panel *p)
{
    tile ready[p->count];
    for (int i = 0; i < p->count; i++) {
        ready[i] = tile_of(g->ready, process_row(g, p, i), p->k % g->columns);
        if (is_in_panel_column(g, p)) /* ready(r) := 0 after all tasks on A(r,k) */
            insert_ready(ctx, priority, part(g, p, i, p->k), ready[i]);
    }
    /* all processes submit the first task, because it writes the info, which all must know */
    int tasks = is_in_panel_column(g, p) ? p->count : 1;
    for (int i = 0; i < tasks; i++) {
        int r = process_row(g, p, i);
        /* A(r,k) := its rows of L and of U, pivots[r] := P_k */
        insert_getrf_part(ctx, priority, p, part(g, p, i, p->k), g->pivots[r],
                          tile_of(g->factors, r, p->k), ready);
    }
}

/* Selects the pivot rows of the panel by a tournament in each process row, then by one among their
 * winners. A process row that has fewer rows than the panel has pivots takes part only in the
 * second. */
static void select_pivots(context ctx, int64_t priority, const struct grid_lu *g,
                          const grid_panel *p)
{
    for (int i = 0; i < p->count; i++) {
        column A = part(g, p, i, p->k);
        g->candidates[i] = A.rows < p->n ? NULL : select_rows(ctx, priority, A, p->n);
    }
    for (int distance = 1; distance < p->count; distance *= 2)
        for (int i = 0; i + distance < p->count; i += 2 * distance) {
            column losers = part(g, p, i + distance, p->k);
            if (losers.rows < p->n)
                /* candidates[i] := the n best of them and the rows of `losers` */
                insert_match_rows(ctx, priority, g->candidates[i], losers);
            else
                /* candidates[i] := the n best of both */
                insert_match(ctx, priority, g->candidates[i], g->candidates[i + distance]);
        }
    for (int i = 0; i < p->count; i++)
        /* P_k := interchanges that move the winners to the diagonal block */
        insert_order_part(ctx, priority, p, g->candidates[0], g->pivots[process_row(g, p, i)]);
}

/* Submits P_k A(:,k) = L U with tournament pivoting. Each process row computes L11 and U11 itself:
 * the first in A, the others in factors(r,k). */
static void factor_with_tournament(context ctx, int64_t priority, const struct grid_lu *g,
                                   const grid_panel *p)
{
    select_pivots(ctx, priority, g, p);
    interchange_part(ctx, priority, g, p, p->k); /* U(k,k) := the diagonal block of P_k A(:,k) */
    send_tile(ctx, priority, tile_of(g->new_diagonal, p->first, p->k),
              owners_down(tile_of(g->new_diagonal, p->first, p->k), p->count));
    for (int i = 0; i < p->count; i++) {
        /* L21: rows of A(r,k) below the diagonal block, which is in A(r,k) only for i = 0 */
        column A = part(g, p, i, p->k), diagonal = rows_within(A, 0, p->n), L21 = A;
        inverse *WU;
        context repeated = ctx;
        repeated.is_repeated = i > 0;
        bool is_needed = i == 0 || is_own(g, p, i);
        if (i > 0)
            diagonal =
                rows_of(g->factors, p->k, process_row(g, p, i) * first_row(g->factors, 1), p->n);
        else
            L21 = rows_within(A, p->n, A.rows - p->n);
        /* L11 U11 := diagonal block; A(r,k) := A(r,k) * U11^-1 */
        if (is_needed)
            insert_copy(ctx, priority, 'G', rows_of_u(g, p, p->k), diagonal);
        /* all processes submit this task, because the inverses take tags: all must take the same
         * number */
        insert_getrf_nopiv(repeated, priority, diagonal, p->n, &WU);
        if (is_needed)
            insert_trsm_column(ctx, priority, diagonal, p->n, WU, L21);
    }
}

void factor_shared_panel(context ctx, int64_t priority, const struct grid_lu *g,
                         const grid_panel *p)
{
    if (g->f->by_tournament)
        factor_with_tournament(ctx, priority, g, p);
    else
        factor_with_pivots(ctx, priority, g, p);
}
