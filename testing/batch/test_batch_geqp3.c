/* Tests of geqp3_batch: factors and LAPACK's pivots of all shapes and kinds of matrices, matrices
 * of different sizes in one batch, cancellation in norms, ranks, NaN. */
#include "batch.h"
#include "check.h"
#include "generate_qr.h"
#include "qr.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Results of a batch. F has the factors. */
struct answer {
    struct group F, tau;
    struct integers jpvt;
};

/* Factors copies of the matrices of A, which have the size of the first one. */
static struct answer factor(struct group A, enum batch_form form)
{
    int64_t m = A.count > 0 ? A.matrix[0].m : 0, n = A.count > 0 ? A.matrix[0].n : 0;
    struct answer x = {.F = group_copy(A), .tau = group_new(dtype, A.count, min(m, n), 1, 0)};
    struct test_batch a = test_batch_new(x.F, form, 0, NULL),
                      t = test_batch_new(x.tau, form, 0, a.b);
    x.jpvt = integers_new(A.count, n, form, a.b);
    require_info(startile_geqp3_batch(a.b, x.jpvt.b, t.b), 0);
    integers_finish(&x.jpvt);
    test_batches_finish(&t, &a);
    require(group_has_borders_intact(x.F));
    return x;
}

static void answer_free(struct answer x)
{
    groups_free(x.F, x.tau);
    integers_free(&x.jpvt);
}

/* Checks the factors of A P, and the choice of P. */
static void check_factors_of(struct array A, struct array F, struct array tau, const int64_t *jpvt)
{
    struct array B = permuted(A, jpvt);
    if (A.m > 0 && A.n > 0) {
        check_qr(B, (struct qr){QR, F, tau}, INFINITY);
        check_pivots(A, F, 0);
    }
    array_free(B);
}

/* Requires LAPACK's pivots. */
static void check_lapacks_pivots(struct array A, const int64_t *jpvt)
{
    struct qr l = qr_new(A, QR);
    int64_t *expected = calloc((size_t)A.n + 1, sizeof *expected);
    require(expected != NULL);
    if (A.m > 0 && A.n > 0)
        lapack(A)->geqp3(l.F, expected, l.tau);
    for (int64_t j = 0; j < min(A.m, A.n); j++)
        require(jpvt[j] == expected[j]);
    free(expected);
    qr_free(l);
}

/* -- shapes and kinds ------------------------------------------------------------------------- */

static void check_shape(int64_t n, int64_t count, enum batch_form form, int variant)
{
    int64_t rows = variant % 3 == 1 ? n + n / 2 : n, columns = variant % 3 == 2 ? n + n / 2 : n;
    struct group A = group_new_random(count, rows, columns, 1);
    struct answer x = factor(A, form);
    for (int64_t q = 0; q < count; q++) {
        const int64_t *jpvt = integers_of(&x.jpvt, q);
        bool is_same_order = q >= distinct(A) && memcmp(jpvt, integers_of(&x.jpvt, q % distinct(A)),
                                                        (size_t)columns * sizeof *jpvt) == 0;
        if (is_same_order && is_repeated(x.F, q) && is_repeated(x.tau, q))
            continue;
        check_factors_of(A.matrix[q], x.F.matrix[q], x.tau.matrix[q], jpvt);
        if (!is_single(dtype)) /* the norms of random columns differ by more than rounding errors */
            check_lapacks_pivots(A.matrix[q], jpvt);
    }
    answer_free(x);
    group_free(A);
}

static void test_shapes(void)
{
    for_batches(check_shape);
    check_report("shapes");
}

/* Tests matrices with zero or equal columns, of low rank, badly scaled and near the ends of the
 * range, in one batch for each shape. */
static void test_kinds(void)
{
    enum { MOST = 64 };
    const struct general *const lists[] = {generals, full_rank, mixed, deficient, extremes};
    static const int64_t shapes[][2] = {{9, 9}, {35, 35}, {100, 80}, {40, 90}, {200, 190}};
    for (int s = 0; s < 5; s++) {
        struct group A = {.matrix = calloc(MOST, sizeof *A.matrix)};
        require(A.matrix != NULL);
        for (int l = 0; l < 5; l++)
            for (const struct general *g = lists[l]; g->name != NULL; g++) {
                require(A.count < MOST);
                random_seed(7);
                A.matrix[A.count++] = generate_general(g, dtype, shapes[s][0], shapes[s][1], 3);
            }
        struct answer x = factor(A, (enum batch_form)(s % FORMS));
        for (int64_t q = 0; q < A.count; q++) {
            in_case("kind %d, %d × %d", (int)q, (int)shapes[s][0], (int)shapes[s][1]);
            require(is_finite(x.F.matrix[q]) && is_finite(x.tau.matrix[q]));
            check_factors_of(A.matrix[q], x.F.matrix[q], x.tau.matrix[q], integers_of(&x.jpvt, q));
        }
        answer_free(x);
        group_free(A);
    }
}

/* Tests matrices of different sizes in one batch, also without rows or columns. */
static void test_sizes(void)
{
    enum { COUNT = 40, STRIDE = 100 };
    int64_t jpvt[COUNT * STRIDE], *each[COUNT], rows[COUNT];
    struct group A = {COUNT, calloc(COUNT + 1, sizeof *A.matrix)},
                 tau = {COUNT, calloc(COUNT + 1, sizeof *tau.matrix)};
    startile_batch *P;
    require(A.matrix != NULL && tau.matrix != NULL);
    random_seed(4);
    for (int64_t q = 0; q < COUNT; q++) {
        int64_t m = q % 5 == 4 ? 0 : random_below(90), n = random_below(90);
        A.matrix[q] = array_new_random(dtype, m, n, q % 3);
        tau.matrix[q] = array_new(dtype, min(m, n), 1, 0);
        each[q] = jpvt + q * STRIDE;
        rows[q] = n;
    }
    struct group F = group_copy(A);
    struct test_batch a = test_batch_new(F, SIZES, 0, NULL), t = test_batch_new(tau, SIZES, 0, a.b);
    require_info(startile_batch_wrap_integer_pointers(&P, COUNT, rows, each, 0, a.b), 0);
    require_info(startile_geqp3_batch(a.b, P, t.b), 0);
    startile_batch_destroy(P);
    test_batches_finish(&t, &a);
    for (int64_t q = 0; q < COUNT; q++) {
        in_case("matrix %d of different sizes, %d × %d", (int)q, (int)F.matrix[q].m,
                (int)F.matrix[q].n);
        require(has_borders_intact(F.matrix[q]));
        check_factors_of(A.matrix[q], F.matrix[q], tau.matrix[q], each[q]);
        for (int64_t j = 0; j < rows[q] && F.matrix[q].m == 0; j++)
            require(each[q][j] == j + 1);
    }
    groups_free(A, tau, F);
}

/* -- pivots ----------------------------------------------------------------------------------- */

/* Tests norms lost to cancellation (Drmač & Bujanović 2008): after the first step all columns are
 * small, and their order is not that of the down-dated norms. */
static void test_cancellation(void)
{
    enum { N = 7 };
    for (int64_t m = 10; m <= 640; m *= 4) {
        in_case("cancellation, %d rows", (int)m);
        random_seed(5);
        struct group A = group_new(dtype, 1, m, N, 0);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < m; i++)
                set(A.matrix[0], i, j,
                    j == 0 ? 2
                           : 1 + (is_single(dtype) ? 1e-2 : 1e-8) *
                                     ldexp(1, -3 * (int)(j * 4 % N)) * random_element(dtype));
        struct answer x = factor(A, STRIDED);
        for (int64_t k = 1; k < N - 2; k++) /* column j has size j · 4 mod N; 4 · 2 = 1 mod N */
            require(integers_of(&x.jpvt, 0)[k] - 1 == k * 2 % N);
        check_factors_of(A.matrix[0], x.F.matrix[0], x.tau.matrix[0], integers_of(&x.jpvt, 0));
        answer_free(x);
        group_free(A);
    }
}

/* Tests products of random m × r and r × n matrices, of which R has r rows that are not small. */
static void test_ranks(void)
{
    enum { M = 70, N = 50, COUNT = 11 };
    struct group A = {COUNT, calloc(COUNT + 1, sizeof *A.matrix)};
    require(A.matrix != NULL);
    random_seed(3);
    for (int64_t q = 0; q < COUNT; q++) {
        struct array X = array_new_random(dtype, M, 5 * q, 0),
                     Y = array_new_random(dtype, 5 * q, N, 0);
        A.matrix[q] = product('N', 'N', X, Y);
        arrays_free(X, Y);
    }
    struct answer x = factor(A, STRIDED);
    for (int64_t q = 0; q < COUNT; q++) {
        in_case("rank %d", (int)(5 * q));
        struct array F = x.F.matrix[q];
        double least = 100 * N * unit_roundoff(dtype) * cabs(get(F, 0, 0));
        for (int64_t k = 0; k < N; k++)
            require((cabs(get(F, k, k)) > least) == (k < 5 * q));
        check_factors_of(A.matrix[q], F, x.tau.matrix[q], integers_of(&x.jpvt, q));
    }
    answer_free(x);
    group_free(A);
}

/* Tests equal columns, of which the first one comes first, and a matrix of zeros: the identity. */
static void test_equal_columns(void)
{
    enum { M = 20, N = 12 };
    in_case("equal columns");
    random_seed(6);
    struct group A = group_new_random(3, M, N, 0);
    for (int64_t i = 0; i < M; i++) {
        set(A.matrix[0], i, 9, 100 * get(A.matrix[0], i, 5));
        set(A.matrix[0], i, 5, get(A.matrix[0], i, 9));
        for (int64_t j = 0; j < N; j++) {
            set(A.matrix[1], i, j, 0);
            set(A.matrix[2], i, j, i + 1);
        }
    }
    struct answer x = factor(A, STRIDED);
    require(integers_of(&x.jpvt, 0)[0] == 6 && integers_of(&x.jpvt, 2)[0] == 1);
    for (int64_t j = 0; j < N; j++)
        require(integers_of(&x.jpvt, 1)[j] == j + 1);
    for (int64_t k = 0; k < N; k++)
        require(get(x.tau.matrix[1], k, 0) == 0);
    for (int q = 0; q < 3; q++)
        check_factors_of(A.matrix[q], x.F.matrix[q], x.tau.matrix[q], integers_of(&x.jpvt, q));
    answer_free(x);
    group_free(A);
}

/* Tests that a matrix with NaN ends with NaN, and that the bits of the others do not change. */
static void test_nan(void)
{
    enum { COUNT = 6, BAD = 2 };
    static const int64_t shapes[][2] = {{5, 4}, {30, 20}, {20, 30}, {150, 140}};
    for (int s = 0; s < 4; s++) {
        in_case("NaN, %d × %d", (int)shapes[s][0], (int)shapes[s][1]);
        random_seed(9);
        struct group A = group_new_random(COUNT, shapes[s][0], shapes[s][1], 0);
        struct answer before = factor(A, STRIDED);
        set(A.matrix[BAD], 3, 2, NAN);
        struct answer x = factor(A, STRIDED);
        for (int q = 0; q < COUNT; q++) {
            struct array P = permuted(A.matrix[q], integers_of(&x.jpvt, q));
            require(q == BAD
                        ? !is_finite(x.F.matrix[q])
                        : backend == HYBRID || (is_same(x.F.matrix[q], before.F.matrix[q]) &&
                                                is_same(x.tau.matrix[q], before.tau.matrix[q])));
            array_free(P);
        }
        if (backend == GPU)
            require(integers_of(&x.jpvt, BAD)[0] == 3);
        answer_free(before);
        answer_free(x);
        group_free(A);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_geqp3", test_shapes, test_kinds, test_sizes,
                      test_cancellation, test_ranks, test_equal_columns, test_nan);
}
