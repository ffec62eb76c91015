/* Tests of sytrf_aa, sytrs_aa, sysv_aa and their Hermitian names: sizes, tile sizes, kinds of
 * matrices, singular matrices, NaN, Inf, growth, wrong arguments. */
#include "aasen_factors.h"
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"
#include "symmetric_matrices.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const char symmetries[] = {'T', 'C'}, uplos[] = {'L', 'U'};

/* The library's objects of a factorization */
struct objects {
    struct test_matrix S;
    startile_matrix *band;
    startile_pivots *P, *band_pivots;
};

static struct objects objects_new(struct array A, enum way way, char uplo, int64_t nb)
{
    struct objects o = {.S = test_matrix_new(A, way, uplo, nb, nb),
                        .band = matrix_created(A.dtype, A.n, A.n, nb, nb)};
    o.P = pivots_created(o.S.A);
    o.band_pivots = pivots_created(o.band);
    return o;
}

static void objects_finish(struct objects *o)
{
    test_matrix_finish(&o->S);
    startile_matrix_destroy(o->band);
    startile_pivots_destroy(o->P);
    startile_pivots_destroy(o->band_pivots);
}

static int64_t factor(char op, char uplo, struct objects *o)
{
    return (op == 'T' ? startile_sytrf_aa : startile_hetrf_aa)(uplo, o->S.A, o->P, o->band,
                                                               o->band_pivots);
}

static int64_t solve(char op, char uplo, struct objects *o, startile_matrix *B)
{
    return (op == 'T' ? startile_sytrs_aa : startile_hetrs_aa)(uplo, o->S.A, o->P, o->band,
                                                               o->band_pivots, B);
}

static int64_t factor_and_solve(char op, char uplo, struct objects *o, startile_matrix *B)
{
    return (op == 'T' ? startile_sysv_aa : startile_hesv_aa)(uplo, o->S.A, o->P, o->band,
                                                             o->band_pivots, B);
}

static char other_triangle(char uplo)
{
    return uplo == 'L' ? 'U' : 'L';
}

static struct aasen_factors factors_of(char op, char uplo, struct array A, enum way way, int64_t nb)
{
    size_t bytes = ((size_t)A.n + 1) * sizeof(int64_t);
    struct aasen_factors f = {
        op,           uplo, nb, -1, array_copy(A), array_new(A.dtype, A.n, A.n, 0), malloc(bytes),
        malloc(bytes)};
    require(f.ipiv != NULL && f.band_ipiv != NULL);
    array_poison(f.A, other_triangle(uplo));
    struct objects o = objects_new(f.A, way, uplo, nb);
    f.info = factor(op, uplo, &o);
    require_info(startile_pivots_to_lapack(o.P, f.ipiv), 0);
    require_info(startile_pivots_to_lapack(o.band_pivots, f.band_ipiv), 0);
    require_info(startile_matrix_to_lapack(o.band, f.band.a, f.band.ld), 0);
    objects_finish(&o);
    require(is_poisoned(f.A, other_triangle(uplo)));
    return f;
}

static void factors_free(struct aasen_factors f)
{
    arrays_free(f.A, f.band);
    free(f.ipiv);
    free(f.band_ipiv);
}

/* Returns the residual of the factors, whose L must be as LAPACK's. */
static double residual_of(struct array A, struct aasen_factors f)
{
    aasen_require_l(f);
    return aasen_residual(A, f);
}

/* Checks the factors of A, and solutions with them. */
static void check_matrix(struct array A, int64_t nrhs, char op, char uplo, enum way way, int64_t nb)
{
    struct aasen_factors f = factors_of(op, uplo, A, way, nb);
    require_info(f.info, 0);
    if (A.n > 0)
        require_below(residual_of(A, f), 30);
    factors_free(f);
    struct array F = array_copy(A), B = array_new_random(dtype, A.n, nrhs, 1), X = array_copy(B),
                 Y = array_copy(B);
    struct objects o = objects_new(F, way, uplo, nb);
    struct test_matrix R = test_matrix_new(X, way, 'G', nb, nb),
                       Q = test_matrix_new(Y, way, 'G', nb, nb);
    require_info(factor_and_solve(op, uplo, &o, R.A), 0);
    require_info(solve(op, uplo, &o, Q.A), 0);
    test_matrices_finish(&R, &Q);
    objects_finish(&o);
    require(is_same(X, Y));
    if (A.n > 0 && nrhs > 0)
        require_below(solution_residual(A, X, B), 30);
    arrays_free(F, B, X, Y);
}

static void check_size(int64_t n, int64_t nb, char op, char uplo, enum way way)
{
    static const int64_t numbers[] = {1, 3, 13, 0};
    in_case("n %d, nb %d, op %c, uplo %c, %s", (int)n, (int)nb, op, uplo, way_names[way]);
    random_seed((uint64_t)n);
    struct array A = symmetric_matrix(RANDOM, op, dtype, n, (n + (int)way) % 4);
    check_matrix(A, numbers[(n + (int)way) % 4], op, uplo, way, nb);
    array_free(A);
}

static void test_sizes(void)
{
    static const int64_t tile_sizes[] = {1, 8, 32};
    static int cases;
    for (int t = 0; t < 3; t++) {
        int64_t nb = tile_sizes[t];
        const int64_t sizes[] = {0,      1,  2,      3,          5,          10,
                                 nb - 1, nb, nb + 1, 2 * nb + 3, 3 * nb + 1, 5 * nb};
        for (int s = 0; s < 12; s++)
            for (int u = 0; u < 4; u++)
                for (int w = 0; w < WAYS; w++)
                    if (!is_left_out(cases++ + s + u))
                        check_size(sizes[s], nb, symmetries[u / 2], uplos[u % 2], (enum way)w);
    }
}

static void test_kinds(void)
{
    static const int64_t sizes[][2] = {{7, 2}, {41, 8}, {90, 16}};
    static const enum symmetric_kind kinds[] = {ZERO_DIAGONAL, SADDLE_POINT, BANDED, GRADED,
                                                DIAGONAL};
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 3; s++)
            for (int u = 0; u < 4; u++) {
                char op = symmetries[u / 2], uplo = uplos[u % 2];
                in_case("kind %d, n %d, op %c, uplo %c", (int)kinds[k], (int)sizes[s][0], op, uplo);
                random_seed(3);
                struct array A = symmetric_matrix(kinds[k], op, dtype, sizes[s][0], 1);
                check_matrix(A, 3, op, uplo, WRAPPED, sizes[s][1]);
                array_free(A);
            }
}

/* -- singular matrices, NaN ---------------------------------------------------------------------
 */

/* Tests matrices with rows and columns of zeros, and A = 0: info, residual, unchanged right-hand
 * sides. */
static void test_singular(void)
{
    enum { N = 40, NB = 16 };
    for (int64_t count = 1; count <= N; count += 13)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            in_case("zeros in %d rows, op %c, uplo %c", (int)count, op, uplo);
            random_seed(4);
            struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0);
            for (int64_t j = 0; j < count; j++)
                for (int64_t i = 0; i < N; i++) {
                    set(A, i, j, 0);
                    set(A, j, i, 0);
                }
            struct aasen_factors f = factors_of(op, uplo, A, WRAPPED, NB);
            require(f.info > 0 && get(f.band, f.info - 1, f.info - 1) == 0);
            for (int64_t i = 0; i < f.info - 1; i++)
                require(get(f.band, i, i) != 0);
            require_below(residual_of(A, f), 30);
            struct array F = array_copy(A), B = array_new_random(dtype, N, 2, 0), X = array_copy(B);
            struct objects o = objects_new(F, WRAPPED, uplo, NB);
            startile_matrix *R = array_wrapped(X, NB, NB);
            require_info(factor_and_solve(op, uplo, &o, R), f.info);
            startile_matrix_destroy(R);
            require(is_same(X, B));
            objects_finish(&o);
            factors_free(f);
            arrays_free(A, F, B, X);
        }
}

/* Tests that a NaN, or an infinite element, ends in the factors of the band and fails nothing. */
static void test_not_finite(void)
{
    enum { N = 20, NB = 6 };
    for (int64_t j = 0; j < N; j += 3)
        for (int u = 0; u < 8; u++) {
            char op = symmetries[u / 2 % 2], uplo = uplos[u % 2];
            double value = u < 4 ? NAN : INFINITY;
            in_case("%g at (%d, %d), op %c, uplo %c", value, N - 1, (int)j, op, uplo);
            random_seed(5);
            struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0);
            set(A, N - 1, j, value);
            set(A, j, N - 1, value);
            struct aasen_factors f = factors_of(op, uplo, A, CREATED, NB);
            require(f.info >= 0 && !is_finite(f.band));
            factors_free(f);
            array_free(A);
        }
}

/* Tests that pivots of an earlier factorization, which has interchanges in the first block, do not
 * matter, nor do the elements of an earlier band. */
static void test_reuse(void)
{
    enum { N = 30, NB = 8 };
    in_case("objects used before");
    random_seed(6);
    struct array A = symmetric_matrix(RANDOM, 'T', dtype, N, 0), F = array_copy(A),
                 B = array_new_random(dtype, N, 2, 0), X = array_copy(B);
    struct objects o = objects_new(F, CREATED, 'L', NB);
    require_info(startile_random('G', 1, 0, o.band), 0);
    require_info(startile_getrf(o.band, o.P), 0);
    startile_matrix *R = array_wrapped(X, NB, NB);
    require_info(startile_sysv_aa('l', o.S.A, o.P, o.band, o.band_pivots, R), 0);
    startile_matrix_destroy(R);
    require_below(solution_residual(A, X, B), 30);
    int64_t ipiv[N];
    require_info(startile_pivots_to_lapack(o.P, ipiv), 0);
    for (int64_t i = 0; i < NB; i++)
        require_info(ipiv[i], i + 1);
    objects_finish(&o);
    arrays_free(A, F, B, X);
}

/* -- typed entries --------------------------------------------------------------------------------
 */

static int64_t typed_factor(char op, char uplo, struct array A, struct array tb, int64_t ltb,
                            int64_t *ipiv, int64_t *ipiv2)
{
    const struct reference *R = lapack(A);
    return (op == 'T' ? R->typed_sytrf_aa : R->typed_hetrf_aa)(uplo, A.n, A.a, A.ld, tb.a, ltb,
                                                               ipiv, ipiv2);
}

static int64_t typed_solve(char op, char uplo, struct array A, struct array tb, int64_t ltb,
                           const int64_t *ipiv, const int64_t *ipiv2, struct array B)
{
    const struct reference *R = lapack(A);
    return (op == 'T' ? R->typed_sytrs_aa : R->typed_hetrs_aa)(uplo, A.n, B.n, A.a, A.ld, tb.a, ltb,
                                                               ipiv, ipiv2, B.a, B.ld);
}

/* Tests that the library solves with its own and with LAPACK's factors, and LAPACK with the
 * library's. ltb gives tiles of order nb. */
static void check_typed(int64_t n, int64_t nb, char op, char uplo)
{
    enum { NRHS = 3 };
    int64_t ltb = (3 * nb + 1) * n, ipiv[200], ipiv2[200];
    in_case("typed entries, n %d, nb %d, op %c, uplo %c", (int)n, (int)nb, op, uplo);
    random_seed(12);
    struct array A = symmetric_matrix(RANDOM, op, dtype, n, 2), F = array_copy(A),
                 tb = array_new(dtype, max(ltb, 1), 1, 0), B = array_new_random(dtype, n, NRHS, 2),
                 X = array_copy(B);
    const struct reference *R = lapack(A);
    array_poison(F, other_triangle(uplo));
    require_info((op == 'T' ? R->typed_sysv_aa : R->typed_hesv_aa)(uplo, n, NRHS, F.a, F.ld, tb.a,
                                                                   ltb, ipiv, ipiv2, X.a, X.ld),
                 0);
    require(is_poisoned(F, other_triangle(uplo)) && has_borders_intact(F) && has_borders_intact(X));
    require(has_borders_intact(tb));
    if (n > 0) {
        require(get(tb, 0, 0) == nb);
        require_below(solution_residual(A, X, B), 30);
        array_assign(B, X);
        require_info(typed_solve(op, uplo, F, tb, ltb, ipiv, ipiv2, X), 0);
        require_below(solution_residual(A, X, B), 30);
        array_assign(B, X);
        R->sytrs_aa(op, uplo, F, tb.a, ltb, ipiv, ipiv2, X);
        require_below(solution_residual(A, X, B), 30);
        array_assign(A, F);
        array_assign(B, X);
        require_info(R->sytrf_aa(op, uplo, F, tb.a, ltb, ipiv, ipiv2), 0);
        require_info(typed_solve(op, uplo, F, tb, ltb, ipiv, ipiv2, X), 0);
        require_below(solution_residual(A, X, B), 30);
    }
    arrays_free(A, F, tb, B, X);
}

static void test_typed(void)
{
    static const int64_t sizes[][2] = {{0, 1},   {1, 1},    {7, 7},  {7, 2},
                                       {40, 13}, {150, 32}, {64, 16}};
    for (int s = 0; s < 7; s++)
        for (int u = 0; u < 4; u++)
            check_typed(sizes[s][0], sizes[s][1], symmetries[u / 2], uplos[u % 2]);
}

/* Tests LAPACK's pivots, band and info on the same tiles, also of a singular matrix. */
static void test_lapack(void)
{
    enum { N = 45, NB = 8, LTB = (3 * NB + 1) * N };
    for (int zeros = 0; zeros <= 3; zeros += 3)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            in_case("LAPACK's factors, %d zero rows, op %c, uplo %c", zeros, op, uplo);
            random_seed(13);
            struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0), F = array_copy(A),
                         tb = array_new(dtype, LTB, 1, 0), l = array_new(dtype, LTB, 1, 0);
            int64_t ipiv[N], ipiv2[N], l_ipiv[N], l_ipiv2[N];
            for (int64_t j = 10; j < 10 + zeros; j++)
                for (int64_t i = 0; i < N; i++) {
                    set(A, i, j, 0);
                    set(A, j, i, 0);
                }
            array_assign(A, F);
            array_fill(tb, 0);
            array_fill(l, 0);
            int64_t info = typed_factor(op, uplo, F, tb, LTB, ipiv, ipiv2);
            array_assign(A, F);
            require_info(lapack(A)->sytrf_aa(op, uplo, F, l.a, LTB, l_ipiv, l_ipiv2), info);
            require((info > 0) == (zeros > 0));
            for (int64_t i = 0; i < N && zeros == 0; i++) {
                require_info(ipiv[i], l_ipiv[i]);
                require_info(ipiv2[i], l_ipiv2[i]);
            }
            for (int64_t i = 0; i < LTB && zeros == 0 && !is_single(dtype); i++)
                require(cabs(get(tb, i, 0) - get(l, i, 0)) <= 1e-9);
            arrays_free(A, F, tb, l);
        }
}

static void test_typed_arguments(void)
{
    double x[2] = {1, 0}, tb[8] = {1, 0};
    int64_t p = 2, q = 1;
    const struct reference *R = reference[dtype];
    in_case("arguments of typed entries");
    require_info(R->typed_sytrf_aa('X', 1, x, 1, tb, 4, &p, &q), -1);
    require_info(R->typed_sytrf_aa('L', -1, x, 1, tb, 4, &p, &q), -2);
    require_info(R->typed_hetrf_aa('L', 1, NULL, 1, tb, 4, &p, &q), -3);
    require_info(R->typed_sytrf_aa('L', 1, x, 0, tb, 4, &p, &q), -4);
    require_info(R->typed_sytrf_aa('L', 1, x, 1, NULL, 4, &p, &q), -5);
    require_info(R->typed_hetrf_aa('U', 1, x, 1, tb, 3, &p, &q), -6);
    require_info(R->typed_sytrf_aa('L', 1, x, 1, tb, 4, NULL, &q), -7);
    require_info(R->typed_sytrf_aa('L', 1, x, 1, tb, 4, &p, NULL), -8);
    require_info(R->typed_sytrs_aa('L', 1, -1, x, 1, tb, 4, &p, &q, x, 1), -3);
    require_info(R->typed_sytrs_aa('L', 1, 1, NULL, 1, tb, 4, &p, &q, x, 1), -4);
    require_info(R->typed_sytrs_aa('L', 1, 1, x, 1, tb, 3, &p, &q, x, 1), -7);
    require_info(R->typed_hetrs_aa('L', 1, 1, x, 1, tb, 4, &p, &q, NULL, 1), -10);
    require_info(R->typed_sysv_aa('L', 1, 1, x, 1, tb, 4, &p, &q, x, 0), -11);
    struct array T = array_new(dtype, 4, 1, 0);
    array_fill(T, 1);
    require_info(R->typed_sytrs_aa('L', 1, 1, x, 1, T.a, 4, &p, &q, x, 1), -8);
    p = 1, q = 2;
    require_info(R->typed_sytrs_aa('L', 1, 1, x, 1, T.a, 4, &p, &q, x, 1), -9);
    set(T, 0, 0, 2);
    require_info(R->typed_sytrs_aa('L', 1, 1, x, 1, T.a, 4, &p, &q, x, 1), -6);
    require_info(R->typed_sytrf_aa('L', 1, x, 1, T.a, -1, &p, &q), 0);
    require(get(T, 0, 0) == 4 && x[0] == 1);
    require_info(R->typed_sytrs_aa('L', 0, 5, NULL, 1, NULL, 0, NULL, NULL, NULL, 1), 0);
    array_free(T);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "sytrf_aa", test_sizes, test_kinds, test_singular,
                      test_not_finite, test_reuse, test_typed, test_lapack, test_typed_arguments);
}
