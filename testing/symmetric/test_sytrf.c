/* Tests of sytrf and hetrf: sizes, tile sizes, kinds of matrices, LAPACK's pivots and info, NaN,
 * Inf, growth, scales near underflow and overflow, pivots as objects, typed entries. */
#include "factors.h"
#include "symmetric_matrices.h"

#include <float.h>
#include <startile_testing.h>

/* Checks the library's factors of A against LAPACK's. */
static void check_factors(struct array A, struct factors f, bool has_clear_pivots)
{
    struct factors l = lapack_factors(f.op, f.uplo, A);
    require_info(f.info, l.info);
    if (A.n > 0)
        check_residual(factors_residual(A, f), factors_residual(A, l),
                       has_clear_pivots ? 2 : INFINITY, A.n, 1 / (double)A.n);
    if (has_clear_pivots)
        require_same_pivots(f, l);
    factors_free(l);
}

static void check_matrix(struct array A, char op, char uplo, enum way way, int64_t nb,
                         bool has_clear_pivots)
{
    struct factors f = factors_of(op, uplo, A, way, nb);
    check_factors(A, f, has_clear_pivots);
    factors_free(f);
}

/* -- sizes, kinds ------------------------------------------------------------------------------ */

static void check_size(int64_t n, int64_t nb, char op, char uplo, enum way way)
{
    in_case("n %d, nb %d, op %c, uplo %c, %s", (int)n, (int)nb, op, uplo, way_names[way]);
    random_seed((uint64_t)n);
    struct array A = symmetric_matrix(RANDOM, op, dtype, n, (n + (int)way) % 4);
    /* rounding errors in single precision may change the choice of a pivot */
    check_matrix(A, op, uplo, way, nb, !is_single(dtype) || n <= 10);
    array_free(A);
}

static void test_sizes(void)
{
    for_sizes(check_size);
    check_report("sizes");
}

/* Tests tiles that have several blocks of columns, groups of rows and pieces. */
static void test_large(void)
{
    static const int64_t sizes[][2] = {{130, 130}, {301, 150}, {330, 300}};
    for (int s = 0; s < 3; s++)
        for (int u = 0; u < 4; u++)
            check_size(sizes[s][0], sizes[s][1], symmetries[u / 2], uplos[u % 2], CREATED);
    check_report("large tiles");
}

/* Tests, by the library's checksums, matrices on a GPU that have more rows than a cluster of thread
 * blocks can hold. */
static void test_beyond_cluster(void)
{
    const int64_t n = 40000 / (int64_t)element_size(dtype), nb = (n + 2) / 3;
    for (int u = 0; u < 4 && backend == GPU; u++) {
        char uplo = uplos[u % 2];
        in_case("n %d, nb %d, op %c, uplo %c", (int)n, (int)nb, symmetries[u / 2], uplo);
        startile_matrix *A = matrix_created(dtype, n, n, nb, nb);
        startile_symmetric_pivots *P = NULL;
        startile_request *r = NULL;
        require_info(startile_symmetric_pivots_create(&P, A), 0);
        require_info(startile_request_create(&r), 0);
        require_info(startile_request_set_verify(r, 1), 0);
        require_info(startile_random(symmetries[u / 2] == 'C' ? 'H' : 'S', 7, 0, A), 0);
        require_info(
            (symmetries[u / 2] == 'C' ? startile_hetrf_async : startile_sytrf_async)(uplo, A, P, r),
            0);
        require_info(startile_request_wait(r), 0);
        startile_request_destroy(r);
        startile_symmetric_pivots_destroy(P);
        startile_matrix_destroy(A);
    }
}

static void test_kinds(void)
{
    static const int64_t sizes[][2] = {{7, 2}, {41, 8}, {90, 90}};
    for (int kind = 0; kind < SYMMETRIC_KINDS; kind++)
        for (int s = 0; s < 3; s++)
            for (int u = 0; u < 4; u++) {
                char op = symmetries[u / 2], uplo = uplos[u % 2];
                in_case("kind %d, n %d, op %c, uplo %c", kind, (int)sizes[s][0], op, uplo);
                random_seed(3);
                struct array A =
                    symmetric_matrix((enum symmetric_kind)kind, op, dtype, sizes[s][0], 1);
                check_matrix(A, op, uplo, WRAPPED, sizes[s][1], false);
                array_free(A);
            }
    check_report("kinds");
}

/* Tests pivots of order 2 that begin in the last column of a tile. */
static void test_borders(void)
{
    enum { N = 33 };
    for (int64_t nb = 1; nb <= 12; nb++)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            in_case("pairs of rows, nb %d, op %c, uplo %c", (int)nb, op, uplo);
            struct array A = array_new(dtype, N, N, 0);
            array_fill(A, 0);
            for (int64_t i = 0; i < N; i++)
                set(A, i, i, i % 3 == 0 ? 4 : 0);
            for (int64_t i = 1; i < N; i += 3) {
                set(A, i + 1, i, 2);
                set(A, i, i + 1, 2);
            }
            struct factors f = factors_of(op, uplo, A, CREATED, nb);
            require_info(f.info, 0);
            for (int64_t i = 0; i < N; i++)
                require_info(f.ipiv[i], i % 3 == 0    ? i + 1
                                        : uplo == 'L' ? -(i - i % 3 + 3)
                                                      : -(i - i % 3 + 2));
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = uplo == 'L' ? j : 0; i < (uplo == 'L' ? N : j + 1); i++)
                    require(get(f.F, i, j) == get(A, i, j));
            factors_free(f);
            array_free(A);
        }
}

/* -- singular matrices, NaN, scales ------------------------------------------------------------ */

/* Tests matrices with rows and columns of zeros: LAPACK's info. */
static void test_singular(void)
{
    enum { N = 40 };
    for (int64_t count = 1; count <= N; count += 13)
        for (int64_t first = 0; first + count <= N; first += 9)
            for (int u = 0; u < 4; u++) {
                char op = symmetries[u / 2], uplo = uplos[u % 2];
                in_case("zeros in %d rows from %d on, op %c, uplo %c", (int)count, (int)first, op,
                        uplo);
                random_seed(4);
                struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0);
                for (int64_t j = first; j < first + count; j++)
                    for (int64_t i = 0; i < N; i++) {
                        set(A, i, j, 0);
                        set(A, j, i, 0);
                    }
                struct factors f = factors_of(op, uplo, A, WRAPPED, 16),
                               l = lapack_factors(op, uplo, A);
                require(f.info > 0 && f.info == l.info && get(f.F, f.info - 1, f.info - 1) == 0);
                require(factors_residual(A, f) < 30);
                factors_free(f);
                factors_free(l);
                array_free(A);
            }
}

static bool is_finite_in(char uplo, struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = uplo == 'L' ? j : 0; i < (uplo == 'L' ? A.n : j + 1); i++)
            if (!isfinite(creal(get(A, i, j))) || !isfinite(cimag(get(A, i, j))))
                return false;
    return true;
}

/* Tests that a NaN, or an infinite element, ends in the factors and fails nothing. */
static void test_not_finite(void)
{
    enum { N = 20 };
    for (int64_t j = 0; j < N; j += 3)
        for (int64_t i = j; i < N; i += 4)
            for (int u = 0; u < 8; u++) {
                char op = symmetries[u / 2 % 2], uplo = uplos[u % 2];
                double value = u < 4 ? NAN : u < 6 ? INFINITY : -INFINITY;
                in_case("%g at (%d, %d), op %c, uplo %c", value, (int)i, (int)j, op, uplo);
                random_seed(9);
                struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0);
                set(A, i, j, value);
                set(A, j, i, value);
                struct factors f = factors_of(op, uplo, A, WRAPPED, 6);
                require(f.info >= 0 && !is_finite_in(uplo, f.F));
                array_free(l_of(f)); /* which checks ipiv */
                factors_free(f);
                array_free(A);
            }
}

/* Tests the bounds of Bunch & Kaufman (1977): with the pivots in the order of the factorization the
 * remaining matrix grows by at most 1 + 1/α in a column, and by (1 + 1/α)² in the two columns of a
 * pivot of order 2. Elements of L have no bound. These matrices stay below 24. */
static void test_growth(void)
{
    enum { N = 90 };
    const double factor = 1 + 8 / (1 + sqrt(17)), most = 50;
    for (int kind = 0; kind < SYMMETRIC_KINDS; kind++)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            in_case("growth, kind %d, op %c, uplo %c", kind, op, uplo);
            random_seed(13);
            struct array A = symmetric_matrix((enum symmetric_kind)kind, op, dtype, N, 0);
            struct factors f = factors_of(op, uplo, A, WRAPPED, 32);
            struct array D = d_of(f);
            double bound = lapack(A)->lange('M', A) * (1 + N * N * unit_roundoff(dtype));
            for (int64_t s = 0; s < N; s++) {
                int64_t k = uplo == 'L' ? s : N - 1 - s;
                bound *= s > 0 ? factor : 1;
                require(cabs(get(D, k, k)) <= bound);
                require(cabs(get(D, k, k)) <= most * lapack(A)->lange('M', A));
            }
            factors_free(f);
            arrays_free(A, D);
        }
}

/* Tests elements near the smallest and the largest numbers: no overflow, and the same pivots. */
static void test_scales(void)
{
    enum { N = 60 };
    double smallest = is_single(dtype) ? (double)FLT_MIN : DBL_MIN;
    const double scales[] = {smallest * 1024, 1 / (smallest * 4096), smallest / 8};
    for (int s = 0; s < 3; s++)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            in_case("scale %g, op %c, uplo %c", scales[s], op, uplo);
            random_seed(6);
            struct array A = symmetric_matrix(RANDOM, op, dtype, N, 0), B = array_copy(A);
            for (int64_t j = 0; j < N; j++)
                for (int64_t i = 0; i < N; i++)
                    set(B, i, j, get(A, i, j) * scales[s]);
            struct factors f = factors_of(op, uplo, A, WRAPPED, 25),
                           g = factors_of(op, uplo, B, WRAPPED, 25);
            if (s < 2)
                require_same_pivots(f, g);
            require(g.info == 0 && is_finite_in(uplo, g.F));
            factors_free(f);
            factors_free(g);
            arrays_free(A, B);
        }
}

/* -- entries, bits, objects ---------------------------------------------------------------------
 */

static void test_typed(void)
{
    static const int64_t sizes[] = {0, 1, 7, 200};
    for (int s = 0; s < 4; s++)
        for (int u = 0; u < 4; u++) {
            char op = symmetries[u / 2], uplo = uplos[u % 2];
            int64_t n = sizes[s];
            in_case("typed entry, n %d, op %c, uplo %c", (int)n, op, uplo);
            random_seed(11);
            struct array A = symmetric_matrix(RANDOM, op, dtype, n, 2);
            struct factors f = factors_new(op, uplo, A);
            f.info = (op == 'T' ? lapack(A)->typed_sytrf : lapack(A)->typed_hetrf)(uplo, n, f.F.a,
                                                                                   f.F.ld, f.ipiv);
            require(has_borders_intact(f.F));
            check_factors(A, f, !is_single(dtype));
            factors_free(f);
            array_free(A);
        }
}

/* Tests that a second factorization gives the same bits. */
static void test_again(void)
{
    for (int u = 0; u < 4; u++) {
        char op = symmetries[u / 2], uplo = uplos[u % 2];
        in_case("the same bits, op %c, uplo %c", op, uplo);
        random_seed(2);
        struct array A = symmetric_matrix(RANDOM, op, dtype, 500, 0);
        struct factors f = factors_of(op, uplo, A, WRAPPED, 192),
                       g = factors_of(op, uplo, A, WRAPPED, 192);
        require(is_same(f.F, g.F));
        require_same_pivots(f, g);
        factors_free(f);
        factors_free(g);
        array_free(A);
    }
}

/* Tests the functions of startile_symmetric_pivots. */
static void test_pivots(void)
{
    enum { N = 4 };
    static const struct {
        int64_t ipiv[N];
        bool is_lower, is_upper;
    } cases[] = {
        {{1, 2, 3, 4}, true, true},      {{4, 3, 3, 4}, true, false},
        {{1, 1, 2, 1}, false, true},     {{-2, -2, -4, -4}, true, false},
        {{-1, -1, -3, -3}, false, true}, {{-1, -1, 3, 4}, false, true},
        {{-3, -3, 3, 4}, true, false},   {{1, -4, -4, 4}, true, false},
        {{1, -1, -1, 4}, false, true},   {{-2, -2, -2, 4}, false, false},
        {{0, 2, 3, 4}, false, false},    {{1, 2, 3, 5}, false, false},
        {{1, 2, 3, -3}, false, false},   {{-2, -3, 3, 4}, false, false},
        {{-5, -5, 3, 4}, false, false},  {{INT64_MIN, INT64_MIN, 3, 4}, false, false},
    };
    in_case("pivots");
    int64_t ipiv[N];
    startile_symmetric_pivots *P = NULL;
    startile_matrix *A = matrix_created(dtype, N, N, 2, 2);
    require_info(startile_symmetric_pivots_create(NULL, A), -1);
    require_info(startile_symmetric_pivots_create(&P, NULL), -2);
    require_info(startile_symmetric_pivots_create(&P, A), 0);
    require_info(startile_symmetric_pivots_to_lapack(NULL, ipiv), -1);
    require_info(startile_symmetric_pivots_to_lapack(P, NULL), -2);
    require_info(startile_symmetric_pivots_from_lapack(NULL, 'L', ipiv), -1);
    require_info(startile_symmetric_pivots_from_lapack(P, 'X', ipiv), -2);
    require_info(startile_symmetric_pivots_from_lapack(P, 'L', NULL), -3);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        in_case("pivots, case %d", (int)c);
        require_info(startile_symmetric_pivots_from_lapack(P, 'l', cases[c].ipiv),
                     cases[c].is_lower ? 0 : -3);
        require_info(startile_symmetric_pivots_from_lapack(P, 'u', cases[c].ipiv),
                     cases[c].is_upper ? 0 : -3);
        require_info(startile_symmetric_pivots_to_lapack(P, ipiv), 0);
        bool is_set = true;
        for (int j = 0; j < N; j++)
            is_set = is_set && ipiv[j] == cases[c].ipiv[j];
        require(is_set == (cases[c].is_lower || cases[c].is_upper));
    }
    startile_symmetric_pivots_destroy(P);
    startile_symmetric_pivots_destroy(NULL);
    startile_matrix_destroy(A);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    return check_finish(run_group("sytrf", test_sizes, test_large, test_beyond_cluster, test_kinds,
                                  test_borders, test_singular, test_not_finite, test_growth,
                                  test_scales, test_typed, test_again, test_pivots));
}
