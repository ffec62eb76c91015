/*
 * LU factorization with row interchanges P A = L U on a grid with several process rows,
 * right-looking, with the distribution of ScaLAPACK's PxGETRF. A(r,j) are the rows of block column
 * j that process row r owns, from the panel's first row down; one task works on all of them. Panel
 * k of n rows begins in process row `first`, whose A(first,j) has the diagonal block on top:
 *
 *                       block column k           block column j > k
 *     first             +-------------+          +-------------+
 *                       | L11 \ U11   |          | A(k,j)      |--> old_diagonal(j) --> down to
 *                       +-------------+          +-------------+    the places of rows_up
 *                       | L21(first)  |          | A(first,j)  |--> rows_up(first,j)   \
 *     first + 1         | L21(r)      |          | A(r,j)      |--> rows_up(r,j)        > merged
 *     …                 | L21(r')     |          | A(r',j)     |--> rows_up(r',j)      /  by a tree
 *                       +-------------+          +-------------+            |
 *     pivots[r], factors(r,k) = L11 \ U11,                                 v
 *     ready(r), candidates[i]                     new_diagonal(j) = P_k [old_diagonal, rows_up],
 *                                                 then U(k,j) = L11^-1 new_diagonal(j)
 *
 * L21(r) and pivots[r] are sent along process row r; old_diagonal(j) and U(k,j), of n rows each,
 * down the process column of j. All temporaries live for one step. Panels: getrf_grid_panel.c.
 */
#include "getrf_grid.h"
#include "grid/broadcast.h"
#include "library/integers.h"
#include "operations/insert_rows.h"
#include "request/request.h"

#include <stdlib.h>

static const tile NO_TILE = {.A = NULL};

/* Returns panel k. */
static grid_panel panel_at(const struct grid_lu *g, int64_t k)
{
    startile_shape s = startile_matrix_shape(g->plan->A);
    int64_t row = k * s.nb, tiles = s.mt - row / s.mb, grid_rows = process_rows(g->plan->A);
    return (grid_panel){.k = k,
                        .row = row,
                        .n = pivots_in_panel(g->plan->A, k),
                        .mb = s.mb,
                        .first = process_row_of(g->plan->A, row),
                        .count = (int)(tiles < grid_rows ? tiles : grid_rows)};
}

void interchange_block_column(context ctx, int64_t priority, const struct grid_lu *g,
                              const grid_panel *panel, int64_t j)
{
    tile old = tile_of(g->old_diagonal, panel->first, j), up = tile_of(g->rows_up, panel->first, j);
    for (int i = 0; i < panel->count; i++) {
        int r = process_row(g, panel, i);
        /* rows_up(r,j) := rows of A(r,j) that move up; old(j) := rows of the diagonal block */
        if (is_in_process_row(g, panel, i))
            insert_pack(ctx, priority, panel, g->pivots[r], rows_of_process_row(g, panel, i, j),
                        tile_of(g->rows_up, r, j), i == 0 ? old : NO_TILE);
    }
    send_tile(ctx, priority, old, owners_down(old, panel->count));
    for (int d = 1; d < panel->count; d *= 2)
        for (int i = 0; i + d < panel->count; i += 2 * d) {
            int r = process_row(g, panel, i), sender = process_row(g, panel, i + d);
            int count = d < panel->count - i - d ? d : panel->count - i - d;
            /* rows_up(r,j) := rows of both; rows_up(sender,j) has those of `count` process rows */
            if (is_in_process_row(g, panel, i) || is_in_process_row(g, panel, i + d))
                insert_merge(ctx, priority, panel, g->pivots[r], i + d, count,
                             tile_of(g->rows_up, sender, j), tile_of(g->rows_up, r, j));
        }
    for (int i = 0; i < panel->count; i++)
        /* A(r,j) := rows of old(j) that move down; new_diagonal(j) := P_k [old(j), up(j)] */
        if (is_in_process_row(g, panel, i))
            insert_place(ctx, priority, panel, g->pivots[process_row(g, panel, i)],
                         rows_of_process_row(g, panel, i, j), old, i == 0 ? up : NO_TILE,
                         i == 0 ? tile_of(g->new_diagonal, panel->first, j) : NO_TILE);
}

/* Sends the pivots of each process row, and its tiles of A(:,k), along that process row. */
static void send_panel(context ctx, int64_t priority, const struct grid_lu *g,
                       const grid_panel *panel)
{
    view A = g->plan->V;
    int64_t k = panel->k, columns = A.nt - k - 1;
    for (int i = 0; i < panel->count; i++)
        if (is_in_process_row(g, panel, i))
            send_row_pivots(ctx, priority, g->pivots[process_row(g, panel, i)], g->plan->A);
    for_own_rows(i, A, panel->row / startile_matrix_shape(g->plan->A).mb, A.mt)
        send_column_tile(ctx, priority, at(A, i, k), owners_of(A, i, k + 1, 1, columns));
}

/* Submits A(:,j) := P_k A(:,j), U(k,j) := L11^-1 A(k,j), A(r,j) -= L21(r) * U(k,j). The tasks up to
 * U(k,j) have the priority `urgency`, because other process rows wait for U(k,j). */
static void update(context ctx, int64_t urgency, int64_t priority, const struct grid_lu *g,
                   const grid_panel *panel, int64_t j)
{
    column U = new_diagonal_rows(g, panel, j);
    interchange_block_column(ctx, urgency, g, panel, j);
    for (int i = 0; i < panel->count; i++) {
        column L = rows_of_process_row(g, panel, i, panel->k),
               A = rows_of_process_row(g, panel, i, j);
        if (i == 0 && is_in_process_row(g, panel, 0)) {
            /* U(k,j) := L11^-1 U(k,j), A(k,j) := U(k,j) */
            substitution L11 = {.uplo = 'L',
                                .trans = 'N',
                                .diag = 'U',
                                .n = panel->n,
                                .columns = rows_within(L, 0, panel->n)};
            insert_substitution(ctx, urgency, &L11, U);
            insert_copy(ctx, priority, 'G', U, rows_within(A, 0, panel->n));
        }
        if (i == 0) {
            send_tile(ctx, urgency, tile_of(g->new_diagonal, panel->first, j),
                      owners_down(tile_of(g->new_diagonal, panel->first, j), panel->count));
            L = rows_within(L, panel->n, L.rows - panel->n);
            A = rows_within(A, panel->n, A.rows - panel->n);
        }
        if (is_in_process_row(g, panel, i) && A.rows > 0) /* A(r,j) -= L21(r) * U(k,j) */
            insert_gemm_column(ctx, priority, L, U, A);
    }
}

/* Submits the step of a panel whose rows all belong to one process row. */
static void local_step(const struct grid_lu *g, const grid_panel *panel, step *s)
{
    const plan *plan = g->plan;
    keep_inverse(s, plan->panel(s)); /* P_k A(k:,k) = L U */
    send_panel(s->update, critical(s->urgency), g, panel);
    substitution L = {.uplo = 'L',
                      .trans = 'N',
                      .diag = 'U',
                      .n = panel->n,
                      .columns = rows_from(plan->A, panel->k, panel->row)};
    for_own_columns(j, plan->V, panel->k + 1, plan->V.nt)
        /* A(k:,j) := P_k A(k:,j), A(k,j) := L11^-1 A(k,j), A(k+1:,j) -= A(k+1:,k) * A(k,j) */
        insert_update(s->update, priority_at(s, j - panel->k), plan->P, panel->k, &L,
                      rows_from(plan->A, j, panel->row));
}

/* Submits the step of a panel whose rows belong to several process rows. */
static void shared_step(const struct grid_lu *g, const grid_panel *panel, const step *s)
{
    view A = g->plan->V;
    context ctx = s->update;
    int64_t urgent = critical(s->urgency);
    factor_shared_panel(ctx, urgent, g, panel); /* P_k A(:,k) = L U */
    send_panel(ctx, urgent, g, panel);
    for_own_columns(j, A, panel->k + 1, A.nt) {
        /* a higher priority for block column k + 1, the next panel */
        int64_t priority = j == panel->k + 1 ? urgent - 1 : priority_at(s, j - panel->k);
        update(ctx, j == panel->k + 1 ? priority : priority_at(s, 0), priority, g, panel, j);
    }
}

/* Returns whether this process submits tasks with the interchanges of the panel's i-th process row:
 * a task of the panel that all processes submit (i = 0), all tasks of a panel in its own process
 * column, the tasks on its own rows, or the merge to which it sends rows_up. */
static bool needs_pivots(const struct grid_lu *g, const grid_panel *panel, int i)
{
    int grid_rows = process_rows(g->plan->A), my_row = (int)own_row(view_of(g->rows_up, 'N'), 0);
    int my_position = (my_row - panel->first + grid_rows) % grid_rows;
    /* without its lowest bit, my_position is where the binary tree sends rows_up */
    return i == 0 || is_in_panel_column(g, panel) || i == my_position ||
           i == my_position - (my_position & -my_position);
}

/* Creates the matrices of a step. Returns false, and fails the request, without memory. */
static bool new_matrices(context ctx, struct grid_lu *g)
{
    const startile_matrix *A = g->plan->A;
    startile_shape s = startile_matrix_shape(A);
    int rows = process_rows(A);
    startile_matrix **made[] = {&g->factors, &g->rows_up, &g->old_diagonal, &g->new_diagonal};
    bool is_made = true;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        *made[i] = temporary_matrix(ctx, A, rows * s.nb, s.n, s.nb, s.nb);
        is_made = is_made && *made[i] != NULL;
    }
    g->ready = temporary_matrix(ctx, A, rows, g->columns, 1, 1);
    return is_made && g->ready != NULL;
}

/* Submits the steps of all panels. Returns whether all were submitted. */
static bool submit_steps(context ctx, struct grid_lu *g)
{
    const plan *plan = g->plan;
    step s = first_step(ctx, plan);
    /* Before step k, block columns 0 … k − 1 hold L and U of P_{k−1} … P_0 A; the others hold
     * U(0:k,k:) above and the Schur complement A(k:,k:) below. Interchanges of L by the newest
     * panels are submitted later, those of PANELS_AT_A_TIME panels together. */
    while (next_step(&s)) {
        grid_panel panel = panel_at(g, s.k);
        if (!new_matrices(s.panel, g))
            continue; /* the request has failed; next_step() frees what the steps hold */
        for (int i = 0; i < panel.count; i++) {
            int r = process_row(g, &panel, i);
            g->pivots[r] = pivots_of_process_row(s.panel, plan->A, plan->P, &panel, r,
                                                 needs_pivots(g, &panel, i));
        }
        if (panel.count == 1)
            local_step(g, &panel, &s);
        else
            shared_step(g, &panel, &s);
        interchange_left_on_grid(s.update, plan->P, plan->A, s.k);
    }
    return s.is_complete;
}

bool factor_lu_on_grid(context ctx, const plan *p)
{
    int rows = process_rows(p->A);
    struct grid_lu g = {.plan = p, .columns = min(p->V.nt, column_period(p->A))};
    g.pivots = calloc((size_t)rows, sizeof *g.pivots);
    g.candidates = calloc((size_t)rows, sizeof *g.candidates);
    bool is_complete = false;
    if (g.pivots != NULL && g.candidates != NULL)
        is_complete = submit_steps(ctx, &g);
    else
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
    free(g.pivots);
    free(g.candidates);
    return is_complete;
}
