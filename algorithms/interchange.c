/* Row interchanges of several panels. On a grid with several process rows, each process row sends,
 * for each block column, one message to each other process row, with the rows that move there. The
 * largest size of a message is known when the tasks are submitted: a row that moves comes from the
 * panels' diagonal blocks (the top rows) or goes there. The number of rows that move from one
 * process row to another is therefore at most the number of top rows that the two own together, and
 * at most the number of all rows of either. */
#include "algorithms.h"
#include "data/pivots.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "library/integers.h"
#include "operations/insert_rows.h"

/* Number of panels whose interchanges are applied as one permutation. In a factorization no other
 * task waits for the interchanges of L. */
enum { PANELS_AT_A_TIME = 8 };

/* Returns the number of rows in `top` that process row r owns. */
static int64_t count_top_rows(column top, int r)
{
    return rows_of_process(top, r).rows;
}

/* Returns the largest number of rows that can move within one process row (within), or from one to
 * another. */
static int64_t most_moving_rows(column top, bool within)
{
    column all = rows_from(top.A, top.j, top.row);
    int64_t most = 0;
    for (int r = 0; r < process_rows(top.A); r++)
        for (int d = 0; d < process_rows(top.A); d++) {
            int64_t all_rows = min(rows_of_process(all, r).rows, rows_of_process(all, d).rows);
            int64_t rows = min(count_top_rows(top, r) + count_top_rows(top, d), all_rows);
            if ((r == d) == within && rows > most)
                most = rows;
        }
    return most;
}

/* Tiles for the rows that move: block column j is in tile column j − offset. M has the rows that
 * move to another process row, W the rows that move within one. */
typedef struct {
    const startile_matrix *M, *W;
    column top; /* the top rows, in any block column */
    int64_t offset;
} messages;

/* Returns the tile for the rows of block column A.j that move from process row `from` to process
 * row `to`, or no tile if no row can move. `from` owns the tile. */
static tile message_tile(const messages *s, column A, int from, int to)
{
    bool is_possible = count_top_rows(s->top, from) + count_top_rows(s->top, to) > 0 &&
                       rows_of_process(A, from).rows > 0 && rows_of_process(A, to).rows > 0;
    int64_t j = A.j - s->offset, i = (int64_t)to * process_rows(A.A) + from;
    if (!is_possible)
        return (tile){.A = NULL};
    return from == to ? at(view_of(s->W, 'N'), from, j) : at(view_of(s->M, 'N'), i, j);
}

/* Hands over the rows of block column j that move from one process row to another. */
static void send_rows(context ctx, int64_t priority, const messages *M, column A, int from, int to)
{
    tile rows = message_tile(M, A, from, to);
    if (from != to && rows.A != NULL)
        hand_over_tile(ctx, priority, rows,
                       owners_of(view_of(M->W, 'N'), to, A.j - M->offset, 1, 1));
}

/* Submits A := P A for the rows from the first panel's top row on. A process submits only its own
 * tasks. */
static void move_rows(context ctx, int64_t priority, const joined_moves *moves, const messages *M,
                      column A)
{
    int p = process_rows(A.A), my_row = (int)own_row(view_of(M->W, 'N'), 0);
    tile part[p];    /* rows that move to, later from, each process row */
    if (my_row >= p) /* this process has no tiles of W */
        return;
    bool has_rows = rows_of_process(A, my_row).rows > 0;
    for (int d = 0; d < p; d++)
        part[d] = message_tile(M, A, my_row, d);
    if (has_rows) /* M(my_row,:) := rows of A(my_row) that move, by destination */
        insert_gather_rows(ctx, priority, moves, rows_of_process(A, my_row), part);
    for (int s = 0; s < p; s++) {
        send_rows(ctx, priority, M, A, my_row, s);
        send_rows(ctx, priority, M, A, s, my_row);
        part[s] = message_tile(M, A, s, my_row);
    }
    if (has_rows) /* rows of A(my_row) := M(:,my_row) */
        insert_scatter_rows(ctx, priority, moves, rows_of_process(A, my_row), part);
}

/* Submits the interchanges of rows of A's block columns first … last − 1. */
static void submit_row_moves(context ctx, int64_t priority, row_moves moves,
                             const startile_matrix *A, int64_t first, int64_t last)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t row = pivots_first_row(moves.P, moves.first), p = process_rows(A);
    int64_t end = pivots_first_row(moves.P, moves.last), rows = (end < s.m ? end : s.m) - row;
    column top = rows_of(A, 0, row, rows);
    /* tiles of at least one row, also where no row can move to another process row */
    int64_t height_between = max(1, most_moving_rows(top, false)),
            height_within = most_moving_rows(top, true);
    /* a multiple of the period: tile column j − offset has the owners of block column j */
    int64_t offset = first - first % column_period(A), n = (last - offset) * s.nb;
    context all = begin_step(ctx, A, ctx.step);
    messages m = {.M = temporary_matrix(all, A, p * p * height_between, n, height_between, s.nb),
                  .W = temporary_matrix(all, A, p * height_within, n, height_within, s.nb),
                  .top = top,
                  .offset = offset};
    /* joined := product of the interchanges of panels moves.first … moves.last − 1 */
    const joined_moves *joined = insert_join_moves(all, priority, &moves, A);
    if (m.M == NULL || m.W == NULL || joined == NULL)
        return;
    for_own_columns(j, view_of(A, 'N'), first, last) {
        context one = begin_step(all, A, ctx.step);
        move_rows(one, priority, joined, &m, rows_from(A, j, row));
        end_step(one);
    }
    end_step(all);
}

void interchange_left_on_grid(context ctx, const startile_pivots *P, const startile_matrix *A,
                              int64_t k)
{
    int64_t first = k - k % PANELS_AT_A_TIME;
    if (k + 1 < first + PANELS_AT_A_TIME && k + 1 < pivots_panels(P))
        return;
    for (int64_t i = first; i <= k; i++)
        send_pivots(ctx, 0, P, i, A);
    if (first > 0) /* L(:,j) := P_k … P_first L(:,j), j < first */
        submit_row_moves(ctx, 0, (row_moves){.P = P, .first = first, .last = k + 1}, A, 0, first);
    for (int64_t j = first; j < k; j++) /* L(:,j) := P_k … P_{j+1} L(:,j) */
        submit_row_moves(ctx, 0, (row_moves){.P = P, .first = j + 1, .last = k + 1}, A, j, j + 1);
}

/* Submits B := P B, or P^T B with `inverse`, on a grid with several process rows. */
static void interchange_on_grid(context ctx, int64_t priority, const startile_pivots *P,
                                bool inverse, const startile_matrix *B)
{
    int64_t panels = pivots_panels(P), batches = (panels + PANELS_AT_A_TIME - 1) / PANELS_AT_A_TIME;
    for (int64_t k = 0; k < panels; k++)
        send_pivots(ctx, priority, P, k, B);
    for (int64_t b = 0; b < batches; b++) {
        int64_t first = PANELS_AT_A_TIME * (inverse ? batches - 1 - b : b);
        int64_t last = first + PANELS_AT_A_TIME < panels ? first + PANELS_AT_A_TIME : panels;
        submit_row_moves(ctx, priority,
                         (row_moves){.P = P, .first = first, .last = last, .inverse = inverse}, B,
                         0, startile_matrix_shape(B).nt);
    }
}

void interchange_rows(context ctx, int64_t priority, const startile_pivots *P, bool inverse,
                      const startile_matrix *B, const tile *after)
{
    if (P == NULL)
        return;
    if (process_rows(B) > 1) {
        interchange_on_grid(ctx, priority, P, inverse, B);
        return;
    }
    ctx = begin_step(ctx, B, ctx.step);
    for (int64_t k = 0; k < pivots_panels(P); k++)
        send_pivots(ctx, priority, P, k, B);
    int64_t columns = startile_matrix_shape(B).nt;
    for_task_columns(j, B, 0, columns)
        /* B(:,j) := P B(:,j), or P^T B(:,j) with `inverse` */
        insert_laswp(ctx, priority, P, 0, pivots_panels(P), inverse, rows_from(B, j, 0), after);
    end_step(ctx);
}
