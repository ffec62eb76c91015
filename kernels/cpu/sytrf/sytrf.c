/*
 * LDLᵀ or LDLᴴ factorization with diagonal pivoting of a block column, and its update of the
 * columns behind it, by the algorithm of Bunch and Kaufman (LAPACK xSYTRF, xLASYF, xLAHEF; Bunch &
 * Kaufman, "Some stable methods for calculating inertia and solving symmetric linear systems",
 * Mathematics of Computation 31, 1977).
 *
 * With uplo 'L' the columns are factored from the first to the last, with 'U' from the last to the
 * first. A block of at most INNER columns leaves the trailing triangle as it was, except for
 * interchanges. Its columns of L and of W = L D have arrays of their own. A column of the trailing
 * matrix is updated by these when it may become a pivot: one or two columns for each pivot. The
 * trailing triangle needs one product for each block.
 *
 * A column of L is stored in A when it is complete. Later interchanges change its copy only, so
 * that A has LAPACK's form: L = P_0 L_0 P_1 L_1 …
 *
 * The threads of the team share loops over groups of rows, and over square pieces of the trailing
 * triangle. Groups and pieces, and so the results, do not depend on the number of threads.
 *
 * Backward error: Higham 2002, theorem 11.4.
 */
#include "panel.h"

#include <stdlib.h>

/* Returns the column after those that the panels before this one have factored. */
static int64_t first_column(const struct panel *p)
{
    int64_t j = p->is_upper ? p->n - 1 : 0;
    while (p->is_upper ? j >= (p->k + 1) * p->nb : j < p->k * p->nb) {
        int order = p->ipiv[j] < 0 ? 2 : 1;
        j += p->is_upper ? -order : order;
    }
    return j;
}

int NAME(sytrf)(startile_exec *x, startile_team *team, char uplo, int hermitian,
                const startile_piece *tiles, int nb, int64_t k, int64_t n, int64_t *ipiv,
                startile_tile_status *status)
{
    (void)x;
    bool is_upper = uplo == 'U';
    int64_t top = is_upper ? 0 : k * nb, rows = (is_upper ? least((k + 1) * nb, n) : n) - top;
    struct panel p = {.team = team,
                      .is_upper = is_upper,
                      .is_hermitian = hermitian != 0,
                      .tiles = tiles,
                      .nb = nb,
                      .k = k,
                      .n = n,
                      .ipiv = ipiv,
                      .top = top,
                      /* no multiple of a page */
                      .ldw = (int)((rows + 7) / 8 * 8 + 8)};
    size_t elements = (size_t)p.ldw * (INNER + 1);
    element *columns = malloc(2 * elements * sizeof *columns);
    struct largest *best = malloc(((size_t)group_of(&p, n - 1, GROUP) + 1) * sizeof *best);
    bool has_memory = columns != NULL && best != NULL;
    if (has_memory) {
        p.l = columns;
        p.w = columns + elements;
        p.best = best;
        for (p.j = first_column(&p); is_in_panel(&p);) {
            NAME(sytrf_columns)(&p);
            NAME(sytrf_trailing)(&p);
        }
        status->info = p.info > 0 ? p.info - k * nb : 0;
    }
    free(columns);
    free(best);
    return has_memory ? 0 : STARTILE_ERROR_MEMORY;
}
