/*
 * Holds: an operation that submits some of its tasks late keeps its tiles until it has ended.
 *
 * StarPU orders tasks by their accesses in the order of submission, so a task that the caller
 * submits on a tile would come before the late tasks of the operation. The late tasks access the
 * tiles without StarPU's order; each also accesses order-only data that stands for the tile, which
 * orders these tasks among themselves. Three tasks without work separate them from other tasks:
 *
 *     begin:  writes the tiles and the order-only data: the late tasks run after all tasks on the
 *             tiles that were submitted before hold_submit().
 *     held:   writes the tiles, and waits for `end`: tasks that are submitted on the tiles after
 *             hold_submit() run after it.
 *     end:    writes the order-only data, after the late tasks. hold_end() submits it.
 *
 * Hints that a tile is idle, and returns to host memory, keep StarPU's order: those of late tasks
 * take effect after `held`.
 */
#include "request/hold.h"

#include "data/handle.h"
#include "data/matrix.h"
#include "data/pivots.h"
#include "request/decision.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

#include <stdlib.h>
#include <string.h>

struct held_tile {
    starpu_data_handle_t tile, order;
    enum starpu_data_access_mode mode; /* STARPU_W for tiles that may have no value yet */
};

struct hold {
    temporary owned;
    startile_request *request;
    int64_t count, capacity;
    struct held_tile *tiles; /* sorted by `tile` after hold_submit() */
    struct starpu_task *end; /* not yet submitted, or NULL */
    decision *ended;
    void *arg;
};

static struct starpu_codelet nothing = {
    .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "startile_hold"};

/* Frees a task that was not submitted; NULL is allowed. */
static void discard_task(struct starpu_task *t)
{
    if (t == NULL)
        return;
    t->destroy = 0;
    starpu_task_destroy(t);
}

static void release_hold(temporary *owned)
{
    hold *h = (hold *)owned;
    for (int64_t i = 0; i < h->count; i++)
        if (h->tiles[i].order != NULL)
            release_handle(h->tiles[i].order);
    discard_task(h->end);
    free(h->tiles);
    free(h);
}

hold *hold_begin(context ctx)
{
    hold *h = calloc(1, sizeof *h);
    if (h == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    h->request = ctx.request;
    own_temporary(ctx, &h->owned, release_hold);
    return h;
}

/* Adds a handle. Without memory fails the request. */
static void add_handle(hold *h, starpu_data_handle_t tile, enum starpu_data_access_mode mode)
{
    if (h->count == h->capacity) {
        int64_t capacity = 2 * h->capacity + 64;
        struct held_tile *larger = realloc(h->tiles, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            request_fail(h->request, STARTILE_ERROR_MEMORY);
            return;
        }
        h->tiles = larger;
        h->capacity = capacity;
    }
    h->tiles[h->count++] = (struct held_tile){tile, NULL, mode};
}

void hold_matrix(hold *h, char uplo, const startile_matrix *A, bool has_values)
{
    for (int64_t j = 0; j < A->shape.nt; j++)
        for (int64_t i = 0; i < A->shape.mt; i++) {
            bool is_used = uplo == 'G' || (uplo == 'L' ? i >= j : i <= j);
            starpu_data_handle_t handle = is_used ? local_handle(A, i, j) : NULL;
            if (handle != NULL)
                add_handle(h, handle, has_values ? STARPU_RW : STARPU_W);
        }
}

void hold_pivots(hold *h, const startile_pivots *P)
{
    for (int64_t k = 0; k < pivots_panels(P); k++)
        add_handle(h, pivots_handle(P, k), STARPU_RW);
}

static int compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct held_tile *)a)->tile;
    uintptr_t y = (uintptr_t)((const struct held_tile *)b)->tile;
    return (x > y) - (x < y);
}

/* Returns a task without work and with space for the accesses; NULL without memory. */
static struct starpu_task *task_without_work(int64_t accesses)
{
    struct starpu_task *t = starpu_task_create();
    t->cl = &nothing;
    t->where = STARPU_NOWHERE;
    t->nbuffers = (int)accesses;
    /* StarPU frees these arrays with the task */
    t->dyn_handles = calloc((size_t)accesses + 1, sizeof *t->dyn_handles);
    t->dyn_modes = calloc((size_t)accesses + 1, sizeof *t->dyn_modes);
    if (t->dyn_handles != NULL && t->dyn_modes != NULL)
        return t;
    discard_task(t);
    return NULL;
}

/* Epilogue of `end`: runs before the tasks that wait for `held`, so that they find the operation's
 * failure in the request. */
static void call_ended(void *arg)
{
    hold *h = arg;
    h->ended(h->arg);
}

/* Callback of `end`. `arg` is the hold's stage. */
static void end_request(void *arg)
{
    request_end_one(arg);
}

/* Sorts the tiles and removes duplicates, which matrices that share tiles, such as views, bring. A
 * tile is accessed with the union of its duplicates' modes. */
static void sort_tiles(hold *h)
{
    int64_t kept = 0;
    if (h->count > 0) /* else tiles may be NULL */
        qsort(h->tiles, (size_t)h->count, sizeof *h->tiles, compare);
    for (int64_t i = 0; i < h->count; i++)
        if (kept > 0 && h->tiles[kept - 1].tile == h->tiles[i].tile)
            h->tiles[kept - 1].mode |= h->tiles[i].mode;
        else
            h->tiles[kept++] = h->tiles[i];
    h->count = kept;
}

bool hold_submit(hold *h)
{
    sort_tiles(h);
    int64_t n = h->count;
    struct starpu_task *begin = task_without_work(2 * n), *held = task_without_work(n),
                       *end = task_without_work(n);
    if (begin == NULL || held == NULL || end == NULL) {
        discard_task(begin);
        discard_task(held);
        discard_task(end);
        request_fail(h->request, STARTILE_ERROR_MEMORY);
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        register_order(&h->tiles[i].order);
        begin->dyn_handles[i] = held->dyn_handles[i] = h->tiles[i].tile;
        begin->dyn_handles[n + i] = end->dyn_handles[i] = h->tiles[i].order;
        /* the tasks neither fetch nor change the tiles, whatever the mode is */
        begin->dyn_modes[i] = held->dyn_modes[i] = h->tiles[i].mode;
        begin->dyn_modes[n + i] = end->dyn_modes[i] = STARPU_RW;
    }
    end->epilogue_callback_func = call_ended;
    end->epilogue_callback_arg = h;
    end->callback_func = end_request;
    h->end = end;
    starpu_task_declare_deps_array(held, 1, &end);
    bool is_submitted = starpu_task_submit(begin) == 0 && starpu_task_submit(held) == 0;
    request_fail(h->request, is_submitted ? 0 : STARTILE_ERROR_NO_WORKER);
    if (is_submitted)
        end->callback_arg = request_begin_one(h->request);
    return is_submitted;
}

void request_use_hold(startile_request *r, hold *h)
{
    r->hold = h;
}

void hold_end(hold *h, decision *ended, void *arg)
{
    h->ended = ended;
    h->arg = arg;
    struct starpu_task *end = h->end;
    h->end = NULL;
    if (starpu_task_submit(end) != 0)
        request_fail(h->request, STARTILE_ERROR_NO_WORKER);
}

/* Makes space for `more` accesses in a task that has none to spare. Returns false without
 * memory. */
static bool add_space(struct starpu_task *t, int more)
{
    size_t count = (size_t)t->nbuffers + (size_t)more;
    starpu_data_handle_t *handles = calloc(count, sizeof *handles);
    enum starpu_data_access_mode *modes = calloc(count, sizeof *modes);
    if (handles == NULL || modes == NULL) {
        free(handles);
        free(modes);
        return false;
    }
    for (int b = 0; b < t->nbuffers; b++) {
        handles[b] = STARPU_TASK_GET_HANDLE(t, b);
        modes[b] = STARPU_TASK_GET_MODE(t, b);
    }
    free(t->dyn_handles);
    free(t->dyn_modes);
    t->dyn_handles = handles;
    t->dyn_modes = modes;
    return true;
}

static const struct held_tile *find(const hold *h, starpu_data_handle_t tile)
{
    struct held_tile key = {.tile = tile};
    return bsearch(&key, h->tiles, (size_t)h->count, sizeof key, compare);
}

unsigned char *hold_order(struct starpu_task *t, const hold *h)
{
    int buffers = t->nbuffers;
    unsigned char *in_order = malloc(2 * (size_t)buffers + 1);
    if (in_order == NULL || !add_space(t, buffers)) {
        free(in_order);
        return NULL;
    }
    memset(in_order, 1, 2 * (size_t)buffers + 1);
    for (int b = 0; b < buffers; b++) {
        const struct held_tile *held = find(h, STARPU_TASK_GET_HANDLE(t, b));
        if (held == NULL)
            continue;
        in_order[b] = 0;
        task_access(t, held->order,
                    (STARPU_TASK_GET_MODE(t, b) & STARPU_W) != 0 ? STARPU_RW : STARPU_R);
    }
    t->handles_sequential_consistency = in_order;
    return in_order;
}
