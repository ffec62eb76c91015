#include "qr.h"
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "triangles.h"

#include <complex.h>
#include <math.h>

const char *const factorization_names[2] = {"geqrf", "gelqf"};

/* -- factorizations -------------------------------------------------------------------------- */

struct qr qr_new(struct array A, enum factorization factorization)
{
    return (struct qr){factorization, array_copy(A), array_new(A.dtype, min(A.m, A.n), 1, 0)};
}

void qr_free(struct qr f)
{
    arrays_free(f.F, f.tau);
}

struct qr lapack_qr(struct array A, enum factorization factorization)
{
    struct qr f = qr_new(A, factorization);
    if (factorization == QR)
        lapack(A)->geqrf(f.F, f.tau);
    else
        lapack(A)->gelqf(f.F, f.tau);
    return f;
}

struct test_matrix triangles_new(const startile_matrix *A, int64_t k, enum way way)
{
    startile_shape s = startile_matrix_shape(A);
    struct array array = array_new(s.dtype, s.nb, k, 0);
    struct test_matrix T = {NULL, array, CREATED, 0, NULL, NULL};
    if (way != CREATED)
        return test_matrix_new(array, way, 'G', s.nb, s.nb);
    if (k == min(s.m, s.n))
        T.A = reflectors_created(A);
    else
        T.A = matrix_created(s.dtype, s.nb, k, s.nb, s.nb);
    startile_shape t = startile_matrix_shape(T.A);
    require(t.m == s.nb && t.n == k && t.mb == s.nb && t.nb == s.nb && t.dtype == s.dtype);
    return T;
}

void triangles_free(struct test_matrix *T)
{
    test_matrix_finish(T);
    array_free(T->array);
}

void triangles_end(struct test_matrix *T, struct array tau)
{
    int64_t nb = startile_matrix_shape(T->A).nb, k = tau.m;
    struct array diagonal = array_new(tau.dtype, k, 1, 0);
    test_matrix_finish(T);
    for (int64_t j = 0; j < k; j++) {
        /* column j is column `row` of its block's triangle, which has `rows` rows */
        int64_t row = j % nb, rows = min(nb, k - (j - row));
        set(diagonal, j, 0, get(T->array, row, j));
        for (int64_t i = row + 1; i < rows; i++)
            require(get(T->array, i, j) == 0);
    }
    require(is_same(diagonal, tau));
    arrays_free(diagonal, T->array);
}

struct qr qr_of(struct array A, enum factorization factorization, enum way way, struct tiling t)
{
    struct qr f = qr_new(A, factorization);
    struct test_matrix S = test_matrix_new(f.F, way, 'G', t.mb, t.nb);
    struct test_matrix T = triangles_new(S.A, f.tau.m, way);
    require_info(factorization == QR ? startile_geqrf(S.A, reflectors_of(T.A))
                                     : startile_gelqf(S.A, reflectors_of(T.A)),
                 0);
    require_info(startile_reflectors_to_lapack(reflectors_of(T.A), f.tau.a), 0);
    require(has_borders_intact(f.tau));
    triangles_end(&T, f.tau);
    test_matrix_finish(&S);
    return f;
}

/* -- factors --------------------------------------------------------------------------------- */

/* Returns the leading m × n elements of F; upper_only: with zeros below the diagonal. */
static struct array leading(struct array F, int64_t m, int64_t n, bool upper_only)
{
    struct array part = array_new(F.dtype, m, n, 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(part, i, j, upper_only && i > j ? 0 : get(F, i, j));
    return part;
}

struct factors factors_of(struct qr f)
{
    int64_t k = f.tau.m;
    if (f.factorization == QR) {
        struct factors factors = {leading(f.F, f.F.m, k, false), leading(f.F, k, f.F.n, true)};
        lapack(f.F)->ungqr(factors.Q, f.tau);
        return factors;
    }
    struct array rows = leading(f.F, k, f.F.n, false), transposed = array_new_op('C', f.F);
    lapack(f.F)->unglq(rows, f.tau);
    struct factors factors = {array_new_op('C', rows), leading(transposed, k, f.F.m, true)};
    arrays_free(rows, transposed);
    return factors;
}

void factors_free(struct factors f)
{
    arrays_free(f.Q, f.R);
}

/* -- residuals ------------------------------------------------------------------------------- */

/* Returns ‖A‖₁; 0 for an empty A. */
static double norm_of(struct array A)
{
    return A.m == 0 || A.n == 0 ? 0 : lapack(A)->lange('1', A);
}

/* Returns A − QR, computed in A's type. */
static struct array residual(struct array A, struct factors f)
{
    struct array R = array_copy(A);
    lapack(A)->gemm('N', 'N', -1, f.Q, f.R, 1, R);
    return R;
}

double loss_of_orthogonality(struct array Q)
{
    struct array D = array_new_identity(Q.dtype, Q.n, Q.n);
    lapack(Q)->gemm('C', 'N', -1, Q, Q, 1, D);
    double norm = norm_of(D);
    array_free(D);
    return norm;
}

/* Returns the largest ‖r_j‖₁ / ‖a_j‖₁ of all columns j. The smallest normal number is added to each
 * denominator, so that zero columns are allowed. */
static double columnwise_residual(struct array A, struct array R)
{
    double largest = 0,
           least = A.dtype == STARTILE_S || A.dtype == STARTILE_C ? 0x1p-126 : 0x1p-1022;
    for (int64_t j = 0; j < A.n; j++) {
        double ratio =
            norm_of(array_part(R, 0, j, R.m, 1)) / (norm_of(array_part(A, 0, j, A.m, 1)) + least);
        largest = ratio > largest || isnan(ratio) ? ratio : largest;
    }
    return largest;
}

/* Returns LAPACK's estimate of the condition of R's leading square block; infinity if it is
 * singular. */
static double condition_of(struct array R)
{
    struct array square = leading(R, R.m, R.m, true);
    double rcond = lapack(R)->gecon('1', square, norm_of(square));
    array_free(square);
    return 1 / rcond;
}

/* Returns ‖R − S R'‖₁ for LAPACK's R' and the diagonal S of ±1 that makes the signs of the
 * diagonals equal. */
static double difference_of_R(struct array R, struct array lapack_R)
{
    struct array D = array_copy(lapack_R);
    for (int64_t i = 0; i < R.m; i++) {
        double sign = creal(get(R, i, i)) * creal(get(lapack_R, i, i)) < 0 ? -1 : 1;
        for (int64_t j = 0; j < R.n; j++)
            set(D, i, j, get(R, i, j) - sign * get(lapack_R, i, j));
    }
    double norm = norm_of(D);
    array_free(D);
    return norm;
}

/* Returns Q and R of A, computed by LAPACK. */
static struct factors lapack_factors(struct array A)
{
    struct qr g = lapack_qr(A, QR);
    struct factors factors = factors_of(g);
    qr_free(g);
    return factors;
}

double condition(struct array A)
{
    struct array tall = A.m >= A.n ? array_copy(A) : array_new_op('C', A);
    struct factors g = lapack_factors(tall);
    double kappa = condition_of(g.R);
    factors_free(g);
    array_free(tall);
    return kappa;
}

enum { BOUND = 30 };

void check_factors(struct array A, struct factors f, double times)
{
    if (A.m == 0 || A.n == 0)
        return;
    struct factors g = lapack_factors(A);
    struct array R = residual(A, f), lapack_residual = residual(A, g);
    double eps = unit_roundoff(A.dtype), m = (double)A.m, most = (double)max(A.m, A.n);
    /* A zero matrix must have a residual of zero, so any norm will do. */
    double norm = norm_of(A) > 0 ? norm_of(A) : 1, scale = most * norm * eps;
    check_residual(norm_of(R) / scale, norm_of(lapack_residual) / scale, times,
                   roundings(max(A.m, A.n)), 1 / most);
    check_residual(loss_of_orthogonality(f.Q) / (m * eps), loss_of_orthogonality(g.Q) / (m * eps),
                   times, roundings(A.m), 1 / m);
    check_componentwise(columnwise_residual(A, R) / (most * eps));
    double kappa = condition_of(g.R);
    if (kappa * most * eps < 0.01)
        require_below(difference_of_R(f.R, g.R) / scale, BOUND * kappa);
    arrays_free(R, lapack_residual);
    factors_free(g);
}

void check_qr(struct array A, struct qr f, double times)
{
    struct factors factors = factors_of(f);
    require(has_borders_intact(f.F) && has_borders_intact(f.tau));
    if (f.factorization == QR) {
        check_factors(A, factors, times);
    } else {
        struct array transposed = array_new_op('C', A);
        check_factors(transposed, factors, times);
        array_free(transposed);
    }
    factors_free(factors);
}

void check_leading(struct array A, int64_t count, struct qr f, double times)
{
    int64_t m = f.factorization == QR ? A.m : count, n = f.factorization == QR ? count : A.n;
    struct qr part = {f.factorization, leading(f.F, m, n, false),
                      leading(f.tau, min(m, n), 1, false)};
    struct array first = leading(A, m, n, false);
    require(is_finite(part.F) && is_finite(part.tau));
    check_qr(first, part, times);
    array_free(first);
    qr_free(part);
}

struct array permuted(struct array A, const int64_t *jpvt)
{
    struct array B = array_new(A.dtype, A.m, A.n, 0);
    for (int64_t j = 0; j < A.n; j++) {
        require(jpvt[j] >= 1 && jpvt[j] <= A.n);
        for (int64_t other = 0; other < j; other++)
            require(jpvt[other] != jpvt[j]);
        array_assign(array_part(A, 0, jpvt[j] - 1, A.m, 1), array_part(B, 0, j, A.m, 1));
    }
    return B;
}

static double largest_column(struct array A)
{
    double largest = 0;
    for (int64_t j = 0; j < A.n; j++) {
        double norm = 0;
        for (int64_t i = 0; i < A.m; i++)
            norm = hypot(norm, cabs(get(A, i, j)));
        largest = norm > largest ? norm : largest;
    }
    return largest;
}

void check_pivots(struct array A, struct array F, int64_t first)
{
    double slack = 30 * (double)max(F.m, F.n) * unit_roundoff(F.dtype) * largest_column(A);
    for (int64_t j = 0; j < F.n; j++) {
        double norm = 0;
        for (int64_t k = min(j, F.m - 1); k >= first; k--) {
            norm = hypot(norm, cabs(get(F, k, j)));
            require(norm <= cabs(get(F, k, k)) * (1 + 1e-3) + slack);
        }
    }
}

void check_product(struct array C, struct array lapack_C, int64_t order)
{
    if (C.m == 0 || C.n == 0)
        return;
    struct array D = array_copy(C);
    for (int64_t j = 0; j < C.n; j++)
        for (int64_t i = 0; i < C.m; i++)
            set(D, i, j, get(C, i, j) - get(lapack_C, i, j));
    check_componentwise(norm_of(D) / ((double)order * norm_of(lapack_C) * unit_roundoff(C.dtype)));
    array_free(D);
}

/* -- least squares --------------------------------------------------------------------------- */

/* Returns B − op(A) X. */
static struct array op_residual(char trans, struct array A, struct array X, struct array B)
{
    struct array R = array_copy(B);
    if (B.m > 0 && B.n > 0)
        lapack(A)->gemm(trans, 'N', -1, A, X, 1, R);
    return R;
}

/* Returns ‖op(A)‖₁. */
static double norm_of_op(char trans, struct array A)
{
    return lapack(A)->lange(trans == 'N' ? '1' : 'I', A);
}

double qrt16(char trans, struct array A, struct array X, struct array B)
{
    struct array R = op_residual(trans, A, X, B);
    double norm_A = norm_of_op(trans, A);
    double scale = (double)max(A.m, A.n) * norm_A * norm_of(X) * unit_roundoff(A.dtype);
    double norm = norm_of(R);
    array_free(R);
    return norm == 0 ? 0 : norm / scale;
}

double qrt17(char trans, struct array A, struct array X, struct array B)
{
    char adjoint = trans == 'N' ? 'C' : 'N';
    /* `adjoint` selects op(A)ᴴ */
    struct array R = op_residual(trans, A, X, B), S = product(adjoint, 'N', A, R);
    double scale = norm_of_op(adjoint, A) * norm_of(B) * (double)max(max(A.m, A.n), B.n);
    double norm = norm_of(S);
    arrays_free(R, S);
    return norm == 0 ? 0 : norm / (scale * unit_roundoff(A.dtype));
}

double qrt14(char trans, struct array A, struct array X)
{
    /* H = op(A)ᴴ = Q R: the columns of Q behind the first k are orthogonal to the range of H */
    struct array H = trans == 'N' ? array_new_op('C', A) : array_copy(A), Y = array_copy(X);
    struct qr g = lapack_qr(H, QR);
    int64_t k = g.tau.m;
    lapack(A)->unmqr('L', 'C', g.F, g.tau, Y);
    double norm = norm_of(array_part(Y, k, 0, Y.m - k, Y.n));
    double scale = (double)X.m * norm_of(X) * unit_roundoff(A.dtype);
    arrays_free(H, Y);
    qr_free(g);
    return norm == 0 ? 0 : norm / scale;
}
