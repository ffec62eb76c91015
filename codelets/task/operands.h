/* Operands of tasks: their accesses, and their addresses while the task runs. */
#ifndef STARTILE_TASK_OPERANDS_H
#define STARTILE_TASK_OPERANDS_H

#include "data/row_pivots.h"
#include "data/tiles.h"
#include "request/decision.h"
#include "task/task.h"

/* A tile, or a vector as one column, in the memory of the device that runs the task. */
struct buffer {
    void *p;
    int ld, m, n;
};
struct buffer matrix_buffer(const void *interface);

/* The tiles of a block column among a task's buffers. */
struct tile_column {
    int buffer, tiles;
    int skip; /* rows of the first tile above the column */
    int64_t rows;
};

int64_t column_tiles(column c);
int64_t column_width(column c);
struct tile_column column_access(struct starpu_task *t, column c,
                                 enum starpu_data_access_mode mode);
/* Stores the blocks of the column, at most s->tiles, and returns their number. Tiles that are
 * adjacent in memory are one block. */
int tile_column_blocks(const struct tile_column *s, void **buffers, startile_dtype dtype,
                       startile_piece *blocks);
/* Returns the rows from `row` to the end of the block that contains `row`. */
startile_piece tile_column_from(const startile_piece *blocks, int64_t row, startile_dtype dtype);
int tile_column_width(const struct tile_column *s, void **buffers);
/* Describes the column's rows to the kernels. */
startile_rows rows_of_column(column c);

void tile_range_access(struct starpu_task *t, tile_range s, enum starpu_data_access_mode mode);
double tile_range_elements(tile_range s);

starpu_data_handle_t permutation_handle(const startile_permutation *P);
starpu_data_handle_t symmetric_pivots_handle(const startile_symmetric_pivots *P);
starpu_data_handle_t pivots_handle(const startile_pivots *P, int64_t k);
startile_pivots_of_panel pivots_buffer(const void *interface);
/* Copy the interchanges of panel k to `ipiv` (LAPACK's numbers) or from it; they wait for the tasks
 * on the panel. Return 0 or a startile_error. */
int pivots_read_panel(const startile_pivots *P, int64_t k, int64_t *ipiv);
int pivots_write_panel(startile_pivots *P, int64_t k, const int64_t *ipiv);

/* Interchanges of a panel in one process row. (row_pivots.c) */
struct row_pivots {
    temporary owned;
    starpu_data_handle_t handle;
    int row;      /* process row */
    bool is_copy; /* the handle is a temporary of the request, not the caller's pivots */
};

/* Adds the values to the task's data. Returns the index + 1 of their buffer, or 0 for NULL. */
int values_access(struct starpu_task *t, const values *v, enum starpu_data_access_mode mode);
/* Returns the address of number `first` of the values in a buffer; `buffer` is its index + 1, or 0
 * for NULL. */
double *values_in_buffer(void **buffers, int buffer, int64_t first);

#endif
