/* Inverses of diagonal blocks: temporaries by which tasks multiply instead of solving. */
#include "runtime/runtime.h"

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
