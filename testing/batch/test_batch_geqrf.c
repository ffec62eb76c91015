/* Tests of geqrf_batch, ormqr_batch and gels_batch against LAPACK, matrix by matrix. */
#include "batch.h"
#include "check.h"
#include "qr.h"
#include "reference.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns a square, tall or wide shape, depending on `variant`. */
static void shape_of(int64_t n, int variant, int64_t *rows, int64_t *columns)
{
    *rows = variant % 3 == 1 ? n + n / 2 : n;
    *columns = variant % 3 == 2 ? n + n / 2 : n;
}

/* -- factors, products ------------------------------------------------------------------------- */

/* Checks D, the library's op(Q) C (side 'L') or C op(Q), against LAPACK's product. */
static void check_one_product(char side, char trans, struct array F, struct array tau,
                              struct array C, struct array D)
{
    struct array E = array_copy(C);
    if (C.m > 0 && C.n > 0 && tau.m > 0)
        lapack(C)->unmqr(side, trans, F, tau, E);
    check_product(D, E, max(1, F.m));
    array_free(E);
}

/* Checks geqrf on one batch, and the product of its Q with another. */
static void check_factors_and_products(int64_t n, int64_t count, enum batch_form form, int variant)
{
    int64_t rows, columns;
    shape_of(n, variant, &rows, &columns);
    char side = variant % 2 ? 'R' : 'L', trans = variant / 2 % 2 ? 'C' : 'N';
    struct group A = group_new_random(count, rows, columns, 1), F = group_copy(A),
                 tau = group_new(dtype, count, min(rows, columns), 1, 0);
    struct group C = group_new_random(count, side == 'L' ? rows : 3, side == 'L' ? 3 : rows, 2),
                 D = group_copy(C);
    struct test_batch a = test_batch_new(F, form, 0, NULL), t = test_batch_new(tau, form, 0, a.b),
                      c = test_batch_new(D, form, 0, a.b);
    require_info(startile_geqrf_batch(a.b, t.b), 0);
    require_info(startile_unmqr_batch(side, trans, a.b, t.b, c.b), 0);
    test_batches_finish(&c, &t, &a);
    require(group_has_borders_intact(F) && group_has_borders_intact(D));
    for (int64_t q = 0; q < count; q++) {
        if (!is_repeated(F, q) || !is_repeated(tau, q))
            check_qr(A.matrix[q], (struct qr){QR, F.matrix[q], tau.matrix[q]}, INFINITY);
        if (!is_repeated(D, q))
            check_one_product(side, trans, F.matrix[q], tau.matrix[q], C.matrix[q], D.matrix[q]);
    }
    groups_free(A, F, tau, C, D);
}

static void test_factors(void)
{
    for_batches(check_factors_and_products);
    check_report("factors and products");
}

/* -- least squares ----------------------------------------------------------------------------- */

/* Checks the solution of op(A) X ≈ B in X's first rows by the residuals of LAPACK's xGELS tests. */
static void check_least_squares(char trans, struct array A, struct array B, struct array X)
{
    bool untransposed = trans == 'N';
    int64_t m = untransposed ? A.m : A.n, n = untransposed ? A.n : A.m;
    if (m == 0 || n == 0)
        return;
    struct array b = array_new_rows(B, m), x = array_new_rows(X, n);
    if (m > n)
        check_componentwise(qrt17(trans, A, x, b));
    else
        check_componentwise(qrt16(trans, A, x, b));
    if (m < n)
        check_componentwise(qrt14(trans, A, x));
    arrays_free(b, x);
}

static void check_gels(int64_t n, int64_t count, enum batch_form form, int variant)
{
    int64_t rows, columns;
    shape_of(n, variant, &rows, &columns);
    char trans = variant / 3 % 2 ? 'C' : 'N';
    struct group A = group_new_random(count, rows, columns, 1),
                 B = group_new_random(count, max(rows, columns), 1 + variant % 3, 1),
                 F = group_copy(A), X = group_copy(B);
    struct test_batch a = test_batch_new(F, form, 0, NULL), b = test_batch_new(X, form, 0, a.b);
    struct integers info = integers_new(count, 1, form, a.b);
    require_info(startile_gels_batch(trans, a.b, b.b, info.b), 0);
    test_batches_finish(&b, &a);
    integers_finish(&info);
    require(group_has_borders_intact(X));
    for (int64_t q = 0; q < count; q++) {
        require_info(*integers_of(&info, q), 0);
        if (!is_repeated(X, q))
            check_least_squares(trans, A.matrix[q], B.matrix[q], X.matrix[q]);
    }
    integers_free(&info);
    groups_free(A, B, F, X);
}

static void test_gels(void)
{
    for_batches(check_gels);
    check_report("least squares");
}

/* Checks a matrix with a zero column: its info is the column's index, its B keeps its elements, and
 * the other systems are solved. */
static void check_deficient(int64_t m, int64_t n, enum batch_form form)
{
    enum { COUNT = 5, BAD = 3, K = 7 };
    in_case("%d x %d, %s", (int)m, (int)n, form_names[form]);
    random_seed(5);
    struct group A = group_new_random(COUNT, m, n, 0), B = group_new_random(COUNT, m, 2, 0);
    for (int64_t i = 0; i < m; i++)
        set(A.matrix[BAD], i, K, 0);
    struct group F = group_copy(A), X = group_copy(B);
    struct test_batch a = test_batch_new(F, form, 0, NULL), b = test_batch_new(X, form, 0, a.b);
    struct integers info = integers_new(COUNT, 1, form, a.b);
    require_info(startile_gels_batch('N', a.b, b.b, info.b), BAD + 1);
    test_batches_finish(&b, &a);
    integers_finish(&info);
    require(is_same(X.matrix[BAD], B.matrix[BAD]));
    for (int64_t q = 0; q < COUNT; q++) {
        require_info(*integers_of(&info, q), q == BAD ? K + 1 : 0);
        if (q != BAD)
            check_least_squares('N', A.matrix[q], B.matrix[q], X.matrix[q]);
    }
    integers_free(&info);
    groups_free(A, B, F, X);
}

/* Tests sizes of all kernels of the CPU: several systems at a time, one by one, and LAPACK. */
static void test_deficient(void)
{
    for (int f = 0; f < FORMS; f++) {
        check_deficient(20, 12, (enum batch_form)f);
        check_deficient(70, 40, (enum batch_form)f);
        check_deficient(220, 205, (enum batch_form)f);
    }
}

/* Tests B without columns: info is 0, as LAPACK's, even if A has a zero column. */
static void test_no_sides(void)
{
    enum { COUNT = 2, M = 6, N = 4 };
    for (int f = 0; f < FORMS; f++) {
        enum batch_form form = (enum batch_form)f;
        in_case("no right-hand sides, %s", form_names[f]);
        random_seed(6);
        struct group A = group_new_random(COUNT, M, N, 0), B = group_new_random(COUNT, M, 0, 0);
        for (int64_t i = 0; i < M; i++)
            set(A.matrix[1], i, 2, 0);
        struct test_batch a = test_batch_new(A, form, 0, NULL), b = test_batch_new(B, form, 0, a.b);
        struct integers info = integers_new(COUNT, 1, form, a.b);
        require_info(startile_gels_batch('N', a.b, b.b, info.b), 0);
        test_batches_finish(&b, &a);
        integers_finish(&info);
        for (int64_t q = 0; q < COUNT; q++)
            require_info(*integers_of(&info, q), 0);
        integers_free(&info);
        groups_free(A, B);
    }
}

/* Checks a system with more columns than rows. A's last element is at the end of mapped memory:
 * nothing behind it may be read. */
static void check_end_of_memory(int64_t m, int64_t n)
{
    in_case("%d x %d", (int)m, (int)n);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 bytes = (size_t)(m * n) * element_size(dtype),
                 mapped = (bytes + page - 1) / page * page;
    char *memory =
        mmap(NULL, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED && mprotect(memory + mapped, page, PROT_NONE) == 0);
    random_seed(8);
    struct array A = array_new(dtype, m, n, 0), B = array_new(dtype, n, 1, 0);
    struct array A_at_end = {dtype, m, n, m, memory + mapped - bytes, NULL};
    array_random(A);
    array_random(B);
    array_assign(A, A_at_end);
    struct array X = array_copy(B);
    startile_batch *a, *b;
    struct integers info = integers_new(1, 1, STRIDED, NULL);
    require_info(startile_batch_wrap(&a, dtype, 1, m, n, A_at_end.a, m, m * n, 0, info.b), 0);
    require_info(startile_batch_wrap(&b, dtype, 1, n, 1, X.a, n, n, 0, info.b), 0);
    require_info(startile_gels_batch('N', a, b, info.b), 0);
    startile_batch_destroy(a);
    startile_batch_destroy(b);
    integers_finish(&info);
    check_least_squares('N', A, B, X);
    integers_free(&info);
    arrays_free(A, B, X);
    munmap(memory, mapped + page);
}

static void test_end_of_memory(void)
{
    check_end_of_memory(3, 7);
    check_end_of_memory(40, 77);
    check_end_of_memory(205, 230);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_geqrf", test_factors, test_gels, test_deficient,
                      test_no_sides, test_end_of_memory);
}
