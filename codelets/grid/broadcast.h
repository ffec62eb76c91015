/* Messages ahead of the tasks that need them. */
#ifndef STARTILE_BROADCAST_H
#define STARTILE_BROADCAST_H

#include "data/view.h"
#include "request/context.h"
#include "startile.h"

/* Processes that receive data: the owners of the tiles of two blocks, of which one may be empty. */
typedef struct {
    tile_block block[2];
    tile urgent; /* its owner gets the data directly from the sender; A = NULL: none */
} receivers;
/* Return the owners of the tiles of one block, and of two blocks. */
receivers owners_of(view V, int64_t i, int64_t j, int64_t rows, int64_t columns);
receivers owners_of_both(tile_block a, tile_block b);
/* Returns `to`, with the owner of T, which may be among them, as the first receiver. */
receivers first_to_owner_of(tile T, receivers to);
/* Returns the owners of C's block columns first … last − 1 on a grid with one process row. On other
 * grids all processes submit the tasks, and there are no receivers. */
receivers owners_of_columns(const startile_matrix *C, int64_t first, int64_t last);
/* Returns T's owner and the processes of its process column in the next count − 1 process rows,
 * cyclically. The matrix of T has a multiple of process_rows() rows of tiles. */
receivers owners_down(tile T, int64_t count);

/* Send the newest version of a tile, or of rows of a block column, to processes whose tasks read
 * it. Without a grid they do nothing. All processes call them, once for each version. */
void send_tile(context ctx, int64_t priority, tile T, receivers to);
void send_column(context ctx, int64_t priority, column c, receivers to);
/* Sends a tile as send_tile() does, and copies it to the receiver's GPU as soon as it has arrived.
 * For tasks that read all tiles of a block column: StarPU would copy them when the last one has
 * arrived. */
void send_column_tile(context ctx, int64_t priority, tile T, receivers to);
/* Sends a temporary's tile as send_tile() does, then discards its value in the owner. */
void hand_over_tile(context ctx, int64_t priority, tile T, receivers to);
/* Sends panel k of P to all processes that own tiles of C. */
void send_pivots(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                 const startile_matrix *C);
/* Sends panel k of P, which a task has written, to all processes of the communicator of C's grid,
 * also those outside the grid. */
void send_pivots_to_all(context ctx, const startile_pivots *P, int64_t k, const startile_matrix *C);

#endif
