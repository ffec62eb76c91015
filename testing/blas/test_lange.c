/* Tests of lange, lansy, lanhe against LAPACK; NaN, infinities, and elements whose squares
 * overflow. */
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>

static const char uplos[] = {'L', 'U'};

/* Requires both norms to be equal up to the rounding of sums of n terms, or both to be the same
 * infinity or NaN. The library accumulates in double precision, LAPACK in the type. */
static void require_norm(double ours, double lapacks, int64_t n)
{
    if (isnan(lapacks) || isinf(lapacks)) {
        require(isnan(lapacks) ? isnan(ours) : ours == lapacks);
    } else {
        require_below(fabs(ours - lapacks),
                      2 * (double)(n + 4) * unit_roundoff(dtype) * lapacks + 0x1p-1000);
    }
}

/* Returns the library's norm of A, which must not change. */
static double norm_of(char norm, struct array A, enum way way, int64_t mb, int64_t nb)
{
    double value = -7;
    struct array A0 = array_copy(A);
    struct test_matrix S = test_matrix_new(A, way, 'G', mb, nb);
    require_info(startile_lange(norm, S.A, &value), 0);
    test_matrix_finish(&S);
    require(is_same(A, A0));
    array_free(A0);
    return value;
}

/* Returns lanhe (hermitian) or lansy of the triangle uplo of A, which must not change. */
static double triangle_norm_of(char norm, char uplo, bool hermitian, struct array A, enum way way,
                               int64_t nb)
{
    double value = -7;
    struct array A0 = array_copy(A);
    struct test_matrix S = test_matrix_new(A, way, uplo, nb, nb);
    require_info(hermitian ? startile_lanhe(norm, uplo, S.A, &value)
                           : startile_lansy(norm, uplo, S.A, &value),
                 0);
    test_matrix_finish(&S);
    require(is_same(A, A0));
    array_free(A0);
    return value;
}

static void test_general(void)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 3}, {4, 0},   {1, 1},  {1, 9},
                                        {9, 1}, {7, 8}, {20, 13}, {13, 33}};
    static const int64_t tiles[][2] = {{8, 8}, {5, 3}, {40, 4}, {4, 40}};
    random_seed(50);
    for (int s = 0; s < 9; s++)
        for (int t = 0; t < 4; t++)
            for (const char *norm = "M1OIFE"; *norm != '\0'; norm++) {
                enum way way = (enum way)((s + t) % WAYS);
                in_case("lange %c, %d × %d, tiles %d × %d, %s", *norm, (int)shapes[s][0],
                        (int)shapes[s][1], (int)tiles[t][0], (int)tiles[t][1], way_names[way]);
                struct array A = array_new_random(dtype, shapes[s][0], shapes[s][1], 2);
                double ours = norm_of(*norm, A, way, tiles[t][0], tiles[t][1]);
                double lapacks = A.m == 0 || A.n == 0 ? 0 : lapack(A)->lange(*norm, A);
                require_norm(ours, lapacks, A.m + A.n);
                array_free(A);
            }
}

static void test_symmetric_and_hermitian(void)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 8, 9, 30};
    random_seed(51);
    for (int s = 0; s < 7; s++)
        for (int u = 0; u < 2; u++)
            for (int hermitian = 0; hermitian < 2; hermitian++)
                for (const char *norm = "M1OIFE"; *norm != '\0'; norm++) {
                    enum way way = (enum way)((s + u) % WAYS);
                    int64_t n = sizes[s];
                    in_case("%s %c%c, n %d, %s", hermitian ? "lanhe" : "lansy", *norm, uplos[u],
                            (int)n, way_names[way]);
                    struct array A = array_new_random(dtype, n, n, 1);
                    array_poison(A, uplos[u] == 'L' ? 'U' : 'L');
                    double ours = triangle_norm_of(*norm, uplos[u], hermitian, A, way, 8);
                    double lapacks = n == 0      ? 0
                                     : hermitian ? lapack(A)->lanhe(*norm, uplos[u], A)
                                                 : lapack(A)->lansy(*norm, uplos[u], A);
                    require_norm(ours, lapacks, n * n);
                    array_free(A);
                }
}

/* Tests that lanhe ignores the imaginary parts of the diagonal. */
static void test_imaginary_diagonal(void)
{
    if (dtype < STARTILE_C)
        return;
    for (const char *norm = "M1IF"; *norm != '\0'; norm++) {
        in_case("lanhe %c, imaginary diagonal", *norm);
        struct array A = array_new(dtype, 10, 10, 0);
        for (int64_t j = 0; j < 10; j++)
            for (int64_t i = 0; i < 10; i++)
                set(A, i, j, i == j ? 1 + 100 * I : 0);
        require_norm(triangle_norm_of(*norm, 'L', true, A, WRAPPED, 4), *norm == 'F' ? sqrt(10) : 1,
                     10);
        array_free(A);
    }
}

/* Tests that every norm is NaN with a NaN, and ∞ with an infinity. */
static void test_nan_and_infinity(void)
{
    static const int64_t at[][2] = {{0, 0}, {3, 1}, {12, 0}, {7, 7}, {12, 11}};
    const double what[] = {NAN, INFINITY, -INFINITY};
    random_seed(52);
    for (int p = 0; p < 5; p++)
        for (int v = 0; v < 3; v++)
            for (const char *norm = "M1IF"; *norm != '\0'; norm++) {
                double expected = isnan(what[v]) ? NAN : INFINITY;
                in_case("%g at (%d, %d), norm %c", what[v], (int)at[p][0], (int)at[p][1], *norm);
                struct array A = array_new_random(dtype, 13, 13, 0);
                set(A, at[p][0], at[p][1], what[v]);
                require_norm(norm_of(*norm, A, WRAPPED, 4, 4), expected, 13);
                require_norm(triangle_norm_of(*norm, 'L', false, A, WRAPPED, 4), expected, 13);
                require_norm(triangle_norm_of(*norm, 'L', true, A, WRAPPED, 4), expected, 13);
                array_free(A);
            }
}

/* Tests that the norm is NaN with both a NaN and an infinity, in either order. */
static void test_nan_beside_infinity(void)
{
    for (const char *norm = "M1IF"; *norm != '\0'; norm++)
        for (int nan_last = 0; nan_last < 2; nan_last++) {
            in_case("NaN %s Inf, norm %c", nan_last ? "after" : "before", *norm);
            struct array A = array_new_random(dtype, 9, 9, 0);
            set(A, 2, nan_last ? 8 : 1, NAN);
            set(A, 2, nan_last ? 1 : 8, INFINITY);
            double value = norm_of(*norm, A, WRAPPED, 4, 4);
            /* a column without the NaN has an infinite sum; LAPACK's loops return NaN */
            require(isnan(value));
            array_free(A);
        }
}

/* Tests elements whose squares overflow or underflow, in different tiles. */
static void test_scaling_of_F(void)
{
    bool single = dtype == STARTILE_S || dtype == STARTILE_C;
    const double scales[] = {single ? 0x1p120 : 0x1p1000, single ? 0x1p-120 : 0x1p-1000,
                             single ? 0x1p-140 : 0x1p-1060, 1};
    random_seed(53);
    for (int s = 0; s < 4; s++) {
        in_case("elements near %g", scales[s]);
        struct array A = array_new(dtype, 19, 19, 0);
        long double sum = 0, triangle = 0;
        for (int64_t j = 0; j < 19; j++)
            for (int64_t i = 0; i < 19; i++) {
                set(A, i, j, scales[s] * random_element(dtype));
                long double x = creal(get(A, i, j)), y = cimag(get(A, i, j));
                sum += x * x + y * y;
                triangle += i < j ? 0 : (i == j ? 1 : 2) * (x * x + y * y);
            }
        require_norm(norm_of('F', A, WRAPPED, 5, 6), (double)sqrtl(sum), 38);
        require_norm(triangle_norm_of('F', 'L', false, A, WRAPPED, 5), (double)sqrtl(triangle), 38);
        array_free(A);
    }
    in_case("1, then 2^±100");
    struct array A = array_new(dtype, 3, 1, 0);
    set(A, 0, 0, 1);
    set(A, 1, 0, 0x1p-100);
    set(A, 2, 0, 0x1p100);
    require_norm(norm_of('F', A, WRAPPED, 1, 1), 0x1p100, 3);
    array_free(A);
}

/* Tests that a matrix that no task has written has norm 0. */
static void test_zero(void)
{
    for (const char *norm = "M1IF"; *norm != '\0'; norm++) {
        in_case("a matrix never written, norm %c", *norm);
        double value = -7;
        startile_matrix *Z = matrix_created(dtype, 10, 10, 4, 4);
        require_info(startile_lange(*norm, Z, &value), 0);
        require(value == 0);
        value = -7;
        require_info(startile_lansy(*norm, 'U', Z, &value), 0);
        require(value == 0);
        startile_matrix_destroy(Z);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "lange", test_general, test_symmetric_and_hermitian,
                      test_imaginary_diagonal, test_nan_and_infinity, test_nan_beside_infinity,
                      test_scaling_of_F, test_zero);
}
