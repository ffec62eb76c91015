/*
 * LU factorization with row interchanges P A = L U on a grid with several process rows,
 * right-looking, as ScaLAPACK's PxGETRF distributes it. All rows that a process row has of a block
 * column are the operand of one task: A(r,j) are those of process row r, from the panel's first row
 * down. Row interchanges are messages of fixed sizes: W(r,j) are the rows of A(r,j) that move to
 * the diagonal block, D(j) the rows of the diagonal block before. L and the pivots go along process
 * rows, W and D along process columns.
 */
#include "algorithms.h"

#include <stdlib.h>

struct grid_lu {
    factorization f;
    bool by_tournament;
    /* one tile for each process row and block column: the factors of the diagonal block; rows that
     * move; rows of U, in the first process row D */
    startile_matrix *L, *W, *U;
    int64_t columns;        /* process columns with panels */
    startile_matrix *ready; /* a token of each process in these columns */
    row_pivots **P;         /* of the current panel, by process row */
    candidates **C;         /* of the current panel, by place among its process rows */
};

static const tile NO_TILE = {.A = NULL};

static tile tile_of(const startile_matrix *X, int r, int64_t j)
{
    return at(view_of(X, 'N'), r, j);
}

static int process_row(const struct grid_lu *g, const grid_panel *p, int i)
{
    return (p->first + i) % process_rows(g->f.A);
}

/* Returns A(r,j) for the i-th process row r of the panel. */
static column part(const struct grid_lu *g, const grid_panel *p, int i, int64_t j)
{
    return rows_of_process(below(g->f.A, j, p->row), process_row(g, p, i));
}

static grid_panel panel_at(const struct grid_lu *g, int64_t k)
{
    startile_shape s = startile_matrix_shape(g->f.A);
    int64_t row = k * s.nb, tiles = s.mt - row / s.mb, rows = process_rows(g->f.A);
    return (grid_panel){k, row, pivots_in_panel(g->f.A, k), process_row_of(g->f.A, row),
                        (int)(tiles < rows ? tiles : rows)};
}

/* Applies panel k's interchanges to block column j. The other process rows than the first get the
 * rows of the diagonal block in `top`. */
static void interchange(context ctx, int64_t priority, const struct grid_lu *g, const grid_panel *p,
                        int64_t j, const startile_matrix *top)
{
    tile D = tile_of(g->U, p->first, j);
    for (int i = 0; i < p->count; i++) {
        int r = process_row(g, p, i);
        /* W(r,j) := rows of A(r,j) that move up; D(j) := rows of the diagonal block */
        insert_pack(ctx, priority, p, g->P[r], part(g, p, i, j), tile_of(g->W, r, j),
                    i == 0 ? D : NO_TILE);
    }
    for (int i = 0; i < p->count; i++) {
        int r = process_row(g, p, i);
        /* A(r,j) := rows of D(j) that move down; top(r,j) := P_k [D(j), W(:,j)] */
        insert_place(ctx, priority, p, g->P[r], part(g, p, i, j), g->W, D,
                     i > 0 ? tile_of(top, r, j) : NO_TILE);
    }
}

/* Frees the tiles of interchange() and update() in block column j. */
static void discard_column(context ctx, const struct grid_lu *g, const grid_panel *p, int64_t j)
{
    for (int i = 0; i < p->count; i++) {
        discard(ctx, tile_of(g->W, process_row(g, p, i), j));
        discard(ctx, tile_of(g->U, process_row(g, p, i), j));
    }
}

/* P_k A(:,k) = L U with partial pivoting; L(r,k) := L11 and U11 */
static void factor_with_pivots(context ctx, int64_t priority, const struct grid_lu *g,
                               const grid_panel *p)
{
    tile ready[p->count];
    for (int i = 0; i < p->count; i++) {
        ready[i] = tile_of(g->ready, process_row(g, p, i), p->k % g->columns);
        insert_ready(ctx, priority, part(g, p, i, p->k), ready[i]);
    }
    for (int i = 0; i < p->count; i++) {
        int r = process_row(g, p, i);
        insert_getrf_part(ctx, priority, p, part(g, p, i, p->k), g->P[r], tile_of(g->L, r, p->k),
                          ready);
    }
}

/* Selects the pivot rows of the panel: a tournament in each process row, then one of its winners. A
 * last process row of fewer rows than the panel has columns only takes part in the second. */
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
                insert_match_rows(ctx, priority, g->C[i], losers);
            else
                insert_match(ctx, priority, g->C[i], g->C[i + distance]);
        }
    for (int i = 0; i < p->count; i++)
        /* P_k := interchanges that move the winners to the diagonal block */
        insert_order_part(ctx, priority, p, g->C[0], g->P[process_row(g, p, i)]);
}

/* P_k A(:,k) = L U with tournament pivoting; L(r,k) := L11 and U11, on each process row by itself
 */
static void factor_with_tournament(context ctx, int64_t priority, const struct grid_lu *g,
                                   const grid_panel *p)
{
    select_pivots(ctx, priority, g, p);
    interchange(ctx, priority, g, p, p->k, g->L); /* A(:,k) := P_k A(:,k) */
    for (int i = 0; i < p->count; i++) {
        column A = part(g, p, i, p->k), diagonal = rows_within(A, 0, p->n), rest = A;
        inverse *WL, *WU;
        context repeated = ctx;
        repeated.is_repeated = i > 0;
        if (i > 0)
            diagonal = rows_of(g->L, p->k, process_row(g, p, i) * first_row(g->L, 1), p->n);
        else
            rest = rows_within(A, p->n, A.rows - p->n);
        /* L11 U11 := diagonal block; A(r,k) := A(r,k) * U11^-1 */
        insert_getrf_nopiv(repeated, priority, diagonal, p->n, &WL, &WU);
        insert_trsm_column(ctx, priority, diagonal, p->n, WU, rest);
        release_inverse(WL);
    }
    discard_column(ctx, g, p, p->k);
}

/* Sends the pivots of all process rows, L11 and A(:,k) along the process rows. */
static void send_panel(context ctx, int64_t priority, const struct grid_lu *g, const grid_panel *p)
{
    view A = g->f.V;
    int64_t k = p->k, columns = A.nt - k - 1;
    for (int i = 0; i < p->count; i++) {
        int r = process_row(g, p, i);
        broadcast_row_pivots(ctx, priority, g->P[r], g->f.A);
        if (i > 0)
            broadcast(ctx, priority, tile_of(g->L, r, k),
                      (tile_block){view_of(g->L, 'N'), r, k + 1, 1, columns});
    }
    for (int64_t i = own_row(A, p->row / startile_matrix_shape(g->f.A).mb); i < A.mt;
         i = own_row(A, i + 1))
        broadcast(ctx, priority, at(A, i, k), (tile_block){A, i, k + 1, 1, columns});
}

/* A(:,j) := P_k A(:,j); U(k,j) := L11^-1 A(k,j), A(r,j) -= L21(r) * U(k,j) */
static void update(context ctx, int64_t priority, const struct grid_lu *g, const grid_panel *p,
                   int64_t j)
{
    interchange(ctx, priority, g, p, j, g->U);
    for (int i = 0; i < p->count; i++) {
        int r = process_row(g, p, i);
        if (own_row(view_of(g->U, 'N'), r) != r)
            continue; /* all data of these tasks are in process row r */
        column L = part(g, p, i, p->k), A = part(g, p, i, j);
        if (i == 0) {
            /* A(k,j) := L11^-1 A(k,j), the rows of A(r,j) below it -= L21(r) * A(k,j) */
            substitution s = {'L', 'N', 'U', p->n, L, NULL, NULL};
            insert_substitution(ctx, priority, &s, A);
        } else {
            /* U(r,j) := L11^-1 U(r,j); A(r,j) -= L21(r) * U(r,j) */
            insert_trsm(ctx, priority, 'L', 'L', 'U', 1, tile_of(g->L, r, p->k),
                        tile_of(g->U, r, j), false);
            insert_gemm_column(ctx, priority, L, rows_of(g->U, j, r * first_row(g->U, 1), p->n), A);
        }
    }
    discard_column(ctx, g, p, j);
}

/* Submits a step whose rows all belong to one process row. */
static void local_step(context ctx, const struct grid_lu *g, const grid_panel *p, step s)
{
    const factorization *f = &g->f;
    release_inverse(f->panel(ctx, f, s)); /* P_k A(k:,k) = L U */
    send_panel(ctx, critical(s.urgency), g, p);
    substitution L = {'L', 'N', 'U', p->n, below(f->A, p->k, p->row), NULL, NULL};
    for (int64_t j = own_column(f->V, p->k + 1); j < f->V.nt; j = own_column(f->V, j + 1))
        /* A(k:,j) := P_k A(k:,j), A(k,j) := L11^-1 A(k,j), A(k+1:,j) -= A(k+1:,k) * A(k,j) */
        insert_update(ctx, priority_at(s, j - p->k), f->P, p->k, &L, below(f->A, j, p->row));
}

static void shared_step(context ctx, const struct grid_lu *g, const grid_panel *p, step s)
{
    view A = g->f.V;
    int64_t urgent = critical(s.urgency);
    if (g->by_tournament)
        factor_with_tournament(ctx, urgent, g, p);
    else
        factor_with_pivots(ctx, urgent, g, p);
    send_panel(ctx, urgent, g, p);
    for (int64_t j = own_column(A, p->k + 1); j < A.nt; j = own_column(A, j + 1))
        /* block column k + 1 is the next panel */
        update(ctx, j == p->k + 1 ? urgent - 1 : priority_at(s, j - p->k), g, p, j);
}

static void drop_panel(context ctx, const struct grid_lu *g, const grid_panel *p)
{
    view A = g->f.V;
    for (int64_t i = own_row(A, 0); i < A.mt; i = own_row(A, i + 1))
        drop_copies(at(A, i, p->k));
    for (int i = 0; i < p->count; i++)
        discard(ctx, tile_of(g->L, process_row(g, p, i), p->k));
}

static void submit_steps(context ctx, struct grid_lu *g)
{
    const factorization *f = &g->f;
    for (int64_t k = 0; k < f->panels; k++) {
        const temporary *before = newest_temporary(ctx);
        grid_panel p = panel_at(g, k);
        step s = {.k = k, .first = k + 1, .last = f->V.nt, .urgency = 2 * (f->V.nt - k)};
        ctx = next_stage(ctx, f->A);
        ctx.step = k;
        for (int i = 0; i < p.count; i++) {
            int r = process_row(g, &p, i);
            g->P[r] = pivots_in_row(ctx, f->A, f->P, &p, r);
        }
        if (p.count == 1)
            local_step(ctx, g, &p, s);
        else
            shared_step(ctx, g, &p, s);
        drop_panel(ctx, g, &p);
        release_temporaries(ctx, before);
        interchange_left_on_grid(ctx, f->P, f->A, k);
    }
}

void factor_lu_on_grid(context ctx, startile_matrix *A, startile_pivots *P,
                       panel_factorization *panel, bool by_tournament)
{
    startile_shape s = startile_matrix_shape(A);
    int rows = process_rows(A), columns = process_columns(A);
    struct grid_lu g = {
        .f = {.panel = panel, .A = A, .V = view_of(A, 'N'), .panels = panels_of(A), .P = P},
        .by_tournament = by_tournament,
        .columns = s.nt < columns ? s.nt : columns};
    ctx = begin_factorization(ctx);
    if (!has_capacity_of(ctx, GETRF, A, NULL))
        return;
    prepare_own_loops(ctx, A);
    const temporary *before = newest_temporary(ctx);
    startile_matrix **temporaries[] = {&g.L, &g.W, &g.U};
    bool is_made = true;
    for (int i = 0; i < 3; i++) {
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
