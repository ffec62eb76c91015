/* Tests of getrf_batch, getrf_nopiv_batch, getrs_batch, gesv_batch and getri_batch against LAPACK,
 * matrix by matrix. */
#include "batch.h"
#include "check.h"
#include "lu.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Returns a batch of matrices of this kind, of which distinct() are different. */
static struct group matrices(const struct general *g, int64_t m, int64_t n, int64_t count)
{
    struct group G = group_new(dtype, count, m, n, 1);
    for (int64_t q = 0; q < count && q < distinct(G); q++)
        g->fill(G.matrix[q]);
    group_repeat(G);
    return G;
}

/* Returns the factors F as a struct lu. ipiv: NULL without pivoting. The caller frees its pivots,
 * which are a copy. */
static struct lu as_lu(struct array F, const int64_t *ipiv, int64_t info)
{
    int64_t k = min(F.m, F.n);
    struct lu f = {F, pivots_new(k), info};
    for (int64_t i = 0; i < k; i++)
        f.ipiv[i] = ipiv == NULL ? i + 1 : ipiv[i];
    return f;
}

/* Checks the factors F of A against LAPACK's; also the choice of pivots unless ipiv is NULL. */
static void check_one(struct array A, struct array F, const int64_t *ipiv, int64_t info)
{
    struct lu f = as_lu(F, ipiv, info), g = lapack_lu(A);
    require_info(info, 0);
    check_ipiv(f.ipiv, A.m, min(A.m, A.n));
    check_lu_against(A, f, g, INFINITY);
    if (ipiv != NULL)
        check_pivots_match(f, g);
    lu_free(g);
    pivots_free(f.ipiv, min(F.m, F.n));
}

/* Returns true if q >= period and matrix q has the pivots of matrix q % period. */
static bool are_pivots_repeated(const struct integers *P, int64_t q, int64_t period)
{
    return q >= period && memcmp(integers_of(P, q), integers_of(P, q % period),
                                 (size_t)P->m * sizeof *P->memory) == 0;
}

/* -- factors -------------------------------------------------------------------------------- */

/* Checks factors with or without pivoting of square, tall or wide matrices, depending on
 * `variant`. */
static void check_factors(int64_t n, int64_t count, enum batch_form form, int variant)
{
    int64_t m = variant % 3 == 1 ? n + n / 2 : n;
    if (variant % 3 == 2)
        n += n / 2;
    bool has_pivots = variant % 4 != 3;
    struct group A = matrices(has_pivots ? &random_general : &dominant, m, n, count);
    struct group F = group_copy(A);
    struct test_batch a = test_batch_new(F, form, 0, NULL);
    struct integers P = integers_new(count, min(m, n), form, a.b),
                    info = integers_new(count, 1, form, a.b);
    if (has_pivots)
        require_info(startile_getrf_batch(a.b, P.b, info.b), 0);
    else
        require_info(startile_getrf_nopiv_batch(a.b, info.b), 0);
    test_batch_finish(&a);
    integers_finish(&P);
    integers_finish(&info);
    require(group_has_borders_intact(F));
    for (int64_t q = 0; q < count; q++)
        if (!is_repeated(F, q) || (has_pivots && !are_pivots_repeated(&P, q, distinct(F))))
            check_one(A.matrix[q], F.matrix[q], has_pivots ? integers_of(&P, q) : NULL,
                      *integers_of(&info, q));
    integers_free(&P);
    integers_free(&info);
    groups_free(A, F);
}

static void test_factors(void)
{
    for_batches(check_factors);
    check_report("factors");
}

/* -- solutions ------------------------------------------------------------------------------ */

/* Solves op(A) X = B, with A in F and B in X at first: by gesv (op(A) = A, trans is ignored), or by
 * getrf and getrs. F := the factors of A. */
static void solve(char trans, bool by_gesv, struct group F, struct group X, enum batch_form form)
{
    struct test_batch A = test_batch_new(F, form, 0, NULL), B = test_batch_new(X, form, 0, A.b);
    int64_t n = F.count > 0 ? F.matrix[0].n : 0;
    struct integers P = integers_new(F.count, n, form, A.b),
                    info = integers_new(F.count, 1, form, A.b);
    if (by_gesv) {
        require_info(startile_gesv_batch(A.b, P.b, B.b, info.b), 0);
    } else {
        require_info(startile_getrf_batch(A.b, P.b, info.b), 0);
        require_info(startile_getrs_batch(trans, A.b, P.b, B.b), 0);
    }
    test_batches_finish(&B, &A);
    integers_finish(&P);
    integers_finish(&info);
    integers_free(&P);
    integers_free(&info);
}

/* Checks X of op(A) X = B against the solution by LAPACK's factors. */
static void check_solution_of(char trans, struct array A, struct array B, struct array X)
{
    struct lu g = lapack_lu(A);
    struct array Z = array_copy(B), T = array_new_op(trans, A);
    lapack(A)->getrs(trans, g.F, g.ipiv, Z);
    /* elements of U may grow; n + 1 is ample for random matrices with partial pivoting */
    check_solution_grown(T, X, Z, B, (double)(A.n + 1));
    arrays_free(Z, T);
    lu_free(g);
}

static void check_solutions(int64_t n, int64_t count, enum batch_form form, int variant)
{
    char trans = "NTC"[variant / 2 % 3];
    bool by_gesv = variant % 2 == 0;
    struct group A = matrices(&random_general, n, n, count),
                 B = group_new(dtype, count, n, 1 + variant % 3, 2);
    group_random(B);
    struct group F = group_copy(A), X = group_copy(B);
    solve(trans, by_gesv, F, X, form);
    require(group_has_borders_intact(X));
    for (int64_t q = 0; q < count; q++)
        if (!is_repeated(X, q))
            check_solution_of(by_gesv ? 'N' : trans, A.matrix[q], B.matrix[q], X.matrix[q]);
    groups_free(A, B, F, X);
}

static void test_solutions(void)
{
    for_batches(check_solutions);
    check_report("solutions");
}

/* -- inverses ------------------------------------------------------------------------------- */

static void check_inverses(int64_t n, int64_t count, enum batch_form form, int variant)
{
    bool has_pivots = variant % 4 != 3;
    struct group A = matrices(has_pivots ? &random_general : &dominant, n, n, count),
                 X = group_copy(A);
    struct test_batch a = test_batch_new(X, form, 0, NULL);
    /* separate arrays for each call, so that results of an earlier call cannot hide an omission */
    struct integers P = integers_new(count, n, form, a.b), info = integers_new(count, 1, form, a.b),
                    inverse_info = integers_new(count, 1, form, a.b);
    require_info(has_pivots ? startile_getrf_batch(a.b, P.b, info.b)
                            : startile_getrf_nopiv_batch(a.b, info.b),
                 0);
    require_info(startile_getri_batch(a.b, has_pivots ? P.b : NULL, inverse_info.b), 0);
    test_batch_finish(&a);
    integers_finish(&P);
    integers_finish(&info);
    integers_finish(&inverse_info);
    require(group_has_borders_intact(X));
    for (int64_t q = 0; q < count && n > 0; q++)
        if (!is_repeated(X, q))
            check_componentwise(inverse_residual(A.matrix[q], X.matrix[q]));
    integers_free(&P);
    integers_free(&info);
    integers_free(&inverse_info);
    groups_free(A, X);
}

static void test_inverses(void)
{
    for_batches(check_inverses);
    check_report("inverses");
}

/* -- singular matrices ----------------------------------------------------------------------- */

/* Tests a matrix with a zero column among regular ones. Its info is the column's index, from gesv
 * and from getri, and its right-hand side keeps its elements. The results of the other matrices do
 * not depend on it; this is not checked for HYBRID, where CPU and GPU results may differ. */
static void test_singular(void)
{
    static const int64_t orders[] = {1, 5, 16, 33, 70, 101};
    enum { COUNT = 7, BAD = 4 };
    for (int s = 0; s < 6; s++)
        for (int f = 0; f < FORMS; f++) {
            int64_t n = orders[s], k = n / 2;
            enum batch_form form = (enum batch_form)f;
            in_case("order %d, %s", (int)n, form_names[f]);
            random_seed(4);
            struct group A[2], B[2]; /* 0: all matrices regular; 1: matrix BAD singular */
            A[0] = matrices(&random_general, n, n, COUNT);
            B[0] = group_new(dtype, COUNT, n, 2, 0);
            group_random(B[0]);
            A[1] = group_copy(A[0]);
            B[1] = group_copy(B[0]);
            for (int64_t i = 0; i < n; i++)
                set(A[1].matrix[BAD], i, k, 0);
            struct array before = array_copy(B[1].matrix[BAD]);
            for (int bad = 0; bad < 2; bad++) {
                struct test_batch a = test_batch_new(A[bad], form, 0, NULL),
                                  b = test_batch_new(B[bad], form, 0, a.b);
                struct integers P = integers_new(COUNT, n, form, a.b),
                                info = integers_new(COUNT, 1, form, a.b),
                                inverse_info = integers_new(COUNT, 1, form, a.b);
                require_info(startile_gesv_batch(a.b, P.b, b.b, info.b), bad ? BAD + 1 : 0);
                require_info(startile_getri_batch(a.b, P.b, inverse_info.b), bad ? BAD + 1 : 0);
                test_batches_finish(&b, &a);
                integers_finish(&P);
                integers_finish(&info);
                integers_finish(&inverse_info);
                for (int64_t q = 0; q < COUNT; q++) {
                    require_info(*integers_of(&info, q), bad && q == BAD ? k + 1 : 0);
                    require_info(*integers_of(&inverse_info, q), bad && q == BAD ? k + 1 : 0);
                }
                integers_free(&P);
                integers_free(&info);
                integers_free(&inverse_info);
            }
            require(is_same(B[1].matrix[BAD], before));
            for (int64_t q = 0; q < COUNT; q++)
                require(q == BAD || backend == HYBRID ||
                        (is_same(A[0].matrix[q], A[1].matrix[q]) &&
                         is_same(B[0].matrix[q], B[1].matrix[q])));
            array_free(before);
            for (int i = 0; i < 2; i++) {
                groups_free(A[i], B[i]);
            }
        }
}

/* Tests that subnormal pivots give multipliers of at most about 1, and not infinities from 1 /
 * pivot. On CPUs only: OpenBLAS and the library's own kernels are tested by their orders. */
static void test_subnormal(void)
{
    static const int64_t orders[] = {2, 9, 28, 29, 70, 101};
    for (int s = 0; s < 6 && backend == CPU; s++) {
        int64_t n = orders[s];
        in_case("subnormal elements, order %d", (int)n);
        random_seed(5);
        struct group A = matrices(&random_general, n, n, 3);
        for (int64_t i = 0; i < n * n * A.count; i++) {
            struct array a = A.matrix[i / (n * n)];
            int64_t row = i % n, column = i / n % n;
            set(a, row, column, get(a, row, column) * (is_single(dtype) ? 0x1p-140 : 0x1p-1064));
        }
        struct test_batch a = test_batch_new(A, (enum batch_form)0, 0, NULL);
        struct integers P = integers_new(A.count, n, (enum batch_form)0, a.b),
                        info = integers_new(A.count, 1, (enum batch_form)0, a.b);
        require(startile_getrf_batch(a.b, P.b, info.b) >= 0);
        test_batches_finish(&a);
        integers_finish(&P);
        integers_finish(&info);
        for (int64_t i = 0; i < n * n * A.count; i++)
            require(cabs(get(A.matrix[i / (n * n)], i % n, i / n % n)) <= 1.5);
        integers_free(&P);
        integers_free(&info);
        groups_free(A);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_getrf", test_factors, test_solutions, test_inverses,
                      test_singular, test_subnormal);
}
