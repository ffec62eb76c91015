/* Inverses of diagonal blocks: temporaries by which tasks multiply instead of solving. */
#include "data/handle.h"
#include "library/library.h"
#include "operations/handles.h"
#include "request/state.h"
#include "task/operands.h"

#include <stdlib.h>

/* Registers a temporary for the inverse of a diagonal block of order n, which a task computes
 * later. Returns NULL without memory, and always without GPUs: on CPUs a triangular solve is as
 * fast as a product. */
inverse *new_inverse(startile_dtype dtype, int64_t n, startile_tile_status *tile_status)
{
    inverse *W = runtime_has_cuda() ? malloc(sizeof *W) : NULL;
    if (W == NULL)
        return NULL;
    W->tile_status = tile_status;
    register_temporary(&W->handle, n, n, (size_t)startile_element_size[dtype]);
    return W;
}

void release_inverse(inverse *W)
{
    if (W == NULL)
        return;
    release_handle(W->handle);
    free(W);
}

static void release_owned(temporary *owned)
{
    release_inverse((inverse *)owned);
}

void own_inverse(context ctx, inverse *W)
{
    if (W != NULL)
        own_temporary(ctx, &W->owned, release_owned);
}

struct invert_args {
    struct task_args task;
    char uplo, diag;
    struct tile_column t;
    startile_piece block[];
};

static struct operation invert = {.name = "invert", .color = 0xe15759};

/* The block is in one tile, because tiles have whole diagonal blocks. */
static int run_invert(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct invert_args *i = (struct invert_args *)task;
    struct buffer w = matrix_buffer(buffers[0]);
    tile_column_blocks(&i->t, buffers, task->dtype, i->block);
    return K->trtri(x, i->uplo, i->diag, w.n, i->block[0].p, i->block[0].ld, w.p, w.ld);
}

inverse *insert_inverse(context ctx, int64_t priority, char uplo, char diag, column T, int64_t n)
{
    startile_dtype dtype = T.A->shape.dtype;
    startile_tile_status *status = request_tile_status(ctx.request);
    inverse *W = status == NULL ? NULL : new_inverse(dtype, n, status);
    if (status != NULL)
        status->use_inverse = 1;
    int64_t tiles = column_tiles(T);
    struct starpu_task *t =
        W == NULL ? NULL
                  : task_new(&invert, ctx, priority, dtype, run_invert,
                             sizeof(struct invert_args) + (size_t)tiles * sizeof(startile_piece));
    own_inverse(ctx, W);
    if (t == NULL)
        return NULL;
    struct invert_args *i = t->cl_arg;
    i->uplo = uplo;
    i->diag = diag;
    task_access(t, W->handle, STARPU_W);
    i->t = column_access(t, T, STARPU_R);
    task_submit(t, (struct work){.m = n,
                                 .n = n,
                                 .flops = flops_of(dtype, (double)n * (double)n * (double)n / 6)});
    return W;
}
