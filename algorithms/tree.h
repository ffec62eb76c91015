/* A reduction tree over the rows of tiles of each block column, and the matrices that a
 * factorization stores outside A. */
#ifndef STARTILE_TREE_H
#define STARTILE_TREE_H

#include "algorithms.h"

/* QR factorization of the triangle of tile row `top` above the triangle (or the full tile) of tile
 * row `bottom`. The new R replaces the triangle of `top`. */
struct join {
    int64_t top, bottom;
};

struct startile_tree {
    temporary owned; /* by a request, after own_tree() */
    startile_tree_kind kind;
    startile_shape shape; /* shape of the matrix that the tree was created for */
    int64_t panels;
    /* Matrices with one nb × nb tile for each tile of A. R: the triangle R of the tile; after its
     * join as `bottom`, the reflectors of the join. T: the triangle of the tile's own reflectors.
     * T_of_join: the triangle of the reflectors of its join. R is stored outside A because updates
     * read A's tiles while triangles are joined. */
    startile_matrix *R, *T, *T_of_join;
    int64_t *first;    /* index of block column k's first join; panels + 1 entries */
    struct join *join; /* joins in an order of execution that respects their dependences */
};

/* Computes tree->first and tree->join for the tree's kind and shape; returns false if host memory
 * does not suffice. (tree_order.c) */
bool order_joins(startile_tree *tree);

#endif
