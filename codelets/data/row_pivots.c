/* The interchanges of a panel in each process row of a grid. The panel's first process row has the
 * caller's pivots. The other process rows have copies, and each process row sends its own along the
 * row. */
#include "data/row_pivots.h"

#include "data/handle.h"
#include "grid/exchange.h"
#include "request/request.h"
#include "task/operands.h"

#include <stdlib.h>

static void release_row_pivots(temporary *owned)
{
    row_pivots *P = (row_pivots *)owned;
    if (P->is_copy)
        release_handle(P->handle);
    free(P);
}

row_pivots *pivots_of_process_row(context ctx, const startile_matrix *A, startile_pivots *P,
                                  const grid_panel *p, int r, bool is_needed)
{
    enum { COLUMNS = 5 }; /* see startile_pivots_of_panel */
    startile_grid *g = A->grid;
    bool is_copy = r != p->first;
    /* all processes reserve the tag, because all must take the same number of tags */
    int64_t tag = is_copy ? g->network->reserve_tags(g, 1) : 0;
    row_pivots *made = is_needed ? malloc(sizeof *made) : NULL;
    if (!is_needed)
        return NULL;
    if (made == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *made = (row_pivots){.handle = pivots_handle(P, p->k), .row = r, .is_copy = is_copy};
    if (made->is_copy) {
        register_temporary(&made->handle, p->n, COLUMNS, sizeof(int64_t));
        g->network->register_data(g, made->handle, tag, grid_rank(g, r, grid_column(g, p->k)));
    }
    own_temporary(ctx, &made->owned, release_row_pivots);
    return made;
}

void send_row_pivots(context ctx, int64_t priority, const row_pivots *P, const startile_matrix *A)
{
    if (P != NULL)
        exchange_with_row(ctx, A->grid, P->handle, P->row, A->shape.nt, (int)priority);
}
