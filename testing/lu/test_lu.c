/*
 * Tests of getrf, getrf_nopiv, getrf_tntpiv: shapes, tiles, kinds of matrices, choice of pivots,
 * growth, zero pivots, typed entries. The first argument names the routine; a table selects its
 * tests. Singular matrices for getrf are in test_getrf_info.c.
 */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KIND_SHAPES = 5, ZERO_CASES = 5 };

static const struct routine {
    const char *name;
    /* matrices of the tests of shapes; the pivots of each are clear */
    const struct general *matrix;
    /* bounds on residual / LAPACK's residual, for `matrix` and for the matrices of `generals` */
    double times, times_of_kinds;
    struct {
        int64_t m, n, nb;
    } kinds[KIND_SHAPES];
    /* tests of zero pivots: order, number of zeros, additional rows and columns, tile width */
    int64_t n;
    struct {
        int count;
        int64_t rows, columns, nb;
    } zeros[ZERO_CASES];
} routines[] = {
    [PARTIAL] = {.name = "getrf",
                 .matrix = &random_general,
                 .times = 2,
                 .times_of_kinds = 2,
                 .kinds = {{35, 35, 16}, {35, 35, 64}, {100, 100, 24}, {90, 40, 16}, {40, 90, 16}}},
    /* Other pivots have other rounding errors, of about the same size on random matrices. On other
     * matrices elements may grow where they do not with partial pivoting: only the componentwise
     * bound by |L| |U| holds for every choice of pivots. */
    [TOURNAMENT] =
        {.name = "getrf_tntpiv",
         .matrix = &random_general,
         .times = 4,
         .times_of_kinds = INFINITY,
         .kinds = {{100, 100, 3}, {90, 40, 4}, {40, 90, 16}},
         .n = 45,
         .zeros = {{1, 0, 0, 2}, {3, 0, 0, 2}, {2, 0, 0, 10}, {1, 20, 0, 2}, {1, 0, 20, 2}}},
    /* With dominant columns partial pivoting interchanges no rows: LAPACK's factors are equal up to
     * rounding. */
    [NONE] = {.name = "getrf_nopiv",
              .matrix = &dominant,
              .times = 2,
              .n = 22,
              .zeros = {{1, 0, 0, 6}, {3, 0, 0, 6}, {1, 9, 0, 6}, {2, 0, 9, 6}, {1, 0, 0, 44}}},
};
static enum pivoting pivoting;
static const struct routine *routine;

/* -- shapes, kinds of matrices ---------------------------------------------------------------- */

/* Checks the factors f of A against LAPACK's, and with partial or no pivoting the multipliers. With
 * clear pivots also their choice. */
static void check_factors(struct array A, struct lu f, double times, bool has_clear_pivots)
{
    struct lu g = lapack_lu(A);
    require_info(f.info, pivoting == PARTIAL ? g.info : 0);
    check_lu_against(A, f, g, times);
    if (pivoting != TOURNAMENT)
        check_multipliers(f.F);
    if (pivoting != TOURNAMENT && has_clear_pivots)
        check_pivots_match(f, g);
    lu_free(g);
}

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    static int cases;
    /* the large matrices of test_trees() are for GPUs */
    if ((backend == CPU || m < 1000) && is_left_out(cases++))
        return;
    struct array A = generate_general(routine->matrix, dtype, m, n, (m + n) % 3);
    struct lu f = lu_of(A, pivoting, way, t);
    check_factors(A, f, routine->times, true);
    lu_free(f);
    array_free(A);
}

static void test_shapes(void)
{
    for_shapes(routine->name, check_shape);
}

/* Tests panels so narrow that even small matrices have many leaves of the tournament's tree on a
 * CPU, where a leaf has 8 rows for each column of the panel. */
static void test_trees(void)
{
    for (int64_t nb = 1; nb <= 4; nb++)
        for (int64_t leaves = 1; leaves <= 9; leaves += leaves < 5 ? 1 : 4)
            for (int64_t extra_rows = -1; extra_rows <= 1; extra_rows++)
                for (int t = 0; t < TILINGS; t++) {
                    int64_t m = 8 * nb * leaves + extra_rows, n = nb < 4 ? nb + 3 : 41;
                    struct tiling tiling = tiling_of(t, m, nb);
                    in_case("tree, %d × %d, %s of %d × %d", (int)m, (int)n, tiling.name,
                            (int)tiling.mb, (int)nb);
                    random_seed((uint64_t)(m + nb));
                    check_shape(m, n, (enum way)((m + t) % WAYS), tiling);
                }
    /* several leaves on a GPU too, where a leaf of up to 1024 columns has 8192 rows */
    for (int64_t mb = 5000; mb <= 20000; mb += 15000) {
        in_case("tree, 20000 × 40, tiles of %d × 20", (int)mb);
        random_seed(9);
        check_shape(20000, 40, mb == 5000 ? CREATED : WRAPPED, (struct tiling){"tall", mb, 20});
    }
    check_report("trees");
}

/* Returns whether rounding may leave a zero pivot where LAPACK's factorization has none: with a
 * tournament, whose pivots differ from LAPACK's, for Hilbert's matrix, which is singular up to
 * rounding. */
static bool may_be_singular(const struct general *g)
{
    return pivoting == TOURNAMENT && strcmp(g->name, "hilbert") == 0;
}

static void test_kinds(void)
{
    int cases = 0;
    for (const struct general *g = generals; g->name != NULL; g++) {
        for (int s = 0; s < KIND_SHAPES && routine->kinds[s].m > 0; s++)
            for (int t = 0; t < TILINGS; t++) {
                if (is_left_out(cases++))
                    continue;
                int64_t m = routine->kinds[s].m, n = routine->kinds[s].n;
                struct tiling tiling = tiling_of(t, m, routine->kinds[s].nb);
                in_case("%s, %d × %d, %s of %d × %d", g->name, (int)m, (int)n, tiling.name,
                        (int)tiling.mb, (int)tiling.nb);
                random_seed(7);
                struct array A = generate_general(g, dtype, m, n, 3);
                struct lu f = lu_of(A, pivoting, WRAPPED, tiling);
                if (f.info == 0 || !may_be_singular(g))
                    check_factors(A, f, routine->times_of_kinds, g->has_clear_pivots);
                lu_free(f);
                array_free(A);
            }
        check_report(g->name);
    }
}

/* Tests matrices for which every step is exact: in every tiling L, U and pivots equal the known
 * ones to the last bit. For getrf_nopiv multipliers are ±2, which interchanges would avoid. */
static void test_exact(void)
{
    static const int64_t shapes[][2] = {{22, 22}, {45, 45}, {60, 25}, {25, 60}, {9, 1}, {1, 9}};
    for (int s = 0; s < 6; s++)
        for (int t = 0; t < TILINGS; t++)
            for (int w = 0; w < WAYS; w++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                struct tiling tiling = tiling_of(t, m, 8);
                in_case("known factors, %d × %d, %s, %s", (int)m, (int)n, tiling.name,
                        way_names[w]);
                random_seed((uint64_t)(m + t));
                struct known_lu K = known_lu(dtype, m, n, 2, NULL, 0, pivoting == PARTIAL);
                struct lu f = lu_of(K.A, pivoting, (enum way)w, tiling);
                check_known(K, f);
                lu_free(f);
                known_lu_free(K);
            }
}

/* -- choice of pivots ------------------------------------------------------------------------- */

/* Tests that the topmost of equally large candidates is chosen: there is no interchange in gfpp,
 * where all candidates for a pivot have the same magnitude, and the upper one of two largest
 * elements in different tiles is the pivot. */
static void test_topmost_of_equals(void)
{
    for (int t = 0; t < TILINGS; t++)
        for (int shape = 0; shape < 3; shape++) {
            int64_t m = shape == 1 ? 70 : 45, n = shape == 2 ? 70 : 45;
            struct tiling tiling = tiling_of(t, m, 16);
            in_case("gfpp, %d × %d, %s", (int)m, (int)n, tiling.name);
            struct array A = generate_general(&gfpp, dtype, m, n, 0);
            struct lu f = lu_of(A, PARTIAL, WRAPPED, tiling);
            for (int64_t k = 0; k < m && k < n; k++)
                require_info(f.ipiv[k], k + 1);
            lu_free(f);
            /* two largest elements of the first column, in different tiles */
            array_random(A);
            set(A, m - 1, 0, -4);
            set(A, 20, 0, 4);
            f = lu_of(A, PARTIAL, WRAPPED, tiling);
            require_info(f.ipiv[0], 21);
            lu_free(f);
            array_free(A);
        }
}

/* Tests that the magnitude is |re| + |im|: 3 + 3i is chosen before 5, whose absolute value is
 * larger. */
static void test_magnitude(void)
{
    if (dtype < STARTILE_C)
        return;
    in_case("3 + 3i and 5");
    struct array A = array_new_random(dtype, 3, 2, 0);
    set(A, 1, 0, 5);
    set(A, 2, 0, 3 + 3 * I);
    struct lu f = lu_of(A, PARTIAL, WRAPPED, tiling_of(0, 3, 1));
    require_info(f.ipiv[0], 3);
    lu_free(f);
    array_free(A);
}

/* Tests several factorizations with one pivots object. */
static void test_reused_pivots(void)
{
    enum { N = 37 };
    in_case("one pivots object for three factorizations");
    startile_pivots *P = NULL;
    for (int round = 0; round < 3; round++) {
        random_seed((uint64_t)round);
        struct array A = generate_general(&random_general, dtype, N, N, 0);
        struct lu f = {array_copy(A), pivots_new(N), -1};
        struct test_matrix S = test_matrix_new(f.F, WRAPPED, 'G', N, 8);
        if (P == NULL)
            P = pivots_created(S.A);
        f.info = startile_getrf(S.A, P);
        require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
        test_matrix_finish(&S);
        check_factors(A, f, routine->times, true);
        lu_free(f);
        array_free(A);
    }
    startile_pivots_destroy(P);
}

static void test_typed_entries(void)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 4}, {4, 0},     {1, 1},    {7, 7},
                                        {1, 9}, {9, 1}, {150, 150}, {200, 70}, {70, 200}};
    for (int s = 0; s < 10; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1], k = m < n ? m : n;
        in_case("typed, %d × %d", (int)m, (int)n);
        random_seed(11);
        struct array A = generate_general(&random_general, dtype, m, n, 2);
        struct lu f = {array_copy(A), pivots_new(k), -1};
        f.info = lapack(A)->typed_getrf(m, n, f.F.a, f.F.ld, f.ipiv);
        require(has_borders_intact(f.F));
        check_ipiv(f.ipiv, m, k);
        check_factors(A, f, routine->times, true);
        lu_free(f);
        array_free(A);
    }
    check_report("typed entries");
}

/* -- growth ----------------------------------------------------------------------------------- */

/* Returns max |a_ij|. */
static double max_norm(struct array A)
{
    return lapack(A)->lange('M', A);
}

/* Returns max |u_ij| / max |a_ij|; *multiplier := max |l_ij|. */
static double growth(struct array A, struct array F, double *multiplier)
{
    struct array L = lower_of(F), U = upper_of(F);
    double g = max_norm(U) / max_norm(A);
    *multiplier = max_norm(L);
    arrays_free(L, U);
    return g;
}

/* Tests tournament pivoting on random matrices: the growth is less than 4 times that of partial
 * pivoting (at most about twice in Grigori, Demmel & Xiang 2011), and multipliers are below 100. */
static void test_growth(void)
{
    double worst_growth = 0, worst_multiplier = 0;
    for (int seed = 0; seed < 3; seed++)
        for (int t = 0; t < TILINGS; t++) {
            in_case("growth on random matrix %d, tiling %d", seed, t);
            random_seed((uint64_t)seed);
            double multiplier, lapack_multiplier;
            struct array A = generate_general(&random_general, dtype, 180, 180, 0);
            struct lu f = lu_of(A, TOURNAMENT, WRAPPED, tiling_of(t, 180, 5));
            struct lu g = lapack_lu(A);
            double ratio = growth(A, f.F, &multiplier) / growth(A, g.F, &lapack_multiplier);
            require_below(ratio, 4);
            require_below(multiplier, 100);
            worst_growth = fmax(worst_growth, ratio);
            worst_multiplier = fmax(worst_multiplier, multiplier);
            lu_free(f);
            lu_free(g);
            array_free(A);
        }
    printf("growth up to %.2f × partial pivoting's, multipliers up to %.3g\n", worst_growth,
           worst_multiplier);
}

/* Tests large last rows. Without interchanges between the leaves of a tree, multipliers would be as
 * large as these rows. */
static void test_far_pivots(void)
{
    enum { M = 200, N = 24 };
    for (int t = 0; t < TILINGS; t++) {
        in_case("large rows at the end, tiling %d", t);
        random_seed(3);
        double multiplier;
        struct array A = generate_general(&random_general, dtype, M, N, 0);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = M - N; i < M; i++)
                set(A, i, j, 1000 * get(A, i, j));
        struct lu f = lu_of(A, TOURNAMENT, CREATED, tiling_of(t, M, 4));
        check_factors(A, f, routine->times, false);
        growth(A, f.F, &multiplier);
        require_below(multiplier, 30);
        lu_free(f);
        array_free(A);
    }
    check_report("large rows at the end");
}

/* -- zero pivots ------------------------------------------------------------------------------ */

/* Checks zeros on U's diagonal without pivoting: info is the index of the first, whatever follows,
 * and the leading block before it is factored exactly. */
static void check_zeros(const int64_t *zeros, int count, int64_t m, int64_t n, struct tiling t)
{
    struct known_lu K = known_lu(dtype, m, n, 0, zeros, count, false);
    struct lu f = lu_of(K.A, NONE, WRAPPED, t);
    require_info(f.info, K.info);
    for (int64_t j = 0; j < K.info - 1; j++)
        for (int64_t i = 0; i < K.info - 1; i++)
            require(get(f.F, i, j) == get(K.F, i, j));
    require(get(f.F, K.info - 1, K.info - 1) == 0);
    lu_free(f);
    known_lu_free(K);
}

/* Checks zero columns with a tournament: info is the index of the first, and the leading block
 * before it is factored. */
static void check_zero_columns(const int64_t *zeros, int count, int64_t m, int64_t n,
                               struct tiling t)
{
    struct array A = generate_general(&random_general, dtype, m, n, 1);
    for (int z = 0; z < count; z++)
        for (int64_t i = 0; i < m && zeros[z] <= n; i++)
            set(A, i, zeros[z] - 1, 0);
    struct lu f = lu_of(A, TOURNAMENT, WRAPPED, t);
    require_info(f.info, zeros[0]);
    require(get(f.F, zeros[0] - 1, zeros[0] - 1) == 0);
    check_part(A, zeros[0] - 1, zeros[0] - 1, f, routine->times);
    lu_free(f);
    array_free(A);
}

static void test_zeros(void)
{
    /* a tournament takes longer, so each k has one tiling; the four types together have all tilings
     */
    int step = pivoting == TOURNAMENT ? 4 : 1;
    for (int64_t k = 1; k <= routine->n; k++)
        for (int t = (int)((k + dtype) % step); t < TILINGS; t += step) {
            random_seed((uint64_t)k);
            for (int c = 0; c < ZERO_CASES; c++) {
                const int64_t zeros[] = {k, k + 1, routine->n};
                int64_t m = routine->n + routine->zeros[c].rows;
                int64_t n = routine->n + routine->zeros[c].columns;
                in_case("zero at %d, tiling %d, case %d", (int)k, t, c);
                struct tiling tiling = tiling_of(t, m, routine->zeros[c].nb);
                if (pivoting == NONE)
                    check_zeros(zeros, routine->zeros[c].count, m, n, tiling);
                else
                    check_zero_columns(zeros, routine->zeros[c].count, m, n, tiling);
            }
        }
    if (pivoting == TOURNAMENT)
        check_report("blocks before a zero");
}

/* Returns the factors of the matrix with these elements on and off the diagonal, in tiling t. */
static struct lu factor_constant(double diagonal, double off_diagonal, int t)
{
    struct array A = array_new(dtype, routine->n, routine->n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, i == j ? diagonal : off_diagonal);
    struct lu f = lu_of(A, pivoting, WRAPPED, tiling_of(t, A.m, routine->zeros[0].nb));
    array_free(A);
    return f;
}

static void test_all_zero(void)
{
    for (int t = 0; t < TILINGS; t++) {
        in_case("all zero, tiling %d", t);
        struct lu f = factor_constant(0, 0, t);
        require_info(f.info, 1);
        lu_free(f);
    }
}

static void test_zero_diagonal(void)
{
    for (int t = 0; t < TILINGS; t++) {
        in_case("zero on the diagonal, ones elsewhere, tiling %d", t);
        struct lu f = factor_constant(0, 1, t);
        require_info(f.info, 1);
        require(!isfinite(creal(get(f.F, 1, 0)))); /* the multiplier 1 / 0 */
        lu_free(f);
    }
}

/* -- solving ---------------------------------------------------------------------------------- */

/* Tests solutions with factors of getrf_tntpiv. */
static void test_solving(void)
{
    for (int t = 0; t < TILINGS; t++)
        for (int w = 0; w < WAYS; w++) {
            in_case("solving, tiling %d, %s", t, way_names[w]);
            random_seed(4);
            struct tiling tiling = tiling_of(t, 70, 4);
            struct array A = generate_general(&random_general, dtype, 70, 70, 1);
            struct array B = array_new(dtype, 70, 5, 0), F = array_copy(A);
            array_random(B);
            struct array X = array_copy(B), Z = array_copy(B);
            struct lu g = lapack_lu(A);
            lapack(A)->getrs('N', g.F, g.ipiv, Z);
            struct test_matrix S = test_matrix_new(F, (enum way)w, 'G', tiling.mb, tiling.nb);
            struct test_matrix Y = test_matrix_new(X, (enum way)w, 'G', 16, 2);
            startile_pivots *P = pivots_created(S.A);
            require_info(startile_getrf_tntpiv(S.A, P), 0);
            require_info(startile_getrs('N', S.A, P, Y.A), 0);
            startile_pivots_destroy(P);
            test_matrices_finish(&S, &Y);
            check_solution(A, X, Z, B);
            lu_free(g);
            arrays_free(A, B, F, X, Z);
        }
    check_report("solving");
}

/* -- the tests of each routine ---------------------------------------------------------------- */

/* Runs the tests of the routine. Returns the number of tests that failed. */
static int run_chosen(void)
{
    switch (pivoting) {
    case PARTIAL:
        return run_group("getrf", test_shapes, test_kinds, test_exact, test_topmost_of_equals,
                         test_magnitude, test_reused_pivots, test_typed_entries);
    case TOURNAMENT:
        return run_group("getrf_tntpiv", test_shapes, test_trees, test_kinds, test_growth,
                         test_far_pivots, test_zeros, test_all_zero, test_solving);
    default:
        return run_group("getrf_nopiv", test_shapes, test_exact, test_zeros, test_all_zero,
                         test_zero_diagonal);
    }
}

/* Sets `routine` and `pivoting`; leaves them unchanged for an unknown name. */
static void choose_routine(const char *name)
{
    for (int p = PARTIAL; p <= NONE; p++)
        if (strcmp(name, routines[p].name) == 0) {
            pivoting = (enum pivoting)p;
            routine = &routines[p];
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        choose_routine(argv[1]);
    if (routine == NULL) {
        fprintf(stderr,
                "usage: %s getrf|getrf_nopiv|getrf_tntpiv cpu|gpu|hybrid [s|d|c|z [FILTER]]\n",
                argv[0]);
        return 2;
    }
    check_start(argc - 1, argv + 1);
    return check_finish(run_chosen());
}
