/* The tile size where the caller names none. */
#ifndef STARTILE_TILE_SIZE_H
#define STARTILE_TILE_SIZE_H

#include "startile.h"

#include <stdbool.h>

/* For a matrix whose larger dimension is n, on the workers that are running. */
int64_t default_tile_size(int64_t n);

/* Whether the GPUs' memory has room for a matrix; and what of nb, a width, it has room for enough
 * block columns of m rows of. (room.c) */
bool have_gpus_room(startile_dtype dtype, int64_t m, int64_t n);
int64_t width_with_room(startile_dtype dtype, int64_t m, int64_t nb);

#endif
