/* Weights of a bound of the error of a solution, and products of a vector with them. */
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "task/operands.h"

struct error_weights_args {
    struct task_args task;
    double rounding;
    int largest; /* index + 1 of the buffer of the columns' maxima */
    int64_t column;
};

struct weight_rows_args {
    struct task_args task;
    struct tile_column w;
    int64_t column; /* column of W inside its block column */
    startile_piece block[];
};

static struct operation error_weights = {.name = "error_weights", .color = 0x76b7b2},
                        weight_rows = {.name = "weight_rows", .color = 0x76b7b2};

static int run_error_weights(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    struct error_weights_args *s = (struct error_weights_args *)task;
    struct buffer w = matrix_buffer(buffers[0]), r = matrix_buffer(buffers[1]),
                  b = matrix_buffer(buffers[2]);
    return K->error_weights(x, w.m, w.n, r.p, r.ld, b.p, b.ld, s->rounding,
                            values_in_buffer(buffers, s->largest, s->column), w.p, w.ld);
}

void insert_error_weights(context ctx, double rounding, tile R, tile B, const values *largest,
                          tile W)
{
    struct starpu_task *t = task_new(&error_weights, ctx, 0, R.A->shape.dtype, run_error_weights,
                                     sizeof(struct error_weights_args));
    if (t == NULL)
        return;
    struct error_weights_args *s = t->cl_arg;
    s->rounding = rounding;
    s->column = R.j * R.A->shape.nb;
    task_tile(t, W, STARPU_RW);
    task_tile(t, R, STARPU_R);
    task_tile(t, B, STARPU_R);
    s->largest = values_access(t, largest, STARPU_R);
    task_submit(t, (struct work){.m = tile_rows(W), .n = tile_columns(W)});
}

/* v is one tile; W may be in several. */
static int run_weight_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct weight_rows_args *s = (struct weight_rows_args *)task;
    int blocks = tile_column_blocks(&s->w, buffers, STARTILE_D, s->block), error = 0;
    char *v = matrix_buffer(buffers[0]).p;
    size_t size = (size_t)startile_element_size[task->dtype];
    for (int q = 0; q < blocks && error == 0; v += (size_t)s->block[q++].m * size)
        error = K->weight_rows(x, s->block[q].m,
                               (const double *)s->block[q].p + s->column * s->block[q].ld, v);
    return error;
}

void insert_weight_rows(context ctx, const startile_matrix *W, int64_t j, tile v)
{
    column w = rows_of(W, j / W->shape.nb, 0, W->shape.m);
    int64_t tiles = column_tiles(w);
    struct starpu_task *t =
        task_new(&weight_rows, ctx, 0, v.A->shape.dtype, run_weight_rows,
                 sizeof(struct weight_rows_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 1))
        return;
    struct weight_rows_args *s = t->cl_arg;
    s->column = j % W->shape.nb;
    task_tile(t, v, STARPU_RW);
    s->w = column_access(t, w, STARPU_R);
    task_submit(t, (struct work){.m = W->shape.m, .n = 1});
}
