/* QR factorization by a reduction tree: TSQR for one block column, CAQR for several (Demmel,
 * Grigori, Hoemmen & Langou, SIAM J. Sci. Comput. 34, 2012). */
#include "tree.h"

#include "grid/owner.h"
#include "library/integers.h"

#include <stdlib.h>

/* Returns the top leaf of block column k: the one with the diagonal block. */
static int64_t top_of(const startile_tree *tree, int64_t k)
{
    return leaf_at(tree, k, 0);
}

/* Return rows of leaf i in block column j of X. rows_of_leaf(): all rows that step k works on.
 * head_of_leaf(): the first of these, as many as the triangle of leaf i has. */
static column rows_of_leaf(const startile_tree *tree, int64_t k, const startile_matrix *X,
                           int64_t j, int64_t i)
{
    const startile_shape *s = &tree->shape;
    int64_t diagonal = k * s->nb, first = i * s->mb > diagonal ? i * s->mb : diagonal;
    if (tree->processes > 0)
        return rows_of_process(rows_from(X, j, diagonal), (int)i);
    return rows_of(X, j, first, min((i + 1) * s->mb, s->m) - first);
}

static column head_of_leaf(const startile_tree *tree, int64_t k, const startile_matrix *X,
                           int64_t j, int64_t i)
{
    column c = rows_of_leaf(tree, k, X, j, i);
    c.rows = min(c.rows, min(tree->shape.nb, tree->shape.n - k * tree->shape.nb));
    return c;
}

/* Returns the rows of tile (i, k) of tree->R, as many as head_of_leaf() returns for A. */
static column rows_of_r(const startile_tree *tree, int64_t k, const startile_matrix *A, int64_t i)
{
    return rows_of(tree->R, k, i * tree->shape.nb, head_of_leaf(tree, k, A, k, i).rows);
}

/* Returns tile (i,k) of T. */
static tile triangle_tile(const startile_matrix *T, int64_t i, int64_t k)
{
    return at(view_of(T, 'N'), i, k);
}

/* Returns whether leaf i is factored before its join. A flat tree of tiles factors only the top
 * tile and joins the others as full tiles. */
static bool has_triangle(const startile_tree *tree, int64_t k, int64_t i)
{
    return tree->kind != STARTILE_TREE_FLAT || tree->processes > 0 || i == top_of(tree, k);
}

/* Submits the factorization of block column k: the leaves, then the joins. */
static void factor_column(context ctx, int64_t priority, startile_matrix *A,
                          const startile_tree *tree, int64_t k)
{
    int64_t top = top_of(tree, k), leaves = leaves_of(tree, k);
    for (int64_t l = 0; l < leaves; l++) {
        int64_t i = leaf_at(tree, k, l);
        if (has_triangle(tree, k, i)) {
            /* A(i,k) := R and V of its QR factorization, T(i,k) := the triangle; R(i,k) := its R */
            insert_geqrf(ctx, priority, rows_of_leaf(tree, k, A, k, i),
                         triangle_tile(tree->T, i, k));
            insert_copy(ctx, priority, 'U', head_of_leaf(tree, k, A, k, i),
                        rows_of_r(tree, k, A, i));
        }
    }
    for (int64_t q = tree->first[k]; q < tree->first[k + 1]; q++) {
        struct join s = tree->join[q];
        bool full = !has_triangle(tree, k, s.bottom);
        /* [R(top,k); B] := R and V of its QR factorization, B = R(bottom,k), or A(bottom,k) */
        insert_tpqrt(ctx, priority, full ? 'G' : 'U', rows_of_r(tree, k, A, s.top),
                     full ? rows_of_leaf(tree, k, A, k, s.bottom) : rows_of_r(tree, k, A, s.bottom),
                     triangle_tile(tree->T_of_join, s.bottom, k));
    }
    /* the triangle of A(top,k) := R(top,k) */
    insert_copy(ctx, priority, 'U', rows_of_r(tree, k, A, top), head_of_leaf(tree, k, A, k, top));
}

/* Submits the products of C(:,j) with the Q of each leaf of block column k, without the joins. */
static void apply_leaves(context ctx, int64_t priority, char trans, const startile_matrix *A,
                         const startile_tree *tree, int64_t k, const startile_matrix *C, int64_t j)
{
    int64_t leaves = leaves_of(tree, k);
    for (int64_t l = 0; l < leaves; l++) {
        int64_t i = leaf_at(tree, k, l);
        if (has_triangle(tree, k, i))
            /* C(i,j) := op(I − V T V^H) C(i,j), V in A(i,k), T = T(i,k) */
            insert_larfb(ctx, priority, trans, rows_of_leaf(tree, k, A, k, i),
                         triangle_tile(tree->T, i, k), rows_of_leaf(tree, k, C, j, i));
    }
}

/* Submits the product of C(:,j) with the Q of join s of block column k. */
static void apply_join(context ctx, int64_t priority, char trans, const startile_matrix *A,
                       const startile_tree *tree, int64_t k, struct join s,
                       const startile_matrix *C, int64_t j)
{
    bool full = !has_triangle(tree, k, s.bottom);
    /* [C(top,j); C(bottom,j)] := op(Q) [C(top,j); C(bottom,j)] for the Q of the join */
    insert_tpmqrt(ctx, priority, full ? 'G' : 'U', trans,
                  full ? rows_of_leaf(tree, k, A, k, s.bottom) : rows_of_r(tree, k, A, s.bottom),
                  triangle_tile(tree->T_of_join, s.bottom, k), head_of_leaf(tree, k, C, j, s.top),
                  full ? rows_of_leaf(tree, k, C, j, s.bottom)
                       : head_of_leaf(tree, k, C, j, s.bottom));
}

/* Submits C(:,j) := op(Q_k) C(:,j), where Q_k is the product of block column k's reflectors. */
static void apply_column(context ctx, int64_t priority, char trans, const startile_matrix *A,
                         const startile_tree *tree, int64_t k, const startile_matrix *C, int64_t j)
{
    if (trans == 'C') {
        apply_leaves(ctx, priority, trans, A, tree, k, C, j);
        for (int64_t q = tree->first[k]; q < tree->first[k + 1]; q++)
            apply_join(ctx, priority, trans, A, tree, k, tree->join[q], C, j);
    } else {
        for (int64_t q = tree->first[k + 1] - 1; q >= tree->first[k]; q--)
            apply_join(ctx, priority, trans, A, tree, k, tree->join[q], C, j);
        apply_leaves(ctx, priority, trans, A, tree, k, C, j);
    }
}

void factor_by_tree(context ctx, startile_matrix *A, const startile_tree *tree)
{
    int64_t nt = tree->shape.nt;
    for (int64_t k = 0; k < tree->panels; k++) {
        int64_t urgency = 2 * (nt - k);
        ctx = begin_step(ctx, A, k);
        factor_column(ctx, urgency, A, tree, k);
        for (int64_t j = k + 1; j < nt; j++)
            apply_column(ctx, urgency - (j - k), 'C', A, tree, k, A, j);
        end_step(ctx);
    }
}

void apply_tree(context ctx, char trans, const startile_matrix *A, const startile_tree *tree,
                const startile_matrix *C)
{
    for (int64_t step = 0; step < tree->panels; step++) {
        int64_t k = trans == 'C' ? step : tree->panels - 1 - step;
        ctx = begin_paced_step(ctx, larger_matrix(A, C), step);
        for (int64_t j = 0; j < startile_matrix_shape(C).nt; j++)
            apply_column(ctx, tree->panels - step, trans, A, tree, k, C, j);
        end_step(ctx);
    }
}
