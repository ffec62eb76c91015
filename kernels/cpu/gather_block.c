/* Blocks of P A Pᵀ for the interchanges of several panels */
#include "dtype.h"

#include <stdlib.h>

int NAME(compose_moves)(startile_exec *x, startile_pivots_of_panel pivots, int64_t *order)
{
    (void)x;
    const int64_t *to = pivots.of + pivots.k, *from = to + 2 * (ptrdiff_t)pivots.k;
    int64_t *held = malloc(2 * (size_t)pivots.k * sizeof *held + 1);
    if (held == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int e = 0; e < 2 * pivots.k; e++)
        if (to[e] >= 0)
            held[e] = order[from[e]] != 0 ? order[from[e]] : from[e] + 1;
    for (int e = 0; e < 2 * pivots.k; e++)
        if (to[e] >= 0)
            order[to[e]] = held[e];
    free(held);
    return 0;
}

/* Returns the row of the matrix that is at row i. */
static int64_t original(const int64_t *order, int64_t i)
{
    return order[i] != 0 ? order[i] - 1 : i;
}

int NAME(gather_block)(startile_exec *x, int blocks, const startile_piece *a, int nb, int64_t first,
                       const int64_t *order, int64_t row0, int64_t column0, int m, int n, void *c,
                       int ldc)
{
    (void)x;
    for (int j = 0; j < n; j++) {
        int64_t column = original(order, column0 + j) - first;
        if (column < 0 || column >= (int64_t)blocks * nb)
            continue;
        const startile_piece *block = &a[column / nb];
        if (block->p == NULL)
            continue;
        const element *from = (const element *)block->p + (ptrdiff_t)(column % nb) * block->ld;
        element *to = (element *)c + (ptrdiff_t)j * ldc;
        for (int i = 0; i < m; i++)
            to[i] = from[original(order, row0 + i)];
    }
    return 0;
}
