#ifndef STARTILE_UPLOAD_H
#define STARTILE_UPLOAD_H

#include "data/view.h"
#include "request/context.h"

/* Submits the copy of a tile to the GPU, after the tasks and messages submitted so far. Does
 * nothing if CPU cores or several GPUs may read the tile. */
void upload_tile(context ctx, tile T);

#endif
