/* Inverse from the factors of LU (LAPACK xGETRI): A⁻¹ = U⁻¹ L⁻¹ P (Higham 2002, section 14.3,
 * method A). */
#include "algorithms.h"

/* Submits X := U⁻¹ L⁻¹. The blocks of L⁻¹ above the diagonal are zero and are skipped. */
static void solve_identity(startile_request *r, const startile_matrix *A, startile_matrix *X)
{
    view V = view_of(X, 'N');
    for (int64_t j = 0; j < V.nt; j++) {
        for (int64_t i = 0; i < V.mt; i++)
            insert_laset(r, 'G', 0, 1, at(V, i, j)); /* X(:,j) := I(:,j) */
        substitute(r, 'L', 'N', 'U', A, X, j, j);    /* X(j:,j) := L(j:,j:)^-1 X(j:,j) */
        substitute(r, 'U', 'N', 'N', A, X, j, 0);    /* X(:,j) := U^-1 X(:,j) */
    }
}

/* Submits A := X P. */
static void store(startile_request *r, startile_matrix *X, const startile_pivots *P,
                  startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = P == NULL ? 0 : pivots_panels(P);
    /* geadd instead of a copy: a skipped copy would leave A undefined, because it writes without
     * reading */
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++)
            /* A(i,j) := X(i,j) */
            insert_geadd(r, 1, at(view_of(X, 'N'), i, j), 0, at(view_of(A, 'N'), i, j));
    for (int64_t k = panels - 1; k >= 0; k--)
        for (int64_t i = 0; i < s.mt; i++)
            insert_lapmt(r, k, P, k, A, i); /* A(i,:) := A(i,:) P_k */
    send_home(r, A);
}

int startile_getri_async(startile_matrix *A, const startile_pivots *P, startile_request *request)
{
    int wrong = check_factors(A, P);
    if (wrong != 0)
        return wrong;
    if (request == NULL)
        return -3;
    startile_shape s = startile_matrix_shape(A);
    /* one lapmt task interchanges the columns of a whole row of tiles */
    if (!has_capacity(request, A, s.mb, s.n) || !has_capacity_for_copy(request, A, s.n))
        return 0;
    startile_matrix *X = temporary(request, A, s.m, s.n, s.mb, s.nb);
    if (X == NULL)
        return 0;
    behind_zero_check(request, A, NULL);
    solve_identity(request, A, X);
    store(request, X, P, A);
    past_gate(request);
    forget_matrix(X);
    return 0;
}

int64_t startile_getri(startile_matrix *A, const startile_pivots *P)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getri_async(A, P, r));
}
