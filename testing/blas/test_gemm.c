/* Tests of gemm against BLAS: transpositions, scalars, rectangular tiles, empty dimensions. */
#include "check.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>

static const char transpositions[] = {'N', 'T', 'C'};

struct tile_shape {
    int64_t mb, nb, kb;
};

/* Returns X such that op(X) is m × n. */
static struct array operand_new(char trans, int64_t m, int64_t n)
{
    struct array X = trans == 'N' ? array_new(dtype, m, n, 2) : array_new(dtype, n, m, 1);
    array_random(X);
    return X;
}

/* Returns the library's matrix X such that op(X) has tiles of mb × nb. */
static struct test_matrix operand_test_matrix(struct array X, enum way way, char trans, int64_t mb,
                                              int64_t nb)
{
    return trans == 'N' ? test_matrix_new(X, way, 'G', mb, nb)
                        : test_matrix_new(X, way, 'G', nb, mb);
}

/* Checks one product against BLAS, and that A and B keep their elements. */
static void check_gemm(char transa, char transb, int64_t m, int64_t n, int64_t k,
                       startile_complex alpha, startile_complex beta, enum way way,
                       struct tile_shape t)
{
    in_case("gemm %c%c, %d × %d × %d, tiles %d × %d × %d, alpha %g%+gi, beta %g%+gi, %s", transa,
            transb, (int)m, (int)n, (int)k, (int)t.mb, (int)t.nb, (int)t.kb, creal(alpha),
            cimag(alpha), creal(beta), cimag(beta), way_names[way]);
    struct array A = operand_new(transa, m, k), B = operand_new(transb, k, n);
    struct array C = array_new(dtype, m, n, 3), D, A0 = array_copy(A), B0 = array_copy(B);
    /* with beta = 0 C must not be read: C is NaN for the library and zero for the reference */
    if (beta != 0)
        array_random(C);
    D = array_copy(C);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m && beta == 0; i++)
            set(D, i, j, 0);
    lapack(D)->gemm(transa, transb, alpha, A, B, beta, D);
    /* with alpha = 0 A and B must not be read */
    if (alpha == 0) {
        array_poison(A, 'G');
        array_poison(B, 'G');
    }

    struct test_matrix SA = operand_test_matrix(A, way, transa, t.mb, t.kb);
    struct test_matrix SB = operand_test_matrix(B, way, transb, t.kb, t.nb);
    struct test_matrix SC = test_matrix_new(C, way, 'G', t.mb, t.nb);
    require_info(startile_gemm(transa, transb, alpha, SA.A, SB.A, beta, SC.A), 0);
    test_matrices_finish(&SA, &SB, &SC);
    require(alpha == 0 || (is_same(A, A0) && is_same(B, B0)));
    check_near(C, D, product_bound(k, alpha, beta));
    arrays_free(A, B, C, D, A0, B0);
}

static void test_transpositions_and_scalars(void)
{
    const startile_complex scalars[][2] = {
        {1, 1}, {-1, 1},  {1, 0},      {0, 1},
        {0, 0}, {0, 0.5}, {0.7, -0.3}, {0.5 + 0.25 * I, 0.3 - 2 * I},
        {1, I}, {I, 0},
    };
    random_seed(20);
    for (int ta = 0; ta < 3; ta++)
        for (int tb = 0; tb < 3; tb++)
            for (int s = 0; s < 10; s++) {
                startile_complex alpha = scalars[s][0], beta = scalars[s][1];
                if (dtype < STARTILE_C && (cimag(alpha) != 0 || cimag(beta) != 0))
                    continue;
                check_gemm(transpositions[ta], transpositions[tb], 21, 14, 17, alpha, beta,
                           (enum way)((ta + tb + s) % WAYS), (struct tile_shape){8, 8, 8});
            }
}

static void test_rectangular_tiles(void)
{
    static const struct tile_shape shapes[] = {{5, 3, 7}, {30, 4, 9}, {4, 30, 1}, {7, 7, 30}};
    random_seed(21);
    for (int t = 0; t < 4; t++)
        for (int ta = 0; ta < 3; ta++)
            for (int tb = 0; tb < 3; tb++)
                check_gemm(transpositions[ta], transpositions[tb], 19, 11, 23, -1, 0.5,
                           (enum way)((t + ta + tb) % WAYS), shapes[t]);
}

static void test_sizes(void)
{
    enum { NB = 6 };
    static const int64_t sizes[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB + 3};
    random_seed(22);
    for (int m = 0; m < 6; m++)
        for (int n = 0; n < 6; n++)
            for (int k = 0; k < 6; k++)
                check_gemm(transpositions[(m + n) % 3], transpositions[(n + k) % 3], sizes[m],
                           sizes[n], sizes[k], 2, (m + k) % 2 ? 0 : -1, (enum way)((n + k) % WAYS),
                           (struct tile_shape){NB, NB, NB});
}

/* Tests k = 0: C is scaled; beta = 0 also overwrites NaN. */
static void test_empty_sum(void)
{
    random_seed(23);
    for (int w = 0; w < WAYS; w++) {
        check_gemm('N', 'N', 9, 7, 0, 1, 0, (enum way)w, (struct tile_shape){4, 4, 4});
        check_gemm('N', 'C', 9, 7, 0, 1, -2, (enum way)w, (struct tile_shape){4, 4, 4});
        check_gemm('T', 'N', 9, 7, 0, 1, 1, (enum way)w, (struct tile_shape){4, 4, 4});
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "gemm", test_transpositions_and_scalars, test_rectangular_tiles,
                      test_sizes, test_empty_sum);
}
