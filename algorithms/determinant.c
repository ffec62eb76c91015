/* Determinants from the factors of LU and Cholesky (LINPACK xGEDI, xPODI). */
#include "algorithms.h"
#include "operations/insert_norms.h"

/* Submits *sign := d / |d| and *logabsdet := log |d| for d = (−1)^s Π a_ii, where s is the number
 * of interchanges in P, s = 0 without P. With sign NULL, *logabsdet := 2 log |Π a_ii|. */
static void find_determinant(context ctx, const startile_matrix *A, const startile_pivots *P,
                             startile_complex *sign, double *logabsdet)
{
    determinant *d = determinant_begin(ctx, A);
    for (int64_t k = 0; k < startile_matrix_shape(A).nt; k++)
        insert_diagonal_product(ctx, A, P, k, d); /* d(k) := (−1)^s Π a_ii of diagonal block k */
    insert_determinant_end(ctx, d, sign, logabsdet);
}

int submit_gedet(const startile_matrix *A, const startile_pivots *P, startile_complex *sign,
                 double *logabsdet, startile_request *request)
{
    int wrong = check_factors(A, P);
    if (wrong != 0)
        return wrong;
    if (sign == NULL)
        return -3;
    if (logabsdet == NULL)
        return -4;
    if (request == NULL)
        return -5;
    context ctx = context_of(request);
    ctx.factorization = 0; /* a zero pivot of the request's LU factorization is no failure here */
    find_determinant(ctx, A, P, sign, logabsdet);
    return 0;
}

int submit_podet(const startile_matrix *A, double *logdet, startile_request *request)
{
    if (A == NULL || !has_square_tiles(A))
        return -1;
    if (logdet == NULL)
        return -2;
    if (request == NULL)
        return -3;
    find_determinant(context_of(request), A, NULL, NULL, logdet);
    return 0;
}
