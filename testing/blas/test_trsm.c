/* Tests of trsm and trmm against BLAS. */
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

/* Returns a matrix whose triangles are well-conditioned, also with a unit diagonal. */
static struct array triangular(int64_t n)
{
    struct array A = array_new(dtype, n, n, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(A, i, j, i == j ? 2 + random_element(dtype) : random_element(dtype) / (double)n);
    return A;
}

/* trsm and trmm have the same arguments. */
enum routine { TRSM, TRMM };
static const char *const names[] = {"trsm", "trmm"};

/* Checks one call against BLAS. A, of order m or n, has tiles of nb × nb; B has tiles of width
 * (side 'L') or height (side 'R') `width`. Elements of A that must not be read are NaN. */
static void check_call(enum routine routine, const char *form, int64_t m, int64_t n,
                       startile_complex alpha, enum way way, int64_t nb, int64_t width)
{
    char side = form[0], uplo = form[1], trans = form[2], diag = form[3];
    in_case("%s %s, %d × %d, nb %d, width %d, alpha %g%+gi, %s", names[routine], form, (int)m,
            (int)n, (int)nb, (int)width, creal(alpha), cimag(alpha), way_names[way]);
    int64_t order = side == 'L' ? m : n;
    struct array A = triangular(order), B = array_new_random(dtype, m, n, 3), X = array_copy(B);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t i = 0; i < order && diag == 'U'; i++)
        array_poison(array_part(A, i, i, 1, 1), 'G');
    (routine == TRSM ? lapack(A)->trsm : lapack(A)->trmm)(side, uplo, trans, diag, alpha, A, B);

    struct array A0 = array_copy(A);
    struct test_matrix SA = test_matrix_new(A, way, uplo, nb, nb);
    struct test_matrix SX = side == 'L' ? test_matrix_new(X, way, 'G', nb, width)
                                        : test_matrix_new(X, way, 'G', width, nb);
    require_info((routine == TRSM ? startile_trsm : startile_trmm)(side, uplo, trans, diag, alpha,
                                                                   SA.A, SX.A),
                 0);
    test_matrices_finish(&SA, &SX);
    require(is_same(A, A0));
    /* trsm: twice the forward error of a substitution with a triangle of condition below 10 */
    check_near(X, B,
               routine == TRSM ? 20 * (double)(order + 2) * cabs(alpha)
                               : product_bound(order, alpha, 0));
    arrays_free(A, A0, B, X);
}

/* Checks all sides, triangles, transposes and diagonals. The ways in which matrices are made
 * alternate. */
static void check_all_forms(int64_t m, int64_t n, startile_complex alpha, int64_t nb, int64_t width)
{
    int cases = 0;
    for (int routine = TRSM; routine <= TRMM; routine++)
        for (const char *side = "LR"; *side; side++)
            for (const char *uplo = "LU"; *uplo; uplo++)
                for (const char *trans = "NTC"; *trans; trans++)
                    for (const char *diag = "NU"; *diag; diag++)
                        check_call((enum routine)routine,
                                   (char[]){*side, *uplo, *trans, *diag, '\0'}, m, n, alpha,
                                   (enum way)(cases++ % WAYS), nb, width);
}

static void test_forms(void)
{
    random_seed(40);
    check_all_forms(20, 15, 1, 6, 6);
    check_all_forms(13, 22, 1, 5, 7);
    check_all_forms(13, 22, -0.5, 6, 2);
}

static void test_alpha(void)
{
    random_seed(41);
    check_all_forms(14, 9, 0, 5, 4);
    if (dtype >= STARTILE_C)
        check_all_forms(14, 9, 0.5 - 2 * I, 5, 4);
}

static void test_sizes(void)
{
    enum { NB = 6 };
    static const int64_t sizes[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB + 3};
    random_seed(42);
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++)
            check_all_forms(sizes[m], sizes[n], 1, NB, NB);
}

/* Returns a matrix of elements −1, 0 and 1 times `unit`, a power of two, so that all sums are
 * exact; is_triangle: with ±1 times `unit` on the diagonal. */
static struct array of_units(int64_t m, int64_t n, bool is_triangle, double unit)
{
    struct array A = array_new(dtype, m, n, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double re = round(random_real()), im = dtype < STARTILE_C ? 0 : round(random_real());
            bool diagonal = is_triangle && i == j;
            set(A, i, j, diagonal ? (re < 0 ? -unit : unit) : CMPLX(re * unit, im * unit));
        }
    return A;
}

/* X := −op(A)⁻¹ B or −B op(A)⁻¹ for A and B from of_units(). */
static void solve_units(char side, char uplo, char trans, double unit, struct array *X)
{
    enum { M = 6, N = 7 };
    int64_t order = side == 'L' ? M : N;
    random_seed(7);
    struct array A = of_units(order, order, true, unit);
    *X = of_units(M, N, false, unit);
    struct test_matrix SA = test_matrix_new(A, WRAPPED, uplo, 16, 16);
    struct test_matrix SX = test_matrix_new(*X, WRAPPED, 'G', 16, 16);
    require_info(startile_trsm(side, uplo, trans, 'N', -1, SA.A, SX.A), 0);
    test_matrices_finish(&SA, &SX);
    array_free(A);
}

/* Tests diagonals whose reciprocals are near overflow, or overflow: division gives the exact
 * result. */
static void test_tiny_diagonal(void)
{
    if (backend != CPU) {
        printf("skipped: cuBLAS multiplies by the reciprocals\n");
        skip();
    }
    bool single = dtype == STARTILE_S || dtype == STARTILE_C;
    double tiny = ldexp(1, single ? -126 : -1022), subnormal = ldexp(tiny, -10);
    for (const char *side = "LR"; *side; side++)
        for (const char *uplo = "LU"; *uplo; uplo++)
            for (const char *trans = "NTC"; *trans; trans++)
                for (int s = 0; s < 2; s++) {
                    in_case("tiny trsm %c%c%c, subnormal %d", *side, *uplo, *trans, s);
                    struct array X, Y;
                    solve_units(*side, *uplo, *trans, 1, &X);
                    solve_units(*side, *uplo, *trans, s == 0 ? tiny : subnormal, &Y);
                    for (int64_t j = 0; j < X.n; j++)
                        for (int64_t i = 0; i < X.m; i++)
                            require(get(X, i, j) == get(Y, i, j));
                    arrays_free(X, Y);
                }
}

/* Tests alpha = 0, for which BLAS reads neither A nor B. */
static void test_alpha_zero_reads_nothing(void)
{
    for (int routine = TRSM; routine <= TRMM; routine++) {
        startile_matrix *A = matrix_created(dtype, 9, 9, 4, 4),
                        *B = matrix_created(dtype, 9, 5, 4, 4);
        double largest = -7;
        in_case("%s, alpha = 0, NaN in A and B", names[routine]);
        require_info(startile_laset('G', NAN, NAN, A), 0);
        require_info(startile_laset('G', NAN, NAN, B), 0);
        require_info((routine == TRSM ? startile_trsm : startile_trmm)('L', 'L', 'N', 'N', 0, A, B),
                     0);
        require_info(startile_lange('M', B, &largest), 0);
        require(largest == 0);
        matrices_destroy(A, B);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "trsm", test_forms, test_alpha, test_tiny_diagonal,
                      test_alpha_zero_reads_nothing, test_sizes);
}
