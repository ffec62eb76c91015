/* getrf_nopiv: shapes and tiles of matrices that need no pivots, and zeros on U's diagonal. */
#include "check.h"
#include "generate.h"
#include "lu.h"

#include <complex.h>
#include <math.h>

/* On a matrix with dominant columns partial pivoting moves no row, so LAPACK's factors are the same
 * but for rounding. */
static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    struct array A = generate_general(&dominant, dtype, m, n, (m + n) % 3);
    struct lu f = lu_of(A, NONE, way, t);
    require_info(f.info, 0);
    check_lu(A, f, 2);
    check_multipliers(f.F);
    check_pivots_are_lapacks(A, f);
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

static void test_own_tiles(void **state)
{
    (void)state;
    for_own_tiles("getrf_nopiv", check_shape);
    check_report("the library's tiles");
}

/* Multipliers of ±2, which any interchange would avoid: L and U to the last bit. */
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
                struct known_lu K = known_lu(dtype, m, n, 2, NULL, 0, false);
                struct lu f = lu_of(K.A, NONE, (enum way)w, tiling);
                check_known(K, f);
                lu_free(f);
                known_lu_free(K);
            }
}

/* The first zero is told, wherever it is and whatever follows; the leading block before it is
 * factored. */
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

static void test_zeros(void **state)
{
    (void)state;
    enum { NB = 6, N = 3 * NB + 4 };
    for (int64_t k = 1; k <= N; k++)
        for (int t = 0; t < TILINGS; t++) {
            const int64_t zeros[] = {k, k + 1, N};
            in_case("zeros from %d on, tiling %d", (int)k, t);
            random_seed((uint64_t)k);
            check_zeros(zeros, 1, N, N, tiling_of(t, N, NB));
            check_zeros(zeros, 3, N, N, tiling_of(t, N, NB));
            check_zeros(zeros, 1, N + 9, N, tiling_of(t, N + 9, NB));
            check_zeros(zeros, 2, N, N + 9, tiling_of(t, N, NB));
        }
    in_case("one panel");
    for (int64_t k = 1; k <= N; k += 5)
        check_zeros(&k, 1, N, N, tiling_of(0, N, 2 * N));
}

static void test_all_zero(void **state)
{
    (void)state;
    for (int t = 0; t < TILINGS; t++) {
        in_case("all zero, tiling %d", t);
        struct array A = array_new(dtype, 20, 20, 0);
        for (int64_t j = 0; j < 20; j++)
            for (int64_t i = 0; i < 20; i++)
                set(A, i, j, 0);
        struct lu f = lu_of(A, NONE, WRAPPED, tiling_of(t, 20, 6));
        require_info(f.info, 1);
        lu_free(f);
        in_case("zero on the diagonal, ones elsewhere, tiling %d", t);
        for (int64_t j = 0; j < 20; j++)
            for (int64_t i = 0; i < 20; i++)
                set(A, i, j, i != j);
        f = lu_of(A, NONE, WRAPPED, tiling_of(t, 20, 6));
        require_info(f.info, 1);
        require(!isfinite(creal(get(f.F, 1, 0))));
        lu_free(f);
        array_free(A);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares),   cmocka_unit_test(test_oblongs),
        cmocka_unit_test(test_long_ones), cmocka_unit_test(test_own_tiles),
        cmocka_unit_test(test_exact),     cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_all_zero),
    };
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("getrf_nopiv", tests, NULL, NULL));
}
