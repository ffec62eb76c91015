/* getrf: shapes, tiles, kinds of matrices, choice of pivots, typed entries. Singular matrices are
 * in test_getrf_info.c. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "reference.h"

#include <complex.h>

static void factor_and_check(struct array A, bool has_clear_pivots, enum way way, struct tiling t)
{
    struct lu f = lu_of(A, PARTIAL, way, t), g = lapacks_lu(A);
    require_info(f.info, g.info);
    check_lu(A, f, 2);
    check_multipliers(f.F);
    if (has_clear_pivots)
        check_pivots_are_lapacks(A, f);
    lu_free(f);
    lu_free(g);
}

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    struct array A = generate_general(&random_general, dtype, m, n, (m + n) % 3);
    factor_and_check(A, true, way, t);
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

static void test_own_tiles(void **state)
{
    (void)state;
    for_own_tiles("getrf", check_shape);
    check_report("the library's tiles");
}

static void test_kinds(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {
        {35, 35, 16}, {35, 35, 64}, {100, 100, 24}, {90, 40, 16}, {40, 90, 16}};
    for (const struct general *g = generals; g->name != NULL; g++) {
        for (int s = 0; s < 5; s++)
            for (int t = 0; t < TILINGS; t++) {
                struct tiling tiling = tiling_of(t, shapes[s][0], shapes[s][2]);
                in_case("%s, %d × %d, %s of %d × %d", g->name, (int)shapes[s][0], (int)shapes[s][1],
                        tiling.name, (int)tiling.mb, (int)tiling.nb);
                random_seed(7);
                struct array A = generate_general(g, dtype, shapes[s][0], shapes[s][1], 3);
                factor_and_check(A, g->has_clear_pivots, WRAPPED, tiling);
                array_free(A);
            }
        check_report(g->name);
    }
}

/* Where every step is exact: L, U and pivots to the last bit, in every tiling. */
static void test_exact(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{22, 22}, {45, 45}, {60, 25}, {25, 60}, {9, 1}, {1, 9}};
    for (int s = 0; s < 6; s++)
        for (int t = 0; t < TILINGS; t++)
            for (int w = 0; w < WAYS; w++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                struct tiling tiling = tiling_of(t, m, 8);
                in_case("known factors, %d × %d, %s, %s", (int)m, (int)n, tiling.name,
                        way_names[w]);
                random_seed((uint64_t)(m + t));
                struct known_lu K = known_lu(dtype, m, n, 2, NULL, 0, true);
                struct lu f = lu_of(K.A, PARTIAL, (enum way)w, tiling);
                check_known(K, f);
                lu_free(f);
                known_lu_free(K);
            }
}

/* Of equal candidates the topmost: no row moves in gfpp, whose candidates are all ±1, and the first
 * column of ones takes its first row wherever its tiles end. */
static void test_topmost_of_equals(void **state)
{
    (void)state;
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
            /* in the first column, the largest in two rows of different tiles */
            array_random(A);
            set(A, m - 1, 0, -4);
            set(A, 20, 0, 4);
            f = lu_of(A, PARTIAL, WRAPPED, tiling);
            require_info(f.ipiv[0], 21);
            lu_free(f);
            array_free(A);
        }
}

/* The magnitude is |re| + |im|: 3 + 3i goes before 5, whose absolute value is larger. */
static void test_magnitude(void **state)
{
    (void)state;
    if (dtype < STARTILE_C)
        return;
    in_case("3 + 3i beside 5");
    struct array A = array_new(dtype, 3, 2, 0);
    array_random(A);
    set(A, 1, 0, 5);
    set(A, 2, 0, 3 + 3 * I);
    struct lu f = lu_of(A, PARTIAL, WRAPPED, tiling_of(0, 3, 1));
    require_info(f.ipiv[0], 3);
    lu_free(f);
    array_free(A);
}

/* One object of pivots serves one factorization after the other. */
static void test_pivots_again(void **state)
{
    (void)state;
    enum { N = 37 };
    in_case("the same pivots twice");
    startile_pivots *P = NULL;
    for (int round = 0; round < 3; round++) {
        random_seed((uint64_t)round);
        struct array A = generate_general(&random_general, dtype, N, N, 0);
        struct lu f = {array_copy(A), pivots_new(N), -1};
        struct subject S = subject_new(f.F, WRAPPED, 'G', N, 8);
        if (P == NULL)
            require_info(startile_pivots_create(&P, S.A), 0);
        require_info(startile_getrf(S.A, P), 0);
        require_info(startile_pivots_to_lapack(P, f.ipiv), 0);
        subject_home(&S);
        check_lu(A, f, 2);
        check_pivots_are_lapacks(A, f);
        lu_free(f);
        array_free(A);
    }
    startile_pivots_destroy(P);
}

static void test_typed_entries(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 0}, {0, 4}, {4, 0},     {1, 1},    {7, 7},
                                        {1, 9}, {9, 1}, {150, 150}, {200, 70}, {70, 200}};
    for (int s = 0; s < 10; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1], k = m < n ? m : n;
        in_case("typed, %d × %d", (int)m, (int)n);
        random_seed(11);
        struct array A = generate_general(&random_general, dtype, m, n, 2);
        struct lu f = {array_copy(A), pivots_new(k), -1};
        f.info = lapack(A)->typed_getrf(m, n, f.F.a, f.F.ld, f.ipiv);
        require_info(f.info, 0);
        require(has_borders_intact(f.F));
        check_ipiv(f.ipiv, m, k);
        check_lu(A, f, 2);
        check_multipliers(f.F);
        check_pivots_are_lapacks(A, f);
        lu_free(f);
        array_free(A);
    }
    check_report("typed entries");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares),
        cmocka_unit_test(test_oblongs),
        cmocka_unit_test(test_long_ones),
        cmocka_unit_test(test_own_tiles),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_topmost_of_equals),
        cmocka_unit_test(test_magnitude),
        cmocka_unit_test(test_pivots_again),
        cmocka_unit_test(test_typed_entries),
    };
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("getrf", tests, NULL, NULL));
}
