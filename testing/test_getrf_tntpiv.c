/* getrf_tntpiv: shapes, tiles, kinds of matrices, growth, singular matrices, solving. */
#include "check.h"
#include "generate.h"
#include "lu.h"

#include "reference.h"
#include <string.h>

#include <math.h>
#include <stdio.h>

/* The pivots are others than partial pivoting's, and so are the rounding errors: on the paper's
 * matrices they are of the same size, no more is claimed. */
static const double times = 4, unbounded = INFINITY;

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    struct array A = generate_general(&random_general, dtype, m, n, (m + n) % 3);
    struct lu f = lu_of(A, TOURNAMENT, way, t);
    require_info(f.info, 0);
    check_lu(A, f, times);
    lu_free(f);
    array_free(A);
}

static void test_squares(void **state)
{
    (void)state;
    for_squares(check_shape);
    check_report("square");
}

static void test_oblongs(void **state)
{
    (void)state;
    for_oblongs(check_shape);
    check_report("oblong");
}

static void test_long_ones(void **state)
{
    (void)state;
    for_long_ones(check_shape);
    check_report("long");
}

/* Panels that are so narrow that even these matrices have many leaves on a CPU, which are of
 * 8 columns' height there. */
static void test_trees(void **state)
{
    (void)state;
    for (int64_t nb = 1; nb <= 4; nb++)
        for (int64_t leaves = 1; leaves <= 9; leaves += leaves < 5 ? 1 : 4)
            for (int64_t more = -1; more <= 1; more++)
                for (int t = 0; t < TILINGS; t++) {
                    int64_t m = 8 * nb * leaves + more, n = nb < 4 ? nb + 3 : 41;
                    struct tiling tiling = tiling_of(t, m, nb);
                    in_case("tree, %d × %d, %s of %d × %d", (int)m, (int)n, tiling.name,
                            (int)tiling.mb, (int)nb);
                    random_seed((uint64_t)(m + nb));
                    check_shape(m, n, (enum way)((m + t) % WAYS), tiling);
                }
    /* so many rows that there are several leaves on a GPU too, of 8192 rows there */
    for (int64_t mb = 5000; mb <= 20000; mb += 15000) {
        in_case("tree, 20000 × 40, tiles of %d × 20", (int)mb);
        random_seed(9);
        check_shape(20000, 40, mb == 5000 ? CREATED : WRAPPED, (struct tiling){"tall", mb, 20});
    }
    check_report("trees");
}

static void test_own_tiles(void **state)
{
    (void)state;
    for_own_tiles("getrf_tntpiv", check_shape);
    check_report("the library's tiles");
}

/* Here another choice of rows may meet growth that partial pivoting does not, so that only the
 * bound by |L| |U| is asked for; it holds for every choice. */
static void test_kinds(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{100, 100, 3}, {90, 40, 4}, {40, 90, 16}};
    for (const struct general *g = generals; g->name != NULL; g++) {
        for (int s = 0; s < 3; s++)
            for (int t = 0; t < TILINGS; t++) {
                struct tiling tiling = tiling_of(t, shapes[s][0], shapes[s][2]);
                in_case("%s, %d × %d, %s of %d × %d", g->name, (int)shapes[s][0], (int)shapes[s][1],
                        tiling.name, (int)tiling.mb, (int)tiling.nb);
                random_seed(7);
                struct array A = generate_general(g, dtype, shapes[s][0], shapes[s][1], 3);
                struct lu f = lu_of(A, TOURNAMENT, WRAPPED, tiling);
                /* Hilbert's in single precision is singular but for rounding, which may leave a
                 * pivot that is exactly zero */
                if (f.info == 0 || strcmp(g->name, "hilbert") != 0) {
                    require_info(f.info, 0);
                    check_lu(A, f, unbounded);
                }
                lu_free(f);
                array_free(A);
            }
        check_report(g->name);
    }
}

/* -- growth ---------------------------------------------------------------------------------- */

static double largest_of(struct array A)
{
    return lapack(A)->lange('M', A);
}

/* max |u_ij| / max |a_ij|, and max |l_ij| */
static double growth(struct array A, struct array F, double *multiplier)
{
    struct array L = lower_of(F), U = upper_of(F);
    double g = largest_of(U) / largest_of(A);
    *multiplier = largest_of(L);
    array_free(L);
    array_free(U);
    return g;
}

/* On random matrices growth is near partial pivoting's: in the paper up to about twice as much; the
 * multipliers, all below 1 there, remain below 10 or so. */
static void test_growth(void **state)
{
    (void)state;
    double worst_growth = 0, worst_multiplier = 0;
    for (int seed = 0; seed < 3; seed++)
        for (int t = 0; t < TILINGS; t++) {
            in_case("growth on random matrix %d, tiling %d", seed, t);
            random_seed((uint64_t)seed);
            double multiplier, lapacks_multiplier;
            struct array A = generate_general(&random_general, dtype, 180, 180, 0);
            struct lu f = lu_of(A, TOURNAMENT, WRAPPED, tiling_of(t, 180, 5));
            struct lu g = lapacks_lu(A);
            double ratio = growth(A, f.F, &multiplier) / growth(A, g.F, &lapacks_multiplier);
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

/* A column that is larger in the last rows than the rest, row by row: without the interchanges
 * between the leaves of a tree the multipliers would be of that size. */
static void test_far_pivots(void **state)
{
    (void)state;
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
        require_info(f.info, 0);
        check_lu(A, f, times);
        growth(A, f.F, &multiplier);
        require_below(multiplier, 30);
        lu_free(f);
        array_free(A);
    }
    check_report("large rows at the end");
}

/* -- singular matrices ------------------------------------------------------------------------ */

enum { NB = 2, N = 45 };

/* Columns of zeros, at every place: the first is told, and the block before it is factored. */
static void check_zeros(const int64_t *zeros, int count, int64_t m, int64_t n, struct tiling t)
{
    struct array A = generate_general(&random_general, dtype, m, n, 1);
    for (int z = 0; z < count; z++)
        for (int64_t i = 0; i < m && zeros[z] <= n; i++)
            set(A, i, zeros[z] - 1, 0);
    struct lu f = lu_of(A, TOURNAMENT, WRAPPED, t);
    require_info(f.info, zeros[0]);
    require(get(f.F, zeros[0] - 1, zeros[0] - 1) == 0);
    check_part(A, zeros[0] - 1, zeros[0] - 1, f, times);
    lu_free(f);
    array_free(A);
}

static void test_singular(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= N; k++)
        for (int64_t t = k % 2; t < TILINGS; t += 2) {
            const int64_t zeros[] = {k, k + 1, N};
            in_case("singular at %d, tiling %d", (int)k, (int)t);
            random_seed((uint64_t)k);
            check_zeros(zeros, 1, N, N, tiling_of((int)t, N, NB));
            check_zeros(zeros, 3, N, N, tiling_of((int)t, N, NB));
            check_zeros(zeros, 2, N, N, tiling_of((int)t, N, 10));
            check_zeros(zeros, 1, N + 20, N, tiling_of((int)t, N + 20, NB));
            check_zeros(zeros, 1, N, N + 20, tiling_of((int)t, N, NB));
        }
    check_report("blocks before a zero");
}

static void test_all_zero(void **state)
{
    (void)state;
    for (int t = 0; t < TILINGS; t++) {
        in_case("all zero, tiling %d", t);
        struct array A = array_new(dtype, N, N, 0);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < N; i++)
                set(A, i, j, 0);
        struct lu f = lu_of(A, TOURNAMENT, WRAPPED, tiling_of((int)t, N, NB));
        require_info(f.info, 1);
        lu_free(f);
        array_free(A);
    }
}

/* -- solving ---------------------------------------------------------------------------------- */

static void test_solving(void **state)
{
    (void)state;
    for (int t = 0; t < TILINGS; t++)
        for (int w = 0; w < WAYS; w++) {
            in_case("solving, tiling %d, %s", t, way_names[w]);
            random_seed(4);
            struct tiling tiling = tiling_of(t, 70, 4);
            struct array A = generate_general(&random_general, dtype, 70, 70, 1);
            struct array B = array_new(dtype, 70, 5, 0), F = array_copy(A);
            array_random(B);
            struct array X = array_copy(B), Z = array_copy(B);
            struct lu g = lapacks_lu(A);
            lapack(A)->getrs('N', g.F, g.ipiv, Z);
            struct subject S = subject_new(F, (enum way)w, 'G', tiling.mb, tiling.nb);
            struct subject Y = subject_new(X, (enum way)w, 'G', 16, 2);
            startile_pivots *P;
            require_info(startile_pivots_create(&P, S.A), 0);
            require_info(startile_getrf_tntpiv(S.A, P), 0);
            require_info(startile_getrs('N', S.A, P, Y.A), 0);
            startile_pivots_destroy(P);
            subject_home(&S);
            subject_home(&Y);
            check_solution(A, X, Z, B);
            lu_free(g);
            struct array all[] = {A, B, F, X, Z};
            for (int i = 0; i < 5; i++)
                array_free(all[i]);
        }
    check_report("solving");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares),   cmocka_unit_test(test_oblongs),
        cmocka_unit_test(test_long_ones), cmocka_unit_test(test_trees),
        cmocka_unit_test(test_own_tiles), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_growth),    cmocka_unit_test(test_far_pivots),
        cmocka_unit_test(test_singular),  cmocka_unit_test(test_all_zero),
        cmocka_unit_test(test_solving),
    };
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("getrf_tntpiv", tests, NULL, NULL));
}
