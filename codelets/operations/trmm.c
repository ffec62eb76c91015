/* B := alpha W B or alpha B W for a triangular W whose other triangle is zero */
#include "operations/insert.h"
#include "task/operands.h"

struct trmm_args {
    struct task_args task;
    char side, uplo, trans;
    startile_scalar alpha;
};

static struct operation trmm = {.name = "trmm", .color = 0xf28e2b, .has_vendor_kernels = true};

static int run_trmm(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct trmm_args *s = (struct trmm_args *)task;
    struct buffer w = matrix_buffer(buffers[0]), b = matrix_buffer(buffers[1]);
    return K->trmm(x, s->side, s->uplo, s->trans, b.m, b.n, s->alpha, w.p, w.ld, b.p, b.ld);
}

void insert_trmm(context ctx, int64_t priority, char side, char uplo, startile_complex alpha,
                 tile W, tile B)
{
    startile_dtype dtype = B.A->shape.dtype;
    int64_t order = tile_rows(W), m = tile_rows(B), n = tile_columns(B);
    struct starpu_task *t =
        task_new(&trmm, ctx, priority, dtype, run_trmm, sizeof(struct trmm_args));
    if (t == NULL)
        return;
    struct trmm_args *s = t->cl_arg;
    /* op(B) := W op(B) is the same as B := B op(W) */
    s->side = B.op == 'N' ? side : side == 'L' ? 'R' : 'L';
    s->trans = B.op == 'N' ? W.op : compose(B.op, W.op);
    s->uplo = uplo;
    s->alpha = to_scalar(stored_scalar(B.op, alpha));
    task_tile(t, W, STARPU_R);
    task_tile(t, B, STARPU_RW);
    task_submit(t, (struct work){.m = m,
                                 .n = n,
                                 .k = order,
                                 .variant = s->side == 'L',
                                 .flops = flops_of(dtype, (double)order * (double)(m * n) / 2)});
}
