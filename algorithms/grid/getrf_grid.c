/*
 * LU factorization with row interchanges P A = L U on a grid with several process rows,
 * right-looking, with the distribution of ScaLAPACK's PxGETRF. A(r,j) are the rows of block column
 * j that process row r owns, from the panel's first row down; one task works on all of them. L and
 * the pivots are sent along process rows. Row interchanges are messages of nb rows along process
 * columns: the rows W(r,j) of A(r,j) that move to the diagonal block are merged to one W(j) by a
 * binary tree; the rows D(j) of the diagonal block before the interchanges, and U(k,j), are sent to
 * the other process rows.
 */
#include "algorithms.h"

#include <stdlib.h>

struct grid_lu {
    plan f;
    panel_factorization *panel;
    bool by_tournament;
    /* Matrices of one tile for each process row and block column. L: factors of the diagonal block;
     * W: rows that move up. D: rows of the diagonal block before the interchanges; U: rows U(k,j).
     * Only the tiles of D and U in the panel's first process row are used. */
    startile_matrix *L, *W, *D, *U;
    int64_t columns;        /* number of process columns that have panels */
    startile_matrix *ready; /* for insert_ready(): one token for each process in these columns */
    row_pivots **P;         /* interchanges of the current panel, by process row */
    candidates **C; /* candidates of the current panel, by position among its process rows */
};

static const tile NO_TILE = {.A = NULL};

/* Returns the tile of process row r and block column j in one of the matrices L, W, D, U, ready. */
static tile tile_of(const startile_matrix *X, int r, int64_t j)
{
    return at(view_of(X, 'N'), r, j);
}

/* Returns the i-th process row of the panel, counted from 0 at p->first. */
static int process_row(const struct grid_lu *g, const grid_panel *p, int i)
{
    return (p->first + i) % process_rows(g->f.A);
}

/* Returns A(r,j) for the i-th process row r of the panel. */
static column part(const struct grid_lu *g, const grid_panel *p, int i, int64_t j)
{
    return rows_of_process(below(g->f.A, j, p->row), process_row(g, p, i));
}

/* Returns panel k. */
static grid_panel panel_at(const struct grid_lu *g, int64_t k)
{
    startile_shape s = startile_matrix_shape(g->f.A);
    int64_t row = k * s.nb, tiles = s.mt - row / s.mb, grid_rows = process_rows(g->f.A);
    return (grid_panel){k,
                        row,
                        pivots_in_panel(g->f.A, k),
                        s.mb,
                        process_row_of(g->f.A, row),
                        (int)(tiles < grid_rows ? tiles : grid_rows)};
}

/* Returns whether this process is in the i-th process row of the panel. Where the tasks of other
 * process rows need no message from this process, it submits only its own tasks. */
static bool is_own(const struct grid_lu *g, const grid_panel *p, int i)
{
    int r = process_row(g, p, i);
    return own_row(view_of(g->W, 'N'), r) == r;
}

/* Returns the rows U(k,j), in the panel's first process row. */
static column rows_of_u(const struct grid_lu *g, const grid_panel *p, int64_t j)
{
    return rows_of(g->U, j, p->first * first_row(g->U, 1), p->n);
}

/* Applies panel k's interchanges to block column j, except that the new rows of the diagonal block
 * are in U(k,j). */
static void interchange(context ctx, int64_t priority, const struct grid_lu *g, const grid_panel *p,
                        int64_t j)
{
    tile D = tile_of(g->D, p->first, j), W = tile_of(g->W, p->first, j);
    for (int i = 0; i < p->count; i++) {
        int r = process_row(g, p, i);
        /* W(r,j) := rows of A(r,j) that move up; D(j) := rows of the diagonal block */
        if (is_own(g, p, i))
            insert_pack(ctx, priority, p, g->P[r], part(g, p, i, j), tile_of(g->W, r, j),
                        i == 0 ? D : NO_TILE);
    }
    broadcast_down(ctx, priority, D, p->count);
    for (int d = 1; d < p->count; d *= 2)
        for (int i = 0; i + d < p->count; i += 2 * d) {
            int r = process_row(g, p, i), sender = process_row(g, p, i + d);
            int count = d < p->count - i - d ? d : p->count - i - d;
            /* W(r,j) := rows of both, where W(sender,j) has those of `count` process rows */
            if (is_own(g, p, i) || is_own(g, p, i + d))
                insert_merge(ctx, priority, p, g->P[r], i + d, count, tile_of(g->W, sender, j),
                             tile_of(g->W, r, j));
        }
    for (int i = 0; i < p->count; i++)
        /* A(r,j) := rows of D(j) that move down; U(k,j) := P_k [D(j), W(j)] */
        if (is_own(g, p, i))
            insert_place(ctx, priority, p, g->P[process_row(g, p, i)], part(g, p, i, j), D,
                         i == 0 ? W : NO_TILE, i == 0 ? tile_of(g->U, p->first, j) : NO_TILE);
}

/* Frees the tiles of interchange() in block column j. */
static void discard_column(context ctx, const struct grid_lu *g, const grid_panel *p, int64_t j)
{
    for (int i = 0; i < p->count; i++)
        discard(ctx, tile_of(g->W, process_row(g, p, i), j));
    discard(ctx, tile_of(g->D, p->first, j));
    discard(ctx, tile_of(g->U, p->first, j));
}

/* Returns whether this process is in the process column of the panel. */
static bool is_in_panel_column(const struct grid_lu *g, const grid_panel *p)
{
    return own_column(g->f.V, p->k) == p->k;
}

/* Submits P_k A(:,k) = L U with partial pivoting; no later task reads L(r,k). */
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
        /* A(r,k) := its rows of L and of U, P(r) := P_k */
        insert_getrf_part(ctx, priority, p, part(g, p, i, p->k), g->P[r], tile_of(g->L, r, p->k),
                          ready);
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
        g->C[i] = A.rows < p->n ? NULL : select_rows(ctx, priority, A, p->n);
    }
    for (int distance = 1; distance < p->count; distance *= 2)
        for (int i = 0; i + distance < p->count; i += 2 * distance) {
            column losers = part(g, p, i + distance, p->k);
            if (losers.rows < p->n)
                /* C(i) := the n best of C(i) and the rows of `losers` */
                insert_match_rows(ctx, priority, g->C[i], losers);
            else
                /* C(i) := the n best of C(i) and C(i + distance) */
                insert_match(ctx, priority, g->C[i], g->C[i + distance]);
        }
    for (int i = 0; i < p->count; i++)
        /* P_k := interchanges that move the winners to the diagonal block */
        insert_order_part(ctx, priority, p, g->C[0], g->P[process_row(g, p, i)]);
}

/* Submits P_k A(:,k) = L U with tournament pivoting. Each process row computes L11 and U11 itself:
 * the first in A, the others in L(r,k). */
static void factor_with_tournament(context ctx, int64_t priority, const struct grid_lu *g,
                                   const grid_panel *p)
{
    select_pivots(ctx, priority, g, p);
    interchange(ctx, priority, g, p, p->k); /* U(k,k) := the diagonal block of P_k A(:,k) */
    broadcast_down(ctx, priority, tile_of(g->U, p->first, p->k), p->count);
    for (int i = 0; i < p->count; i++) {
        /* L21: rows of A(r,k) below the diagonal block, which is in A(r,k) only for i = 0 */
        column A = part(g, p, i, p->k), diagonal = rows_within(A, 0, p->n), L21 = A;
        inverse *WL, *WU;
        context repeated = ctx;
        repeated.is_repeated = i > 0;
        bool is_needed = i == 0 || is_own(g, p, i);
        if (i > 0)
            diagonal = rows_of(g->L, p->k, process_row(g, p, i) * first_row(g->L, 1), p->n);
        else
            L21 = rows_within(A, p->n, A.rows - p->n);
        /* L11 U11 := diagonal block; A(r,k) := A(r,k) * U11^-1 */
        if (is_needed)
            insert_copy(ctx, priority, 'G', rows_of_u(g, p, p->k), diagonal);
        /* all processes submit this task, because WL and WU take tags: all must take the same
         * number */
        insert_getrf_nopiv(repeated, priority, diagonal, p->n, &WL, &WU);
        if (is_needed)
            insert_trsm_column(ctx, priority, diagonal, p->n, WU, L21);
        release_inverse(WL);
    }
    discard_column(ctx, g, p, p->k);
}

/* Sends the pivots of each process row, and its tiles of A(:,k), along that process row. */
static void send_panel(context ctx, int64_t priority, const struct grid_lu *g, const grid_panel *p)
{
    view A = g->f.V;
    int64_t k = p->k, columns = A.nt - k - 1;
    for (int i = 0; i < p->count; i++)
        if (is_own(g, p, i))
            broadcast_row_pivots(ctx, priority, g->P[process_row(g, p, i)], g->f.A);
    for (int64_t i = own_row(A, p->row / startile_matrix_shape(g->f.A).mb); i < A.mt;
         i = own_row(A, i + 1))
        broadcast(ctx, priority, at(A, i, k), (tile_block){A, i, k + 1, 1, columns});
}

/* Submits A(:,j) := P_k A(:,j), U(k,j) := L11^-1 A(k,j), A(r,j) -= L21(r) * U(k,j). The tasks up to
 * U(k,j) have the priority `urgency`, because other process rows wait for U(k,j). */
static void update(context ctx, int64_t urgency, int64_t priority, const struct grid_lu *g,
                   const grid_panel *p, int64_t j)
{
    column U = rows_of_u(g, p, j);
    interchange(ctx, urgency, g, p, j);
    for (int i = 0; i < p->count; i++) {
        column L = part(g, p, i, p->k), A = part(g, p, i, j);
        if (i == 0 && is_own(g, p, 0)) {
            /* U(k,j) := L11^-1 U(k,j), A(k,j) := U(k,j) */
            substitution s = {'L', 'N', 'U', p->n, rows_within(L, 0, p->n), NULL, NULL};
            insert_substitution(ctx, urgency, &s, U);
            insert_copy(ctx, priority, 'G', U, rows_within(A, 0, p->n));
        }
        if (i == 0) {
            broadcast_down(ctx, urgency, tile_of(g->U, p->first, j), p->count);
            L = rows_within(L, p->n, L.rows - p->n);
            A = rows_within(A, p->n, A.rows - p->n);
        }
        if (is_own(g, p, i) && A.rows > 0) /* A(r,j) -= L21(r) * U(k,j) */
            insert_gemm_column(ctx, priority, L, U, A);
    }
    discard_column(ctx, g, p, j);
}

/* Submits the step of a panel whose rows all belong to one process row. */
static void local_step(const struct grid_lu *g, const grid_panel *p, const step *s)
{
    const plan *f = &g->f;
    release_inverse(g->panel(s)); /* P_k A(k:,k) = L U */
    send_panel(s->update, critical(s->urgency), g, p);
    substitution L = {'L', 'N', 'U', p->n, below(f->A, p->k, p->row), NULL, NULL};
    for (int64_t j = own_column(f->V, p->k + 1); j < f->V.nt; j = own_column(f->V, j + 1))
        /* A(k:,j) := P_k A(k:,j), A(k,j) := L11^-1 A(k,j), A(k+1:,j) -= A(k+1:,k) * A(k,j) */
        insert_update(s->update, priority_at(s, j - p->k), f->P, p->k, &L, below(f->A, j, p->row));
}

/* Submits the step of a panel whose rows belong to several process rows. */
static void shared_step(const struct grid_lu *g, const grid_panel *p, const step *s)
{
    view A = g->f.V;
    context ctx = s->update;
    int64_t urgent = critical(s->urgency);
    if (g->by_tournament)
        factor_with_tournament(ctx, urgent, g, p);
    else
        factor_with_pivots(ctx, urgent, g, p);
    send_panel(ctx, urgent, g, p);
    for (int64_t j = own_column(A, p->k + 1); j < A.nt; j = own_column(A, j + 1)) {
        /* a higher priority for block column k + 1, the next panel */
        int64_t priority = j == p->k + 1 ? urgent - 1 : priority_at(s, j - p->k);
        update(ctx, j == p->k + 1 ? priority : priority_at(s, 0), priority, g, p, j);
    }
}

/* Frees the factors of A(:,k)'s diagonal block in L. */
static void discard_diagonal(context ctx, const struct grid_lu *g, const grid_panel *p)
{
    for (int i = 0; i < p->count; i++)
        discard(ctx, tile_of(g->L, process_row(g, p, i), p->k));
}

/* Returns whether this process submits tasks with the interchanges of the panel's i-th process row:
 * a task of the panel that all processes submit (i = 0), all tasks of a panel in its own process
 * column, the tasks on its own rows, or the merge to which it sends W. */
static bool needs_pivots(const struct grid_lu *g, const grid_panel *p, int i)
{
    int grid_rows = process_rows(g->f.A), my_row = (int)own_row(view_of(g->W, 'N'), 0);
    int my_position = (my_row - p->first + grid_rows) % grid_rows;
    /* without its lowest bit, my_position is the position to which the binary tree sends W */
    return i == 0 || is_in_panel_column(g, p) || i == my_position ||
           i == my_position - (my_position & -my_position);
}

/* Submits the steps of all panels. */
static void submit_steps(context ctx, struct grid_lu *g)
{
    const plan *f = &g->f;
    for (int64_t k = 0; k < f->panels; k++) {
        grid_panel p = panel_at(g, k);
        ctx = begin_step(ctx, f->A, k);
        step s = {.p = f,
                  .panel = ctx,
                  .update = ctx,
                  .k = k,
                  .first = k + 1,
                  .last = f->V.nt,
                  .has_panel = true,
                  .urgency = 2 * (f->V.nt - k)};
        for (int i = 0; i < p.count; i++) {
            int r = process_row(g, &p, i);
            g->P[r] = pivots_in_row(ctx, f->A, f->P, &p, r, needs_pivots(g, &p, i));
        }
        if (p.count == 1)
            local_step(g, &p, &s);
        else
            shared_step(g, &p, &s);
        discard_diagonal(ctx, g, &p);
        end_step(ctx);
        interchange_left_on_grid(ctx, f->P, f->A, k);
    }
}

void factor_lu_on_grid(context ctx, startile_matrix *A, startile_pivots *P,
                       panel_factorization *panel, bool by_tournament)
{
    startile_shape s = startile_matrix_shape(A);
    int rows = process_rows(A), columns = process_columns(A);
    struct grid_lu g = {.f = {.A = A, .V = view_of(A, 'N'), .panels = panels_of(A), .P = P},
                        .panel = panel,
                        .by_tournament = by_tournament,
                        .columns = s.nt < columns ? s.nt : columns};
    ctx = begin_factorization(ctx);
    if (!has_capacity_of(ctx, GETRF, A, NULL))
        return;
    const temporary *before = newest_temporary(ctx);
    startile_matrix **temporaries[] = {&g.L, &g.W, &g.D, &g.U};
    bool is_made = true;
    for (int i = 0; i < 4; i++) {
        *temporaries[i] = temporary_matrix(ctx, A, rows * s.nb, s.n, s.nb, s.nb);
        is_made = is_made && *temporaries[i] != NULL;
    }
    g.ready = temporary_matrix(ctx, A, rows, g.columns, 1, 1);
    g.P = calloc((size_t)rows, sizeof *g.P);
    g.C = calloc((size_t)rows, sizeof *g.C);
    if (is_made && g.ready != NULL && g.P != NULL && g.C != NULL)
        submit_steps(ctx, &g);
    else
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
    free(g.P);
    free(g.C);
    release_temporaries(ctx, before);
    return_matrix(ctx, A);
    after_factorization(ctx);
}
