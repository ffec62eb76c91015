/* Tests of hemm and symm against BLAS xGEMM with the full matrix. */
#include "check.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>

/* Returns the Hermitian or symmetric matrix whose triangle uplo is in A. */
static struct array full_matrix(bool hermitian, char uplo, struct array A)
{
    struct array F = array_new(dtype, A.n, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++) {
            bool stored = is_in_triangle(uplo, i, j);
            startile_complex z = stored ? get(A, i, j) : get(A, j, i);
            set(F, i, j, !hermitian ? z : i == j ? creal(z) : stored ? z : conj(z));
        }
    return F;
}

/* Checks one product. A has tiles of nb × nb; B and C have tiles of width (side 'L') or height
 * (side 'R') `width`. Elements that must not be read are NaN. */
static void check_product(bool hermitian, char side, char uplo, int64_t m, int64_t n,
                          startile_complex alpha, startile_complex beta, enum way way, int64_t nb,
                          int64_t width)
{
    in_case("%s %c%c, %d × %d, nb %d, width %d, alpha %g%+gi, beta %g%+gi, %s",
            hermitian ? "hemm" : "symm", side, uplo, (int)m, (int)n, (int)nb, (int)width,
            creal(alpha), cimag(alpha), creal(beta), cimag(beta), way_names[way]);
    int64_t order = side == 'L' ? m : n, mb = side == 'L' ? nb : width,
            nb_of_c = side == 'L' ? width : nb;
    struct array A = array_new_random(dtype, order, order, 1), B = array_new_random(dtype, m, n, 3);
    struct array C = beta == 0 ? array_new(dtype, m, n, 2) : array_new_random(dtype, m, n, 2);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    struct array F = full_matrix(hermitian, uplo, A), D = array_copy(C);
    if (hermitian && dtype >= STARTILE_C)
        for (int64_t i = 0; i < order; i++)
            set(A, i, i, CMPLX(creal(get(A, i, i)), NAN));
    if (beta == 0)
        array_fill(D, 0);
    lapack(D)->gemm('N', 'N', alpha, side == 'L' ? F : B, side == 'L' ? B : F, beta, D);

    struct array A0 = array_copy(A), B0 = array_copy(B);
    struct test_matrix SA = test_matrix_new(A, way, uplo, nb, nb),
                       SB = test_matrix_new(B, way, 'G', mb, nb_of_c),
                       SC = test_matrix_new(C, way, 'G', mb, nb_of_c);
    require_info(hermitian ? startile_hemm(side, uplo, alpha, SA.A, SB.A, beta, SC.A)
                           : startile_symm(side, uplo, alpha, SA.A, SB.A, beta, SC.A),
                 0);
    test_matrices_finish(&SA, &SB, &SC);
    require(is_same(A, A0) && is_same(B, B0));
    check_near(C, D, product_bound(order, alpha, beta));
    arrays_free(A, A0, B, B0, C, D, F);
}

static void check_all_forms(int64_t m, int64_t n, startile_complex alpha, startile_complex beta,
                            int64_t nb, int64_t width)
{
    int cases = 0;
    for (int hermitian = 0; hermitian < 2; hermitian++)
        for (const char *side = "LR"; *side; side++)
            for (const char *uplo = "LU"; *uplo; uplo++)
                check_product(hermitian, *side, *uplo, m, n, alpha, beta,
                              (enum way)(cases++ % WAYS), nb, width);
}

static void test_forms(void)
{
    random_seed(46);
    check_all_forms(20, 15, 1, 0, 6, 6);
    check_all_forms(13, 22, -1, 1, 5, 7);
    check_all_forms(13, 22, 0.5, -2, 6, 2);
    check_all_forms(13, 22, 0, 0.5, 6, 2);
    check_all_forms(13, 22, 0, 0, 6, 2);
    if (dtype >= STARTILE_C)
        check_all_forms(14, 9, 0.5 - 2 * I, 1 + I, 5, 4);
}

static void test_sizes(void)
{
    enum { NB = 6 };
    static const int64_t sizes[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB + 3};
    random_seed(47);
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++)
            check_all_forms(sizes[m], sizes[n], 1, 1, NB, NB);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "hemm", test_forms, test_sizes);
}
