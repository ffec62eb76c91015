/* Tile columns of several pieces on the CPU (startile_piece): addresses of rows, and copies from
 * and to column-major storage. */
#ifndef STARTILE_TILE_COLUMN_H
#define STARTILE_TILE_COLUMN_H

#include "dtype.h"
#include "startile_types.h"

/* Returns the number of rows of all pieces together. */
static inline int64_t tile_column_rows(int pieces, const startile_piece *a)
{
    int64_t m = 0;
    for (int q = 0; q < pieces; q++)
        m += a[q].m;
    return m;
}

/* One row of a tile column: the address of its element in column 0, and the distance in elements
 * from a column to the next */
struct row {
    element *p;
    ptrdiff_t step;
};

/* Returns row i of a tile column. */
static inline struct row tile_column_row(const startile_piece *a, int64_t i)
{
    while (i >= a->m)
        i -= a++->m;
    return (struct row){(element *)a->p + i, a->ld};
}

/* Returns the number of rows from row i to the end of its piece. */
static inline int64_t rows_to_piece_end(const startile_piece *a, int64_t i)
{
    while (i >= a->m)
        i -= a++->m;
    return a->m - i;
}

/* B := A, where B is column-major */
static inline void gather_tile_column(int pieces, const startile_piece *a, int n, element *b,
                                      int ldb)
{
    for (int q = 0; q < pieces; b += a[q++].m)
        NAME(lacpy)(NULL, 'G', a[q].m, n, a[q].p, a[q].ld, b, ldb);
}

/* A := B, where B is column-major */
static inline void scatter_tile_column(int pieces, const startile_piece *a, int n, const element *b,
                                       int ldb)
{
    for (int q = 0; q < pieces; b += a[q++].m)
        NAME(lacpy)(NULL, 'G', a[q].m, n, b, ldb, a[q].p, a[q].ld);
}

#endif
