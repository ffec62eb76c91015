/* Inverses of diagonal blocks in temporaries, which replace triangular solves by products. */
#include "runtime/runtime.h"

#include <stdlib.h>

/* Creates the temporary with GPUs only: on CPUs a triangular solve is as fast as a product. */
inverse *new_inverse(startile_dtype dtype, int64_t n, startile_panel *tile_status)
{
    inverse *W = runtime_has_cuda() ? malloc(sizeof *W) : NULL;
    if (W == NULL)
        return NULL;
    W->tile_status = tile_status;
    register_temporary(&W->handle, n, n, (size_t)startile_element_size[dtype]);
    return W;
}

void forget(inverse *W)
{
    if (W == NULL)
        return;
    forget_handle(W->handle);
    free(W);
}
