/* Copies of a tile in the memories of one process. */
#ifndef STARTILE_TILE_COPIES_H
#define STARTILE_TILE_COPIES_H

#include "data/view.h"
#include "request/context.h"

/* Hints that no task submitted soon uses the tile, so StarPU may evict it first. */
void hint_idle(tile A);

/* If there are GPUs and A's matrix is in main memory, copies the tile back there when its tasks
 * have ended. Call it when no later task writes the tile. */
void return_to_host(context ctx, tile A);

#endif
