/* What a tile of the library's own holds before anything was written. */
#ifndef STARTILE_ZERO_H
#define STARTILE_ZERO_H

#include "runtime/runtime.h"

/* Zeros, made where the tile is first read. Without this StarPU aborts on such a read. */
void zero_init(starpu_data_handle_t handle);
bool is_zero_initialized(starpu_data_handle_t handle);

#endif
