/* B := alpha T^-1 B or alpha B T^-1 */
#include "operations/insert.h"
#include "task/operands.h"

struct trsm_args {
    struct task_args task;
    char side, uplo, trans, diag;
    startile_scalar alpha;
};

static struct operation trsm = {.name = "trsm", .color = 0xffbe7d};

static int run_trsm(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct trsm_args *s = (struct trsm_args *)task;
    struct buffer t = matrix_buffer(buffers[0]), b = matrix_buffer(buffers[1]);
    return K->trsm(x, s->side, s->uplo, s->trans, s->diag, b.m, b.n, s->alpha, t.p, t.ld, b.p,
                   b.ld);
}

void insert_trsm(context ctx, int64_t priority, char side, char uplo, char diag,
                 startile_complex alpha, tile T, tile B, bool after_info)
{
    startile_dtype dtype = B.A->shape.dtype;
    int64_t order = tile_rows(T), m = tile_rows(B), n = tile_columns(B);
    struct starpu_task *t =
        task_new(&trsm, ctx, priority, dtype, run_trsm, sizeof(struct trsm_args));
    if (t == NULL)
        return;
    struct trsm_args *s = t->cl_arg;
    /* op(B) := T^-1 op(B) is the same as B := B op(T)^-1 */
    s->side = B.op == 'N' ? side : side == 'L' ? 'R' : 'L';
    s->trans = B.op == 'N' ? T.op : compose(B.op, T.op);
    s->uplo = uplo;
    s->diag = diag;
    s->alpha = to_scalar(stored_scalar(B.op, alpha));
    task_tile(t, T, STARPU_R);
    task_tile(t, B, STARPU_RW);
    if (after_info && B.A->grid == NULL) /* on a grid task_submit() adds the access */
        task_info(t, STARPU_R);
    task_submit(t, (struct work){.m = m,
                                 .n = n,
                                 .k = order,
                                 .variant = s->side == 'L',
                                 .flops = flops_of(dtype, (double)order * (double)(m * n) / 2)});
}
