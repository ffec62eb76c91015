/* Condition number from the factors of LU or Cholesky (LAPACK xGECON, xPOCON), by Higham's
 * estimator of ‖A⁻¹‖₁. */
#include "algorithms.h"

/* LAPACK stops as soon as the estimate does not grow, after 2 or 3 of at most 5 rounds. Here
 * nothing looks at it on the way; a round that does not help does not harm either. */
enum { ROUNDS = 3 };

/* v := A⁻¹ v, or A⁻ᴴ v, up to interchanges, which do not change the norm. */
typedef void solver(startile_request *r, char trans, const startile_matrix *A, startile_matrix *v);

static void solve_by_factors(startile_request *r, char trans, const startile_matrix *A,
                             startile_matrix *v)
{
    bool plain = trans == 'N';
    substitute(r, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', A, v, 0, 0);
    substitute(r, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', A, v, 0, 0);
}

/* A⁻¹ is its own conjugate transpose. */
static void solve_by_lower(startile_request *r, char trans, const startile_matrix *A,
                           startile_matrix *v)
{
    (void)trans;
    substitute(r, 'L', 'N', 'N', A, v, 0, 0);
    substitute(r, 'L', 'C', 'N', A, v, 0, 0);
}

static void solve_by_upper(startile_request *r, char trans, const startile_matrix *A,
                           startile_matrix *v)
{
    (void)trans;
    substitute(r, 'U', 'C', 'N', A, v, 0, 0);
    substitute(r, 'U', 'N', 'N', A, v, 0, 0);
}

static void estimate(startile_request *r, solver *apply_inverse, char norm,
                     const startile_matrix *A, double anorm, double *rcond)
{
    int64_t n = startile_matrix_shape(A).n;
    startile_matrix *v = temporary(r, A, n, 1, n, 1);
    if (v == NULL)
        return;
    /* ‖A⁻¹‖∞ = ‖A⁻ᴴ‖₁ */
    char trans = norm == 'I' ? 'C' : 'N', other = norm == 'I' ? 'N' : 'C';
    tile x = at(view_of(v, 'N'), 0, 0);
    norm_estimate *e = estimate_begin(r, x);
    apply_inverse(r, trans, A, v);
    for (int round = 0; round < ROUNDS; round++) {
        insert_sign(r, e, x);
        apply_inverse(r, other, A, v);
        insert_unit(r, e, x);
        apply_inverse(r, trans, A, v);
    }
    insert_alternating(r, e, x);
    apply_inverse(r, trans, A, v);
    insert_rcond(r, e, x, anorm, rcond);
    forget_matrix(v);
}

int startile_gecon_async(char norm, const startile_matrix *A, double anorm, double *rcond,
                         startile_request *request)
{
    norm = capital(norm);
    if (!is_one_of(norm, "1OI"))
        return -1;
    if (check_factors(A, NULL) != 0)
        return -2;
    if (!(anorm >= 0))
        return -3;
    if (rcond == NULL)
        return -4;
    if (request == NULL)
        return -5;
    *rcond = startile_matrix_shape(A).n == 0;
    if (*rcond == 0 && have_room_for_columns(request, A))
        estimate(request, solve_by_factors, norm, A, anorm, rcond);
    return 0;
}

int startile_pocon_async(char uplo, const startile_matrix *A, double anorm, double *rcond,
                         startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A) || !has_panels(A))
        return -2;
    if (!(anorm >= 0))
        return -3;
    if (rcond == NULL)
        return -4;
    if (request == NULL)
        return -5;
    *rcond = startile_matrix_shape(A).n == 0;
    if (*rcond == 0 && have_room_for_product(request, A))
        estimate(request, uplo == 'L' ? solve_by_lower : solve_by_upper, '1', A, anorm, rcond);
    return 0;
}

int64_t startile_gecon(char norm, const startile_matrix *A, double anorm, double *rcond)
{
    startile_request *r = request_start();
    return request_finish(r, startile_gecon_async(norm, A, anorm, rcond, r));
}

int64_t startile_pocon(char uplo, const startile_matrix *A, double anorm, double *rcond)
{
    startile_request *r = request_start();
    return request_finish(r, startile_pocon_async(uplo, A, anorm, rcond, r));
}
