/* Owners of tiles. Without a grid this process owns all tiles. */
#ifndef STARTILE_OWNER_H
#define STARTILE_OWNER_H

#include "data/view.h"
#include "startile.h"

#include <stdbool.h>

/* Returns the rows of c that process row r of the grid owns; c has adjacent tiles (tile_step 1).
 * Without a grid process row 0 owns all rows. */
column rows_of_process(column c, int r);

/* Returns the rows of c that this process owns, 0 rows if it does not own the block column. Without
 * a grid: c. */
column own_rows(column c);

/* Returns the number of process rows of A's grid; 1 without a grid. On a symmetric grid, which has
 * none: the order of its pattern. */
int process_rows(const startile_matrix *A);
/* Returns a number of block columns after which A's owners repeat, at least the number of process
 * columns; 1 without a grid. */
int64_t column_period(const startile_matrix *A);
/* Returns the number of processes of A's grid; 1 without a grid. */
int process_count(const startile_matrix *A);
/* Returns the number of processes to which a tile of Cholesky's panels is sent. */
int receivers_of_panel_tile(const startile_matrix *A);
/* Returns whether A is on a symmetric grid, on which the parts of LU and QR that a process owns are
 * not columns of adjacent rows. */
bool is_on_symmetric_grid(const startile_matrix *A);
/* Returns the process row that owns row `row` of A. */
int process_row_of(const startile_matrix *A, int64_t row);

/* Return the first row (column) of tiles of V from i (j) on in which this process owns tiles, or
 * one beyond the last. Without a grid: i (j). On a symmetric grid the process owns tiles there if V
 * is large enough, and not all tiles where an own row meets an own column. */
int64_t own_row(view V, int64_t i);
int64_t own_column(view V, int64_t j);
/* Return the first row from i on (column from j on) in which this process owns the tile of column j
 * (row i), or one beyond the last. Without a grid: i (j). */
int64_t own_tile_in_column(view V, int64_t i, int64_t j);
int64_t own_tile_in_row(view V, int64_t i, int64_t j);

/* Returns whether both have the same type of elements and lie on the same processes. */
bool may_copy(const startile_matrix *A, const startile_matrix *B);

/* Returns whether this process owns the tile; without a grid it owns all. */
bool is_own_tile(tile t);

/* Returns the first range of for_own_ranges() from row i on; its count is 0 after the last one. */
tile_range own_range(view V, int64_t i, int64_t j, int64_t alone);

/* Returns the first block column of A from j on whose tasks this process submits, or one beyond the
 * last. In a grid with one process row each block column has one owner, which submits them. In
 * other grids a block column has several owners, and all processes submit all tasks. */
int64_t next_task_column(const startile_matrix *A, int64_t j);

/* Loops that leave out the tasks of other processes. They belong between begin_step() and
 * end_step(), after the sends of the data that their tasks read. Without a grid they leave out
 * nothing. `first` and `last` are the first index and the one beyond the last. */

/* Tile columns j (rows i) of the view V in which this process owns tiles: own_column(), own_row().
 */
#define for_own_columns(j, V, first, last)                                                         \
    for (int64_t j = own_column(V, first); j < (last); j = own_column(V, j + 1))
#define for_own_rows(i, V, first, last)                                                            \
    for (int64_t i = own_row(V, first); i < (last); i = own_row(V, i + 1))
/* Tiles (i,j) of tile column j (row i) that this process owns. */
#define for_own_tiles_in_column(i, V, j, first, last)                                              \
    for (int64_t i = own_tile_in_column(V, first, j); i < (last);                                  \
         i = own_tile_in_column(V, i + 1, j))
#define for_own_tiles_in_row(j, V, i, first, last)                                                 \
    for (int64_t j = own_tile_in_row(V, i, first); j < (last); j = own_tile_in_row(V, i, j + 1))
/* Ranges r of tiles of tile column j that this process owns, from row `first` on, each for one
 * task; the tiles in rows up to `alone` are ranges of their own. */
#define for_own_ranges(r, V, j, first, alone)                                                      \
    for (tile_range r = own_range(V, first, j, alone); r.count > 0;                                \
         r = own_range(V, r.i + r.count, j, alone))
/* Block columns j of A whose tasks this process submits. */
#define for_task_columns(j, A, first, last)                                                        \
    for (int64_t j = next_task_column(A, first); j < (last); j = next_task_column(A, j + 1))

#endif
