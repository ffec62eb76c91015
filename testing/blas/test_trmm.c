/* Tests of trmm against BLAS. */
#include "check.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>

/* Checks one product against BLAS. A, of order m or n, has tiles of nb × nb; B has tiles of width
 * (side 'L') or height (side 'R') `width`. Elements of A that must not be read are NaN. */
static void check_trmm(char side, char uplo, char trans, char diag, int64_t m, int64_t n,
                       startile_complex alpha, enum way way, int64_t nb, int64_t width)
{
    in_case("trmm %c%c%c%c, %d × %d, nb %d, width %d, alpha %g%+gi, %s", side, uplo, trans, diag,
            (int)m, (int)n, (int)nb, (int)width, creal(alpha), cimag(alpha), way_names[way]);
    int64_t order = side == 'L' ? m : n;
    struct array A = array_new_random(dtype, order, order, 1), B = array_new_random(dtype, m, n, 3);
    struct array X = array_copy(B);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t i = 0; i < order && diag == 'U'; i++)
        array_poison(array_part(A, i, i, 1, 1), 'G');
    lapack(A)->trmm(side, uplo, trans, diag, alpha, A, B);

    struct array A0 = array_copy(A);
    struct test_matrix SA = test_matrix_new(A, way, uplo, nb, nb);
    struct test_matrix SX = side == 'L' ? test_matrix_new(X, way, 'G', nb, width)
                                        : test_matrix_new(X, way, 'G', width, nb);
    require_info(startile_trmm(side, uplo, trans, diag, alpha, SA.A, SX.A), 0);
    test_matrix_finish(&SA);
    test_matrix_finish(&SX);
    require(is_same(A, A0));
    check_near(X, B, product_bound(order, alpha, 0));
    arrays_free(A, A0, B, X);
}

/* Checks all sides, triangles, transposes and diagonals. The ways in which matrices are made
 * alternate. */
static void check_all_forms(int64_t m, int64_t n, startile_complex alpha, int64_t nb, int64_t width)
{
    int cases = 0;
    for (const char *side = "LR"; *side; side++)
        for (const char *uplo = "LU"; *uplo; uplo++)
            for (const char *trans = "NTC"; *trans; trans++)
                for (const char *diag = "NU"; *diag; diag++)
                    check_trmm(*side, *uplo, *trans, *diag, m, n, alpha, (enum way)(cases++ % WAYS),
                               nb, width);
}

static void test_forms(void)
{
    random_seed(44);
    check_all_forms(20, 15, 1, 6, 6);
    check_all_forms(13, 22, 1, 5, 7);
    check_all_forms(13, 22, -0.5, 6, 2);
    if (dtype >= STARTILE_C)
        check_all_forms(14, 9, 0.5 - 2 * I, 5, 4);
}

static void test_sizes(void)
{
    enum { NB = 6 };
    static const int64_t sizes[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB + 3};
    random_seed(45);
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++)
            check_all_forms(sizes[m], sizes[n], 1, NB, NB);
}

/* Tests that alpha = 0 gives B = 0 and reads neither A nor B. */
static void test_alpha_zero(void)
{
    in_case("alpha = 0");
    struct array A = array_new(dtype, 12, 12, 0), B = array_new(dtype, 12, 9, 0),
                 zero = array_new(dtype, 12, 9, 0);
    array_fill(zero, 0);
    struct test_matrix SA = test_matrix_new(A, WRAPPED, 'G', 5, 5),
                       SB = test_matrix_new(B, WRAPPED, 'G', 5, 5);
    require_info(startile_trmm('L', 'U', 'N', 'N', 0, SA.A, SB.A), 0);
    test_matrix_finish(&SA);
    test_matrix_finish(&SB);
    require(is_same(B, zero));
    arrays_free(A, B, zero);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "trmm", test_forms, test_sizes, test_alpha_zero);
}
