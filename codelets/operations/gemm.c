/* C := alpha A B + beta C */
#include "operations/insert.h"
#include "task/operands.h"

struct gemm_args {
    struct task_args task;
    char transa, transb;
    startile_scalar alpha, beta;
};

static struct operation gemm = {.name = "gemm", .color = 0xa0cbe8, .has_vendor_kernels = true};

static int run_gemm(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct gemm_args *g = (struct gemm_args *)task;
    struct buffer c = matrix_buffer(buffers[0]), a = matrix_buffer(buffers[1]),
                  b = matrix_buffer(buffers[2]);
    int k = g->transa == 'N' ? a.n : a.m;
    return K->gemm(x, g->transa, g->transb, c.m, c.n, k, g->alpha, a.p, a.ld, b.p, b.ld, g->beta,
                   c.p, c.ld);
}

static int run_scale(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct gemm_args *g = (struct gemm_args *)task;
    struct buffer c = matrix_buffer(buffers[0]);
    /* with k = 0 gemm reads no factor; C stands in for both, because BLAS checks leading
     * dimensions */
    return K->gemm(x, 'N', 'N', c.m, c.n, 0, g->alpha, c.p, c.ld, c.p, c.n > 0 ? c.n : 1, g->beta,
                   c.p, c.ld);
}

void insert_gemm(context ctx, int64_t priority, startile_complex alpha, tile A, tile B,
                 startile_complex beta, tile C)
{
    bool product = A.A != NULL;
    struct starpu_task *t = task_new(&gemm, ctx, priority, C.A->shape.dtype,
                                     product ? run_gemm : run_scale, sizeof(struct gemm_args));
    if (t == NULL)
        return;
    struct gemm_args *g = t->cl_arg;
    int64_t m = tile_rows(C), n = tile_columns(C), k = 0;
    g->alpha = to_scalar(stored_scalar(C.op, alpha));
    g->beta = to_scalar(stored_scalar(C.op, beta));
    task_tile(t, C, beta == 0 ? STARPU_W : STARPU_RW);
    if (product) {
        /* op(C) = A B is the same as C = op(B) op(A) */
        tile left = C.op == 'N' ? A : tile_op(C.op, B), right = C.op == 'N' ? B : tile_op(C.op, A);
        g->transa = left.op;
        g->transb = right.op;
        k = left.op == 'N' ? tile_columns(left) : tile_rows(left);
        task_tile(t, left, STARPU_R);
        task_tile(t, right, STARPU_R);
    }
    double flops = flops_of(C.A->shape.dtype, (double)m * (double)n * (double)k);
    task_submit(t, (struct work){m, n, k, .flops = flops});
}
