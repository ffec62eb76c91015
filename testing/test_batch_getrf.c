/* getrf_batch, getrf_nopiv_batch, getrs_batch, gesv_batch and getri_batch against LAPACK, matrix by
 * matrix. */
#include "batch.h"
#include "check.h"
#include "lu.h"
#include "reference.h"

#include <math.h>
#include <string.h>

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct group matrices(const struct general *g, int64_t m, int64_t n, int64_t count)
{
    struct group G = group_new(dtype, count, m, n, 1);
    for (int64_t q = 0; q < count && q < distinct(G); q++)
        g->fill(G.of[q]);
    group_repeat(G);
    return G;
}

/* The factors as lu.h has them. */
static struct lu as_lu(struct array F, const int64_t *ipiv, int64_t info)
{
    int64_t k = min(F.m, F.n);
    struct lu f = {F, pivots_new(k), info};
    for (int64_t i = 0; i < k; i++)
        f.ipiv[i] = ipiv == NULL ? i + 1 : ipiv[i];
    return f;
}

static void check_one(struct array A, struct array F, const int64_t *ipiv, int64_t info)
{
    struct lu f = as_lu(F, ipiv, info);
    require_info(info, 0);
    check_ipiv(f.ipiv, A.m, min(A.m, A.n));
    check_lu(A, f, INFINITY);
    if (ipiv != NULL)
        check_pivots_are_lapacks(A, f);
    pivots_free(f.ipiv, min(F.m, F.n));
}

static bool same_pivots(const struct integers *P, int64_t q, int64_t period)
{
    return q >= period && memcmp(integers_of(P, q), integers_of(P, q % period),
                                 (size_t)P->m * sizeof *P->memory) == 0;
}

/* -- factors -------------------------------------------------------------------------------- */

/* Squares, tall and wide ones take turns. */
static void check_factors(int64_t n, int64_t count, enum batch_form form, int turn)
{
    int64_t m = turn % 3 == 1 ? n + n / 2 : n;
    if (turn % 3 == 2)
        n += n / 2;
    bool pivots = turn % 4 != 3;
    struct group A = matrices(pivots ? &random_general : &dominant, m, n, count);
    struct group F = group_copy(A);
    struct pile a = pile_new(F, form, 0, NULL);
    struct integers P = integers_new(count, min(m, n), form, a.b),
                    info = integers_new(count, 1, form, a.b);
    if (pivots)
        require_info(startile_getrf_batch(a.b, P.b, info.b), 0);
    else
        require_info(startile_getrf_nopiv_batch(a.b, info.b), 0);
    pile_home(&a);
    integers_home(&P);
    integers_home(&info);
    require(group_has_borders_intact(F));
    for (int64_t q = 0; q < count; q++)
        if (!is_repeated(F, q) || (pivots && !same_pivots(&P, q, distinct(F))))
            check_one(A.of[q], F.of[q], pivots ? integers_of(&P, q) : NULL, *integers_of(&info, q));
    integers_free(&P);
    integers_free(&info);
    group_free(A);
    group_free(F);
}

static void test_factors(void **state)
{
    (void)state;
    for_batches(check_factors);
    check_report("factors");
}

/* -- solutions ------------------------------------------------------------------------------ */

static void solve(char trans, bool at_once, struct group F, struct group X, enum batch_form form)
{
    struct pile A = pile_new(F, form, 0, NULL), B = pile_new(X, form, 0, A.b);
    int64_t n = F.count > 0 ? F.of[0].n : 0;
    struct integers P = integers_new(F.count, n, form, A.b),
                    info = integers_new(F.count, 1, form, A.b);
    if (at_once) {
        require_info(startile_gesv_batch(A.b, P.b, B.b, info.b), 0);
    } else {
        require_info(startile_getrf_batch(A.b, P.b, info.b), 0);
        require_info(startile_getrs_batch(trans, A.b, P.b, B.b), 0);
    }
    pile_home(&B);
    pile_home(&A);
    integers_home(&P);
    integers_home(&info);
    integers_free(&P);
    integers_free(&info);
}

static struct array transposed(char trans, struct array A)
{
    struct array T = array_new(A.dtype, A.n, A.m, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(T, j, i, trans == 'C' ? __builtin_conj(get(A, i, j)) : get(A, i, j));
    return T;
}

/* Of op(A) X = B, beside what LAPACK's factors give. */
static void check_solution_of(char trans, struct array A, struct array B, struct array X)
{
    struct lu g = lapacks_lu(A);
    struct array Z = array_copy(B), T = trans == 'N' ? array_copy(A) : transposed(trans, A);
    lapack(A)->getrs(trans, g.F, g.ipiv, Z);
    check_solution_grown(T, X, Z, B, (double)(A.n + 1));
    array_free(Z);
    array_free(T);
    lu_free(g);
}

static void check_solutions(int64_t n, int64_t count, enum batch_form form, int turn)
{
    char trans = "NTC"[turn / 2 % 3];
    bool at_once = turn % 2 == 0;
    struct group A = matrices(&random_general, n, n, count),
                 B = group_new(dtype, count, n, 1 + turn % 3, 2);
    group_random(B);
    struct group F = group_copy(A), X = group_copy(B);
    solve(trans, at_once, F, X, form);
    require(group_has_borders_intact(X));
    for (int64_t q = 0; q < count; q++)
        if (!is_repeated(X, q))
            check_solution_of(at_once ? 'N' : trans, A.of[q], B.of[q], X.of[q]);
    struct group all[] = {A, B, F, X};
    for (int i = 0; i < 4; i++)
        group_free(all[i]);
}

static void test_solutions(void **state)
{
    (void)state;
    for_batches(check_solutions);
    check_report("solutions");
}

/* -- inverses ------------------------------------------------------------------------------- */

/* ‖A X − I‖₁ ≤ 30 n eps ‖A‖₁ ‖X‖₁, as for LAPACK's. */
static void check_inverse(struct array A, struct array X)
{
    struct array R = array_new(A.dtype, A.n, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(R, i, j, i == j);
    lapack(A)->gemm('N', 'N', 1, A, X, -1, R);
    double norm = lapack(A)->lange('1', A) * lapack(X)->lange('1', X);
    check_componentwise(lapack(R)->lange('1', R) / ((double)A.n * norm * unit_roundoff(A.dtype)));
    array_free(R);
}

static void check_inverses(int64_t n, int64_t count, enum batch_form form, int turn)
{
    bool pivots = turn % 4 != 3;
    struct group A = matrices(pivots ? &random_general : &dominant, n, n, count), X = group_copy(A);
    struct pile a = pile_new(X, form, 0, NULL);
    /* one of its own for each call, which could leave what was there */
    struct integers P = integers_new(count, n, form, a.b), info = integers_new(count, 1, form, a.b),
                    second = integers_new(count, 1, form, a.b);
    require_info(pivots ? startile_getrf_batch(a.b, P.b, info.b)
                        : startile_getrf_nopiv_batch(a.b, info.b),
                 0);
    require_info(startile_getri_batch(a.b, pivots ? P.b : NULL, second.b), 0);
    pile_home(&a);
    integers_home(&P);
    integers_home(&info);
    integers_home(&second);
    require(group_has_borders_intact(X));
    for (int64_t q = 0; q < count && n > 0; q++)
        if (!is_repeated(X, q))
            check_inverse(A.of[q], X.of[q]);
    integers_free(&P);
    integers_free(&info);
    integers_free(&second);
    group_free(A);
    group_free(X);
}

static void test_inverses(void **state)
{
    (void)state;
    for_batches(check_inverses);
    check_report("inverses");
}

/* -- singular ones ---------------------------------------------------------------------------- */

/* One with a zero column, among good ones: LAPACK's info, its right-hand side stays, its inverse is
 * not made, and the good ones are as if it were not there. */
static void test_singular(void **state)
{
    (void)state;
    static const int64_t orders[] = {1, 5, 16, 33, 70};
    enum { COUNT = 7, BAD = 4 };
    for (int s = 0; s < 5; s++)
        for (int f = 0; f < FORMS; f++) {
            int64_t n = orders[s], k = n / 2;
            enum batch_form form = (enum batch_form)f;
            in_case("order %d, %s", (int)n, form_names[f]);
            random_seed(4);
            struct group A[2], B[2];
            A[0] = matrices(&random_general, n, n, COUNT);
            B[0] = group_new(dtype, COUNT, n, 2, 0);
            group_random(B[0]);
            A[1] = group_copy(A[0]);
            B[1] = group_copy(B[0]);
            for (int64_t i = 0; i < n; i++)
                set(A[1].of[BAD], i, k, 0);
            struct array before = array_copy(B[1].of[BAD]);
            for (int bad = 0; bad < 2; bad++) {
                struct pile a = pile_new(A[bad], form, 0, NULL), b = pile_new(B[bad], form, 0, a.b);
                struct integers P = integers_new(COUNT, n, form, a.b),
                                info = integers_new(COUNT, 1, form, a.b),
                                second = integers_new(COUNT, 1, form, a.b);
                require_info(startile_gesv_batch(a.b, P.b, b.b, info.b), bad ? BAD + 1 : 0);
                require_info(startile_getri_batch(a.b, P.b, second.b), bad ? BAD + 1 : 0);
                pile_home(&b);
                pile_home(&a);
                integers_home(&P);
                integers_home(&info);
                integers_home(&second);
                for (int64_t q = 0; q < COUNT; q++) {
                    require_info(*integers_of(&info, q), bad && q == BAD ? k + 1 : 0);
                    require_info(*integers_of(&second, q), bad && q == BAD ? k + 1 : 0);
                }
                integers_free(&P);
                integers_free(&info);
                integers_free(&second);
            }
            require(is_same(B[1].of[BAD], before));
            for (int64_t q = 0; q < COUNT; q++)
                require(q == BAD || backend == HYBRID ||
                        (is_same(A[0].of[q], A[1].of[q]) && is_same(B[0].of[q], B[1].of[q])));
            array_free(before);
            for (int i = 0; i < 2; i++) {
                group_free(A[i]);
                group_free(B[i]);
            }
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_inverses),
        cmocka_unit_test(test_singular),
    };
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("batch_getrf", tests, NULL, NULL));
}
