/* Products of corresponding columns of two matrices, sums of columns, and scaling of rows. */
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "task/operands.h"

struct columns_args {
    struct task_args task;
    struct tile_column a, b;
    int64_t row, column; /* first row and column in the matrices */
    int num, den;        /* index + 1 of the values' buffers, 0: none */
    int sign;
    startile_piece *b_block; /* space for B's blocks, after A's */
    startile_piece block[];
};

static struct operation column_dots = {.name = "column_dots", .color = 0x76b7b2},
                        column_axpys = {.name = "column_axpys", .color = 0x76b7b2},
                        lascl2 = {.name = "lascl2", .color = 0xbab0ac};

/* Operation on the same rows of a block of A and of a block of B, n columns */
typedef int rows_operation(const startile_kernels *K, startile_exec *x, void **buffers,
                           const struct columns_args *c, int m, int n, startile_piece a,
                           startile_piece b);

/* The borders of A's and of B's blocks cut the rows. */
static int for_common_rows(rows_operation *run, const startile_kernels *K, startile_exec *x,
                           void **buffers, struct task_args *task)
{
    struct columns_args *c = (struct columns_args *)task;
    int n = tile_column_width(&c->a, buffers), error = 0;
    tile_column_blocks(&c->a, buffers, task->dtype, c->block);
    tile_column_blocks(&c->b, buffers, task->dtype, c->b_block);
    for (int64_t row = 0, m; row < c->a.rows && error == 0; row += m) {
        startile_piece a = tile_column_from(c->block, row, task->dtype),
                       b = tile_column_from(c->b_block, row, task->dtype);
        m = a.m < b.m ? a.m : b.m;
        error = run(K, x, buffers, c, (int)m, n, a, b);
    }
    return error;
}

static int dots_of_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                        const struct columns_args *c, int m, int n, startile_piece a,
                        startile_piece b)
{
    return K->column_dots(x, m, n, a.p, a.ld, b.p, b.ld,
                          values_in_buffer(buffers, c->num, 2 * c->column));
}

static int axpys_of_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                         const struct columns_args *c, int m, int n, startile_piece a,
                         startile_piece b)
{
    return K->column_axpys(x, m, n, c->sign, values_in_buffer(buffers, c->num, 2 * c->column),
                           values_in_buffer(buffers, c->den, 2 * c->column), a.p, a.ld, b.p, b.ld);
}

static int run_column_dots(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    return for_common_rows(dots_of_rows, K, x, buffers, task);
}

static int run_column_axpys(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    return for_common_rows(axpys_of_rows, K, x, buffers, task);
}

static int run_lascl2(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct columns_args *c = (struct columns_args *)task;
    int blocks = tile_column_blocks(&c->a, buffers, task->dtype, c->block), error = 0;
    int n = tile_column_width(&c->a, buffers);
    int64_t row = c->row;
    for (int q = 0; q < blocks && error == 0; row += c->block[q++].m)
        error = K->lascl2(x, c->block[q].m, n, values_in_buffer(buffers, c->num, row),
                          c->block[q].p, c->block[q].ld);
    return error;
}

/* Returns a new task with space for the blocks of A and B, or NULL. */
static struct starpu_task *new_task(context ctx, struct operation *op, task_function run, column A,
                                    int64_t tiles)
{
    struct starpu_task *t =
        task_new(op, ctx, 0, A.A->shape.dtype, run,
                 sizeof(struct columns_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 2))
        return NULL;
    struct columns_args *c = t->cl_arg;
    c->row = A.row;
    c->column = A.j * A.A->shape.nb;
    c->b_block = c->block + column_tiles(A);
    return t;
}

static void submit(struct starpu_task *t, column A)
{
    int64_t m = A.rows, n = column_width(A);
    task_submit(t, (struct work){.m = m, .n = n, .flops = 2 * (double)m * (double)n});
}

void insert_column_dots(context ctx, column A, column B, const values *dots)
{
    struct starpu_task *t =
        new_task(ctx, &column_dots, run_column_dots, A, column_tiles(A) + column_tiles(B));
    if (t == NULL)
        return;
    struct columns_args *c = t->cl_arg;
    c->a = column_access(t, A, STARPU_R);
    c->b = column_access(t, B, STARPU_R);
    c->num = values_access(t, dots, STARPU_RW);
    submit(t, A);
}

void insert_column_axpys(context ctx, int sign, const values *num, const values *den, column A,
                         column B)
{
    struct starpu_task *t =
        new_task(ctx, &column_axpys, run_column_axpys, A, column_tiles(A) + column_tiles(B));
    if (t == NULL)
        return;
    struct columns_args *c = t->cl_arg;
    c->sign = sign;
    c->a = column_access(t, A, STARPU_R);
    c->b = column_access(t, B, STARPU_RW);
    c->num = values_access(t, num, STARPU_R);
    c->den = values_access(t, den, STARPU_R);
    submit(t, A);
}

void insert_lascl2(context ctx, const values *r, column A)
{
    struct starpu_task *t = new_task(ctx, &lascl2, run_lascl2, A, column_tiles(A));
    if (t == NULL)
        return;
    struct columns_args *c = t->cl_arg;
    c->a = column_access(t, A, STARPU_RW);
    c->num = values_access(t, r, STARPU_R);
    submit(t, A);
}
