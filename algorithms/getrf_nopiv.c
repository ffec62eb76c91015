/* LU factorization without pivoting A = L U, right-looking (Shellenhamer 2011). */
#include "verify.h"

inverse *factor_panel_nopiv(const step *s)
{
    startile_matrix *A = s->p->A;
    int64_t row = first_row(A, s->k), n = pivots_in_panel(A, s->k), priority = critical(s->urgency);
    column panel = below(A, s->k, row);
    inverse *WL, *WU;
    /* A(k,k) = L11 U11, WL := L11^-1, WU := U11^-1; A(k+1:,k) := A(k+1:,k) * U11^-1 */
    insert_getrf_nopiv(s->panel, priority, panel, n, &WL, &WU);
    insert_trsm_column(s->panel, priority, panel, n, WU, below(A, s->k, row + n));
    return WL;
}

static int submit_again(const operation_again *o, startile_request *r)
{
    return submit_getrf_nopiv(o->written, r);
}

int submit_getrf_nopiv(startile_matrix *A, startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (request == NULL)
        return -2;
    if (verify_again(request, &(operation_again){.submit = submit_again,
                                                 .written = A,
                                                 .uplo = 'G',
                                                 .reads_written = true,
                                                 .is_lu = true}))
        return 0;
    startile_shape s = startile_matrix_shape(A);
    if (process_rows(A) > 1 && same_tiles(s.m, s.mb, s.nb))
        factor_lu_by_tiles(context_of(request), A);
    else
        factor_lu(context_of(request), "getrf_nopiv", A, NULL, factor_panel_nopiv);
    return 0;
}
