/* A := its Cholesky factor; W := the inverse of the factor, for insert_trsm_inverse() */
#include "operations/handles.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

struct potrf_args {
    struct task_args task;
    char uplo;
    int w; /* buffer of the inverse, or 0 */
};

struct trsm_inverse_args {
    struct task_args task;
    char side, uplo, trans;
    int count;
    const startile_tile_status *tile_status; /* status of the inverse, or NULL */
    startile_piece block[];
};

static struct operation potrf = {.name = "potrf", .color = 0xe15759, .has_vendor_kernels = true};
static struct operation trsm_inverse = {
    .name = "trsm_inverse", .color = 0xf28e2b, .has_vendor_kernels = true};

static int run_potrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct potrf_args *p = (struct potrf_args *)task;
    struct buffer a = matrix_buffer(buffers[0]), w = {NULL, 1, 0, 0};
    if (p->w != 0)
        w = matrix_buffer(buffers[p->w]);
    return K->potrf(x, p->uplo, a.n, a.p, a.ld, w.p, w.ld, task->tile_status);
}

inverse *insert_potrf(context ctx, int64_t priority, char uplo, tile A, bool want_inverse)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t n = tile_rows(A);
    startile_tile_status *tile_status = request_tile_status(ctx.request);
    if (tile_status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    struct starpu_task *t =
        task_new(&potrf, ctx, priority, dtype, run_potrf, sizeof(struct potrf_args));
    if (t == NULL)
        return NULL;
    struct potrf_args *p = t->cl_arg;
    /* The inverse would not be sent to the processes of a grid that solve with it. */
    inverse *W = want_inverse && A.A->grid == NULL ? new_inverse(dtype, n, tile_status) : NULL;
    p->uplo = uplo;
    p->task.tile_status = tile_status;
    p->task.panel_row = A.i * A.A->shape.mb;
    task_tile(t, A, STARPU_RW);
    if (W != NULL) {
        p->w = t->nbuffers;
        task_access(t, W->handle, STARPU_W);
    }
    task_info(t, STARPU_RW);
    task_submit(t, (struct work){.m = n,
                                 .n = n,
                                 .variant = W != NULL,
                                 .flops = flops_of(dtype, (double)n * (double)n * (double)n / 6)});
    return W;
}

static int run_trsm_inverse(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    struct trsm_inverse_args *s = (struct trsm_inverse_args *)task;
    struct buffer t = matrix_buffer(buffers[0]);
    const startile_scalar one = {1, 0};
    bool left = s->side == 'L';
    int first = s->tile_status != NULL ? 2 : 1, error = 0;
    for (int q = 0; q < s->count; q++) {
        struct buffer b = matrix_buffer(buffers[first + q]);
        s->block[q] = (startile_piece){b.p, b.ld, left ? b.n : b.m};
    }
    if (x != NULL && s->tile_status != NULL && s->tile_status->use_inverse) {
        struct buffer w = matrix_buffer(buffers[1]);
        return K->trmm_group(x, s->side, s->uplo, s->trans, t.n, one, w.p, w.ld, s->count,
                             s->block);
    }
    for (int q = 0; q < s->count && error == 0; q++)
        error = K->trsm(x, s->side, s->uplo, s->trans, 'N', left ? t.n : s->block[q].m,
                        left ? s->block[q].m : t.n, one, t.p, t.ld, s->block[q].p, s->block[q].ld);
    return error;
}

void insert_trsm_inverse(context ctx, int64_t priority, char uplo, tile T, inverse *W, tile_range B)
{
    startile_dtype dtype = T.A->shape.dtype;
    struct starpu_task *t =
        task_new(&trsm_inverse, ctx, priority, dtype, run_trsm_inverse,
                 sizeof(struct trsm_inverse_args) + (size_t)B.count * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, B.count + 2))
        return;
    struct trsm_inverse_args *s = t->cl_arg;
    /* op(B) := op(B) T^-1 is the same as B := op(T)^-1 B */
    s->side = B.A.op == 'N' ? 'R' : 'L';
    s->trans = B.A.op == 'N' ? T.op : compose(B.A.op, T.op);
    s->uplo = uplo;
    s->count = (int)B.count;
    task_tile(t, T, STARPU_R);
    if (W != NULL) {
        s->tile_status = W->tile_status;
        task_access(t, W->handle, STARPU_R);
    }
    tile_range_access(t, B, STARPU_RW);
    int64_t n = tile_rows(T);
    double elements = tile_range_elements(B);
    task_submit(t, (struct work){.m = (int64_t)elements / n,
                                 .n = n,
                                 .k = n,
                                 .variant = W != NULL,
                                 .flops = flops_of(dtype, elements * (double)n / 2)});
}
