/* B := alpha A + beta B */
#include "operations/insert.h"
#include "task/operands.h"

struct geadd_args {
    struct task_args task;
    startile_scalar alpha, beta;
};

static struct operation geadd = {.name = "geadd", .color = 0x76b7b2};

static int run_geadd(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct geadd_args *g = (struct geadd_args *)task;
    struct buffer a = matrix_buffer(buffers[0]), b = matrix_buffer(buffers[1]);
    return K->geadd(x, b.m, b.n, g->alpha, a.p, a.ld, g->beta, b.p, b.ld);
}

void insert_geadd(context ctx, int64_t priority, startile_complex alpha, tile A,
                  startile_complex beta, tile B)
{
    startile_dtype dtype = B.A->shape.dtype;
    struct starpu_task *t =
        task_new(&geadd, ctx, priority, dtype, run_geadd, sizeof(struct geadd_args));
    if (t == NULL)
        return;
    struct geadd_args *g = t->cl_arg;
    g->alpha = to_scalar(alpha);
    g->beta = to_scalar(beta);
    task_tile(t, A, STARPU_R);
    /* STARPU_RW even for beta = 0: a skipped task then leaves B unchanged on any device */
    task_tile(t, B, STARPU_RW);
    int64_t m = tile_rows(B), n = tile_columns(B);
    task_submit(t, (struct work){.m = m, .n = n, .flops = flops_of(dtype, (double)(m * n))});
}
