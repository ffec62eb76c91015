/* Messages between processes around a task. */
#include "grid/exchange.h"

#include "data/zero_init.h"
#include "request/state.h"
#include "task/task.h"

/* Callback of the network: the message has arrived or was sent. */
static void message_done(void *stage)
{
    stage_end_one(stage);
}

void exchange_send(context ctx, const startile_grid *g, starpu_data_handle_t handle, int to,
                   int priority)
{
    g->network->send(g, handle, to, priority, message_done, stage_begin_one(ctx));
}

void exchange_receive(context ctx, const startile_grid *g, starpu_data_handle_t handle, int from,
                      int priority)
{
    if (g->network->owner(g, handle) != g->rank)
        stage_add_bytes(ctx.stage, handle);
    g->network->receive(g, handle, from, priority, message_done, stage_begin_one(ctx));
}

/* Makes end_step() drop the copies of the data. The copies of the info stay: all later tasks read
 * it. */
static void note_copies(context ctx, starpu_data_handle_t handle)
{
    if (handle != ctx.request->info)
        stage_note_copies(ctx, handle);
}

/* Submits the copy of data from its owner to process `to`, unless `to` has a copy. `handle` is NULL
 * for a missing tile of the caller; the tasks on it fail. */
static void copy_to(context ctx, const startile_grid *g, starpu_data_handle_t handle, int owner,
                    int to, int priority)
{
    const struct network *net = g->network;
    if (owner == to || handle == NULL)
        return;
    if (g->rank == to && !net->mark_received(handle)) {
        exchange_receive(ctx, g, handle, owner, priority);
        note_copies(ctx, handle);
    }
    if (g->rank == owner && !net->mark_sent(handle, to)) {
        exchange_send(ctx, g, handle, to, priority);
        note_copies(ctx, handle);
    }
}

bool has_owner(const startile_grid *g, starpu_data_handle_t handle)
{
    return g->network->owner(g, handle) >= 0;
}

/* Returns the first owner among those of the task's data, or −1. */
static int first_owner(const startile_grid *g, const struct starpu_task *t)
{
    int owner = -1;
    for (int b = 0; b < t->nbuffers && owner < 0; b++)
        owner = g->network->owner(g, STARPU_TASK_GET_HANDLE(t, b));
    return owner;
}

/* Returns whether each process has its own data for the handle. */
static bool is_local_data(const struct task_args *args, starpu_data_handle_t handle)
{
    return is_per_process(handle) || handle == args->ctx.request->gate ||
           handle == args->grid->turn;
}

bool exchange_before(struct starpu_task *t, struct exchange *x)
{
    struct task_args *args = t->cl_arg;
    startile_request *r = args->ctx.request;
    startile_grid *g = args->grid;
    if (args->rank < 0)
        args->rank = first_owner(g, t);
    x->ctx = args->ctx;
    x->rank = args->rank;
    x->priority = t->priority;
    request_use_grid(r, g);
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        enum starpu_data_access_mode mode = STARPU_TASK_GET_MODE(t, b);
        if (handle == NULL || is_local_data(args, handle))
            continue;
        int owner = g->network->owner(g, handle);
        if (owner < 0) {
            owner = args->rank;
            g->network->register_data(g, handle, g->network->reserve_tags(g, 1), owner);
        }
        if ((mode & STARPU_R) != 0)
            copy_to(args->ctx, g, handle, owner, args->rank, t->priority);
        if ((mode & STARPU_W) != 0)
            x->written[x->count++] = handle;
    }
    return g->rank == args->rank;
}

void exchange_after(struct exchange *x)
{
    if (x->ctx.request == NULL)
        return;
    const startile_grid *g = x->ctx.request->grid;
    for (int w = 0; w < x->count; w++) {
        starpu_data_handle_t handle = x->written[w];
        int owner = g->network->owner(g, handle);
        if (owner != x->rank && g->rank == x->rank)
            exchange_send(x->ctx, g, handle, owner, x->priority);
        if (owner != x->rank && g->rank == owner)
            exchange_receive(x->ctx, g, handle, x->rank, x->priority);
        g->network->outdate_copies(handle);
    }
}

void exchange_with_row(context ctx, const startile_grid *g, starpu_data_handle_t handle, int row,
                       int64_t columns, int priority)
{
    int owner = g->network->owner(g, handle);
    for (int c = 0; c < g->q && c * g->group < columns; c++)
        copy_to(ctx, g, handle, owner, grid_rank(g, row, c), priority);
}
