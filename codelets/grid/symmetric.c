/* Owners of tiles on symmetric grids. */
#include "grid/symmetric.h"

#include "data/tiles.h"

/* Returns the process of position (d,d) in copy number `copy` of the pattern. Pattern s of the
 * diagonal gives (d,d) to the pair of d and d + s + 1 modulo r, s + 1 ≤ r / 2. All patterns
 * together give each pair equally many positions: for even r the last one gives two to each pair of
 * d and d + r / 2, so the others are used twice. */
static int rank_on_diagonal(const startile_grid *g, int d, int64_t copy)
{
    int r = g->order, patterns = r % 2 == 0 ? r - 1 : r / 2;
    int pairs = (int)number_of_pairs(r);
    if (g->processes > pairs)
        return pairs + d / 2;
    int distance = (int)(copy % patterns) % (r / 2) + 1;
    return rank_of_pair(d, (d + distance) % r);
}

/* Copy (row, column) of the pattern has the number row + column, on the matrix' diagonal `row`. So
 * the number grows by one from each copy to the next along a row, a column and the diagonal. */
int symmetric_rank(const startile_grid *g, int64_t i, int64_t j)
{
    int r = g->order, a = (int)(i % r), b = (int)(j % r);
    int64_t row = i / r, column = j / r;
    if (a != b)
        return rank_of_pair(a, b);
    return rank_on_diagonal(g, a, row == column ? row : row + column);
}

tile symmetric_index(tile t)
{
    const startile_grid *g = t.A->grid;
    int r = g->order;
    startile_grid owner = {.processes = g->processes, .rank = symmetric_rank(g, t.i, t.j)};
    make_symmetric(&owner, r);
    t.i = 2 * (t.i / r) + (t.i % r == owner.col);
    t.j = 2 * (t.j / r) + (t.j % r == owner.col);
    return t;
}
