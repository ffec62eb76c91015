/* LU factorization with partial pivoting P A = L U, right-looking (LAPACK xGETRF; Volkov & Demmel
 * 2008, section 5). */
#include "algorithms.h"

static inverse *factor_with_pivots(startile_request *r, startile_matrix *A, startile_pivots *P,
                                   int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    /* P_k A(k:,k) = L U; returns L11^-1 if another block column follows */
    return insert_getrf(r, critical(2 * (s.nt - k)), below(A, k, k * s.nb), P, k, k + 1 < s.nt);
}

int startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong == 0)
        factor_lu(request, A, P, factor_with_pivots);
    return wrong;
}

int64_t startile_getrf(startile_matrix *A, startile_pivots *P)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrf_async(A, P, r));
}
