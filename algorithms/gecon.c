/* Condition number from the factors of LU (LAPACK xGECON), by Higham's estimator of ‖A⁻¹‖₁. */
#include "algorithms.h"

/* LAPACK stops as soon as the estimate does not grow, after 2 or 3 of at most 5 rounds. Here
 * nothing looks at it on the way; a round that does not help does not harm either. */
enum { ROUNDS = 3 };

/* v := A⁻¹ v, or A⁻ᴴ v, up to interchanges, which do not change the norm */
static void apply_inverse(startile_request *r, char trans, const startile_matrix *A,
                          startile_matrix *v)
{
    bool plain = trans == 'N';
    substitute(r, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', A, v, 0, 0, false);
    substitute(r, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', A, v, 0, 0, false);
}

static void estimate(startile_request *r, char norm, const startile_matrix *A, startile_matrix *v,
                     double anorm, double *rcond)
{
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
    startile_shape s = startile_matrix_shape(A);
    if (s.n == 0) {
        *rcond = 1;
        return 0;
    }
    startile_matrix *v = temporary(request, A, s.n, 1, s.n, 1);
    if (v != NULL)
        estimate(request, norm, A, v, anorm, rcond);
    forget_matrix(v);
    return 0;
}

int64_t startile_gecon(char norm, const startile_matrix *A, double anorm, double *rcond)
{
    startile_request *r = request_start();
    return request_finish(r, startile_gecon_async(norm, A, anorm, rcond, r));
}
