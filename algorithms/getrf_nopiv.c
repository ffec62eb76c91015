/* LU factorization without pivoting A = L U, right-looking (Shellenhamer 2011). */
#include "algorithms.h"
#include "grid/owner.h"

inverse *factor_panel_nopiv(const step *s)
{
    startile_matrix *A = s->p->A;
    int64_t row = first_row(A, s->k), n = pivots_in_panel(A, s->k), priority = critical(s->urgency);
    column panel = rows_from(A, s->k, row);
    inverse *WU;
    /* A(k,k) = L11 U11, WL := L11^-1, WU := U11^-1; A(k+1:,k) := A(k+1:,k) * U11^-1 */
    inverse *WL = insert_getrf_nopiv(s->panel, priority, panel, n, &WU);
    insert_trsm_column(s->panel, priority, panel, n, WU, rows_from(A, s->k, row + n));
    return WL;
}

int submit_getrf_nopiv(startile_matrix *A, startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (request == NULL)
        return -2;
    startile_shape s = startile_matrix_shape(A);
    plan p = plan_of_lu("getrf_nopiv", A, NULL, factor_panel_nopiv);
    if (process_rows(A) > 1 && same_tiles(s.m, s.mb, s.nb))
        p.submit = factor_lu_by_tiles;
    submit_plan(&p, request);
    return 0;
}
