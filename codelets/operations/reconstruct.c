/* Householder reconstruction: computes the top of V and the triangle of a block reflector from the
 * top of Q. */
#include "operations/insert.h"
#include "task/operands.h"

struct reconstruct_args {
    struct task_args task;
    struct tile_column q;
};

/* Buffers; the buffer of Q follows. */
enum { UPPER, TRIANGLE, R_TILE };

static struct operation reconstruct = {.name = "reconstruct", .color = 0xe15759};

static int run_reconstruct(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct reconstruct_args *s = (struct reconstruct_args *)task;
    struct buffer u = matrix_buffer(buffers[UPPER]), t = matrix_buffer(buffers[TRIANGLE]),
                  r = matrix_buffer(buffers[R_TILE]);
    startile_piece q;
    tile_column_blocks(&s->q, buffers, task->dtype, &q);
    return K->reconstruct(x, q.m, q.p, q.ld, u.p, u.ld, t.p, t.ld, r.p, r.ld);
}

void insert_reconstruct(context ctx, int64_t priority, column Q, tile U, tile T, tile R)
{
    startile_dtype dtype = Q.A->shape.dtype;
    struct starpu_task *t = task_new(&reconstruct, ctx, priority, dtype, run_reconstruct,
                                     sizeof(struct reconstruct_args));
    if (t == NULL)
        return;
    struct reconstruct_args *s = t->cl_arg;
    /* STARPU_RW: a skipped task leaves the tiles unchanged */
    task_tile(t, U, STARPU_RW);
    task_tile(t, T, STARPU_RW);
    task_tile(t, R, STARPU_RW);
    s->q = column_access(t, Q, STARPU_RW);
    double n = (double)Q.rows;
    task_submit(t, (struct work){.m = Q.rows, .n = Q.rows, .flops = flops_of(dtype, n * n * n)});
}
