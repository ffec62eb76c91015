/* Data that several operations share: inverses of triangles, magnitudes. */
#ifndef STARTILE_OPERATION_HANDLES_H
#define STARTILE_OPERATION_HANDLES_H

#include "data/temporary.h"
#include "kernels.h"
#include "operations/insert.h"
#include "operations/insert_norms.h"

#include <starpu.h>

struct inverse {
    temporary owned; /* used after own_inverse() */
    starpu_data_handle_t handle;
    startile_tile_status *tile_status; /* use_inverse: which parts are accurate */
};

/* Returns a new inverse; NULL if no device gains from an inverse, or without memory. */
inverse *new_inverse(startile_dtype dtype, int64_t n, startile_tile_status *tile_status);
/* Makes the inverse a temporary of the request; W may be NULL. */
void own_inverse(context ctx, inverse *W);

/* Returns the handle of two doubles: the value and scratch memory. */
starpu_data_handle_t magnitude_handle(const magnitude *x);

#endif
