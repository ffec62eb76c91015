/* Sums and maxima of absolute values, for scaling and for tests of convergence. */
#include "operations/insert_norms.h"
#include "request/decision.h"
#include "task/operands.h"

struct maxima_args {
    struct task_args task;
    char norm, uplo;
    struct tile_column a;
    int64_t row, column; /* first row and column of A in the matrix */
    int v, r; /* index + 1 of the buffers of the result and of the scale factors; 0: without */
    startile_piece block[];
};

static struct operation column_maxima = {.name = "column_maxima", .color = 0x76b7b2},
                        abs_sums = {.name = "abs_sums", .color = 0x76b7b2},
                        diagonal_roots = {.name = "diagonal_roots", .color = 0x76b7b2};

static int run_column_maxima(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    struct maxima_args *s = (struct maxima_args *)task;
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block), error = 0;
    int n = tile_column_width(&s->a, buffers);
    int64_t row = s->row;
    for (int q = 0; q < blocks && error == 0; row += s->block[q++].m)
        error = K->column_maxima(x, s->block[q].m, n, s->block[q].p, s->block[q].ld,
                                 values_in_buffer(buffers, s->r, row),
                                 values_in_buffer(buffers, s->v, s->column));
    return error;
}

static int run_abs_sums(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    struct maxima_args *s = (struct maxima_args *)task;
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block), error = 0;
    int n = tile_column_width(&s->a, buffers);
    int64_t row = s->row;
    for (int q = 0; q < blocks && error == 0; row += s->block[q++].m)
        error = K->lange(x, s->norm, s->block[q].m, n, 1, s->block[q].p, s->block[q].ld,
                         values_in_buffer(buffers, s->v, s->norm == 'I' ? row : s->column));
    return error;
}

static int run_hermitian_sums(const startile_kernels *K, startile_exec *x, void **buffers,
                              struct task_args *task)
{
    struct maxima_args *s = (struct maxima_args *)task;
    struct buffer a = matrix_buffer(buffers[0]);
    return K->lansy(x, 'I', s->uplo, 1, a.n, a.p, a.ld, values_in_buffer(buffers, s->v, s->row));
}

static int run_diagonal_roots(const startile_kernels *K, startile_exec *x, void **buffers,
                              struct task_args *task)
{
    struct maxima_args *s = (struct maxima_args *)task;
    struct buffer a = matrix_buffer(buffers[0]);
    return K->diagonal_roots(x, a.n, a.p, a.ld, values_in_buffer(buffers, s->v, s->row));
}

/* Submits a task on rows of a block column that updates the values v. */
static void insert(context ctx, struct operation *op, task_function run, struct maxima_args flags,
                   column A, const values *r, const values *v)
{
    int64_t tiles = column_tiles(A);
    struct starpu_task *t =
        task_new(op, ctx, 0, A.A->shape.dtype, run,
                 sizeof(struct maxima_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 2))
        return;
    struct maxima_args *s = t->cl_arg;
    s->norm = flags.norm;
    s->uplo = flags.uplo;
    s->row = A.row;
    s->column = A.j * A.A->shape.nb;
    s->a = column_access(t, A, STARPU_R);
    s->v = values_access(t, v, STARPU_RW);
    s->r = values_access(t, r, STARPU_R);
    bool has_diagonal_only = op == &diagonal_roots;
    int64_t m = A.rows, n = has_diagonal_only ? 1 : column_width(A);
    task_submit(t, (struct work){.m = m, .n = n, .flops = (double)(m * n)});
}

void insert_column_maxima(context ctx, column A, const values *r, const values *v)
{
    insert(ctx, &column_maxima, run_column_maxima, (struct maxima_args){.norm = 'M'}, A, r, v);
}

void insert_abs_sums(context ctx, char norm, column A, const values *sums)
{
    insert(ctx, &abs_sums, run_abs_sums, (struct maxima_args){.norm = norm}, A, NULL, sums);
}

/* Returns the rows of a tile as stored, as rows of its block column. */
static column rows_of_tile(tile A)
{
    return rows_of(A.A, A.j, A.i * A.A->shape.mb, tile_rows(A));
}

void insert_hermitian_sums(context ctx, char uplo, tile A, const values *sums)
{
    insert(ctx, &abs_sums, run_hermitian_sums, (struct maxima_args){.uplo = uplo}, rows_of_tile(A),
           NULL, sums);
}

void insert_diagonal_roots(context ctx, tile A, const values *v)
{
    insert(ctx, &diagonal_roots, run_diagonal_roots, (struct maxima_args){.norm = 0},
           rows_of_tile(A), NULL, v);
}
