/* The tile size where the caller names none. */
#ifndef STARTILE_TILE_SIZE_H
#define STARTILE_TILE_SIZE_H

#include "startile.h"

/* For a matrix whose larger dimension is n, on the workers that are running. */
int64_t default_tile_size(int64_t n);

#endif
