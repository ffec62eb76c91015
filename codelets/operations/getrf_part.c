/* LU factorization with partial pivoting of a panel by the processes of a grid's column. Each
 * process runs one task on its own rows. The tasks exchange rows while they run. */
#include "data/row_pivots.h"
#include "grid/grid.h"
#include "operations/insert_rows.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

struct getrf_part_args {
    struct task_args task;
    startile_rows rows;
    int64_t row0;
    struct tile_column a;
    int first, count; /* first process row of the panel; number of its process rows */
    startile_piece block[];
};

/* The processes of the panel, as the kernel sees them. */
struct channel {
    startile_channel base;
    const struct getrf_part_args *args;
};

enum { PIVOTS, TOP };
static struct operation getrf_part = {.name = "getrf_part", .color = 0xe15759};
static struct operation ready = {.name = "ready", .color = 0xbab0ac};

/* Joins data of the processes of the panel, see startile_channel. */
static int combine(const startile_channel *c, void *data, void *received, size_t bytes,
                   startile_join *join)
{
    const struct getrf_part_args *g = ((const struct channel *)c)->args;
    const startile_grid *grid = g->task.grid;
    return grid->network->combine(grid, g->first, g->count, data, received, bytes, join);
}

/* Returns the request's failure if this process' part of the task must do nothing, else
 * STARTILE_NO_FAILURE. The kernel sends it to the other processes, which then do nothing either. */
static int64_t failure_of(const struct task_args *task)
{
    startile_request *r = task->ctx.request;
    if (!request_skips(r, task->ctx.factorization))
        return STARTILE_NO_FAILURE;
    int64_t outcome = atomic_load(&r->outcome);
    return outcome != 0 ? outcome : atomic_load(&r->zero_pivot);
}

static int run_getrf_part(const startile_kernels *K, startile_exec *x, void **buffers,
                          struct task_args *task)
{
    (void)x;
    struct getrf_part_args *g = (struct getrf_part_args *)task;
    struct channel panel_channel = {{combine}, g};
    struct buffer top = matrix_buffer(buffers[TOP]);
    int blocks = tile_column_blocks(&g->a, buffers, task->dtype, g->block);
    return K->getrf_part(blocks, g->block, tile_column_width(&g->a, buffers), g->rows, g->row0,
                         pivots_buffer(buffers[PIVOTS]), top.p, top.ld, &panel_channel.base,
                         failure_of(task), task->tile_status);
}

/* Makes the task wait for a token of each process row. While the task runs, its worker waits for
 * the tasks of the other process rows. Once one of them has started, all must be able to start;
 * otherwise processes with one worker would wait for each other for ever. A token says that the
 * rows of the panel in its process are up to date, that the process' getrf_part tasks of earlier
 * factorizations have ended, and that the process does not wait in begin_step() before it submits
 * this task. */
static void wait_for_tokens(struct starpu_task *t, const grid_panel *p, const tile *tokens)
{
    for (int i = 0; i < p->count; i++)
        task_tile(t, tokens[i], STARPU_R);
}

void insert_getrf_part(context ctx, int64_t priority, const grid_panel *p, column A, row_pivots *P,
                       tile L, const tile *tokens)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t tiles = column_tiles(A);
    startile_tile_status *tile_status = request_tile_status(ctx.request);
    struct starpu_task *t =
        P == NULL || tile_status == NULL
            ? NULL
            : task_new(&getrf_part, ctx, priority, dtype, run_getrf_part,
                       sizeof(struct getrf_part_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    if (!task_reserve(t, tiles + p->count + 3))
        return;
    struct getrf_part_args *g = t->cl_arg;
    g->rows = rows_of_column(A);
    g->row0 = g->task.panel_row = p->row;
    g->first = p->first;
    g->count = p->count;
    g->task.tile_status = tile_status;
    g->task.continues_on_zero_pivot = g->task.runs_always = true;
    /* STARPU_RW: a skipped task leaves the pivots unchanged */
    task_access(t, P->handle, STARPU_RW);
    task_tile(t, L, STARPU_W);
    g->a = column_access(t, A, STARPU_RW);
    wait_for_tokens(t, p, tokens);
    task_access(t, A.A->grid->turn, STARPU_RW);
    if (!P->is_copy)
        task_info(t, STARPU_RW); /* other processes read the info, see task_submit() */
    task_on_cpu(t);
    int64_t n = column_width(A);
    g->task.exchanged_columns = n;
    task_submit(
        t, (struct work){.m = A.rows,
                         .n = n,
                         .flops = flops_of(dtype, panel_multiply_adds((double)A.rows, (double)n))});
}

static int run_ready(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    (void)task;
    const startile_scalar zero = {0, 0};
    struct buffer token = matrix_buffer(buffers[0]);
    return K->laset(x, 'G', token.m, token.n, 0, zero, zero, token.p, token.ld);
}

void insert_ready(context ctx, int64_t priority, column A, tile token)
{
    struct starpu_task *t =
        task_new(&ready, ctx, priority, A.A->shape.dtype, run_ready, sizeof(struct task_args));
    if (t == NULL || !task_reserve(t, column_tiles(A) + 2))
        return;
    task_tile(t, token, STARPU_W);
    column_access(t, A, STARPU_R);
    task_access(t, A.A->grid->turn, STARPU_R);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = 1, .n = 1});
}
