/* Inverses of diagonal blocks, in temporaries of their own, for solves by multiplication. */
#include "runtime/runtime.h"

#include <stdlib.h>

/* On CPUs a triangular solve runs at the rate of a product, and costs no inverse. */
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
