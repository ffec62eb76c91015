/* The order of the ranks on a grid whose nodes have several processes. */
#include "mpi/node_order.h"

#include <limits.h>

/* Returns the number of processes on each node if it is the same on all and if the ranks of each
 * node are consecutive, else 1. */
static int processes_on_node(const startile_grid *g)
{
    int on_node = 1;
    while (on_node < g->processes && node_of(g, on_node) == node_of(g, 0))
        on_node++;
    for (int rank = 0; rank < g->processes; rank++)
        if (node_of(g, rank) != rank - rank % on_node)
            return 1;
    return g->processes % on_node == 0 ? on_node : 1;
}

/* At least one block fits: on_node divides p q, so it is a product of divisors of p and q. */
void order_ranks_by_nodes(startile_grid *g)
{
    int on_node = processes_on_node(g), best_rows = 1, fewest = INT_MAX;
    for (int rows = 1; rows <= on_node && rows <= g->p; rows++) {
        int columns = on_node / rows;
        int nodes = g->p / rows + g->q / columns; /* in a column and in a row of the grid */
        bool fits = rows * columns == on_node && g->p % rows == 0 && g->q % columns == 0;
        if (fits && nodes < fewest) {
            best_rows = rows;
            fewest = nodes;
        }
    }
    order_ranks(g, best_rows, on_node / best_rows);
}
