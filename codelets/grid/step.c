/*
 * Steps on a grid, which bound the memory for received tiles. StarPU-MPI 1.4 allocates a copy when
 * its receive is submitted, so a process that submits a whole factorization at once holds all its
 * copies at the same time (StarPU quirk 36). A stage (struct stage) records the tasks, messages and
 * bytes of one step.
 *
 * Memory: a stage has freed its received copies when it ends. StarPU frees them before it reports
 * the end of the stage's last task or message, because it resolves dependences before it calls
 * back.
 *
 * No deadlock: the processes submit parts of one sequence of tasks and messages, and each depends
 * on earlier ones only. A process waits for stages that it has submitted completely. Of all waiting
 * processes, consider the one that is least far in the sequence: all others have submitted the
 * tasks and messages that its stages depend on, so its wait ends. Waits of a request depend on its
 * own stages only, so other requests and host threads do not change this.
 */
#include "grid/step.h"

#include "data/tiles.h"
#include "grid/exchange.h"
#include "grid/owner.h"
#include "request/request.h"
#include "request/state.h"

#include <stdlib.h>

void stage_add_bytes(struct stage *s, starpu_data_handle_t handle)
{
    if (s != NULL)
        s->bytes += (int64_t)starpu_data_get_size(handle);
}

/* Returns the bytes that unfinished stages may need: a quarter of this process' part of A and one
 * block column. Another block column is left for messages that arrive before their receive was
 * submitted, for which StarPU-MPI allocates memory, too (StarPU quirk 36). */
static int64_t most_bytes(const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    int64_t part = elements_of_process(s, A->grid);
    return (part / 4 + s->m * s->nb) * startile_element_size[s->dtype];
}

/* Returns the bytes of all stages from the oldest unfinished one to the newest. */
static int64_t bytes_in_use(startile_request *r)
{
    int64_t bytes = 0;
    while (r->unfinished_stages != NULL && atomic_load(&r->unfinished_stages->unfinished) == 0)
        r->unfinished_stages = r->unfinished_stages->next;
    for (const struct stage *s = r->unfinished_stages; s != NULL; s = s->next)
        bytes += s->bytes;
    return bytes;
}

/* Waits until the unfinished stages need at most `most` bytes, or no stage is unfinished. */
static void wait_for_stages(startile_request *r, int64_t most)
{
    starpu_pthread_mutex_lock(&r->mutex);
    while (bytes_in_use(r) > most && r->unfinished_stages != NULL)
        starpu_pthread_cond_wait(&r->finished, &r->mutex);
    starpu_pthread_mutex_unlock(&r->mutex);
}

static void append(startile_request *r, struct stage *s)
{
    if (r->stages == NULL)
        r->stages = s;
    else
        r->newest_stage->next = s;
    r->newest_stage = s;
    if (r->unfinished_stages == NULL)
        r->unfinished_stages = s;
}

/* Returns ctx with a new stage or, without a grid or without memory, with the current one. */
static context next_stage(context ctx, const startile_matrix *A)
{
    struct stage *s = A->grid != NULL ? calloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return ctx;
    const struct stage *before = ctx.request->newest_stage;
    s->request = ctx.request;
    s->whole = atomic_load(&ctx.request->whole);
    if (before != NULL)
        s->most_before = before->bytes > before->most_before ? before->bytes : before->most_before;
    wait_for_stages(ctx.request, most_bytes(A) - s->most_before);
    append(ctx.request, s);
    ctx.stage = s;
    return ctx;
}

void stage_note_copies(context ctx, starpu_data_handle_t handle)
{
    struct stage *s = ctx.stage;
    if (s == NULL)
        return;
    if (s->exchanged_count == s->exchanged_capacity) {
        int64_t capacity = s->exchanged_capacity > 0 ? 2 * s->exchanged_capacity : 16;
        starpu_data_handle_t *larger = realloc(s->exchanged, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            request_fail(ctx.request, STARTILE_ERROR_MEMORY);
            return;
        }
        s->exchanged = larger;
        s->exchanged_capacity = capacity;
    }
    s->exchanged[s->exchanged_count++] = handle;
}

/* Drops the copies of the data that the stage has exchanged. */
static void drop_exchanged(const startile_request *r, struct stage *s)
{
    for (int64_t i = 0; i < s->exchanged_count; i++)
        r->grid->network->drop_copy(r->grid, s->exchanged[i]);
    free(s->exchanged);
    s->exchanged = NULL;
    s->exchanged_count = s->exchanged_capacity = 0;
}

/* Sends the request's info to all processes, unless they have it: any process may submit tasks that
 * read it and that the others do not submit. In a factorization there are none. */
static void share_info(context ctx, const startile_grid *g)
{
    startile_request *r = ctx.request;
    if (ctx.is_factoring || r->info_is_shared || r->info == NULL || !has_owner(g, r->info))
        return;
    exchange_with_all(ctx, g, r->info);
    r->info_is_shared = true;
}

context begin_step(context ctx, const startile_matrix *A, int64_t k)
{
    const temporary *before = newest_temporary(ctx);
    ctx = next_stage(ctx, A);
    ctx.before = before;
    ctx.step = k;
    if (A->grid != NULL) {
        request_use_grid(ctx.request, A->grid);
        share_info(ctx, A->grid);
    }
    return ctx;
}

context begin_paced_step(context ctx, const startile_matrix *A, int64_t k)
{
    context step = begin_step(ctx, A, k);
    int64_t nothing = 0;
    /* grid_least() returns when all processes have called it */
    request_fail(ctx.request, grid_least(A->grid, &nothing, 1));
    return step;
}

void end_step(context ctx)
{
    if (ctx.stage != NULL)
        drop_exchanged(ctx.request, ctx.stage);
    release_temporaries(ctx, ctx.before);
}

void free_stages(startile_request *r)
{
    for (struct stage *s = r->stages, *next; s != NULL; s = next) {
        next = s->next;
        free(s->exchanged);
        free(s);
    }
    r->stages = r->unfinished_stages = r->newest_stage = NULL;
}
