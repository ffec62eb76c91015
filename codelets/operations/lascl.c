/* Largest element of a block column, and scaling of elements that are too large or too small for
 * safe arithmetic. */
#include "data/handle.h"
#include "operations/handles.h"
#include "operations/insert_norms.h"
#include "request/request.h"
#include "task/operands.h"

#include <stdlib.h>

/* Two doubles, as the kernel lange needs for norm 'M'. The first is the value. */
struct magnitude {
    temporary owned;
    starpu_data_handle_t value;
};

struct lascl_args {
    struct task_args task;
    struct tile_column a;
    /* index + 1 of the values' buffers, 0: no value; the task `largest` writes the value `up` */
    int up, down;
    startile_piece block[];
};

static struct operation largest = {.name = "largest", .color = 0x76b7b2};
static struct operation lascl = {.name = "lascl", .color = 0xbab0ac};

static void release_magnitude(temporary *owned)
{
    magnitude *x = (magnitude *)owned;
    release_handle(x->value);
    free(x);
}

magnitude *magnitude_begin(context ctx)
{
    magnitude *x = malloc(sizeof *x);
    if (x == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    register_temporary(&x->value, 2, 1, sizeof(double));
    own_temporary(ctx, &x->owned, release_magnitude);
    return x;
}

starpu_data_handle_t magnitude_handle(const magnitude *x)
{
    return x->value;
}

/* Returns the address of a value; `buffer` is the index of its buffer + 1, or 0 for no value. */
static const double *value_of(void **buffers, int buffer)
{
    return buffer == 0 ? NULL : matrix_buffer(buffers[buffer - 1]).p;
}

static int run_largest(const startile_kernels *K, startile_exec *x, void **buffers,
                       struct task_args *task)
{
    struct lascl_args *l = (struct lascl_args *)task;
    int blocks = tile_column_blocks(&l->a, buffers, task->dtype, l->block), error = 0;
    int n = tile_column_width(&l->a, buffers);
    for (int q = 0; q < blocks && error == 0; q++)
        error = K->lange(x, 'M', l->block[q].m, n, 1, l->block[q].p, l->block[q].ld,
                         matrix_buffer(buffers[l->up - 1]).p);
    return error;
}

static int run_lascl(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct lascl_args *l = (struct lascl_args *)task;
    int blocks = tile_column_blocks(&l->a, buffers, task->dtype, l->block), error = 0;
    for (int q = 0; q < blocks && error == 0; q++)
        error =
            K->lascl(x, l->block[q].m, tile_column_width(&l->a, buffers), value_of(buffers, l->up),
                     value_of(buffers, l->down), l->block[q].p, l->block[q].ld);
    return error;
}

/* Returns the index of x's buffer in the task plus 1, or 0 for NULL. */
static int access_value(struct starpu_task *t, const magnitude *x,
                        enum starpu_data_access_mode mode)
{
    if (x == NULL)
        return 0;
    task_access(t, x->value, mode);
    return t->nbuffers;
}

/* Submits a task on A. For `largest`, `up` is the value that the task writes. */
static void insert(struct operation *op, task_function run, context ctx, const magnitude *up,
                   enum starpu_data_access_mode mode_of_up, const magnitude *down, column A,
                   enum starpu_data_access_mode mode)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t tiles = column_tiles(A);
    struct starpu_task *t = task_new(
        op, ctx, 0, dtype, run, sizeof(struct lascl_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 2))
        return;
    struct lascl_args *l = t->cl_arg;
    l->a = column_access(t, A, mode);
    l->up = access_value(t, up, mode_of_up);
    l->down = access_value(t, down, STARPU_R);
    int64_t m = A.rows, n = column_width(A);
    task_submit(t, (struct work){.m = m, .n = n, .flops = (double)(m * n)});
}

void insert_largest(context ctx, column A, magnitude *x)
{
    if (x != NULL && A.rows > 0)
        insert(&largest, run_largest, ctx, x, STARPU_RW, NULL, A, STARPU_R);
}

void insert_lascl(context ctx, const magnitude *up, const magnitude *down, column A)
{
    if (A.rows > 0)
        insert(&lascl, run_lascl, ctx, up, STARPU_R, down, A, STARPU_RW);
}
