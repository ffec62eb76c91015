/* C := C - A B for a Hermitian tile A */
#include "runtime/runtime.h"

struct hemm_args {
    struct task_args task;
    char uplo;
};

static struct operation hemm = {.name = "hemm", .color = 0x4e79a7};

static int run_hemm(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct hemm_args *h = (struct hemm_args *)task;
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    struct buffer c = matrix_buffer(buffers[0]), a = matrix_buffer(buffers[1]),
                  b = matrix_buffer(buffers[2]);
    return K->hemm(x, h->uplo, c.m, c.n, minus_one, a.p, a.ld, b.p, b.ld, one, c.p, c.ld);
}

void insert_hemm(context ctx, int64_t priority, char uplo, tile A, tile B, tile C)
{
    startile_dtype dtype = C.A->shape.dtype;
    struct starpu_task *t =
        task_new(&hemm, ctx, priority, dtype, run_hemm, sizeof(struct hemm_args));
    if (t == NULL)
        return;
    struct hemm_args *h = t->cl_arg;
    h->uplo = uplo;
    task_tile(t, C, STARPU_RW);
    task_tile(t, A, STARPU_R);
    task_tile(t, B, STARPU_R);
    int64_t m = tile_rows(C), n = tile_columns(C);
    task_submit(
        t, (struct work){m, n, m, .flops = flops_of(dtype, (double)m * (double)m * (double)n)});
}
