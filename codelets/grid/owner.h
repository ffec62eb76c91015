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
/* Returns whether A is on a symmetric grid. It has no process rows that own the same rows of all
 * block columns, as LU and QR need them. */
bool is_on_symmetric_grid(const startile_matrix *A);
/* Returns the process row that owns row `row` of A. */
int process_row_of(const startile_matrix *A, int64_t row);

/* Return the first row ≥ i (column ≥ j) of V's tiles in which this process owns tiles, or V.mt
 * (V.nt). Without a grid: i (j). On a symmetric grid a small V may have none of the tiles that this
 * process owns in such a row or column of the pattern, and the tile where an own row meets an own
 * column may belong to another process. */
int64_t own_row(view V, int64_t i);
int64_t own_column(view V, int64_t j);
/* Returns the least row ≥ i whose tile in column j this process owns, or V.mt. Without a grid: i.
 */
int64_t own_tile_in_column(view V, int64_t i, int64_t j);
/* Returns the least column ≥ j whose tile in row i this process owns, or V.nt. Without a grid: j.
 */
int64_t own_tile_in_row(view V, int64_t i, int64_t j);

/* Returns whether both have the same type of elements and lie on the same processes. */
bool may_copy(const startile_matrix *A, const startile_matrix *B);

/* Returns whether this process owns the tile; without a grid it owns all. */
bool is_own_tile(tile t);

/* Returns the first range of for_own_ranges() from row i on; its count is 0 after the last one. */
tile_range own_range(view V, int64_t i, int64_t j, int64_t alone);

/* Returns the first block column ≥ j of A whose tasks this process submits, or one beyond the last.
 * In a grid with one process row each block column has one owner, which submits them. In
 * other grids a block column has several owners, and all processes submit all tasks. */
int64_t next_task_column(const startile_matrix *A, int64_t j);

/* Loops over first … end − 1 that leave out the tasks of other processes. They belong between
 * begin_step() and end_step(), after the sends of the data that their tasks read. Without a grid
 * they leave out nothing. */

/* Tile columns j (rows i) of the view V in which this process owns tiles: own_column(), own_row().
 */
#define for_own_columns(j, V, first, end)                                                          \
    for (int64_t j = own_column(V, first); j < (end); j = own_column(V, j + 1))
#define for_own_rows(i, V, first, end)                                                             \
    for (int64_t i = own_row(V, first); i < (end); i = own_row(V, i + 1))
/* Tiles (i,j) of tile column j (row i) that this process owns. */
#define for_own_tiles_in_column(i, V, j, first, end)                                               \
    for (int64_t i = own_tile_in_column(V, first, j); i < (end);                                   \
         i = own_tile_in_column(V, i + 1, j))
#define for_own_tiles_in_row(j, V, i, first, end)                                                  \
    for (int64_t j = own_tile_in_row(V, i, first); j < (end); j = own_tile_in_row(V, i, j + 1))
/* Ranges r of tiles of tile column j that this process owns, from row `first` on, each for one
 * task; the tiles in rows up to `alone` are ranges of their own. */
#define for_own_ranges(r, V, j, first, alone)                                                      \
    for (tile_range r = own_range(V, first, j, alone); r.count > 0;                                \
         r = own_range(V, r.i + r.count, j, alone))
/* Block columns j of A whose tasks this process submits. */
#define for_task_columns(j, A, first, end)                                                         \
    for (int64_t j = next_task_column(A, first); j < (end); j = next_task_column(A, j + 1))

#endif
