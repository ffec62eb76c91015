/* Condition number from the factors of LU or Cholesky (LAPACK xGECON, xPOCON), by Higham's
 * estimator of ‖A⁻¹‖₁ (LAPACK xLACN2). */
#include "algorithms.h"

/* Number of rounds. LAPACK stops when the estimate no longer grows, after 2 or 3 of at most 5
 * rounds. Here all rounds are submitted at once, without a test; a superfluous round does not
 * reduce the estimate. */
enum { ROUNDS = 3 };

/* Submits v := A⁻¹ v or v := A⁻ᴴ v without the row interchanges, which do not change the norm. */
typedef void solver(context ctx, char trans, const startile_matrix *A, startile_matrix *v);

static void solve_by_factors(context ctx, char trans, const startile_matrix *A, startile_matrix *v)
{
    /* v := U⁻¹ L⁻¹ v, or L⁻ᴴ U⁻ᴴ v */
    bool plain = trans == 'N';
    substitute(ctx, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', A, v, 0, 0);
    substitute(ctx, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', A, v, 0, 0);
}

/* `trans` is ignored: A is Hermitian, so A⁻¹ = A⁻ᴴ. v := L⁻ᴴ L⁻¹ v */
static void solve_by_lower(context ctx, char trans, const startile_matrix *A, startile_matrix *v)
{
    (void)trans;
    substitute(ctx, 'L', 'N', 'N', A, v, 0, 0);
    substitute(ctx, 'L', 'C', 'N', A, v, 0, 0);
}

static void solve_by_upper(context ctx, char trans, const startile_matrix *A, startile_matrix *v)
{
    (void)trans;
    /* v := U⁻¹ U⁻ᴴ v */
    substitute(ctx, 'U', 'C', 'N', A, v, 0, 0);
    substitute(ctx, 'U', 'N', 'N', A, v, 0, 0);
}

static void estimate(context ctx, solver *apply_inverse, char norm, const startile_matrix *A,
                     double anorm, double *rcond)
{
    int64_t n = startile_matrix_shape(A).n;
    startile_matrix *v = temporary_matrix(ctx, A, n, 1, n, 1);
    if (v == NULL)
        return;
    /* the ∞-norm is the 1-norm of the conjugate transpose: ‖A⁻¹‖∞ = ‖A⁻ᴴ‖₁ */
    char trans = norm == 'I' ? 'C' : 'N', other = norm == 'I' ? 'N' : 'C';
    tile x = at(view_of(v, 'N'), 0, 0);
    norm_estimate *e = estimate_begin(ctx, x);
    apply_inverse(ctx, trans, A, v);
    for (int round = 0; round < ROUNDS; round++) {
        insert_sign(ctx, e, x); /* estimate := max(estimate, ‖v‖₁), v := sign(v) */
        apply_inverse(ctx, other, A, v);
        insert_unit(ctx, e, x); /* v := e_j for the largest |v_j| */
        apply_inverse(ctx, trans, A, v);
    }
    insert_alternating(ctx, e, x); /* v_i := (−1)^i (1 + i/(n−1)) */
    apply_inverse(ctx, trans, A, v);
    insert_rcond(ctx, e, x, anorm, rcond); /* rcond := 1 / (anorm · estimate) */
}

int submit_gecon(char norm, const startile_matrix *A, double anorm, double *rcond,
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
    if (*rcond == 0 && has_capacity_of(context_of(request), COLUMN_PRODUCTS, A, NULL))
        estimate(context_of(request), solve_by_factors, norm, A, anorm, rcond);
    return 0;
}

int submit_pocon(char uplo, const startile_matrix *A, double anorm, double *rcond,
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
    if (*rcond == 0 && has_capacity_of(context_of(request), TILE_PRODUCTS, A, NULL))
        estimate(context_of(request), uplo == 'L' ? solve_by_lower : solve_by_upper, '1', A, anorm,
                 rcond);
    return 0;
}
