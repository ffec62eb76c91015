/*
 * Matrices as views of tiles.
 *
 * A view may be transposed without cost: a tile stores its op, and the insert functions rewrite the
 * operation so that it updates the tile as it is stored. The upper case of an algorithm is
 * therefore its lower case on the view of the conjugate transpose.
 *
 * uplo always names the triangle as stored.
 */
#ifndef STARTILE_VIEW_H
#define STARTILE_VIEW_H

#include "startile.h"

#include <stdbool.h>

typedef struct {
    const startile_matrix *A; /* NULL: no tile */
    int64_t i, j;             /* index as stored */
    char op;                  /* 'N', 'T' or 'C': how the view shows the tile */
} tile;

typedef struct {
    const startile_matrix *A;
    char op;
    int64_t mt, nt; /* rows and columns of tiles in the view */
} view;

/* Rows row, row + 1, … of block column j, in one or more tiles. The part of a column that one
 * process row of a grid owns has every tile_step-th tile; `rows` then counts the rows in these
 * tiles only. */
typedef struct {
    const startile_matrix *A;
    int64_t j, row, rows;
    int64_t tile_step; /* 1: adjacent tiles */
} column;

/* Tiles i, i + 1, … of column j of a view. */
typedef struct {
    view A;
    int64_t i, j, count;
} tile_range;

/* Tiles at equal distances: `first`, then `count` − 1 more, each `down` rows of tiles below and
 * `right` columns of tiles right of the one before, as stored. */
typedef struct {
    tile first;
    int64_t down, right, count;
} tile_sequence;

/* Tiles (i … i + rows − 1, j … j + columns − 1) of a view. */
typedef struct {
    view V;
    int64_t i, j, rows, columns;
} tile_block;

/* Rows `row` … row + rows − 1 of the block columns j … j + count − 1 of A, in one row of tiles. */
typedef struct {
    const startile_matrix *A;
    int64_t j, count, row, rows;
} row_blocks;

view view_of(const startile_matrix *A, char op);

/* Largest number of tiles in a block column that one task works on */
enum { MOST_TILES = 1024 };
/* Returns whether n elements cut into tiles of nb1 and of nb2 give the same tiles. */
static inline bool same_tiles(int64_t n, int64_t nb1, int64_t nb2)
{
    return nb1 == nb2 || (n <= nb1 && n <= nb2);
}

static inline bool is_complex(const startile_matrix *A)
{
    return startile_matrix_shape(A).dtype >= STARTILE_C;
}

/* Returns the letter of op(inner(X)), where 'N' is X, 'T' is X^T and 'C' is X^H. 'T' and 'C' must
 * not be mixed: a conjugate without a transposition has no letter. */
char compose(char op, char inner);

static inline tile at(view V, int64_t i, int64_t j)
{
    return V.op == 'N' ? (tile){V.A, i, j, 'N'} : (tile){V.A, j, i, V.op};
}

static inline tile tile_op(char op, tile t)
{
    t.op = compose(op, t.op);
    return t;
}

static inline column rows_of(const startile_matrix *A, int64_t j, int64_t row, int64_t rows)
{
    return (column){A, j, row, rows, 1};
}

/* Returns rows `row`, `row` + 1, … to the last of block column j. */
static inline column rows_from(const startile_matrix *A, int64_t j, int64_t row)
{
    return rows_of(A, j, row, startile_matrix_shape(A).m - row);
}

/* Returns the part of c that begins at its row `first`, counted from 0 at c.row, and has `rows`
 * rows. Rows of tiles that c skips (tile_step > 1) do not count. */
column rows_within(column c, int64_t first, int64_t rows);

/* Returns whether keep_on_cores() was called for A, or for the matrix of which A is a temporary
 * (temporary_matrix()). */
bool is_on_cores(const startile_matrix *A);

/* Returns the tiles i, i + 1, … of column j that one task updates: several if all tasks run on GPUs
 * and V is not on a grid, else one. */
tile_range tiles_from(view V, int64_t i, int64_t j);

/* Returns rows `row` … row + rows − 1 of the last ones of the block columns first … end − 1 of A
 * that one task updates: all if the tasks may run on one GPU, whose memory holds A, else one. A has
 * one row of tiles. */
row_blocks last_blocks(const startile_matrix *A, int64_t first, int64_t end, int64_t row,
                       int64_t rows);

/* Runs the statement for rows `row` … row + rows − 1 of A's block columns from `first` on, as many
 * at a time as one task updates, from the right to the left. */
#define for_row_blocks(B, A, first, row, rows)                                                     \
    for (row_blocks B = last_blocks(A, first, startile_matrix_shape(A).nt, row, rows);             \
         B.count > 0; B = last_blocks(A, first, B.j, row, rows))

/* Returns the first rows of b. */
static inline row_blocks first_rows(row_blocks b, int64_t rows)
{
    b.rows = rows;
    return b;
}

#endif
