/* The loop over the steps of a factorization: blocks of block columns that fit the memory,
 * priorities, order between blocks, journals, hints for eviction, return of tiles to host memory.
 */
#include "algorithms.h"
#include "journal/journal.h"
#include "library/library.h"
#include "memory/capacity.h"
#include "memory/tile_copies.h"
#include "request/progress.h"
#include "request/request.h"

#include <stdlib.h>

/* The first tasks on a block wait for the AHEAD-th last panel of the block before it. */
enum { AHEAD = 2 };

/* -- blocks ----------------------------------------------------------------------------------- */

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
static int64_t end_of_plan_block(const plan *p, int64_t first)
{
    return p->is_triangular ? end_of_trapezoid(p->A, first) : end_of_block(p->A, first);
}

bool is_one_block(const plan *p)
{
    return !has_journal(p->A) && end_of_plan_block(p, 0) == p->V.nt;
}

int64_t priority_at(const step *s, int64_t distance)
{
    return s->has_panel ? s->urgency - distance : s->urgency;
}

/* Returns `urgency` of step k in a block. Updates by panels of earlier blocks have a lower priority
 * than the tasks of these blocks. Updates of whole block columns run in the order of the panels: in
 * another order panels would be evicted and transferred again. Cholesky's updates by panels of
 * earlier blocks have the lowest priority, because they do not wait for a gate. */
static int64_t urgency_of(const step *s, int64_t k)
{
    int64_t in_own_block = 2 * (s->p->V.nt - k);
    return k >= s->block_first   ? in_own_block
           : s->p->is_triangular ? -2 * s->block_last
                                 : in_own_block - 2 * s->block_first;
}

/* -- tiles ------------------------------------------------------------------------------------ */

/* Hints that the tiles of tile column k of V, from tile row `first_tile` on, may be evicted. */
static void hint_idle_column(view V, int64_t k, int64_t first_tile)
{
    for (int64_t i = first_tile; i < V.mt; i++)
        hint_idle(at(V, i, k));
}

static void hint_idle_columns(view V, int64_t first, int64_t last)
{
    for (int64_t k = first; k < last; k++)
        hint_idle_column(V, k, 0);
}

void hint_idle_if_large(const startile_matrix *A)
{
    view V = view_of(A, 'N');
    if (end_of_block(A, 0) < V.nt)
        hint_idle_columns(V, 0, V.nt);
}

void return_matrix(context ctx, const startile_matrix *A)
{
    view V = view_of(A, 'N');
    for (int64_t j = 0; j < V.nt; j++)
        for (int64_t i = 0; i < V.mt; i++)
            return_to_host(ctx, at(V, i, j));
}

/* -- journals --------------------------------------------------------------------------------- */

/* Returns the number of block columns of a group, which are factored together: so many that all
 * workers have tasks. The tasks on a block column of square tiles run at the same time, those on a
 * whole block column one after the other. Two groups fit the memory. */
static int64_t group_size(const plan *p)
{
    enum { LEAST = 2, WORKERS_PER_COLUMN = 8 };
    int64_t group = task_workers() / (p->is_triangular ? WORKERS_PER_COLUMN : 1);
    int64_t most = end_of_plan_block(p, 0) / 2;
    group = group > LEAST ? group : LEAST;
    group = group < most ? group : most;
    return group > 1 ? group : 1;
}

static bool begin_journal(context ctx, const plan *p)
{
    return journaled_begin(ctx, &(factorization){.routine = p->name,
                                                 .A = p->A,
                                                 .V = p->V,
                                                 .is_triangular = p->is_triangular,
                                                 .uplo = p->uplo == 'G' ? '\0' : p->uplo,
                                                 .panels = p->panels,
                                                 .P = p->P,
                                                 .T = p->T,
                                                 .group = group_size(p),
                                                 .sums = p->sums});
}

bool submit_second_pass(context ctx, const plan *p, int64_t last,
                        void (*submit)(context ctx, const plan *p, int64_t first, int64_t last))
{
    if (!has_journal(p->A)) {
        submit(ctx, p, 0, last);
        hint_idle_columns(p->V, 0, last);
        return true;
    }
    int64_t group = journaled_group(p->A);
    int64_t before = journaled_finished(p->A, true), first = before, end;
    /* Group first … end − 1 is submitted before the group before it, before … first − 1, is waited
     * for and recorded, so that the tasks of two groups overlap. */
    for (; before < last; before = first, first = end) {
        end = first + group < last ? first + group : last;
        if (first < end) {
            if (!journaled_save(ctx, p->A, first, end, true))
                return false;
            submit(ctx, p, first, end);
            hint_idle_columns(p->V, first, end);
        }
        if (!journaled_finish(ctx, p->A, before, first, true))
            return false;
    }
    return true;
}

/* -- steps ------------------------------------------------------------------------------------ */

/* Announces the operations of the factorization to the progress callback; `finished` block columns
 * are factored already. */
static void announce_operations(const plan *p, int64_t finished)
{
    announce_factorization(p->A, p->is_triangular ? 0.5 : p->T != NULL ? 2 : 1, finished);
}

step first_step(context ctx, const plan *p)
{
    step s = {.p = p, .ctx = ctx};
    /* + 1, because calloc() may return NULL for 0 elements */
    s.kept = calloc((size_t)p->panels + 1, sizeof *s.kept);
    if (s.kept == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return s;
    }
    if (!is_one_block(p))
        hint_idle_columns(view_of(p->A, 'N'), 0, startile_matrix_shape(p->A).nt);
    if (has_journal(p->A) && p->V.nt > 0) {
        if (!begin_journal(ctx, p)) {
            free(s.kept);
            s.kept = NULL;
            return s;
        }
        s.finished = s.block_first = s.block_last = journaled_finished(p->A, false);
    }
    announce_operations(p, s.finished);
    return s;
}

/* Begins the group of block columns after the current one. Before that, waits for the group before
 * the current one and records it as finished; the tasks of the current group may still run. Returns
 * false after the last group, or on failure. */
static bool next_group(step *s)
{
    const startile_matrix *A = s->p->A;
    int64_t nt = s->p->V.nt, end = s->block_last + journaled_group(A);
    if (!journaled_finish(s->ctx, A, s->finished, s->block_first, false))
        return false;
    s->finished = s->block_first;
    s->block_first = s->block_last;
    if (s->block_first == nt) {
        s->is_complete = journaled_finish(s->ctx, A, s->finished, nt, false);
        return false;
    }
    s->block_last = end < nt ? end : nt;
    return journaled_save(s->ctx, A, s->block_first, s->block_last, false);
}

/* Begins the next block. Returns false after the last one, or on failure. */
static bool next_block(step *s)
{
    if (has_journal(s->p->A) && s->p->V.nt > 0)
        return next_group(s);
    s->is_complete = s->block_last == s->p->V.nt;
    if (s->is_complete)
        return false;
    s->block_first = s->block_last;
    s->block_last = end_of_plan_block(s->p, s->block_first);
    return true;
}

static bool is_only_block(const step *s)
{
    return s->block_first == 0 && s->block_last == s->p->V.nt;
}

/* Begins step k. The tasks of LU and QR on a later block wait until the block before it is nearly
 * finished. Cholesky's tasks need less memory and do not wait. */
static void open_step(step *s)
{
    const plan *p = s->p;
    int64_t k = s->k;
    bool in_order = !p->is_triangular;
    s->has_panel = k >= s->block_first;
    s->first = s->has_panel ? k + 1 : s->block_first;
    s->last = s->block_last;
    s->urgency = urgency_of(s, k);
    s->W = s->kept[k];
    context ctx = begin_step(s->ctx, p->A, k);
    s->panel = s->update = ctx;
    if (in_order && s->has_panel && !is_only_block(s) && k == s->last - AHEAD)
        s->panel = opens_gate(ctx);
    if (in_order && !s->has_panel && k == 0)
        s->update = waits_for_gate(ctx);
    s->is_open = true;
}

void keep_inverse(step *s, inverse *W)
{
    if (s->p->reuses_inverses && has_journal(s->p->A)) {
        /* No inverse outlives the process, so no update of a run with a journal uses one. */
        release_inverse(W);
        W = NULL;
    }
    s->W = s->kept[s->k] = W;
}

static void close_step(step *s)
{
    const plan *p = s->p;
    int64_t k = s->k;
    s->is_open = false;
    if (s->has_panel && p->is_triangular)
        for (int64_t m = k; m < p->V.nt; m++)
            return_to_host(s->panel, at(p->V, m, k));
    /* Cholesky uses block column k from row k on; a left-looking step, which updates a later block,
     * only from the row of that block's first column on */
    if (!is_only_block(s))
        hint_idle_column(p->V, k, !p->is_triangular ? 0 : s->has_panel ? k : s->block_first);
    end_step(s->panel);
    if (is_only_block(s) || !p->reuses_inverses) {
        release_inverse(s->kept[k]);
        s->kept[k] = NULL;
    }
}

static void end_steps(step *s)
{
    end_announcement();
    for (int64_t k = 0; k < s->p->panels; k++)
        release_inverse(s->kept[k]);
    free(s->kept);
    s->kept = NULL;
}

bool next_step(step *s)
{
    if (s->kept == NULL) /* first_step() has failed */
        return false;
    if (s->is_open) {
        close_step(s);
        s->k++;
    }
    while (s->k >= s->block_last || s->k >= s->p->panels) {
        if (!next_block(s)) {
            end_steps(s);
            return false;
        }
        s->k = 0;
    }
    open_step(s);
    return true;
}
