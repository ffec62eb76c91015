/* LU on a grid with several process rows: the panel. Its rows belong to several process rows, which
 * choose pivots together, by partial pivoting or by a tournament. */
#include "getrf_grid.h"
#include "grid/broadcast.h"
#include "operations/insert_rows.h"

/* Submits P_k A(:,k) = L U with partial pivoting; no later task reads factors(r,k). The task of
 * a process row waits for those of the others; `ready` lets none begin before all can, else
 * processes with one worker would wait for each other for ever. */
static void factor_with_pivots(context ctx, int64_t priority, const struct grid_lu *g,
                               const grid_panel *panel)
{
    tile ready[panel->count];
    for (int i = 0; i < panel->count; i++) {
        ready[i] = tile_of(g->ready, process_row(g, panel, i), panel->k % g->columns);
        if (is_in_panel_column(g, panel)) /* ready(r) := 0 after all tasks on A(r,k) */
            insert_ready(ctx, priority, rows_of_process_row(g, panel, i, panel->k), ready[i]);
    }
    /* all processes submit the first task, because it writes the info, which all must know */
    int tasks = is_in_panel_column(g, panel) ? panel->count : 1;
    for (int i = 0; i < tasks; i++) {
        int r = process_row(g, panel, i);
        /* A(r,k) := its rows of L and of U, pivots[r] := P_k */
        insert_getrf_part(ctx, priority, panel, rows_of_process_row(g, panel, i, panel->k),
                          g->pivots[r], tile_of(g->factors, r, panel->k), ready);
    }
}

/* Selects the pivot rows of the panel by a tournament in each process row, then by one among their
 * winners. A process row that has fewer rows than the panel has pivots takes part only in the
 * second; that can only be the last one, so candidates[i] exist for the others. */
static void select_pivots(context ctx, int64_t priority, const struct grid_lu *g,
                          const grid_panel *panel)
{
    for (int i = 0; i < panel->count; i++) {
        column A = rows_of_process_row(g, panel, i, panel->k);
        g->candidates[i] = A.rows < panel->n ? NULL : select_rows(ctx, priority, A, panel->n);
    }
    for (int distance = 1; distance < panel->count; distance *= 2)
        for (int i = 0; i + distance < panel->count; i += 2 * distance) {
            column losers = rows_of_process_row(g, panel, i + distance, panel->k);
            if (losers.rows < panel->n)
                /* candidates[i] := the n best of them and the rows of `losers` */
                insert_match_rows(ctx, priority, g->candidates[i], losers);
            else
                /* candidates[i] := the n best of both */
                insert_match(ctx, priority, g->candidates[i], g->candidates[i + distance]);
        }
    for (int i = 0; i < panel->count; i++)
        /* P_k := interchanges that move the winners to the diagonal block */
        insert_order_part(ctx, priority, panel, g->candidates[0],
                          g->pivots[process_row(g, panel, i)]);
}

/* Submits P_k A(:,k) = L U with tournament pivoting. Every process row r computes L11 and U11
 * itself: the first process row in A, the others in factors(r,k). */
static void factor_with_tournament(context ctx, int64_t priority, const struct grid_lu *g,
                                   const grid_panel *panel)
{
    select_pivots(ctx, priority, g, panel);
    /* new_diagonal(k) := diagonal block of P_k A(:,k) */
    interchange_block_column(ctx, priority, g, panel, panel->k);
    send_tile(ctx, priority, tile_of(g->new_diagonal, panel->first, panel->k),
              owners_down(tile_of(g->new_diagonal, panel->first, panel->k), panel->count));
    for (int i = 0; i < panel->count; i++) {
        /* L21: rows of A(r,k) below the diagonal block, which is in A(r,k) only for i = 0 */
        column A = rows_of_process_row(g, panel, i, panel->k),
               diagonal = rows_within(A, 0, panel->n), L21 = A;
        inverse *WU;
        context factorization = ctx;
        factorization.is_duplicate = i > 0;
        bool is_needed = i == 0 || is_in_process_row(g, panel, i);
        if (i > 0)
            diagonal = rows_of(g->factors, panel->k,
                               process_row(g, panel, i) * first_row(g->factors, 1), panel->n);
        else
            L21 = rows_within(A, panel->n, A.rows - panel->n);
        /* L11 U11 := diagonal block; A(r,k) := A(r,k) * U11^-1 */
        if (is_needed)
            insert_copy(ctx, priority, 'G', new_diagonal_rows(g, panel, panel->k), diagonal);
        /* all processes submit this task, because the inverses take tags: all must take the same
         * number */
        insert_getrf_nopiv(factorization, priority, diagonal, panel->n, &WU);
        if (is_needed)
            insert_trsm_column(ctx, priority, diagonal, panel->n, WU, L21);
    }
}

void factor_shared_panel(context ctx, int64_t priority, const struct grid_lu *g,
                         const grid_panel *panel)
{
    if (g->plan->by_tournament)
        factor_with_tournament(ctx, priority, g, panel);
    else
        factor_with_pivots(ctx, priority, g, panel);
}
