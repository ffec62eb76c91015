/* LU factorization of a diagonal block without pivoting, and the solve for the rows of L below it.
 */
#include "operations/handles.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

struct getrf_nopiv_args {
    struct task_args task;
    struct tile_column a;
    int n;
    bool inverts;
};

struct trsm_column_args {
    struct task_args task;
    struct tile_column t, b;
    int n, w; /* n: order of the block; w: buffer of the inverse, or 0 */
    const startile_tile_status *tile_status;
    startile_piece block[];
};

/* Buffers of getrf_nopiv. */
enum { A_TILE, L_INVERSE, U_INVERSE };
static struct operation getrf_nopiv = {.name = "getrf_nopiv", .color = 0xe15759};
static struct operation trsm_column = {
    .name = "trsm_column", .color = 0xf28e2b, .has_vendor_kernels = true};

static int run_getrf_nopiv(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct getrf_nopiv_args *g = (struct getrf_nopiv_args *)task;
    struct buffer wl = {NULL, 1, 0, 0}, wu = wl;
    const startile_scalar one = {1, 0};
    startile_piece a;
    if (g->inverts) {
        wl = matrix_buffer(buffers[L_INVERSE]);
        wu = matrix_buffer(buffers[U_INVERSE]);
    }
    tile_column_blocks(&g->a, buffers, task->dtype, &a);
    int error = K->getrf_nopiv(x, g->n, a.p, a.ld, wl.p, wl.ld, wu.p, wu.ld, task->tile_status);
    /* the last block of a wide matrix may have more columns than rows */
    int trailing_width = tile_column_width(&g->a, buffers) - g->n;
    char *trailing_columns =
        (char *)a.p + (size_t)g->n * (size_t)a.ld * (size_t)startile_element_size[task->dtype];
    if (trailing_width > 0 && error == 0)
        error = K->trsm(x, 'L', 'L', 'N', 'U', g->n, trailing_width, one, a.p, a.ld,
                        trailing_columns, a.ld);
    return error;
}

inverse *insert_getrf_nopiv(context ctx, int64_t priority, column A, int64_t n, inverse **WU)
{
    startile_dtype dtype = A.A->shape.dtype;
    startile_tile_status *tile_status = request_tile_status(ctx.request);
    *WU = NULL;
    if (tile_status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    struct starpu_task *t = task_new(&getrf_nopiv, ctx, priority, dtype, run_getrf_nopiv,
                                     sizeof(struct getrf_nopiv_args));
    if (t == NULL)
        return NULL;
    struct getrf_nopiv_args *g = t->cl_arg;
    g->n = (int)n;
    g->task.tile_status = tile_status;
    g->task.panel_row = A.row;
    g->task.continues_on_zero_pivot = true;
    A.rows = n;
    g->a = column_access(t, A, STARPU_RW);
    inverse *WL = new_inverse(dtype, n, tile_status);
    *WU = WL != NULL ? new_inverse(dtype, n, tile_status) : NULL;
    g->inverts = *WU != NULL;
    if (g->inverts) {
        task_access(t, WL->handle, STARPU_W);
        task_access(t, (*WU)->handle, STARPU_W);
    } else {
        release_inverse(WL);
        WL = NULL;
    }
    if (A.A->grid != NULL && !ctx.is_duplicate)
        task_info(t, STARPU_RW);
    own_inverse(ctx, *WU);
    task_submit(t, (struct work){.m = n,
                                 .n = n,
                                 .variant = WL != NULL,
                                 .flops = flops_of(dtype, (double)n * (double)n * (double)n / 3)});
    if (A.A->grid == NULL)
        return WL;
    release_inverse(WL); /* it would not be sent to the processes that multiply by it */
    return NULL;
}

static int run_trsm_column(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct trsm_column_args *s = (struct trsm_column_args *)task;
    const startile_scalar one = {1, 0};
    startile_piece t;
    tile_column_blocks(&s->t, buffers, task->dtype, &t);
    int blocks = tile_column_blocks(&s->b, buffers, task->dtype, s->block), error = 0;
    for (int q = 0; q < blocks && error == 0; q++) {
        startile_piece *b = &s->block[q];
        if (s->w != 0 && x != NULL && s->tile_status->use_inverse) {
            struct buffer w = matrix_buffer(buffers[s->w]);
            error = K->trmm(x, 'R', 'U', 'N', b->m, s->n, one, w.p, w.ld, b->p, b->ld);
        } else {
            error = K->trsm(x, 'R', 'U', 'N', 'N', b->m, s->n, one, t.p, t.ld, b->p, b->ld);
        }
    }
    return error;
}

void insert_trsm_column(context ctx, int64_t priority, column T, int64_t n, inverse *W, column B)
{
    startile_dtype dtype = B.A->shape.dtype;
    int64_t tiles = column_tiles(B);
    bool shares_tile = T.A == B.A && T.row / T.A->shape.mb == B.row / B.A->shape.mb;
    if (tiles == 0)
        return;
    struct starpu_task *t =
        task_new(&trsm_column, ctx, priority, dtype, run_trsm_column,
                 sizeof(struct trsm_column_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 2))
        return;
    struct trsm_column_args *s = t->cl_arg;
    s->n = (int)n;
    T.rows = n;
    s->b = column_access(t, B, STARPU_RW);
    /* T and B may share a tile, and a task must name each tile once */
    if (shares_tile)
        s->t = (struct tile_column){s->b.buffer, 1, (int)(T.row % T.A->shape.mb), n};
    else
        s->t = column_access(t, T, STARPU_R);
    if (W != NULL) {
        s->w = t->nbuffers;
        s->tile_status = W->tile_status;
        task_access(t, W->handle, STARPU_R);
    }
    task_submit(
        t, (struct work){.m = B.rows,
                         .n = n,
                         .k = n,
                         .variant = W != NULL,
                         .flops = flops_of(dtype, (double)B.rows * (double)n * (double)n / 2)});
}
