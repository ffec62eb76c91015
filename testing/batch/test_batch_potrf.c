/* Tests of potrf_batch, potrs_batch and posv_batch against LAPACK, matrix by matrix. */
#include "batch.h"
#include "check.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

/* Fills a Hermitian matrix that is positive definite by a dominant diagonal. */
static void fill(struct array A)
{
    array_random(A);
    for (int64_t j = 0; j < A.n; j++) {
        for (int64_t i = 0; i < j; i++)
            set(A, i, j, conj(get(A, j, i)));
        set(A, j, j, 2 * (double)A.n + creal(get(A, j, j)));
    }
}

/* Returns a batch of positive definite matrices, of which distinct() are different. */
static struct group matrices(int64_t n, int64_t count)
{
    struct group G = group_new(dtype, count, n, n, 1);
    for (int64_t q = 0; q < count && q < distinct(G); q++)
        fill(G.matrix[q]);
    group_repeat(G);
    return G;
}

/* Checks the factor F of A and the solution X of A X = B; the other triangle of F must still be
 * poison. */
static void check_one(char uplo, struct array A, struct array B, struct array F, struct array X)
{
    struct array R = array_copy(A), Z = array_copy(B);
    require_info(lapack(R)->potrf(uplo, R), 0);
    lapack(R)->potrs(uplo, R, Z);
    require(is_poisoned(F, uplo == 'L' ? 'U' : 'L'));
    check_factor(uplo, A, F, A.n);
    check_solution(A, X, Z, B);
    arrays_free(R, Z);
}

/* Solves A X = B, with A in F and B in X at first: by posv, or by potrf and potrs. F := the factors
 * of A. */
static void solve(char uplo, bool by_posv, struct group F, struct group X, enum batch_form form)
{
    struct test_batch A = test_batch_new(F, form, 0, NULL), B = test_batch_new(X, form, 0, A.b);
    struct integers info = integers_new(F.count, 1, form, A.b);
    if (by_posv) {
        require_info(startile_posv_batch(uplo, A.b, B.b, info.b), 0);
    } else {
        require_info(startile_potrf_batch(uplo, A.b, info.b), 0);
        require_info(startile_potrs_batch(uplo, A.b, B.b), 0);
    }
    test_batches_finish(&B, &A);
    integers_finish(&info);
    for (int64_t q = 0; q < F.count; q++)
        require_info(*integers_of(&info, q), 0);
    integers_free(&info);
}

/* Checks one case of potrf and potrs, or posv. */
static void check_case(int64_t n, int64_t count, enum batch_form form, int variant)
{
    char uplo = variant % 2 ? 'U' : 'L';
    struct group A = matrices(n, count), B = group_new(dtype, count, n, 1 + variant % 3, 2);
    group_random(B);
    struct group F = group_copy(A), X = group_copy(B);
    for (int64_t q = 0; q < count; q++)
        array_poison(F.matrix[q], uplo == 'L' ? 'U' : 'L');
    solve(uplo, variant / 2 % 2, F, X, form);
    require(group_has_borders_intact(F) && group_has_borders_intact(X));
    for (int64_t q = 0; q < count; q++)
        if (!is_repeated(F, q) || !is_repeated(X, q))
            check_one(uplo, A.matrix[q], B.matrix[q], F.matrix[q], X.matrix[q]);
    groups_free(A, B, F, X);
}

static void test_sizes(void)
{
    for_batches(check_case);
    check_report("batches");
}

/* Tests indefinite matrices among positive definite ones: info is the order of their failing
 * minors, and their right-hand sides keep their elements. The results of the definite matrices do
 * not depend on the others; this is not checked for HYBRID, where CPU and GPU results may differ.
 */
static void test_indefinite(void)
{
    static const int64_t orders[] = {1, 5, 16, 33, 70};
    enum { COUNT = 9 };
    for (int s = 0; s < 5; s++)
        for (int f = 0; f < FORMS; f++) {
            int64_t n = orders[s], k = n / 2;
            in_case("order %d, %s", (int)n, form_names[f]);
            random_seed(3);
            struct group good = matrices(n, COUNT), bad = group_copy(good);
            set(bad.matrix[2], k, k, -1);
            set(bad.matrix[5], n - 1, n - 1, NAN);
            struct group B = group_new(dtype, COUNT, n, 2, 0), C;
            group_random(B);
            C = group_copy(B);
            struct test_batch G = test_batch_new(good, (enum batch_form)f, 0, NULL),
                              Y = test_batch_new(B, (enum batch_form)f, 0, G.b);
            struct integers good_info = integers_new(COUNT, 1, (enum batch_form)f, G.b);
            require_info(startile_posv_batch('L', G.b, Y.b, good_info.b), 0);
            struct test_batch H = test_batch_new(bad, (enum batch_form)f, 0, NULL),
                              Z = test_batch_new(C, (enum batch_form)f, 0, H.b);
            struct integers bad_info = integers_new(COUNT, 1, (enum batch_form)f, H.b);
            struct group before = group_copy(C);
            /* 3: number of the first indefinite matrix, 1-based */
            require_info(startile_posv_batch('L', H.b, Z.b, bad_info.b), 3);
            test_batches_finish(&Y, &G, &Z, &H);
            integers_finish(&good_info);
            integers_finish(&bad_info);
            for (int64_t q = 0; q < COUNT; q++) {
                bool is_bad = q == 2 || q == 5;
                require_info(*integers_of(&bad_info, q), q == 2 ? k + 1 : q == 5 ? n : 0);
                require(is_bad || backend == HYBRID || is_same(good.matrix[q], bad.matrix[q]));
                require(is_bad ? is_same(C.matrix[q], before.matrix[q])
                               : backend == HYBRID || is_same(B.matrix[q], C.matrix[q]));
            }
            integers_free(&good_info);
            integers_free(&bad_info);
            groups_free(good, bad, B, C, before);
        }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_potrf", test_sizes, test_indefinite);
}
