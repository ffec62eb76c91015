/* Copies and transpositions of rows of block columns whose tiles need not match. */
#include "operations/insert.h"
#include "task/operands.h"

struct copy_args {
    struct task_args task;
    char uplo;
    struct tile_column a, b;
    startile_piece *b_block; /* space for B's blocks, after A's */
    startile_piece block[];
};

static struct operation copy = {.name = "copy", .color = 0xbab0ac};
static struct operation transpose = {.name = "transpose", .color = 0xbab0ac};

/* Returns the address of column j of the block. */
static char *columns_from(startile_piece a, int64_t j, startile_dtype dtype)
{
    return (char *)a.p + (size_t)j * (size_t)a.ld * (size_t)startile_element_size[dtype];
}

static int run_copy(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct copy_args *c = (struct copy_args *)task;
    int columns_a = tile_column_width(&c->a, buffers),
        columns_b = tile_column_width(&c->b, buffers);
    int n = columns_a < columns_b ? columns_a : columns_b, error = 0;
    tile_column_blocks(&c->a, buffers, task->dtype, c->block);
    tile_column_blocks(&c->b, buffers, task->dtype, c->b_block);
    for (int64_t row = 0, m; row < c->a.rows && error == 0; row += m) {
        startile_piece a = tile_column_from(c->block, row, task->dtype),
                       b = tile_column_from(c->b_block, row, task->dtype);
        m = a.m < b.m ? a.m : b.m; /* up to the next border of a block of A or B */
        error = K->lacpy(x, c->uplo, (int)m, n, a.p, a.ld, b.p, b.ld);
    }
    return error;
}

/* Transposes block by block. The borders of A's blocks cut the columns of B, and the borders of
 * B's blocks cut the columns of A. */
static int run_transpose(const startile_kernels *K, startile_exec *x, void **buffers,
                         struct task_args *task)
{
    struct copy_args *c = (struct copy_args *)task;
    int error = 0;
    tile_column_blocks(&c->a, buffers, task->dtype, c->block);
    tile_column_blocks(&c->b, buffers, task->dtype, c->b_block);
    for (int64_t i = 0, m; i < c->a.rows; i += m) {
        startile_piece a = tile_column_from(c->block, i, task->dtype);
        m = a.m;
        for (int64_t j = 0, n; j < c->b.rows && error == 0; j += n) {
            startile_piece b = tile_column_from(c->b_block, j, task->dtype);
            n = b.m;
            error = K->transpose(x, (int)m, (int)n, columns_from(a, j, task->dtype), a.ld,
                                 columns_from(b, i, task->dtype), b.ld);
        }
    }
    return error;
}

static void insert(struct operation *op, task_function run, context ctx, int64_t priority,
                   char uplo, column A, column B)
{
    startile_dtype dtype = B.A->shape.dtype;
    int64_t a = column_tiles(A), b = column_tiles(B);
    struct starpu_task *t =
        task_new(op, ctx, priority, dtype, run,
                 sizeof(struct copy_args) + (size_t)(a + b) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, a + b))
        return;
    struct copy_args *c = t->cl_arg;
    c->uplo = uplo;
    c->b_block = c->block + a;
    c->a = column_access(t, A, STARPU_R);
    /* STARPU_RW: B may be a part of its tiles */
    c->b = column_access(t, B, STARPU_RW);
    task_submit(t, (struct work){.m = A.rows, .n = column_width(A)});
}

void insert_copy(context ctx, int64_t priority, char uplo, column A, column B)
{
    insert(&copy, run_copy, ctx, priority, uplo, A, B);
}

void insert_transpose(context ctx, int64_t priority, column A, column B)
{
    insert(&transpose, run_transpose, ctx, priority, 'G', A, B);
}
