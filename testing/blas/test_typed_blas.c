/* Tests of the typed entries gemm, syrk, herk, trsm and trtrs against BLAS: letters, scalars,
 * sizes, zeros on the diagonal, wrong arguments. */
#include "check.h"
#include "generate.h"
#include "reference.h"

#include <complex.h>
#include <stdlib.h>

static const int64_t sizes[] = {0, 1, 7, 24, 29};
enum { SIZES = 5 };

static startile_complex scalar(int i)
{
    static const startile_complex scalars[] = {1, 0, -0.5, 0.7 - 0.3 * I};
    return dtype < STARTILE_C ? creal(scalars[i % 4]) : scalars[i % 4];
}

static void test_gemm(void)
{
    random_seed(30);
    for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
        const int64_t m = sizes[i % SIZES], n = sizes[i / SIZES % SIZES],
                      k = sizes[i / SIZES / SIZES];
        char transa = "NTC"[i % 3], transb = "NTC"[i / 3 % 3];
        in_case("gemm %c%c, %d × %d × %d", transa, transb, (int)m, (int)n, (int)k);
        bool plain_a = transa == 'N', plain_b = transb == 'N';
        struct array A = array_new_random(dtype, plain_a ? m : k, plain_a ? k : m, 2),
                     B = array_new_random(dtype, plain_b ? k : n, plain_b ? n : k, 1),
                     C = array_new_random(dtype, m, n, 3), D = array_copy(C);
        startile_complex alpha = scalar(i), beta = scalar(i / 4);
        lapack(D)->gemm(transa, transb, alpha, A, B, beta, D);
        require_info(lapack(C)->typed_gemm(transa, transb, m, n, k, alpha, A.a, A.ld, B.a, B.ld,
                                           beta, C.a, C.ld),
                     0);
        check_near(C, D, product_bound(k, alpha, beta));
        arrays_free(A, B, C, D);
    }
}

/* syrk, and herk with its real scalars */
static void test_rank_k(void)
{
    random_seed(31);
    for (int i = 0; i < 8 * SIZES * SIZES; i++) {
        const int64_t n = sizes[i / 8 % SIZES], k = sizes[i / 8 / SIZES];
        bool is_herk = i & 1, is_plain = i & 2;
        char uplo = i & 4 ? 'L' : 'U', trans = is_plain ? 'N' : is_herk ? 'C' : 'T';
        in_case("%s %c%c, n = %d, k = %d", is_herk ? "herk" : "syrk", uplo, trans, (int)n, (int)k);
        struct array A = array_new_random(dtype, is_plain ? n : k, is_plain ? k : n, 1),
                     C = array_new_random(dtype, n, n, 2), D = array_copy(C);
        startile_complex alpha = scalar(i / 8), beta = scalar(i / 3);
        /* the imaginary parts of herk's diagonal are not read */
        for (int64_t j = 0; j < n && is_herk; j++)
            set(D, j, j, creal(get(D, j, j)));
        const struct reference *typed = lapack(C);
        if (is_herk) {
            typed->herk(uplo, trans, creal(alpha), A, creal(beta), D);
            require_info(typed->typed_herk(uplo, trans, n, k, creal(alpha), A.a, A.ld, creal(beta),
                                           C.a, C.ld),
                         0);
            for (int64_t j = 0; j < n && (k == 0 || creal(alpha) == 0); j++)
                set(C, j, j, creal(get(C, j, j))); /* may keep its imaginary parts */
        } else {
            typed->syrk(uplo, trans, alpha, A, beta, D);
            require_info(typed->typed_syrk(uplo, trans, n, k, alpha, A.a, A.ld, beta, C.a, C.ld),
                         0);
        }
        check_near(C, D, product_bound(k, alpha, beta));
        arrays_free(A, C, D);
    }
}

/* Checks trsm, or trtrs for side 'L' and alpha 1, against BLAS. */
static void check_triangular(bool is_trtrs, char side, char uplo, char trans, char diag, int64_t m,
                             int64_t n, startile_complex alpha)
{
    int64_t order = side == 'L' ? m : n;
    struct array A = array_new_random(dtype, order, order, 1), B = array_new_random(dtype, m, n, 2),
                 X = array_copy(B);
    for (int64_t j = 0; j < order; j++)
        for (int64_t i = 0; i < order; i++) /* well conditioned, also with a diagonal of ones */
            set(A, i, j, i == j ? 2 : get(A, i, j) / (double)order);
    in_case("%s %c%c%c%c, %d × %d", is_trtrs ? "trtrs" : "trsm", side, uplo, trans, diag, (int)m,
            (int)n);
    if (is_trtrs)
        require_info(lapack(A)->typed_trtrs(uplo, trans, diag, m, n, A.a, A.ld, X.a, X.ld), 0);
    else
        require_info(
            lapack(A)->typed_trsm(side, uplo, trans, diag, m, n, alpha, A.a, A.ld, X.a, X.ld), 0);
    lapack(A)->trsm(side, uplo, trans, diag, alpha, A, B);
    check_near(X, B, 20 * (double)(order + 2));
    arrays_free(A, B, X);
}

static void test_solves(void)
{
    random_seed(32);
    for (int i = 0; i < 24 * SIZES * SIZES; i++) {
        char side = "LR"[i & 1], uplo = "LU"[i / 2 & 1], diag = "NU"[i / 4 & 1],
             trans = "NTC"[i / 8 % 3];
        const int64_t m = sizes[i / 24 % SIZES], n = sizes[i / 24 / SIZES];
        check_triangular(false, side, uplo, trans, diag, m, n, scalar(i / 5));
        if (side == 'L')
            check_triangular(true, 'L', uplo, trans, diag, m, n, 1);
    }
}

/* trtrs finds the first zero on the diagonal, and does not change B then. */
static void test_zeros(void)
{
    enum { N = 29 };
    random_seed(33);
    for (int64_t k = 1; k <= N; k += 7) {
        struct array A = generate(&well_conditioned, dtype, N, 0),
                     B = array_new_random(dtype, N, 3, 0), X = array_copy(B);
        in_case("a zero in row %d", (int)k);
        set(A, k - 1, k - 1, 0);
        set(A, N - 1, N - 1, 0);
        require_info(lapack(A)->typed_trtrs('L', 'T', 'N', N, 3, A.a, A.ld, X.a, X.ld), k);
        require(is_same(X, B));
        require_info(lapack(A)->typed_trtrs('L', 'T', 'U', N, 3, A.a, A.ld, X.a, X.ld), 0);
        arrays_free(A, B, X);
    }
}

static void test_wrong_arguments(void)
{
    const struct reference *typed = reference[dtype];
    double a[4] = {0}, b[4] = {0}, c[4] = {7, 7, 7, 7}; /* enough for one complex element */
    const int64_t large = (int64_t)1 << 40;
    in_case("wrong arguments");
    require_info(typed->typed_gemm('X', 'N', 1, 1, 1, 1, a, 1, b, 1, 0, c, 1), -1);
    require_info(typed->typed_gemm('N', 'X', 1, 1, 1, 1, a, 1, b, 1, 0, c, 1), -2);
    require_info(typed->typed_gemm('N', 'N', -1, 1, 1, 1, a, 1, b, 1, 0, c, 1), -3);
    require_info(typed->typed_gemm('N', 'N', 1, -1, 1, 1, a, 1, b, 1, 0, c, 1), -4);
    require_info(typed->typed_gemm('N', 'N', 1, 1, -1, 1, a, 1, b, 1, 0, c, 1), -5);
    require_info(typed->typed_gemm('N', 'N', 1, 1, 1, 1, NULL, 1, b, 1, 0, c, 1), -7);
    require_info(typed->typed_gemm('T', 'N', 1, 1, 2, 1, a, 1, b, 2, 0, c, 1), -8);
    require_info(typed->typed_gemm('N', 'N', 1, 1, 1, 1, a, 1, NULL, 1, 0, c, 1), -9);
    require_info(typed->typed_gemm('N', 'N', 1, 1, 1, 1, a, 1, b, large, 0, c, 1), -10);
    require_info(typed->typed_gemm('N', 'N', 1, 1, 1, 1, a, 1, b, 1, 0, NULL, 1), -12);
    require_info(typed->typed_gemm('N', 'N', 1, 1, 1, 1, a, 1, b, 1, 0, c, 0), -13);
    require_info(typed->typed_syrk('G', 'N', 1, 1, 1, a, 1, 0, c, 1), -1);
    require_info(typed->typed_syrk('L', 'X', 1, 1, 1, a, 1, 0, c, 1), -2);
    require_info(typed->typed_syrk('L', 'C', -1, 1, 1, a, 1, 0, c, 1),
                 dtype < STARTILE_C ? -3 : -2);
    require_info(typed->typed_syrk('L', 'N', 1, -1, 1, a, 1, 0, c, 1), -4);
    require_info(typed->typed_syrk('L', 'N', 1, 1, 1, NULL, 1, 0, c, 1), -6);
    require_info(typed->typed_syrk('L', 'N', 1, 1, 1, a, 0, 0, c, 1), -7);
    require_info(typed->typed_syrk('L', 'N', 1, 1, 1, a, 1, 0, NULL, 1), -9);
    require_info(typed->typed_syrk('L', 'N', 1, 1, 1, a, 1, 0, c, 0), -10);
    require_info(typed->typed_herk('L', 'T', -1, 1, 1, a, 1, 0, c, 1),
                 dtype < STARTILE_C ? -3 : -2);
    require_info(typed->typed_trsm('X', 'L', 'N', 'N', 1, 1, 1, a, 1, c, 1), -1);
    require_info(typed->typed_trsm('L', 'X', 'N', 'N', 1, 1, 1, a, 1, c, 1), -2);
    require_info(typed->typed_trsm('L', 'L', 'X', 'N', 1, 1, 1, a, 1, c, 1), -3);
    require_info(typed->typed_trsm('L', 'L', 'N', 'X', 1, 1, 1, a, 1, c, 1), -4);
    require_info(typed->typed_trsm('L', 'L', 'N', 'N', -1, 1, 1, a, 1, c, 1), -5);
    require_info(typed->typed_trsm('L', 'L', 'N', 'N', 1, -1, 1, a, 1, c, 1), -6);
    require_info(typed->typed_trsm('L', 'L', 'N', 'N', 1, 1, 1, NULL, 1, c, 1), -8);
    require_info(typed->typed_trsm('R', 'L', 'N', 'N', 1, 2, 1, a, 1, c, 1), -9);
    require_info(typed->typed_trsm('L', 'L', 'N', 'N', 1, 1, 1, a, 1, NULL, 1), -10);
    require_info(typed->typed_trsm('L', 'L', 'N', 'N', 1, 1, 1, a, 1, c, 0), -11);
    require_info(typed->typed_trtrs('X', 'N', 'N', 1, 1, a, 1, c, 1), -1);
    require_info(typed->typed_trtrs('L', 'X', 'N', 1, 1, a, 1, c, 1), -2);
    require_info(typed->typed_trtrs('L', 'N', 'X', 1, 1, a, 1, c, 1), -3);
    require_info(typed->typed_trtrs('L', 'N', 'N', -1, 1, a, 1, c, 1), -4);
    require_info(typed->typed_trtrs('L', 'N', 'N', 1, -1, a, 1, c, 1), -5);
    require_info(typed->typed_trtrs('L', 'N', 'N', 1, 1, NULL, 1, c, 1), -6);
    require_info(typed->typed_trtrs('L', 'N', 'N', 1, 1, a, 0, c, 1), -7);
    require_info(typed->typed_trtrs('L', 'N', 'N', 1, 1, a, 1, NULL, 1), -8);
    require_info(typed->typed_trtrs('L', 'N', 'N', 1, 1, a, 1, c, large), -9);
    require(c[0] == 7 && c[1] == 7);
}

int main(int argc, char **argv)
{
    setenv("STARTILE_NB", "8", 1); /* several tiles */
    return check_main(argc, argv, "typed blas", test_gemm, test_rank_k, test_solves, test_zeros,
                      test_wrong_arguments);
}
