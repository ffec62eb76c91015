/* QR factorization of a triangle on top of a block (tpqrt); product of its block reflector with two
 * blocks of a column (tpmqrt) */
#include "operations/insert.h"
#include "task/operands.h"

/* Arguments of tpqrt and tpmqrt. Each block lies in one tile. */
struct tpqrt_args {
    struct task_args task;
    char uplo, trans;
    struct tile_column top, bottom, v; /* v: only for tpmqrt */
};

/* Buffers of tpqrt and tpmqrt; the buffer of V follows. */
enum { TOP, BOTTOM, TRIANGLE };

static struct operation tpqrt = {.name = "tpqrt", .color = 0xff9da7};
static struct operation tpmqrt = {.name = "tpmqrt", .color = 0xa0cbe8};

static int run_tpqrt(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct tpqrt_args *q = (struct tpqrt_args *)task;
    struct buffer t = matrix_buffer(buffers[TRIANGLE]);
    startile_piece r, b;
    tile_column_blocks(&q->top, buffers, task->dtype, &r);
    tile_column_blocks(&q->bottom, buffers, task->dtype, &b);
    return K->tpqrt(x, q->uplo, b.m, t.n, r.p, r.ld, b.p, b.ld, t.p, t.ld);
}

void insert_tpqrt(context ctx, int64_t priority, char uplo, column R, column B, tile T)
{
    startile_dtype dtype = B.A->shape.dtype;
    struct starpu_task *t =
        task_new(&tpqrt, ctx, priority, dtype, run_tpqrt, sizeof(struct tpqrt_args));
    if (t == NULL)
        return;
    struct tpqrt_args *q = t->cl_arg;
    q->uplo = uplo;
    q->top = column_access(t, R, STARPU_RW);
    q->bottom = column_access(t, B, STARPU_RW);
    task_tile(t, T, STARPU_RW);
    double n = (double)tile_columns(T), m = (double)B.rows;
    task_submit(t, (struct work){.m = B.rows,
                                 .n = tile_columns(T),
                                 .variant = uplo == 'U',
                                 .flops = flops_of(dtype, n * n * (uplo == 'U' ? n / 3 : m))});
}

static int run_tpmqrt(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct tpqrt_args *q = (struct tpqrt_args *)task;
    struct buffer t = matrix_buffer(buffers[TRIANGLE]);
    startile_piece a, b, v;
    tile_column_blocks(&q->top, buffers, task->dtype, &a);
    tile_column_blocks(&q->bottom, buffers, task->dtype, &b);
    tile_column_blocks(&q->v, buffers, task->dtype, &v);
    return K->tpmqrt(x, q->uplo, q->trans, b.m, tile_column_width(&q->bottom, buffers), t.n, v.p,
                     v.ld, t.p, t.ld, a.p, a.ld, b.p, b.ld);
}

void insert_tpmqrt(context ctx, int64_t priority, char uplo, char trans, column V, tile T, column A,
                   column B)
{
    startile_dtype dtype = B.A->shape.dtype;
    struct starpu_task *t =
        task_new(&tpmqrt, ctx, priority, dtype, run_tpmqrt, sizeof(struct tpqrt_args));
    if (t == NULL)
        return;
    struct tpqrt_args *q = t->cl_arg;
    q->uplo = uplo;
    q->trans = trans;
    q->top = column_access(t, A, STARPU_RW);
    q->bottom = column_access(t, B, STARPU_RW);
    task_tile(t, T, STARPU_R);
    q->v = column_access(t, V, STARPU_R);
    double k = (double)tile_columns(T), m = (double)B.rows, n = (double)column_width(B);
    task_submit(t, (struct work){.m = B.rows,
                                 .n = column_width(B),
                                 .k = tile_columns(T),
                                 .variant = uplo == 'U',
                                 .flops = flops_of(dtype, n * k * (uplo == 'U' ? k : 2 * m))});
}
