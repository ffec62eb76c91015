/* Weights of checksums (kernels/weights.h) */
#include "operations/insert_checksum.h"
#include "task/operands.h"

static struct operation weights = {.name = "weights", .color = 0xbab0ac},
                        spread_weights = {.name = "spread_weights", .color = 0xbab0ac};

struct weights_args {
    struct task_args task;
    int64_t first, rows; /* first row of the tile, and number of rows of E */
};

static int run_weights(const startile_kernels *K, startile_exec *x, void **buffers,
                       struct task_args *task)
{
    const struct weights_args *s = (struct weights_args *)task;
    struct buffer e = matrix_buffer(buffers[0]);
    return K->weights(x, s->first, s->rows, e.m, e.p, e.ld);
}

void insert_weights(context ctx, int64_t priority, tile E, const tile *after)
{
    struct starpu_task *t = task_new(&weights, ctx, priority, E.A->shape.dtype, run_weights,
                                     sizeof(struct weights_args));
    if (t == NULL)
        return;
    struct weights_args *s = t->cl_arg;
    s->first = E.i * E.A->shape.mb;
    s->rows = E.A->shape.m;
    task_tile(t, E, STARPU_RW);
    if (after != NULL)
        task_tile(t, *after, STARPU_R);
    task_submit(t, (struct work){.m = tile_rows(E), .n = tile_columns(E)});
}

static int run_spread_weights(const startile_kernels *K, startile_exec *x, void **buffers,
                              struct task_args *task)
{
    struct buffer w = matrix_buffer(buffers[0]), e = matrix_buffer(buffers[1]);
    (void)task;
    return K->spread_weights(x, e.m, e.p, e.ld, w.p, w.ld);
}

void insert_spread_weights(context ctx, int64_t priority, tile E, tile W)
{
    struct starpu_task *t = task_new(&spread_weights, ctx, priority, E.A->shape.dtype,
                                     run_spread_weights, sizeof(struct task_args));
    if (t == NULL)
        return;
    task_tile(t, W, STARPU_RW);
    task_tile(t, E, STARPU_R);
    task_submit(t, (struct work){.m = tile_rows(W), .n = tile_columns(W)});
}
