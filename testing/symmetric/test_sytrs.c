/* Tests of sytrs, sysv, sycon, sytri, sydet and their Hermitian names, and of heinertia: sizes,
 * tile sizes, singular matrices, pivots that no factorization has, typed entries. */
#include "factors.h"
#include "symmetric_matrices.h"

#include <complex.h>
#include <math.h>

/* The routines for symmetric (op 'T') or Hermitian matrices */
static int64_t solve(char op, char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                     startile_matrix *B)
{
    return op == 'T' ? startile_sytrs(uplo, A, P, B) : startile_hetrs(uplo, A, P, B);
}

static int64_t factor_and_solve(char op, char uplo, startile_matrix *A,
                                startile_symmetric_pivots *P, startile_matrix *B)
{
    return op == 'T' ? startile_sysv(uplo, A, P, B) : startile_hesv(uplo, A, P, B);
}

static int64_t invert(char op, char uplo, startile_matrix *A, startile_symmetric_pivots *P)
{
    return op == 'T' ? startile_sytri(uplo, A, P) : startile_hetri(uplo, A, P);
}

static int64_t estimate(char op, char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                        const double *norm, double *rcond)
{
    return op == 'T' ? startile_sycon(uplo, A, P, norm, rcond)
                     : startile_hecon(uplo, A, P, norm, rcond);
}

static int64_t determinant(char op, char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                           startile_complex *sign, double *logarithm)
{
    return op == 'T' ? startile_sydet(uplo, A, P, sign, logarithm)
                     : startile_hedet(uplo, A, P, sign, logarithm);
}

/* Returns the symmetric or Hermitian matrix with the triangle uplo of T. */
static struct array full(char op, char uplo, struct array T)
{
    struct array A = array_new(T.dtype, T.n, T.n, 0);
    for (int64_t j = 0; j < T.n; j++)
        for (int64_t i = 0; i < T.n; i++) {
            bool is_stored = uplo == 'L' ? i >= j : i <= j;
            set(A, i, j, is_stored ? get(T, i, j) : adjoint(op, get(T, j, i)));
        }
    return A;
}

/* -- solves, inverse, condition ------------------------------------------------------------------
 */

/* Checks all routines on the factors of A, which LAPACK factors, too. The pivots are those of a
 * file of LAPACK's ipiv, if `by_lapack`. */
static void check_all(struct array A, int64_t nrhs, char op, char uplo, enum way way, int64_t nb,
                      double times)
{
    struct factors f = factors_new(op, uplo, A), l = lapack_factors(op, uplo, A);
    struct array B = array_new_random(dtype, A.n, nrhs, 1), X = array_copy(B), Y = array_copy(B),
                 Z = array_copy(B);
    startile_symmetric_pivots *P = NULL;
    array_poison(f.F, other_triangle(uplo));
    struct test_matrix S = test_matrix_new(f.F, way, uplo, nb, nb),
                       R = test_matrix_new(X, way, 'G', nb, nb),
                       Q = test_matrix_new(Z, way, 'G', nb, nb);
    require_info(startile_symmetric_pivots_create(&P, S.A), 0);
    require_info(factor_and_solve(op, uplo, S.A, P, R.A), 0);
    require_info(solve(op, uplo, S.A, P, Q.A), 0);
    test_matrices_finish(&R, &Q);
    require(is_same(X, Z));
    lapack(A)->sytrs(op, uplo, l.F, l.ipiv, Y);
    double norm = lapack(A)->lange('1', A), rcond = -1;
    if (A.n > 0 && nrhs > 0)
        check_residual(solution_residual(A, X, B), solution_residual(A, Y, B), times, A.n,
                       1 / (double)A.n);
    require_info(estimate(op, uplo, S.A, P, &norm, &rcond), 0);
    double expected = A.n == 0 ? 1 : lapack(A)->sycon(op, uplo, l.F, l.ipiv, norm);
    require(rcond > 0 && rcond <= 1.01 && rcond < 3.1 * expected && rcond > expected / 3.1);
    require_info(invert(op, uplo, S.A, P), 0);
    test_matrix_finish(&S);
    require(is_poisoned(f.F, other_triangle(uplo)));
    struct array inverse = full(op, uplo, f.F);
    if (A.n > 0) /* LAPACK's xPOT03: ‖I − A X‖ / (n ‖A‖ ‖X‖ eps) */
        require_below(inverse_residual(A, inverse), 30);
    startile_symmetric_pivots_destroy(P);
    factors_free(f);
    factors_free(l);
    arrays_free(B, X, Y, Z, inverse);
}

static void check_size(int64_t n, int64_t nb, char op, char uplo, enum way way)
{
    static const int64_t numbers[] = {1, 3, 13, 0};
    int64_t nrhs = numbers[(n + (int)way) % 4];
    in_case("n %d, nrhs %d, nb %d, op %c, uplo %c, %s", (int)n, (int)nrhs, (int)nb, op, uplo,
            way_names[way]);
    random_seed((uint64_t)n + 1);
    struct array A = symmetric_matrix(RANDOM, op, dtype, n, 1);
    check_all(A, nrhs, op, uplo, way, nb, 2);
    array_free(A);
}

static void test_sizes(void)
{
    for_sizes(check_size);
    check_report("sizes");
}

static void test_kinds(void)
{
    static const int64_t sizes[][2] = {{7, 2}, {41, 8}, {90, 90}};
    static const enum symmetric_kind kinds[] = {ZERO_DIAGONAL, SADDLE_POINT, BANDED, DIAGONAL};
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < 3; s++)
            for (int u = 0; u < 4; u++) {
                char op = symmetries[u / 2], uplo = uplos[u % 2];
                in_case("kind %d, n %d, op %c, uplo %c", (int)kinds[k], (int)sizes[s][0], op, uplo);
                random_seed(3);
                struct array A = symmetric_matrix(kinds[k], op, dtype, sizes[s][0], 1);
                check_all(A, 3, op, uplo, WRAPPED, sizes[s][1], INFINITY);
                array_free(A);
            }
    check_report("kinds");
}

/* -- singular matrices, wrong pivots -------------------------------------------------------------
 */

/* A matrix whose rows 2, 7 and 12 are zeros, with its factors */
enum { N = 15, NB = 4 };
struct singular {
    struct array a, a_before, b, b_before;
    startile_matrix *A, *B;
    startile_symmetric_pivots *P;
    int64_t info;
};

static struct singular singular_new(char op, char uplo)
{
    random_seed(8);
    struct singular s = {.a = symmetric_matrix(RANDOM, op, dtype, N, 0),
                         .b = array_new_random(dtype, N, 2, 0)};
    for (int64_t j = 2; j < N; j += 5)
        for (int64_t i = 0; i < N; i++) {
            set(s.a, i, j, 0);
            set(s.a, j, i, 0);
        }
    s.a_before = array_copy(s.a);
    s.b_before = array_copy(s.b);
    s.A = matrix_wrapped(dtype, N, N, s.a.a, s.a.ld, NB, NB);
    s.B = matrix_wrapped(dtype, N, 2, s.b.a, s.b.ld, NB, NB);
    require_info(startile_symmetric_pivots_create(&s.P, s.A), 0);
    s.info = factor_and_solve(op, uplo, s.A, s.P, s.B);
    return s;
}

static void singular_free(struct singular s)
{
    startile_symmetric_pivots_destroy(s.P);
    matrices_destroy(s.A, s.B);
    arrays_free(s.a, s.a_before, s.b, s.b_before);
}

static void test_singular(void)
{
    for (int u = 0; u < 4; u++) {
        char op = symmetries[u / 2], uplo = uplos[u % 2];
        in_case("singular, op %c, uplo %c", op, uplo);
        struct singular s = singular_new(op, uplo);
        require(s.info > 0 && is_same(s.b, s.b_before));
        double norm = 1, rcond = -1, logarithm = 0;
        startile_complex sign = 7;
        int64_t inertia[3] = {-1, -1, -1};
        require_info(estimate(op, uplo, s.A, s.P, &norm, &rcond), 0);
        require(rcond == 0);
        require_info(determinant(op, uplo, s.A, s.P, &sign, &logarithm), 0);
        require(sign == 0 && logarithm == -INFINITY);
        if (op == 'C') {
            require_info(startile_heinertia(uplo, s.A, s.P, inertia), 0);
            require(inertia[0] + inertia[1] == N - 3 && inertia[2] == 3);
        }
        struct array before = array_copy(s.a), after = array_copy(s.a);
        require_info(startile_matrix_to_lapack(s.A, before.a, before.ld), 0);
        require(invert(op, uplo, s.A, s.P) > 0);
        require_info(startile_matrix_to_lapack(s.A, after.a, after.ld), 0);
        require(is_same(after, before));
        arrays_free(before, after);
        singular_free(s);
    }
}

/* Tests determinant and inertia in the request of a factorization with zero pivots, which lets
 * later solves do nothing. */
static void test_request(void)
{
    in_case("request");
    random_seed(8);
    startile_request *r = request_created();
    struct singular s = singular_new('C', 'L');
    double logarithm = 0;
    startile_complex sign = 7;
    int64_t inertia[3] = {-1, -1, -1};
    require_info(startile_matrix_from_lapack(s.A, s.a_before.a, s.a_before.ld), 0);
    require_info(startile_hetrf_async('L', s.A, s.P, r), 0);
    require_info(startile_hetrs_async('L', s.A, s.P, s.B, r), 0);
    require_info(startile_heinertia_async('L', s.A, s.P, inertia, r), 0);
    require_info(startile_hedet_async('L', s.A, s.P, &sign, &logarithm, r), 0);
    require(startile_request_wait(r) > 0);
    require(is_same(s.b, s.b_before) && sign == 0 && inertia[2] == 3);
    startile_request_destroy(r);
    singular_free(s);
}

/* Tests that pivots of no factorization, or of one of the other triangle, are wrong. */
static void test_wrong_pivots(void)
{
    static const int64_t ipiv[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    in_case("wrong pivots");
    startile_symmetric_pivots *P = NULL;
    startile_matrix *A = matrix_created(dtype, N, N, NB, NB),
                    *B = matrix_created(dtype, N, 1, NB, NB);
    require_info(startile_laset('G', 0, 1, A), 0);
    require_info(startile_laset('G', 1, 1, B), 0);
    require_info(startile_symmetric_pivots_create(&P, A), 0);
    require_info(startile_sytrs('L', A, P, B), -3);
    require_info(startile_symmetric_pivots_from_lapack(P, 'U', ipiv), 0);
    require_info(startile_sytrs('L', A, P, B), -3);
    require_info(startile_hetri('L', A, P), -3);
    require_info(startile_sytrs('U', A, P, B), 0);
    require_info(startile_sytrf('L', A, P), 0);
    require_info(startile_sytrs('U', A, P, B), -3);
    require_info(startile_sytrs('l', A, P, B), 0);
    startile_symmetric_pivots_destroy(P);
    matrices_destroy(A, B);
}

/* -- determinant, inertia ------------------------------------------------------------------------
 */

/* Tests L D Lᴴ with a known D: an integer L has no rounding errors. */
static void test_inertia(void)
{
    for (int64_t n = 0; n <= 40; n += 8)
        for (int u = 0; u < 2; u++) {
            in_case("known inertia, n %d, uplo %c", (int)n, uplos[u]);
            struct array A = array_new(dtype, n, n, 0);
            int64_t inertia[3] = {-1, -1, -1};
            startile_complex sign = 7;
            double logarithm = -7;
            array_fill(A, 0);
            for (int64_t i = 0; i < n;
                 i++) /* three of eight are negative, and a pair has 0, 3; 3, 0 */
                set(A, i, i, i % 8 < 3 ? -2 : i % 8 < 6 ? 4 : 0);
            for (int64_t i = 6; i < n; i += 8) {
                set(A, i + 1, i, 3);
                set(A, i, i + 1, 3);
            }
            startile_matrix *S = matrix_wrapped(dtype, n, n, A.a, A.ld, 7, 7);
            startile_symmetric_pivots *P = NULL;
            require_info(startile_symmetric_pivots_create(&P, S), 0);
            require_info(startile_hetrf(uplos[u], S, P), 0);
            require_info(startile_heinertia(uplos[u], S, P, inertia), 0);
            require(inertia[0] == n / 2 && inertia[1] == n / 2 && inertia[2] == 0);
            require_info(startile_hedet(uplos[u], S, P, &sign, &logarithm), 0);
            require(sign == 1);
            require(fabs(logarithm - (double)n / 8 * (3 * log(2) + 3 * log(4) + log(9))) <=
                    1e-13 * (double)n);
            startile_symmetric_pivots_destroy(P);
            startile_matrix_destroy(S);
            array_free(A);
        }
}

/* Tests determinants against those of LAPACK's LU factorization. */
static void test_determinant(void)
{
    for (int64_t n = 1; n <= 30; n += 7)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            in_case("determinant, n %d, op %c, uplo %c", (int)n, op, uplo);
            random_seed((uint64_t)n);
            struct array A = symmetric_matrix(RANDOM, op, dtype, n, 0), F = array_copy(A);
            int64_t ipiv[30];
            startile_complex sign = 7, product = 1;
            double logarithm = -7;
            lapack(A)->getrf(F, ipiv);
            for (int64_t i = 0; i < n; i++)
                product *= get(F, i, i) * (ipiv[i] == i + 1 ? 1 : -1);
            startile_matrix *S = matrix_wrapped(dtype, n, n, A.a, A.ld, 7, 7);
            startile_symmetric_pivots *P = NULL;
            require_info(startile_symmetric_pivots_create(&P, S), 0);
            require_info(factor(op, uplo, S, P), 0);
            require_info(determinant(op, uplo, S, P, &sign, &logarithm), 0);
            require(cabs(sign * exp(logarithm) - product) <=
                    2000 * (double)n * unit_roundoff(dtype) * cabs(product));
            startile_symmetric_pivots_destroy(P);
            startile_matrix_destroy(S);
            arrays_free(A, F);
        }
}

/* -- typed entries --------------------------------------------------------------------------------
 */

static void check_typed(int64_t n, char op, char uplo)
{
    in_case("typed entries, n %d, op %c, uplo %c", (int)n, op, uplo);
    random_seed(12);
    struct array A = symmetric_matrix(RANDOM, op, dtype, n, 2), F = array_copy(A),
                 B = array_new_random(dtype, n, 3, 2), X = array_copy(B), Y = array_copy(B);
    int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv), inertia[3] = {-1, -1, -1};
    const struct reference *R = lapack(A);
    require(ipiv != NULL);
    require_info(
        (op == 'T' ? R->typed_sysv : R->typed_hesv)(uplo, n, 3, F.a, F.ld, ipiv, X.a, X.ld), 0);
    require_info(
        (op == 'T' ? R->typed_sytrs : R->typed_hetrs)(uplo, n, 3, F.a, F.ld, ipiv, Y.a, Y.ld), 0);
    require(is_same(X, Y) && has_borders_intact(X) && has_borders_intact(F));
    if (n > 0)
        require_below(solution_residual(A, X, B), 30);
    double norm = R->lange('1', A), rcond = R->typed_sycon(op, uplo, n, F.a, F.ld, ipiv, norm);
    double expected = n == 0 ? 1 : R->sycon(op, uplo, F, ipiv, norm);
    require(rcond < 3.1 * expected && rcond > expected / 3.1);
    if (op == 'C') {
        require_info(R->typed_heinertia(uplo, n, F.a, F.ld, ipiv, inertia), 0);
        require(inertia[0] + inertia[1] == n && inertia[2] == 0);
    }
    require_info((op == 'T' ? R->typed_sytri : R->typed_hetri)(uplo, n, F.a, F.ld, ipiv), 0);
    struct array inverse = full(op, uplo, F);
    if (n > 0)
        require_below(inverse_residual(A, inverse), 30);
    for (int64_t i = 0; op == 'C' && i < n; i++)
        require(cimag(get(F, i, i)) == 0);
    free(ipiv);
    arrays_free(A, F, B, X, Y, inverse);
}

static void test_typed(void)
{
    static const int64_t sizes[] = {0, 1, 7, 150};
    for (int s = 0; s < 4; s++)
        for (int u = 0; u < 4; u++)
            check_typed(sizes[s], symmetries[u / 2], uplos[u % 2]);
}

static void test_typed_arguments(void)
{
    double x[2] = {1, 0}, rcond[2] = {-7, -7};
    int64_t p = 2, inertia[3];
    const struct reference *R = reference[dtype];
    in_case("arguments of typed entries");
    require_info(R->typed_sytrs('X', 1, 1, x, 1, &p, x, 1), -1);
    require_info(R->typed_sytrs('L', -1, 1, x, 1, &p, x, 1), -2);
    require_info(R->typed_hetrs('L', 1, -1, x, 1, &p, x, 1), -3);
    require_info(R->typed_sytrs('L', 1, 1, NULL, 1, &p, x, 1), -4);
    require_info(R->typed_sytrs('L', 1, 1, x, 0, &p, x, 1), -5);
    require_info(R->typed_sytrs('L', 1, 1, x, 1, NULL, x, 1), -6);
    require_info(R->typed_hetrs('U', 1, 1, x, 1, &p, x, 1), -6);
    require_info(R->typed_sysv('L', 1, 1, x, 1, &p, NULL, 1), -7);
    require_info(R->typed_hesv('L', 1, 1, x, 1, &p, x, 0), -8);
    require_info(R->typed_sytri('L', 1, x, 1, &p), -5);
    require_info(R->typed_hetri('L', 1, x, 0, &p), -4);
    require_info(R->typed_heinertia('L', 1, x, 1, &p, inertia), -5);
    require_info(R->typed_heinertia('L', 1, x, 1, &p, NULL), -6);
    require(R->typed_sycon('T', 'L', 1, x, 1, &p, 1) == -7);
    require(x[0] == 1 && rcond[0] == -7);
    require_info(R->typed_sytrs('L', 0, 5, NULL, 1, NULL, NULL, 1), 0);
    require_info(R->typed_sytri('L', 0, NULL, 1, NULL), 0);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "sytrs", test_sizes, test_kinds, test_singular, test_request,
                      test_wrong_pivots, test_inertia, test_determinant, test_typed,
                      test_typed_arguments);
}
