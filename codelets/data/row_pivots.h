/* Interchanges of a panel in the process rows of a grid. */
#ifndef STARTILE_ROW_PIVOTS_H
#define STARTILE_ROW_PIVOTS_H

#include "data/view.h"
#include "request/context.h"
#include "startile.h"

#include <stdbool.h>

/* The interchanges of a panel in one process row of a grid: the panel's part of a startile_pivots,
 * or a copy of it. */
typedef struct row_pivots row_pivots;

/* Panel k of n pivots on a grid, in tiles of mb rows. Its rows, from `row` on, belong to `count`
 * process rows: first, first + 1, …, cyclically. The diagonal block belongs to the first. */
typedef struct {
    int64_t k, row, n, mb;
    int first, count;
} grid_panel;

/* Returns the panel's interchanges in process row r: those in P for the panel's first process row,
 * else a temporary of the request. All processes call it; returns NULL unless is_needed. */
row_pivots *pivots_of_process_row(context ctx, const startile_matrix *A, startile_pivots *P,
                                  const grid_panel *p, int r, bool is_needed);
/* Sends the interchanges to all processes of the process row that have block columns. */
void send_row_pivots(context ctx, int64_t priority, const row_pivots *P, const startile_matrix *A);

#endif
