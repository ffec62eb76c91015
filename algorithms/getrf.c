/* LU with partial pivoting P A = L U, right-looking (LAPACK xGETRF; Volkov & Demmel 2008, 5). */
#include "algorithms.h"

#include <stdlib.h>

static void factor(startile_request *r, startile_matrix *A, startile_pivots *P)
{
    startile_shape s = startile_matrix_shape(A);
    for (int64_t k = 0; k < pivots_panels(P); k++) {
        begin_step(r, k);
        inverse *W =
            insert_getrf(r, critical(2 * (s.nt - k)), below(A, k, k * s.nb), P, k, k + 1 < s.nt);
        update_right(r, A, P, k, W);
        interchange_left(r, A, P, k);
        forget(W);
    }
}

/* Block columns first … last − 1: by the panels before them, then by their own. */
static void factor_block(startile_request *r, startile_matrix *A, startile_pivots *P, inverse **W,
                         int64_t first, int64_t last)
{
    startile_shape s = startile_matrix_shape(A);
    for (int64_t k = 0; k < last && k < pivots_panels(P); k++) {
        begin_step(r, k);
        if (k == last - AHEAD)
            open_gate(r);
        if (k >= first)
            W[k] = insert_getrf(r, critical(2 * (s.nt - k)), below(A, k, k * s.nb), P, k,
                                k + 1 < s.nt);
        past_gate(r);
        if (k == 0 && first > 0)
            behind_gate(r);
        update_columns(r, A, P, k, W[k], k < first ? first : k + 1, last);
        past_gate(r);
        rest_column(A, k);
    }
}

/* Where A does not fit the memory: blocks are brought in one after the other, and the columns
 * before them once for each (Yamazaki, Tomov & Dongarra, 4.1: (4 + (n_B − 1)/2) m n − n² + n b
 * elements for n_B blocks). L's rows are interchanged at the end, when nothing multiplies by them
 * any more. */
static void factor_by_blocks(startile_request *r, startile_matrix *A, startile_pivots *P)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = pivots_panels(P);
    inverse **W = calloc((size_t)panels, sizeof *W);
    if (W == NULL) {
        request_fail(r, STARTILE_ERROR_MEMORY);
        return;
    }
    for (int64_t first = 0, last; first < s.nt; first = last) {
        last = end_of_block(A, first);
        factor_block(r, A, P, W, first, last);
    }
    for (int64_t j = 0; j < panels; j++) {
        insert_laswp(r, 0, P, j + 1, panels, false, below(A, j, (j + 1) * s.nb), NULL);
        forget(W[j]);
    }
    free(W);
}

int startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong != 0 || !have_room_for_columns(request, A))
        return wrong;
    if (end_of_block(A, 0) == startile_matrix_shape(A).nt)
        factor(request, A, P);
    else
        factor_by_blocks(request, A, P);
    end_steps(request);
    send_home(request, A);
    next_stage(request);
    return 0;
}

int64_t startile_getrf(startile_matrix *A, startile_pivots *P)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrf_async(A, P, r));
}
