/* A reduction tree over the rows of tiles of each block column, and the matrices beside A. */
#ifndef STARTILE_TREE_H
#define STARTILE_TREE_H

#include "algorithms.h"

/* The triangle of row `bottom` of tiles is joined to that of row `top`. */
struct join {
    int64_t top, bottom;
};

struct startile_tree {
    startile_tree_kind kind;
    startile_shape of; /* the matrix it was made for */
    int64_t panels;
    /* In tiles of nb × nb, one for each tile of A: the triangle R of that tile, or, once it has
     * been joined to another one, the reflectors of that; T of the tile's own reflectors; T of
     * those that joined it. R has its place here since A's tiles are read by their updates while
     * triangles are joined. */
    startile_matrix *R, *T, *T_of_join;
    int64_t *first;    /* of block column k's joins, panels + 1 */
    struct join *join; /* in an order in which they may be done */
};

/* Joins of all block columns for that kind and shape, into tree->first and tree->join; false
 * without memory. (tree_order.c) */
bool order_joins(startile_tree *tree);

#endif
