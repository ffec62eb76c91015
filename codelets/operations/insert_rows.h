/* LU on a grid with several process rows: tasks on the rows of one process row. */
#ifndef STARTILE_INSERT_ROWS_H
#define STARTILE_INSERT_ROWS_H

#include "data/row_pivots.h"
#include "data/view.h"
#include "operations/insert.h"
#include "request/context.h"
#include "startile.h"

#include <stdbool.h>

/* token := 0. The task waits for the tasks on A and for earlier tasks of insert_getrf_part() of its
 * process. */
void insert_ready(context ctx, int64_t priority, column A, tile token);
/* A := the rows of the panel's factors in one process row, with partial pivoting; P := the
 * interchanges; L := the factors of the diagonal block. The tasks of all process rows of the panel
 * compute these together (kernel getrf_part). The task waits for the p->count tokens of
 * insert_ready(), one from each of these process rows. Runs on CPU workers. */
void insert_getrf_part(context ctx, int64_t priority, const grid_panel *p, column A, row_pivots *P,
                       tile L, const tile *tokens);
/* P := the interchanges that bring the winners to the top of the panel */
void insert_order_part(context ctx, int64_t priority, const grid_panel *p, candidates *winners,
                       row_pivots *P);
/* W := rows of A that move to the top rows of the panel, from below them. If A begins with the top
 * rows, D := the top rows; otherwise D is not used. */
void insert_pack(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                 tile W, tile D);
/* W := W with the rows of other_w that come from `count` process rows: p->first + first and those
 * that follow, cyclically. W and other_w are results of insert_pack(). */
void insert_merge(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P,
                  int first, int count, tile other_w, tile W);
/* Rows of A below the panel's top rows := the rows of D that move there, where D are the former top
 * rows. If A begins with the top rows, U := the new top rows, from D and W, and W has the rows of
 * all process rows; otherwise W and U are not used. */
void insert_place(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                  tile D, tile W, tile U);

/* The interchanges of panels first … last − 1 of P, or with `inverse` the inverse ones. */
typedef struct {
    const startile_pivots *P;
    int64_t first, last;
    bool inverse;
} row_moves;
/* The interchanges of several panels as one permutation; a temporary of the request. Each process
 * has its own. */
typedef struct joined_moves joined_moves;
/* Joins the interchanges of A's rows to one permutation. A process without tiles of A submits no
 * task; send_pivots() has sent the panels to the others. Returns NULL and fails the request if
 * there is no memory. Runs on CPU workers. */
joined_moves *insert_join_moves(context ctx, int64_t priority, const row_moves *moves,
                                const startile_matrix *A);
/* to[r] := rows of A that move to process row r, for all r, A's own process row included. to[r].A
 * is NULL where no row can move. */
void insert_gather_rows(context ctx, int64_t priority, const joined_moves *moves, column A,
                        const tile *to);
/* Rows of A := the rows in from[r], which insert_gather_rows() of process row r has written. The
 * tile of A's own process row has no value afterwards. */
void insert_scatter_rows(context ctx, int64_t priority, const joined_moves *moves, column A,
                         const tile *from);

#endif
