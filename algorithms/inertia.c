/* Inertia and determinant from Bunch–Kaufman factors: those of D (Bunch & Kaufman 1977). */
#include "data/temporary.h"
#include "ldl.h"

/* Submits D := array of D of the factors in A. Returns its tile; one without a matrix, and the
 * request has failed, without memory. */
static tile find_d(context ctx, char op, const startile_matrix *A,
                   const startile_symmetric_pivots *P)
{
    int64_t n = startile_matrix_shape(A).n;
    startile_matrix *made = temporary_matrix(ctx, A, n, 2, n, 2);
    if (made == NULL)
        return (tile){.A = NULL};
    tile D = at(view_of(made, 'N'), 0, 0);
    insert_ldl_diagonal(ctx, op, A, P, false, D);
    return D;
}

/* Returns the context of tasks for which a zero pivot of a factorization in the request is no
 * failure. */
static context despite_zero_pivots(startile_request *request)
{
    context ctx = context_of(request);
    ctx.factorization = 0;
    return ctx;
}

int submit_heinertia(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                     int64_t *inertia, startile_request *request)
{
    int wrong = check_ldl(capital(uplo), A, P);
    if (wrong != 0)
        return wrong;
    if (inertia == NULL)
        return -4;
    if (request == NULL)
        return -5;
    inertia[0] = inertia[1] = inertia[2] = 0;
    if (startile_matrix_shape(A).n == 0)
        return 0;
    context ctx = despite_zero_pivots(request);
    tile D = find_d(ctx, 'C', A, P);
    if (D.A != NULL)
        insert_ldl_inertia(ctx, D, inertia);
    return 0;
}

/* Submits sydet with op 'T', hedet with 'C'. */
static int submit_determinant(char op, char uplo, const startile_matrix *A,
                              const startile_symmetric_pivots *P, startile_complex *sign,
                              double *logabsdet, startile_request *request)
{
    int wrong = check_ldl(capital(uplo), A, P);
    if (wrong != 0)
        return wrong;
    if (sign == NULL)
        return -4;
    if (logabsdet == NULL)
        return -5;
    if (request == NULL)
        return -6;
    *sign = 1;
    *logabsdet = 0;
    if (startile_matrix_shape(A).n == 0)
        return 0;
    context ctx = despite_zero_pivots(request);
    tile D = find_d(ctx, op, A, P);
    if (D.A != NULL)
        insert_ldl_determinant(ctx, op, D, sign, logabsdet);
    return 0;
}

int submit_sydet(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 startile_complex *sign, double *logabsdet, startile_request *request)
{
    return submit_determinant('T', uplo, A, P, sign, logabsdet, request);
}

int submit_hedet(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 startile_complex *sign, double *logabsdet, startile_request *request)
{
    return submit_determinant('C', uplo, A, P, sign, logabsdet, request);
}
