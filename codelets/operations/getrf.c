/* LU factorization with partial pivoting of a panel: the rows of a block column from its diagonal
 * block down. */
#include "operations/handles.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

struct getrf_args {
    struct task_args task;
    int64_t row0;
    struct tile_column a;
    int w; /* buffer of the inverse, or 0 */
    startile_piece block[];
};

enum { PIVOTS };
static struct operation getrf = {.name = "getrf", .color = 0xe15759};

static int run_getrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct getrf_args *g = (struct getrf_args *)task;
    struct buffer w = {NULL, 1, 0, 0};
    if (g->w != 0)
        w = matrix_buffer(buffers[g->w]);
    int blocks = tile_column_blocks(&g->a, buffers, task->dtype, g->block);
    return K->getrf(x, blocks, g->block, tile_column_width(&g->a, buffers), g->row0,
                    pivots_buffer(buffers[PIVOTS]), w.p, w.ld, task->tile_status);
}

inverse *insert_getrf(context ctx, int64_t priority, column A, const startile_pivots *P, int64_t k,
                      bool want_inverse)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t tiles = column_tiles(A);
    startile_tile_status *tile_status = request_tile_status(ctx.request);
    if (tile_status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    struct starpu_task *t =
        task_new(&getrf, ctx, priority, dtype, run_getrf,
                 sizeof(struct getrf_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 2))
        return NULL;
    struct getrf_args *g = t->cl_arg;
    starpu_data_handle_t pivots = pivots_handle(P, k);
    /* The inverse would not be sent to the processes of a grid that multiply by it. */
    inverse *W = want_inverse && A.A->grid == NULL
                     ? new_inverse(dtype, starpu_matrix_get_nx(pivots), tile_status)
                     : NULL;
    g->row0 = g->task.panel_row = A.row;
    g->task.tile_status = tile_status;
    g->task.continues_on_zero_pivot = true;
    /* STARPU_RW: a skipped task leaves the pivots unchanged */
    task_access(t, pivots, STARPU_RW);
    if (A.A->grid != NULL && !ctx.is_duplicate)
        task_info(t, STARPU_RW); /* other processes read the info, see task_submit() */
    g->a = column_access(t, A, STARPU_RW);
    if (W != NULL) {
        g->w = t->nbuffers;
        task_access(t, W->handle, STARPU_W);
    }
    int64_t m = A.rows, n = column_width(A);
    task_submit(t,
                (struct work){.m = m,
                              .n = n,
                              .variant = W != NULL,
                              .flops = flops_of(dtype, panel_multiply_adds((double)m, (double)n))});
    return W;
}
