/* LU factorization without pivoting A = L U, right-looking (Shellenhamer 2011). */
#include "algorithms.h"

inverse *factor_panel(startile_request *r, startile_matrix *A, startile_pivots *P, int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t urgency = critical(2 * (s.nt - k)), n = pivots_in_panel(A, k), row = k * s.nb;
    inverse *WL, *WU;
    (void)P;
    /* A(k,k) = L11 U11, WL := L11^-1, WU := U11^-1; A(k+1:,k) := A(k+1:,k) * U11^-1 */
    insert_getrf_nopiv(r, urgency, below(A, k, row), n, &WL, &WU);
    insert_trsm_column(r, urgency, below(A, k, row), n, WU, below(A, k, row + n));
    forget(WU);
    return WL;
}

int startile_getrf_nopiv_async(startile_matrix *A, startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (request == NULL)
        return -2;
    factor_lu(request, A, NULL, factor_panel);
    return 0;
}

int64_t startile_getrf_nopiv(startile_matrix *A)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrf_nopiv_async(A, r));
}
