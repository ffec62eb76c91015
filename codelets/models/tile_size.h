/* The tile size where the caller names none. */
#ifndef STARTILE_TILE_SIZE_H
#define STARTILE_TILE_SIZE_H

#include "startile.h"

#include <stdbool.h>

/* For any matrix, on the workers that are running. */
int64_t default_tile_size(startile_dtype dtype, int64_t m, int64_t n);

/* Whether the memories that tasks run on have room for all of a matrix together, and each of them;
 * if not, what of nb each has room for enough block columns of m rows of, and enough square tiles.
 * (room.c) */
bool fits_memories_together(startile_dtype dtype, int64_t m, int64_t n);
bool fits_each_memory(startile_dtype dtype, int64_t m, int64_t n);
int64_t width_within_capacity(startile_dtype dtype, int64_t m, int64_t nb);
int64_t side_within_capacity(startile_dtype dtype, int64_t nb);

#endif
