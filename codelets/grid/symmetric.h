/*
 * Symmetric block-cyclic distribution (Beaumont, Duchon, Eyraud-Dubois, Langou and Vérité,
 * "Symmetric Block-Cyclic Distribution: Fewer Communications Leads to Faster Dense Cholesky
 * Factorization", SC22).
 *
 * A pattern of r × r positions repeats over the tiles. The positions (a,b) and (b,a), a < b, belong
 * to one process, so that row a and column a of the pattern have the same processes: those of the
 * r − 1 pairs with a. In a Cholesky factorization L(i,k), i ≡ a, goes to row i and to column i, and
 * so to r − 2 other processes; on p × q processes it goes to p + q − 2.
 *
 * The positions (d,d) belong
 * - with r (r − 1) / 2 processes, to the process of a pair with d, of another pair in the next copy
 *   of the pattern;
 * - with r² / 2 processes (r even), to r / 2 further processes, each of which has two of them.
 *
 * r = 4, 6 processes, the three patterns in turn:       8 processes:
 *
 *     0 0 1 3      1 0 1 3      3 0 1 3                 6 0 1 3
 *     0 2 2 4      0 4 2 4      0 0 2 4                 0 6 2 4
 *     1 2 5 5      1 2 1 5      1 2 2 5                 1 2 7 5
 *     3 4 5 3      3 4 5 4      3 4 5 5                 3 4 5 7
 */
#ifndef STARTILE_SYMMETRIC_H
#define STARTILE_SYMMETRIC_H

#include "grid/grid.h"

/* Returns the rank of the process with the positions (a,b) and (b,a), a ≠ b. */
static inline int rank_of_pair(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return high * (high - 1) / 2 + low;
}

/* Returns the number of processes with positions off the diagonal. */
static inline int64_t number_of_pairs(int64_t order)
{
    return order * (order - 1) / 2;
}

/* Returns whether a symmetric grid of that order may have that number of processes. */
static inline bool is_symmetric_grid(int order, int processes)
{
    return order >= 2 && (number_of_pairs(order) == processes ||
                          (order % 2 == 0 && (int64_t)order * order / 2 == processes));
}

/* Returns the number of processes that receive a tile of Cholesky's panels, if many block columns
 * follow. */
static inline int symmetric_receivers(int order, int processes)
{
    return processes > number_of_pairs(order) ? order - 1 : order - 2;
}

/* Sets the fields of a symmetric grid; `processes` and `rank` are set already. */
static inline void make_symmetric(startile_grid *g, int order)
{
    int pairs = (int)number_of_pairs(order);
    g->order = g->p = g->q = order;
    g->group = 1;
    g->row = 0;
    g->col = 1;
    if (g->rank >= pairs) {
        g->row = 2 * (g->rank - pairs);
        g->col = g->row + 1;
        return;
    }
    while (rank_of_pair(0, g->col + 1) <= g->rank)
        g->col++;
    g->row = g->rank - rank_of_pair(0, g->col);
}

/* Returns the owner of tile (i,j). (symmetric.c) */
int symmetric_rank(const startile_grid *g, int64_t i, int64_t j);
/* Returns the tile's indices among the rows and columns of tiles in which its owner has positions.
 * (symmetric.c) */
tile symmetric_index(tile t);

#endif
