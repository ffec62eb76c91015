/* Tests of geqp3: LAPACK's pivots where norms are separated, factors of all shapes and kinds of
 * matrices, columns that come first, cancellation in norms, rank, NaN. */
#include "check.h"
#include "generate_qr.h"
#include "pivoted.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static struct pivoted pivoted_of(struct array A, const int64_t *chosen, enum way way, int64_t nb)
{
    return pivoted_by(NULL, A, chosen, way, nb);
}

static struct pivoted lapack_pivoted(struct array A, const int64_t *chosen)
{
    struct pivoted p = pivoted_new(A, chosen);
    lapack(A)->geqp3(p.f.F, p.jpvt, p.f.tau);
    return p;
}

static void check_pivoted(struct array A, struct pivoted p, double times)
{
    struct array B = permuted(A, p.jpvt);
    check_qr(B, p.f, times);
    check_pivots(A, p.f.F, 0);
    array_free(B);
}

static void require_same_pivots(struct pivoted a, struct pivoted b, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        require(a.jpvt[j] == b.jpvt[j]);
}

/* -- shapes and kinds ------------------------------------------------------------------------- */

static void check_shape(int64_t m, int64_t n, enum way way, struct tiling t)
{
    static int cases;
    if (t.mb < m || is_left_out(cases++))
        return;
    struct array A = generate_general(&random_general, dtype, m, n, (m + n) % 3);
    struct pivoted p = pivoted_of(A, NULL, way, t.nb), l = lapack_pivoted(A, NULL);
    check_pivoted(A, p, 2);
    if (!is_single(dtype)) /* the norms of random columns differ by more than rounding errors */
        require_same_pivots(p, l, min(m, n));
    pivoted_free(p);
    pivoted_free(l);
    array_free(A);
}

static void test_shapes(void)
{
    for_shapes("geqp3", check_shape);
}

static void test_kinds(void)
{
    check_pivoted_kinds(NULL, check_pivoted);
}

/* -- pivots ----------------------------------------------------------------------------------- */

/* Returns a random matrix in which the norms of any two columns differ by a factor of at least 2.
 */
static struct array separated(int64_t m, int64_t n)
{
    struct array A = generate_general(&random_general, dtype, m, n, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(A, i, j, (get(A, i, j) + 2) * ldexp(1, -3 * (int)(j * 7 % n)));
    return A;
}

/* Tests columns that come first, fewer and more than the matrix has rows. */
static void test_chosen(void)
{
    static const int64_t shapes[][2] = {{30, 12}, {12, 12}, {5, 14}, {60, 14}, {1, 3}};
    for (int s = 0; s < 5; s++)
        for (int every = 1; every <= 5; every++) {
            int64_t m = shapes[s][0], n = shapes[s][1], chosen[14], count = 0;
            in_case("every column of %d is chosen, %d × %d", every, (int)m, (int)n);
            random_seed(3);
            struct array A = separated(m, n);
            for (int64_t j = 0; j < n; j++)
                count += chosen[j] = j % every == every - 1;
            struct pivoted p = pivoted_of(A, chosen, WRAPPED, 4), l = lapack_pivoted(A, chosen);
            struct array B = permuted(A, p.jpvt);
            require_same_pivots(p, l, n);
            check_qr(B, p.f, 2);
            check_pivots(A, p.f.F, min(count, m));
            pivoted_free(p);
            pivoted_free(l);
            arrays_free(A, B);
        }
}

/* Tests norms lost to cancellation (Drmač & Bujanović 2008): after the first step all columns are
 * small, and their order is not that of the down-dated norms. */
static void test_cancellation(void)
{
    enum { M = 40, N = 7 };
    for (int nb = 2; nb <= 64; nb *= 4) {
        in_case("cancellation, nb = %d", nb);
        random_seed(5);
        struct array A = array_new(dtype, M, N, 0);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < M; i++)
                set(A, i, j,
                    j == 0 ? 2
                           : 1 + (is_single(dtype) ? 1e-2 : 1e-8) * ldexp(1, -2 * (j * 4 % N)) *
                                     random_element(dtype));
        struct pivoted p = pivoted_of(A, NULL, WRAPPED, nb);
        for (int64_t k = 1; k < N; k++) /* column j has size j · 4 mod N; 4 · 2 = 1 mod N */
            require(p.jpvt[k] - 1 == k * 2 % N);
        check_pivoted(A, p, 2);
        pivoted_free(p);
        array_free(A);
    }
}

static void test_rank(void)
{
    check_pivoted_ranks(NULL, 48, check_pivoted);
}

/* Tests Kahan's matrix, whose columns have equal norms: LAPACK's factors. */
static void test_kahan(void)
{
    enum { N = 40 };
    const double c = 0.285, s = sqrt(1 - c * c);
    in_case("Kahan's matrix");
    struct array A = array_new(dtype, N, N, 0);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            double scale = pow(s, (double)i) * (1 - 1e-4 * (double)j);
            set(A, i, j, i > j ? 0 : i == j ? scale : -c * scale);
        }
    struct pivoted p = pivoted_of(A, NULL, WRAPPED, 16), l = lapack_pivoted(A, NULL);
    require_same_pivots(p, l, N);
    check_pivoted(A, p, INFINITY);
    double ours = cabs(get(p.f.F, N - 1, N - 1)), lapacks = cabs(get(l.f.F, N - 1, N - 1));
    require(fabs(ours - lapacks) <= 1e4 * unit_roundoff(dtype) * lapacks);
    pivoted_free(p);
    pivoted_free(l);
    array_free(A);
}

/* -- NaN, entries ----------------------------------------------------------------------------- */

/* Tests that a column with NaN is the first pivot, also if it is not the first column with NaN in
 * the order of a search for larger numbers. */
static void test_nan(void)
{
    enum { M = 30, N = 20 };
    for (int64_t j = 0; j < N; j += 6)
        for (int64_t i = 0; i < M; i += 29) {
            in_case("NaN at (%d, %d)", (int)i, (int)j);
            random_seed(9);
            struct array A = generate_general(&random_general, dtype, M, N, 0);
            set(A, i, j, NAN);
            struct pivoted p = pivoted_of(A, NULL, WRAPPED, 8);
            struct array B = permuted(A, p.jpvt);
            require(p.jpvt[0] == j + 1);
            require(!is_finite(p.f.F));
            pivoted_free(p);
            arrays_free(A, B);
        }
}

static void test_typed(void)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 4},     {4, 0},    {1, 1},    {7, 7},    {1, 9},
                                        {9, 1}, {150, 150}, {200, 70}, {70, 200}, {400, 300}};
    for (int s = 0; s < 11; s++) {
        int64_t m = shapes[s][0], n = shapes[s][1];
        in_case("typed geqp3, %d × %d", (int)m, (int)n);
        random_seed(11);
        struct array A = generate_general(&random_general, dtype, m, n, 2);
        struct pivoted p = pivoted_new(A, NULL);
        require_info(lapack(A)->typed_geqp3(m, n, p.f.F.a, p.f.F.ld, p.jpvt, p.f.tau.a), 0);
        if (m > 0 && n > 0)
            check_pivoted(A, p, 2);
        pivoted_free(p);
        array_free(A);
    }
}

/* Tests that a second factorization with the same objects gives the same bits. */
static void test_again(void)
{
    in_case("the same bits");
    random_seed(2);
    struct array A = generate_general(&random_general, dtype, 300, 260, 0);
    struct pivoted p = pivoted_of(A, NULL, WRAPPED, 64), q = pivoted_of(A, NULL, WRAPPED, 64);
    require(is_same(p.f.F, q.f.F) && is_same(p.f.tau, q.f.tau));
    require_same_pivots(p, q, A.n);
    pivoted_free(p);
    pivoted_free(q);
    array_free(A);
}

static void test_arguments(void)
{
    in_case("arguments");
    startile_matrix *A = matrix_created(dtype, 10, 7, 10, 4), *T = reflectors_created(A);
    startile_matrix *tiles = matrix_created(dtype, 10, 7, 4, 4),
                    *narrow = matrix_created(dtype, 10, 6, 10, 4);
    startile_permutation *P = NULL, *other = NULL;
    int64_t jpvt[7];
    require_info(startile_permutation_create(NULL, A), -1);
    require_info(startile_permutation_create(&P, NULL), -2);
    require_info(startile_permutation_create(&P, A), 0);
    require_info(startile_permutation_create(&other, narrow), 0);
    require_info(startile_permutation_to_lapack(NULL, jpvt), -1);
    require_info(startile_permutation_to_lapack(P, NULL), -2);
    require_info(startile_permutation_to_lapack(P, jpvt), 0);
    for (int64_t j = 0; j < 7; j++)
        require(jpvt[j] == j + 1);
    require_info(startile_permutation_choose(NULL, jpvt), -1);
    require_info(startile_permutation_choose(P, NULL), -2);
    require_info(startile_geqp3(NULL, P, reflectors_of(T)), -1);
    require_info(startile_geqp3(tiles, P, reflectors_of(T)), -1);
    require_info(startile_geqp3(A, NULL, reflectors_of(T)), -2);
    require_info(startile_geqp3(A, other, reflectors_of(T)), -2);
    require_info(startile_geqp3(A, P, NULL), -3);
    require_info(startile_geqp3(narrow, other, reflectors_of(T)), -3);
    require_info(startile_geqp3_async(A, P, reflectors_of(T), NULL), -4);
    startile_permutation_destroy(P);
    startile_permutation_destroy(other);
    startile_permutation_destroy(NULL);
    matrices_destroy(A, T, tiles, narrow);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "geqp3", test_shapes, test_kinds, test_chosen, test_cancellation,
                      test_rank, test_kahan, test_nan, test_typed, test_again, test_arguments);
}
