/* Order in which a reduction tree joins its leaves. */
#include "tree.h"

#include <stdlib.h>

/* Leaves of the current block column, from the top; join_greedy() removes each that it has joined
 * as `bottom`. A leaf is called a row here. ready[i] and ready_next[i] are the steps of
 * join_greedy() from which on row i is ready for a join in this block column and in the next
 * one. */
struct rows {
    int64_t count;
    int64_t *row;
    int64_t *ready, *ready_next;
    int64_t *found; /* workspace of join_greedy() */
};

static void remove_row(struct rows *rows, int64_t row)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < rows->count; i++)
        if (rows->row[i] != row)
            rows->row[kept++] = rows->row[i];
    rows->count = kept;
}

/* Joins each row to the first one, in turn. This and the next functions append the joins at *next,
 * and advance *next. */
static void join_flat(struct rows *rows, struct join **next)
{
    for (int64_t i = 1; i < rows->count; i++)
        *(*next)++ = (struct join){rows->row[0], rows->row[i]};
}

/* Joins neighbours, then neighbouring pairs, and so on: a binary tree. */
static void join_binary(struct rows *rows, struct join **next)
{
    for (int64_t distance = 1; distance < rows->count; distance *= 2)
        for (int64_t i = 0; i + distance < rows->count; i += 2 * distance)
            *(*next)++ = (struct join){rows->row[i], rows->row[i + distance]};
}

/* Collects the rows that are ready at this step in rows->found, from the top; returns their
 * number. */
static int64_t find_ready(const struct rows *rows, int64_t step)
{
    int64_t count = 0;
    for (int64_t i = 0; i < rows->count; i++)
        if (rows->ready[rows->row[i]] <= step)
            rows->found[count++] = rows->row[i];
    return count;
}

/* Joins, at each step, the lower half of the ready rows to the upper half (Bouwmeester, Jacquelin,
 * Langou & Robert, "Tiled QR factorization algorithms", SC 2011, section 3). */
static void join_greedy(struct rows *rows, struct join **next)
{
    for (int64_t step = 0; rows->count > 1; step++) {
        int64_t ready = find_ready(rows, step), joined = ready / 2;
        for (int64_t i = ready - joined; i < ready; i++) {
            struct join s = {rows->found[i - joined], rows->found[i]};
            *(*next)++ = s;
            rows->ready[s.top] = rows->ready_next[s.top] = rows->ready_next[s.bottom] = step + 1;
            remove_row(rows, s.bottom);
        }
    }
}

/* Appends the joins of block column k at *next, and advances *next. */
static void order_column(startile_tree *tree, int64_t k, struct rows *rows, struct join **next)
{
    const startile_shape *s = &tree->shape;
    rows->count = leaves_of(tree, k);
    for (int64_t i = 0; i < rows->count; i++)
        rows->row[i] = leaf_at(tree, k, i);
    if (tree->kind == STARTILE_TREE_FLAT)
        join_flat(rows, next);
    else if (tree->kind == STARTILE_TREE_BINARY)
        join_binary(rows, next);
    else
        join_greedy(rows, next);
    for (int64_t i = 0; i < s->mt; i++)
        rows->ready[i] = rows->ready_next[i];
}

bool order_joins(startile_tree *tree)
{
    int64_t mt = tree->shape.mt, panels = tree->panels;
    /* + 1 below, because calloc() may return NULL for 0 elements */
    int64_t *lists = calloc((size_t)(4 * mt + 1), sizeof *lists);
    tree->first = calloc((size_t)panels + 1, sizeof *tree->first);
    tree->join = calloc((size_t)(mt * panels) + 1, sizeof *tree->join);
    bool has_memory = lists != NULL && tree->first != NULL && tree->join != NULL;
    struct rows rows = {
        .row = lists, .ready = lists + mt, .ready_next = lists + 2 * mt, .found = lists + 3 * mt};
    struct join *next = tree->join;
    if (has_memory)
        for (int64_t k = 0; k < panels; k++) {
            order_column(tree, k, &rows, &next);
            tree->first[k + 1] = next - tree->join;
        }
    free(lists);
    return has_memory;
}
