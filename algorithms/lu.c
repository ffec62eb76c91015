/* Loop nest of the three LU factorizations: right-looking, on the whole matrix or by blocks of
 * block columns. */
#include "algorithms.h"

#include <stdlib.h>

static int64_t panels_of(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t least = s.m < s.n ? s.m : s.n;
    return (least + s.nb - 1) / s.nb;
}

static void factor(startile_request *r, startile_matrix *A, startile_pivots *P,
                   panel_factorization *panel)
{
    for (int64_t k = 0; k < panels_of(A); k++) {
        begin_step(r, k);
        inverse *W = panel(r, A, P, k);
        update_right(r, A, P, k, W);
        if (P != NULL)
            interchange_left(r, A, P, k);
        forget(W);
    }
}

/* Submits the factorization of block columns first … last − 1: updates by the earlier panels, then
 * their own panels and updates. */
static void factor_block(startile_request *r, startile_matrix *A, startile_pivots *P,
                         panel_factorization *panel, inverse **W, int64_t first, int64_t last)
{
    for (int64_t k = 0; k < last && k < panels_of(A); k++) {
        begin_step(r, k);
        if (k == last - AHEAD)
            open_gate(r);
        if (k >= first)
            W[k] = panel(r, A, P, k);
        past_gate(r);
        if (k == 0 && first > 0)
            behind_gate(r);
        update_columns(r, A, P, k, W[k], k < first ? first : k + 1, last);
        past_gate(r);
        hint_idle_column(A, k);
    }
}

/* Submits the factorization of a matrix larger than the memory, in blocks of block columns. Each
 * block is transferred once, and the panels before it once per block (Yamazaki, Tomov & Dongarra,
 * section 4.1: (4 + (n_B − 1)/2) m n − n² + n b elements for n_B blocks). The rows of L are
 * interchanged at the end, because the updates of later blocks multiply by L as it was when its
 * panel was factored. */
static void factor_by_blocks(startile_request *r, startile_matrix *A, startile_pivots *P,
                             panel_factorization *panel)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = panels_of(A);
    inverse **W = calloc((size_t)panels, sizeof *W);
    if (W == NULL) {
        request_fail(r, STARTILE_ERROR_MEMORY);
        return;
    }
    hint_idle_matrix(A);
    for (int64_t first = 0, last; first < s.nt; first = last) {
        last = end_of_block(A, first);
        factor_block(r, A, P, panel, W, first, last);
    }
    for (int64_t j = 0; j < panels; j++) {
        if (P != NULL)
            /* L(j+1:,j) := P_{panels-1} … P_{j+1} L(j+1:,j) */
            insert_laswp(r, 0, P, j + 1, panels, false, below(A, j, (j + 1) * s.nb), NULL);
        forget(W[j]);
    }
    free(W);
}

void factor_lu(startile_request *r, startile_matrix *A, startile_pivots *P,
               panel_factorization *panel)
{
    if (!has_capacity_for_columns(r, A))
        return;
    if (end_of_block(A, 0) == startile_matrix_shape(A).nt)
        factor(r, A, P, panel);
    else
        factor_by_blocks(r, A, P, panel);
    end_steps(r);
    send_home(r, A);
    next_stage(r);
}
