/* A reduction tree over the rows of tiles of each block column, and the matrices that a
 * factorization stores outside A. On a grid with several process rows, all rows of a block column
 * that one process row owns count as one tile: the leaves of the tree are then the process rows,
 * and each join needs messages between two of them. */
#ifndef STARTILE_TREE_H
#define STARTILE_TREE_H

#include "algorithms.h"

/* QR factorization of the triangle of leaf `top` above the triangle (or the full tile) of leaf
 * `bottom`. The new R replaces the triangle of `top`. A leaf is a tile row or a process row. */
struct join {
    int64_t top, bottom;
};

struct startile_tree {
    temporary owned; /* entry in the request's list of temporaries, after own_tree() */
    startile_tree_kind kind;
    startile_shape shape; /* shape of the matrix that the tree was created for */
    int64_t panels;
    int64_t processes; /* process rows if they are the leaves, else 0 */
    /* Matrices with one nb × nb tile for each leaf of each block column of A. R: the triangle R of
     * the tile; after its join as `bottom`, the reflectors of the join. T: the triangle of the
     * tile's own reflectors. T_of_join: the triangle of the reflectors of its join. R is stored
     * outside A because updates read A's tiles while triangles are joined. */
    startile_matrix *R, *T, *T_of_join;
    int64_t *first;    /* first[k]: index of block column k's first join; panels + 1 entries */
    struct join *join; /* joins in an order of execution that respects their dependences */
};

/* Return the number of leaves of block column k, and the tile row or process row that is its i-th
 * leaf from the top. */
static inline int64_t leaves_of(const startile_tree *tree, int64_t k)
{
    int64_t tiles = tree->shape.mt - k * tree->shape.nb / tree->shape.mb;
    return tree->processes > 0 && tree->processes < tiles ? tree->processes : tiles;
}

static inline int64_t leaf_at(const startile_tree *tree, int64_t k, int64_t i)
{
    int64_t row = k * tree->shape.nb / tree->shape.mb + i;
    return tree->processes > 0 ? row % tree->processes : row;
}

/* Computes tree->first and tree->join for the tree's kind and shape; returns false if host memory
 * does not suffice. (tree_order.c) */
bool order_joins(startile_tree *tree);

#endif
