/* Tests of gecon: the estimate against the true condition number, and cases without one. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

/* The estimate is a lower bound of ‖A⁻¹‖, up to rounding, and at least ‖A⁻¹‖ / FACTOR. */
enum { FACTOR = 10 };

/* Extremes of the ratio of the estimated to the true condition number since the last report. */
static double lowest = INFINITY, highest, lowest_of_lapack = INFINITY;

/* Prints the extremes, if there are any, and resets them. */
static void report(const char *title)
{
    if (highest > 0)
        printf("%-24s estimate %.3g … %.4g × the condition number, LAPACK's from %.3g\n", title,
               lowest, highest, lowest_of_lapack);
    lowest = lowest_of_lapack = INFINITY;
    highest = 0;
}

/* Returns 1 / (‖A‖ ‖A⁻¹‖) with an inverse in double precision. The relative error of the result is
 * of the order of eps/rcond. */
static double true_rcond(char norm, struct array A)
{
    startile_dtype type = A.dtype < STARTILE_C ? STARTILE_D : STARTILE_Z;
    struct array D = array_new(type, A.n, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(D, i, j, get(A, i, j));
    double norm_A = lapack(D)->lange(norm, D);
    struct lu f = lapack_lu(D);
    require_info(lapack(D)->getri(f.F, f.ipiv), 0);
    double rcond = 1 / (norm_A * lapack(D)->lange(norm, f.F));
    lu_free(f);
    array_free(D);
    return rcond;
}

/* Requires rcond to be at least the true one, up to rounding, and at most FACTOR times it. */
static void check_estimate(char norm, struct array A, double rcond)
{
    double exact = true_rcond(norm, A), anorm = lapack(A)->lange(norm, A);
    struct lu g = lapack_lu(A);
    double lapacks = lapack(A)->gecon(norm, g.F, anorm);
    lu_free(g);
    /* the factors' condition number has a relative error of eps κ times the growth of the elements
     */
    double slack = 1 + (double)A.n * unit_roundoff(A.dtype) * (1000 + 100 / exact);
    lowest = fmin(lowest, exact / rcond);
    highest = fmax(highest, exact / rcond);
    lowest_of_lapack = fmin(lowest_of_lapack, exact / lapacks);
    require_below(exact / rcond, slack);
    require_below(rcond / exact, FACTOR);
}

/* Returns the library's rcond, with factors by the library. */
static double library_rcond(char norm, struct array A, enum pivoting pivoting, enum way way,
                            struct tiling t)
{
    double anorm = lapack(A)->lange(norm, A), rcond = -7;
    struct lu f = lu_of(A, pivoting, way, t);
    struct array F = array_copy(f.F);
    struct test_matrix S = test_matrix_new(f.F, way, 'G', t.mb, t.nb);
    require_info(startile_gecon(norm, S.A, &anorm, &rcond), 0);
    test_matrix_finish(&S);
    require(is_same(f.F, F));
    array_free(F);
    lu_free(f);
    return rcond;
}

static void test_sizes(void)
{
    enum { NB = 8 };
    static const int64_t sizes[] = {1, 2, 3, 5, 10, 50, NB - 1, NB, NB + 1, 2 * NB + 3, 100};
    int cases = 0;
    for (int s = 0; s < 11; s++)
        for (int w = 0; w < WAYS; w++)
            for (int t = 0; t < TILINGS; t++)
                for (int i = 0; i < 2; i++) {
                    if (is_left_out(cases++))
                        continue;
                    char norm = "1I"[i];
                    in_case("n %d, norm %c, tiling %d, %s", (int)sizes[s], norm, t, way_names[w]);
                    random_seed((uint64_t)sizes[s]);
                    struct array A =
                        generate_general(&random_general, dtype, sizes[s], sizes[s], 1);
                    check_estimate(
                        norm, A,
                        library_rcond(norm, A, PARTIAL, (enum way)w, tiling_of(t, sizes[s], NB)));
                    array_free(A);
                }
    report("sizes");
}

static void test_many_random(void)
{
    for (int seed = 0; seed < 100; seed++) {
        int64_t n = 2 + seed % 40;
        char norm = "1I"[seed % 2];
        in_case("random matrix %d, n %d, norm %c", seed, (int)n, norm);
        random_seed((uint64_t)seed);
        struct array A = generate_general(&random_general, dtype, n, n, 0);
        check_estimate(norm, A, library_rcond(norm, A, PARTIAL, WRAPPED, tiling_of(1, n, 16)));
        array_free(A);
    }
    report("random");
}

/* Returns an order at which the factors determine the condition number to some digits. */
static int64_t order_for(const struct general *g)
{
    bool single = dtype == STARTILE_S || dtype == STARTILE_C;
    if (g->fill == gfpp.fill || g->fill == growing.fill)
        return 12;
    if (g->fill == hilbert_general.fill) /* 1-norm condition numbers of Hilbert's matrix: 3e4 at
                                            order 4, 3e10 at order 8 */
        return single ? 4 : 8;
    return 60;
}

static void test_kinds(void)
{
    for (const struct general *g = generals; g->name != NULL; g++) {
        for (int t = 0; t < TILINGS; t++)
            for (int i = 0; i < 2; i++) {
                int64_t n = order_for(g);
                in_case("%s, n %d, norm %c, tiling %d", g->name, (int)n, "1I"[i], t);
                random_seed(5);
                struct array A = generate_general(g, dtype, n, n, 0);
                double rcond = library_rcond("1I"[i], A, PARTIAL, WRAPPED, tiling_of(t, n, 16));
                /* the condition of badly scaled matrices, up to 1e24, may exceed 1/eps */
                if (true_rcond("1I"[i], A) > 100 * (double)n * unit_roundoff(dtype))
                    check_estimate("1I"[i], A, rcond);
                else
                    require(rcond >= 0 && rcond < 1e5 * unit_roundoff(dtype));
                array_free(A);
            }
        report(g->name);
    }
}

static void test_other_factors(void)
{
    for (int i = 0; i < 2; i++) {
        in_case("tournament, norm %c", "1I"[i]);
        random_seed(6);
        struct array A = generate_general(&random_general, dtype, 70, 70, 0);
        check_estimate("1I"[i], A,
                       library_rcond("1I"[i], A, TOURNAMENT, WRAPPED, tiling_of(1, 70, 4)));
        array_free(A);
        in_case("no pivoting, norm %c", "1I"[i]);
        A = generate_general(&dominant, dtype, 70, 70, 0);
        check_estimate("1I"[i], A, library_rcond("1I"[i], A, NONE, WRAPPED, tiling_of(1, 70, 8)));
        array_free(A);
    }
    report("other factors");
}

/* Tests diagonal matrices, for which the estimate is exact up to the rounding of 1/n in the
 * starting vector. */
static void test_diagonal(void)
{
    for (int exponent = 0; exponent < 20; exponent += 3)
        for (const char *norm = "1OoIi"; *norm != '\0'; norm++)
            for (int64_t n = 1; n < 30; n += 9) {
                in_case("diagonal with 2^-%d, n %d, norm %c", exponent, (int)n, *norm);
                /* the norm of A is 1, or 2^-exponent for n = 1 */
                struct array A = array_new(dtype, n, n, 0);
                double rcond = -7, anorm = n == 1 ? ldexp(1, -exponent) : 1;
                double expected = n == 1 ? 1 : ldexp(1, -exponent);
                for (int64_t j = 0; j < n; j++)
                    for (int64_t i = 0; i < n; i++)
                        set(A, i, j, i != j ? 0 : i == n / 2 ? ldexp(1, -exponent) : 1);
                struct test_matrix S = test_matrix_new(A, WRAPPED, 'G', n, 8);
                require_info(startile_gecon(*norm, S.A, &anorm, &rcond), 0);
                test_matrix_finish(&S);
                require_below(fabs(rcond / expected - 1), 4 * (double)n * unit_roundoff(dtype));
                array_free(A);
            }
}

/* Returns rcond for the factors f I of the matrix a I of order n; of Cholesky for `uplo`, else of
 * LU (uplo 'G'). */
static double rcond_of_multiple(char uplo, char norm, int64_t n, double f, double a)
{
    double rcond = -7;
    struct array F = array_new(dtype, n, n, 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(F, i, j, i == j ? f : 0);
    struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', uplo == 'G' ? n : 8, 8);
    require_info(uplo == 'G' ? startile_gecon(norm, S.A, &a, &rcond)
                             : startile_pocon(uplo, S.A, &a, &rcond),
                 0);
    test_matrix_finish(&S);
    array_free(F);
    return rcond;
}

/* Tests multiples of I from the smallest to the largest number, with condition number 1.
 * LAPACK 3.11 returns Inf for the largest and 0 for subnormal ones. On GPUs solves with a subnormal
 * diagonal overflow. */
static void test_ends_of_range(void)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    const double doubles[] = {DBL_MAX, 1e308, DBL_MIN, 5e-309, DBL_TRUE_MIN};
    const double singles[] = {FLT_MAX, 2e38, FLT_MIN, 1e-39, FLT_TRUE_MIN};
    const int64_t sizes[] = {1, 2, 3, 30};
    for (int v = 0; v < (backend == CPU ? 5 : 3); v++)
        for (int s = 0; s < 4; s++) {
            int64_t n = sizes[s];
            double a = is_single ? (double)(float)singles[v] : doubles[v];
            /* Cholesky's factor is f I: f² is a rounded to a power of four */
            double f = ldexp(1, (int)floor(ilogb(a) / 2.0)),
                   bound = 16 * (double)n * unit_roundoff(dtype);
            in_case("%g I, n %d", a, (int)n);
            for (const char *norm = "1I"; *norm != '\0'; norm++)
                require_below(fabs(rcond_of_multiple('G', *norm, n, a, a) - 1), bound);
            for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
                require_below(fabs(rcond_of_multiple(*uplo, '1', n, f, f * f) - 1), bound);
        }
}

/* Tests a diagonal matrix of a tiny condition number whose product of norms is above the range if
 * the estimate is scaled. */
static void test_tiny(void)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    double a = is_single ? 0x1p120 : 0x1p1000, bound = 100 * unit_roundoff(dtype), rcond = -7;
    for (int64_t n = 2; n <= 40; n += 38) {
        struct array F = array_new(dtype, n, n, 0);
        in_case("diag(%g, 1, ...), n %d", a, (int)n);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                set(F, i, j, i != j ? 0 : i == 0 ? a : 1);
        struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', 16, 16);
        require_info(startile_gecon('1', S.A, &a, &rcond), 0);
        test_matrix_finish(&S);
        require_below(fabs(rcond * a - 1), bound);
        array_free(F);
    }
}

/* -- no condition number ----------------------------------------------------------------------- */

/* Returns gecon's rcond in the 1-norm for the factors F, which must not change. */
static double rcond_of_factors(struct array F, double anorm)
{
    double rcond = -7;
    struct array copy = array_copy(F);
    struct test_matrix S = test_matrix_new(copy, WRAPPED, 'G', F.n > 0 ? F.n : 1, 6);
    require_info(startile_gecon('1', S.A, &anorm, &rcond), 0);
    test_matrix_finish(&S);
    require(is_same(copy, F));
    array_free(copy);
    return rcond;
}

/* Tests that a zero at any position of U's diagonal gives rcond = 0. */
static void test_singular(void)
{
    for (int64_t k = 1; k <= 22; k++) {
        in_case("zero at %d", (int)k);
        random_seed((uint64_t)k);
        struct known_lu K = known_lu(dtype, 22, 22, 1, &k, 1, true);
        require(rcond_of_factors(K.F, 1) == 0);
        known_lu_free(K);
    }
}

static void test_limits(void)
{
    random_seed(1);
    struct known_lu K = known_lu(dtype, 22, 22, 0, NULL, 0, true);
    struct array none = array_new(dtype, 0, 0, 0);
    in_case("n 0");
    require(rcond_of_factors(none, 0) == 1);
    require(rcond_of_factors(none, 5) == 1);
    in_case("anorm 0");
    require(rcond_of_factors(K.F, 0) == 0);
    in_case("twice the norm, half the reciprocal condition");
    double once = rcond_of_factors(K.F, 3);
    require(once > 0 && rcond_of_factors(K.F, 6) == once / 2);
    in_case("NaN in the factors");
    set(K.F, 11, 11, NAN);
    require(!(rcond_of_factors(K.F, 3) > 0));
    array_free(none);
    known_lu_free(K);
}

/* Tests overflow in the solves, after which the matrix counts as singular. */
static void test_overflow(void)
{
    in_case("an inverse that overflows");
    double tiny = dtype == STARTILE_S || dtype == STARTILE_C ? 0x1p-125 : 0x1p-1021;
    struct array F = array_new(dtype, 20, 20, 0);
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < 20; i++)
            set(F, i, j, i == j ? tiny : i < j ? 1 : 0);
    require(rcond_of_factors(F, 1) == 0);
    array_free(F);
}

/* Tests gecon submitted together with the operations that it depends on. */
static void test_async(void)
{
    enum { N = 50 };
    in_case("norm, factorization and estimate in one request");
    random_seed(7);
    struct array A = generate_general(&random_general, dtype, N, N, 0), F = array_copy(A);
    double rcond[2] = {-7, -7}, anorm[2] = {-7, -7};
    struct test_matrix S = test_matrix_new(F, WRAPPED, 'G', N, 8);
    startile_pivots *P = pivots_created(S.A);
    startile_request *r = request_created();
    for (int i = 0; i < 2; i++)
        require_info(startile_lange_async("1I"[i], S.A, &anorm[i], r), 0);
    require_info(startile_getrf_async(S.A, P, r), 0);
    for (int i = 0; i < 2; i++)
        require_info(startile_gecon_async("1I"[i], S.A, &anorm[i], &rcond[i], r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    test_matrix_finish(&S);
    for (int i = 0; i < 2; i++)
        check_estimate("1I"[i], A, rcond[i]);
    arrays_free(A, F);
}

/* Returns the value at p, a float for types s and c, else a double. */
static double real_of(const void *p)
{
    return dtype == STARTILE_S || dtype == STARTILE_C ? *(const float *)p : *(const double *)p;
}

static void test_typed_entries(void)
{
    static const int64_t sizes[] = {1, 7, 150};
    double rcond = -7; /* memory for a float or a double */
    for (int s = 0; s < 3; s++)
        for (const char *norm = "1OI"; *norm != '\0'; norm++) {
            int64_t n = sizes[s];
            in_case("typed, n %d, norm %c", (int)n, *norm);
            random_seed(11);
            struct array A = generate_general(&random_general, dtype, n, n, 2);
            struct lu g = lapack_lu(A);
            struct array F = array_copy(g.F);
            require_info(
                lapack(A)->typed_gecon(*norm, n, g.F.a, g.F.ld, lapack(A)->lange(*norm, A), &rcond),
                0);
            require(is_same(F, g.F));
            check_estimate(*norm, A, real_of(&rcond));
            array_free(F);
            lu_free(g);
            array_free(A);
        }
    in_case("typed, n 0");
    require_info(reference[dtype]->typed_gecon('1', 0, NULL, 1, 3, &rcond), 0);
    require(real_of(&rcond) == 1);
    report("typed entries");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "gecon", test_sizes, test_many_random, test_kinds,
                      test_other_factors, test_diagonal, test_ends_of_range, test_tiny,
                      test_singular, test_limits, test_overflow, test_async, test_typed_entries);
}
