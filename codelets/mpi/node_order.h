/* The order of the ranks on a grid whose nodes have several processes. */
#ifndef STARTILE_NODE_ORDER_H
#define STARTILE_NODE_ORDER_H

#include "grid/grid.h"

/* Orders the ranks of a p × q grid so that the processes of each node form a block, with the least
 * number of nodes in a process row plus nodes in a process column. Orders them by rows if the ranks
 * of a node are not consecutive, or if nodes differ in their number of processes. */
void order_ranks_by_nodes(startile_grid *g);

#endif
