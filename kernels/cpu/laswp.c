/*
 * Row interchanges (LAPACK xLASWP) and column interchanges (xLAPMT) of a panel, applied as one
 * permutation: every element that moves is read once and written once.
 */
#include "tile_column.h"

#include <stdlib.h>
#include <string.h>

/* Rows that move: row target[i] gets the elements of row source[i]. held: workspace for one column,
 * `count` elements. */
struct moves {
    int count;
    struct row *target, *source;
    element *held;
};

/* Applies the moves to n columns, column by column. */
static void move_rows(const struct moves *moves, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < moves->count; i++) {
            const element *from = moves->source[i].p + j * moves->source[i].step;
            moves->held[i] = *from;
            /* the stride between columns is too long for the hardware prefetcher */
            __builtin_prefetch(from + (j + 1 < n ? moves->source[i].step : 0), 1);
        }
        for (int i = 0; i < moves->count; i++)
            moves->target[i].p[j * moves->target[i].step] = moves->held[i];
    }
}

/* Sets the moves to a panel's interchanges, or to the inverse ones. */
static void set_moves(struct moves *moves, const startile_piece *a, int64_t row0,
                      startile_pivots_of_panel p, int inverse)
{
    const int64_t *to = p.of + p.k, *from = to + 2 * (ptrdiff_t)p.k;
    moves->count = 0;
    for (int i = 0; i < 2 * p.k; i++) {
        if (to[i] < 0)
            continue;
        int c = moves->count++;
        moves->target[c] = tile_column_row(a, (inverse ? from[i] : to[i]) - row0);
        moves->source[c] = tile_column_row(a, (inverse ? to[i] : from[i]) - row0);
    }
}

/* Returns the largest number of pivots of a panel. */
static int most_pivots(int panels, const startile_pivots_of_panel *p)
{
    int most = 0;
    for (int q = 0; q < panels; q++)
        most = p[q].k > most ? p[q].k : most;
    return most;
}

int NAME(laswp)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                int panels, const startile_pivots_of_panel *p, int inverse)
{
    (void)x;
    (void)pieces;
    size_t most = 2 * (size_t)most_pivots(panels, p) + 1;
    struct moves moves = {0, malloc(most * sizeof *moves.target),
                          malloc(most * sizeof *moves.source), malloc(most * sizeof *moves.held)};
    bool is_allocated = moves.target != NULL && moves.source != NULL && moves.held != NULL;
    if (is_allocated)
        for (int q = 0; q < panels; q++) {
            set_moves(&moves, a, row0, p[inverse ? panels - 1 - q : q], inverse);
            move_rows(&moves, n);
        }
    free(moves.target);
    free(moves.source);
    free(moves.held);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}

/* Returns the address of column j in a row of blocks of nb columns, or NULL if its block is
 * elsewhere. */
static element *column_address(const startile_piece *a, int nb, int64_t j)
{
    const startile_piece *block = &a[j / nb];
    return block->p == NULL ? NULL : (element *)block->p + (ptrdiff_t)(j % nb) * block->ld;
}

static void copy_column(int m, const element *from, element *to)
{
    memcpy(to, from, (size_t)m * sizeof *to);
}

/* Columns move against the direction in which the permutation moves rows: column from[i] of the
 * permutation (target) gets the elements of its column to[i] (source). */
int NAME(lapmt)(startile_exec *x, int blocks, const startile_piece *a, startile_piece arrived,
                int nb, int64_t column0, startile_pivots_of_panel pivots, int inverse)
{
    (void)x;
    int m = blocks > 0 ? a->m : 0, ld = m > 0 ? m : 1;
    const int64_t *to = pivots.of + pivots.k, *from = to + 2 * (ptrdiff_t)pivots.k,
                  *source = inverse ? to : from, *target = inverse ? from : to;
    element *held = malloc(2 * (size_t)pivots.k * (size_t)ld * sizeof *held + 1);
    if (held == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int i = 0; i < 2 * pivots.k; i++) {
        if (to[i] < 0 || column_address(a, nb, target[i] - column0) == NULL)
            continue;
        const element *here = column_address(a, nb, source[i] - column0);
        copy_column(m, here != NULL ? here : column_address(&arrived, nb, target[i] - column0),
                    held + (ptrdiff_t)i * ld);
    }
    for (int i = 0; i < 2 * pivots.k; i++) {
        element *to_column = to[i] >= 0 ? column_address(a, nb, target[i] - column0) : NULL;
        if (to_column != NULL)
            copy_column(m, held + (ptrdiff_t)i * ld, to_column);
    }
    free(held);
    return 0;
}

int NAME(exchange_columns)(startile_exec *x, int blocks, const startile_piece *a,
                           startile_piece panel, startile_piece arrived, int nb, int64_t column0,
                           startile_pivots_of_panel pivots)
{
    (void)x, (void)blocks;
    const int64_t *to = pivots.of + pivots.k, *from = to + 2 * (ptrdiff_t)pivots.k;
    for (int i = 0; i < 2 * pivots.k; i++) {
        const element *leaves = to[i] >= 0 ? column_address(a, nb, from[i] - column0) : NULL;
        if (leaves != NULL)
            copy_column(panel.m, leaves, column_address(&arrived, nb, to[i] - column0));
    }
    for (int i = 0; i < 2 * pivots.k; i++) {
        element *enters = to[i] >= 0 ? column_address(a, nb, to[i] - column0) : NULL;
        if (enters != NULL)
            copy_column(panel.m, column_address(&panel, nb, from[i] - column0), enters);
    }
    return 0;
}
