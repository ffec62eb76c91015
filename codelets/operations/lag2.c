/* Conversions between single and double precision, with scaling of rows and columns. */
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "task/operands.h"

struct lag2_args {
    struct task_args task;
    struct tile_column a, b;
    int64_t row, column; /* first row and column of A in the matrix */
    int first, n;        /* columns first … first + n − 1 of A are converted; n = 0: all */
    int r, c;            /* index + 1 of the scale factors' buffers, 0: factor 1 */
    int divide, add;
    startile_piece *b_block; /* space for B's blocks, after A's */
    startile_piece block[];
};

static struct operation lag2 = {.name = "lag2", .color = 0xbab0ac};

static startile_dtype other_precision(startile_dtype dtype)
{
    static const startile_dtype other[] = {[STARTILE_S] = STARTILE_D,
                                           [STARTILE_D] = STARTILE_S,
                                           [STARTILE_C] = STARTILE_Z,
                                           [STARTILE_Z] = STARTILE_C};
    return other[dtype];
}

static int run_lag2(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct lag2_args *l = (struct lag2_args *)task;
    startile_dtype to = other_precision(task->dtype);
    int n = l->n > 0 ? l->n : tile_column_width(&l->a, buffers), error = 0;
    size_t size = (size_t)startile_element_size[task->dtype];
    tile_column_blocks(&l->a, buffers, task->dtype, l->block);
    tile_column_blocks(&l->b, buffers, to, l->b_block);
    for (int64_t row = 0, m; row < l->a.rows && error == 0; row += m) {
        startile_piece a = tile_column_from(l->block, row, task->dtype),
                       b = tile_column_from(l->b_block, row, to);
        m = a.m < b.m ? a.m : b.m;
        const void *a_first = (const char *)a.p + (size_t)l->first * (size_t)a.ld * size;
        error = K->lag2(x, (int)m, n, a_first, a.ld, values_in_buffer(buffers, l->r, l->row + row),
                        values_in_buffer(buffers, l->c, l->column), l->divide, l->add, b.p, b.ld);
    }
    return error;
}

/* Submits the conversion of n columns of A from `first` on; n = 0: all. */
static void insert(context ctx, int64_t priority, column A, int64_t first, int64_t n,
                   const values *r, const values *c, bool divide, bool add, column B)
{
    int64_t a = column_tiles(A), b = column_tiles(B);
    struct starpu_task *t =
        task_new(&lag2, ctx, priority, A.A->shape.dtype, run_lag2,
                 sizeof(struct lag2_args) + (size_t)(a + b) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, a + b + 2))
        return;
    struct lag2_args *l = t->cl_arg;
    l->b_block = l->block + a;
    l->row = A.row;
    l->column = A.j * A.A->shape.nb;
    l->first = (int)first;
    l->n = (int)n;
    l->divide = divide;
    l->add = add;
    l->a = column_access(t, A, STARPU_R);
    l->b = column_access(t, B, add ? STARPU_RW : STARPU_W);
    l->r = values_access(t, r, STARPU_R);
    l->c = values_access(t, c, STARPU_R);
    task_submit(t, (struct work){.m = A.rows, .n = n > 0 ? n : column_width(A)});
}

void insert_lag2(context ctx, int64_t priority, column A, const values *r, const values *c,
                 bool divide, bool add, column B)
{
    insert(ctx, priority, A, 0, 0, r, c, divide, add, B);
}

void insert_lag2_columns(context ctx, column A, int64_t first, int64_t n, column B)
{
    insert(ctx, 0, A, first, n, NULL, NULL, false, false, B);
}
