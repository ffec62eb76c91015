/* The tile size where the caller names none. */
#ifndef STARTILE_TILE_SIZE_H
#define STARTILE_TILE_SIZE_H

#include "startile.h"

#include <stdbool.h>

/* For any matrix, on the workers that are running. */
int64_t default_tile_size(startile_dtype dtype, int64_t m, int64_t n);

#endif
