/* Default tile shapes. */
#ifndef STARTILE_TILE_SIZE_H
#define STARTILE_TILE_SIZE_H

#include "startile.h"

#include <stdbool.h>

/* Returns the size of square tiles of an m × n matrix, for any routine on the running workers. */
int64_t default_tile_size(startile_dtype dtype, int64_t m, int64_t n);
/* Returns whether startile_tile_shape() gives this routine, which it knows, square tiles. */
bool routine_has_square_tiles(const char *routine);

/* gels uses a reduction tree on CPUs when m >= TALL * n (perf_models/NOTES.md, "CPU cores"). */
enum { TALL = 2 };

#endif
