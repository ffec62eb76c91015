/* LU with partial pivoting P A = L U, right-looking (LAPACK xGETRF; Volkov & Demmel 2008, 5). */
#include "algorithms.h"

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
    end_steps(r);
    send_home(r, A);
    next_stage(r);
}

int startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong == 0)
        factor(request, A, P);
    return wrong;
}

int64_t startile_getrf(startile_matrix *A, startile_pivots *P)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrf_async(A, P, r));
}
