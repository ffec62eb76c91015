/* The loop over panels of Cholesky, LU and QR: blocks of block columns that fit the memory,
 * priorities, order between blocks, hints for eviction, return of tiles to host memory. */
#include "algorithms.h"

#include <stdlib.h>

/* Tasks on the block columns of the next block wait for the AHEAD-th panel from the end of a
 * block. */
enum { AHEAD = 2 };

int64_t end_of_block(const startile_matrix *A, int64_t first)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t last = first + columns_at_a_time(A, first, s.m, true);
    return last < s.nt ? last : s.nt;
}

/* Returns end_of_block() for Cholesky, whose blocks are lower trapezoids. */
static int64_t end_of_trapezoid(const startile_matrix *A, int64_t first)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t last = first + columns_at_a_time(A, first, s.m - first * s.mb, false);
    return last < s.nt ? last : s.nt;
}

/* Returns the end (exclusive) of the block that begins at block column `first`. */
static int64_t end_of(const factorization *f, int64_t first)
{
    return f->is_triangular ? end_of_trapezoid(f->A, first) : end_of_block(f->A, first);
}

bool is_one_block(const factorization *f)
{
    return !has_journal(f->A) && end_of(f, 0) == f->V.nt;
}

int64_t priority_at(step s, int64_t distance)
{
    return s.is_left_looking ? s.urgency : s.urgency - distance;
}

/* Returns `urgency` of step k on block columns first … last − 1. Updates by panels of earlier
 * blocks have a lower priority than the tasks of these blocks. Updates of whole block columns run
 * in the order of the panels: in another order panels would be evicted and transferred again.
 * Cholesky's updates by panels of earlier blocks have the lowest priority, because they do not wait
 * for a gate. */
static int64_t urgency_of(const factorization *f, int64_t k, int64_t first, int64_t last)
{
    int64_t in_own_block = 2 * (f->V.nt - k);
    return k >= first ? in_own_block : f->is_triangular ? -2 * last : in_own_block - 2 * first;
}

/* Hints that the tiles of tile column k of V, from tile row `first_tile` on, may be evicted. */
static void hint_idle_column(view V, int64_t k, int64_t first_tile)
{
    for (int64_t i = first_tile; i < V.mt; i++)
        hint_idle(at(V, i, k));
}

void hint_idle_matrix(const startile_matrix *A)
{
    view V = view_of(A, 'N');
    for (int64_t k = 0; k < V.nt; k++)
        hint_idle_column(V, k, 0);
}

void return_matrix(context ctx, const startile_matrix *A)
{
    view V = view_of(A, 'N');
    for (int64_t j = 0; j < V.nt; j++)
        for (int64_t i = 0; i < V.mt; i++)
            return_to_host(ctx, at(V, i, j));
}

/* Sends Cholesky's block column s.k to the updates of step s: A(i,k) to the tiles of row i and of
 * column i. A(s.k+1,s.k) has a higher priority, because all updates of block column s.k + 1 read
 * it. */
static void broadcast_panel(context ctx, view A, step s)
{
    for (int64_t i = s.first; i < A.nt; i++) {
        int64_t last = i < s.last ? i + 1 : s.last;
        tile_block row = {A, i, s.first, 1, last - s.first};
        /* no tile if block column i is not updated: it then has 0 columns */
        tile_block column = {A, i, i, A.nt - i, i < s.last};
        int64_t priority = -(s.k * A.nt + i); /* the oldest panel first, its tiles in order */
        broadcast_to_both(ctx, i == s.k + 1 ? critical(s.urgency) : priority, at(A, i, s.k), row,
                          column);
    }
}

/* Drops the copies of panel k, and for QR of its triangle T(k), that processes have received. */
static void drop_panel(const factorization *f, int64_t k)
{
    for (int64_t i = f->is_triangular ? k : 0; i < f->V.mt; i++)
        drop_copies(at(f->V, i, k));
    if (f->T != NULL)
        drop_copies(at(view_of(f->T, 'N'), 0, k));
}

/* Submits step k for the block of block columns first … last − 1: panel k if the block contains it,
 * and the updates by panel k. The tasks of LU and QR wait until the previous block is nearly
 * finished. Cholesky's tasks need less memory and do not wait. */
static void submit_step(context ctx, const factorization *f, inverse **W, int64_t k, int64_t first,
                        int64_t last)
{
    int64_t nt = f->V.nt;
    bool has_panel = k >= first, is_only_block = first == 0 && last == nt,
         in_order = !f->is_triangular;
    step s = {k, has_panel ? k + 1 : first, last, !has_panel, urgency_of(f, k, first, last)};
    const temporary *newest_before = newest_temporary(ctx);
    ctx = next_stage(ctx, f->A);
    ctx.step = k;
    if (has_panel)
        *W =
            f->panel(in_order && !is_only_block && k == last - AHEAD ? opens_gate(ctx) : ctx, f, s);
    if (f->reuses_inverses && has_journal(f->A)) {
        /* No inverse outlives the process, so no update of a run with a journal uses one. */
        release_inverse(*W);
        *W = NULL;
    }
    if (f->is_triangular)
        broadcast_panel(ctx, f->V, s);
    f->update(in_order && !has_panel && k == 0 ? waits_for_gate(ctx) : ctx, f, s, *W);
    for (int64_t m = k; has_panel && f->is_triangular && m < nt; m++)
        return_to_host(ctx, at(f->V, m, k));
    drop_panel(f, k);
    /* Cholesky's tasks use block column k from row k on, those of a later block only from
     * `first` */
    if (!is_only_block)
        hint_idle_column(f->V, k, !f->is_triangular ? 0 : has_panel ? k : first);
    release_temporaries(ctx, newest_before);
    if (is_only_block || !f->reuses_inverses) {
        release_inverse(*W);
        *W = NULL;
    }
}

/* -- with a journal -------------------------------------------------------------------------- */

/* Returns the number of block columns that are factored together. Tasks on a block column of square
 * tiles run at the same time, those on a whole block column one after the other. Two groups fit the
 * memory. */
static int64_t group_of(const factorization *f)
{
    enum { LEAST = 2, WORKERS_PER_COLUMN = 8 };
    int64_t group = task_workers() / (f->is_triangular ? WORKERS_PER_COLUMN : 1);
    int64_t most = end_of(f, 0) / 2;
    group = group > LEAST ? group : LEAST;
    group = group < most ? group : most;
    return group > 1 ? group : 1;
}

journaled journaled_of(const factorization *f)
{
    return (journaled){f->name,   f->A, f->V, f->is_triangular, f->uplo,
                       f->panels, f->P, f->T, group_of(f)};
}

bool in_groups(context ctx, const journaled *f, bool again, int64_t last, submit_group *submit,
               void *arg)
{
    int64_t before = journaled_finished(f, again), first = before, end;
    for (; before < last; before = first, first = end) {
        end = first + journaled_group(f) < last ? first + journaled_group(f) : last;
        if (first < end) {
            if (!journaled_save(ctx, f, first, end, again))
                return false;
            submit(ctx, arg, first, end);
        }
        if (!journaled_finish(ctx, f, before, first, again))
            return false;
    }
    return true;
}

struct steps {
    const factorization *f;
    inverse **W;
};

static void submit_steps(context ctx, void *arg, int64_t first, int64_t last)
{
    const struct steps *s = arg;
    for (int64_t k = 0; k < last && k < s->f->panels; k++)
        submit_step(ctx, s->f, &s->W[k], k, first, last);
}

/* Announces the operations of the factorization; `finished` block columns are factored already. */
static void plan(const factorization *f, int64_t finished)
{
    plan_factorization(f->A, f->is_triangular ? 0.5 : f->T != NULL ? 2 : 1, finished);
}

static bool factor_with_journal(context ctx, struct steps *s)
{
    journaled f = journaled_of(s->f);
    if (!journaled_begin(ctx, &f))
        return false;
    plan(s->f, journaled_finished(&f, false));
    bool good = in_groups(ctx, &f, false, f.V.nt, submit_steps, s);
    plan_ends();
    return good;
}

static bool factor_without_journal(context ctx, struct steps *s)
{
    plan(s->f, 0);
    for (int64_t first = 0, last; first < s->f->V.nt; first = last) {
        last = end_of(s->f, first);
        submit_steps(ctx, s, first, last);
    }
    plan_ends();
    return true;
}

bool factor_blocked(context ctx, enum routine routine, const factorization *f)
{
    if (!has_capacity_of(ctx, routine, f->A, NULL))
        return false;
    /* + 1, because calloc() may return NULL for 0 elements */
    inverse **W = calloc((size_t)f->panels + 1, sizeof *W);
    if (W == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return false;
    }
    prepare_own_loops(ctx, f->A);
    if (!is_one_block(f))
        hint_idle_matrix(f->A);
    struct steps s = {f, W};
    bool good = has_journal(f->A) && f->V.nt > 0 ? factor_with_journal(ctx, &s)
                                                 : factor_without_journal(ctx, &s);
    for (int64_t k = 0; k < f->panels; k++)
        release_inverse(W[k]);
    free(W);
    return good;
}
