/* Tests of gemm_batch and trsm_batch against BLAS, matrix by matrix. */
#include "batch.h"
#include "check.h"
#include "qr.h"
#include "reference.h"

/* Returns re + i im, or re for a real type. */
static startile_complex scalar(double re, double im)
{
    return dtype >= STARTILE_C ? re + im * (startile_complex) __extension__ 1.0i : re;
}

/* Checks one case of gemm. With beta = 0 C is NaN, because it must not be read. */
static void check_gemm(int64_t n, int64_t count, enum batch_form form, int variant)
{
    char transa = "NTC"[variant % 3], transb = "NTC"[variant / 3 % 3];
    int64_t m = n + variant % 2, k = variant % 5 == 4 ? n / 2 : n;
    startile_complex alpha = scalar(0.75, -0.5), beta = variant % 3 == 2 ? 0 : scalar(-1.25, 0.5);
    struct group A = group_new_random(count, transa == 'N' ? m : k, transa == 'N' ? k : m, 1),
                 B = group_new_random(count, transb == 'N' ? k : n, transb == 'N' ? n : k, 0),
                 C = group_new(dtype, count, m, n, 2);
    if (beta != 0)
        group_random(C);
    struct group D = group_copy(C);
    struct test_batch a = test_batch_new(A, form, 0, NULL), b = test_batch_new(B, form, 0, a.b),
                      c = test_batch_new(D, form, 0, a.b);
    require_info(startile_gemm_batch(transa, transb, alpha, a.b, b.b, beta, c.b), 0);
    test_batches_finish(&c, &b, &a);
    require(group_has_borders_intact(D));
    for (int64_t q = 0; q < count; q++) {
        if (is_repeated(D, q))
            continue;
        if (m > 0 && n > 0)
            lapack(C.matrix[q])
                ->gemm(transa, transb, alpha, A.matrix[q], B.matrix[q], beta, C.matrix[q]);
        check_product(D.matrix[q], C.matrix[q], max(1, k));
    }
    groups_free(A, B, C, D);
}

static void test_gemm(void)
{
    for_batches(check_gemm);
    check_report("products");
}

/* Fills a well-conditioned triangle. The other triangle, and the diagonal for diag 'U', are NaN. */
static void fill_triangle(struct array A, char uplo, char diag)
{
    array_random(A);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, i == j ? 2 : get(A, i, j) / (double)A.n);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t j = 0; j < A.n && diag == 'U'; j++)
        set(A, j, j, __builtin_nan(""));
}

/* Checks one case of trsm. B has nrhs columns (side 'L') or rows (side 'R'). */
static void check_trsm(int64_t n, int64_t count, enum batch_form form, int variant)
{
    char side = variant % 2 ? 'R' : 'L', uplo = variant / 2 % 2 ? 'U' : 'L',
         trans = "NTC"[variant % 3], diag = variant % 5 == 0 ? 'U' : 'N';
    int64_t nrhs = 1 + variant % 7;
    startile_complex alpha = scalar(1.5, 0.25);
    struct group A = group_new(dtype, count, n, n, 1);
    for (int64_t q = 0; q < count && q < distinct(A); q++)
        fill_triangle(A.matrix[q], uplo, diag);
    group_repeat(A);
    struct group B = group_new_random(count, side == 'L' ? n : nrhs, side == 'L' ? nrhs : n, 2),
                 X = group_copy(B);
    struct test_batch a = test_batch_new(A, form, 0, NULL), x = test_batch_new(X, form, 0, a.b);
    require_info(startile_trsm_batch(side, uplo, trans, diag, alpha, a.b, x.b), 0);
    test_batches_finish(&x, &a);
    require(group_has_borders_intact(X));
    for (int64_t q = 0; q < count; q++) {
        if (is_repeated(X, q))
            continue;
        if (n > 0)
            lapack(A.matrix[q])->trsm(side, uplo, trans, diag, alpha, A.matrix[q], B.matrix[q]);
        check_product(X.matrix[q], B.matrix[q], max(1, n));
    }
    groups_free(A, B, X);
}

static void test_trsm(void)
{
    for_batches(check_trsm);
    check_report("triangles");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_gemm", test_gemm, test_trsm);
}
