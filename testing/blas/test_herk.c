/* Tests of herk and syrk against BLAS. */
#include "check.h"
#include "reference.h"
#include "test_matrix.h"

#include <complex.h>

static const char uplos[] = {'L', 'U'};

static bool is_real(startile_dtype type)
{
    return type < STARTILE_C;
}

/* Returns a random C, with a real diagonal for herk; all poison unless `defined`. */
static struct array random_C(bool hermitian, int64_t n, bool defined)
{
    struct array C = array_new(dtype, n, n, 2);
    for (int64_t j = 0; j < n && defined; j++)
        for (int64_t i = 0; i < n; i++) {
            startile_complex v = random_element(dtype);
            set(C, i, j, hermitian && i == j ? creal(v) : v);
        }
    return C;
}

/* Checks herk (hermitian) or syrk against BLAS. C must not be read with beta = 0, nor A with alpha
 * = 0, nor C's other triangle: there they are NaN. Tiles are nb × nb in C and nb × kb in op(A). */
static void check_update(bool hermitian, char uplo, char trans, int64_t n, int64_t k,
                         startile_complex alpha, startile_complex beta, enum way way, int64_t nb,
                         int64_t kb)
{
    in_case("%s %c%c, n %d, k %d, nb %d, kb %d, alpha %g%+gi, beta %g%+gi, %s",
            hermitian ? "herk" : "syrk", uplo, trans, (int)n, (int)k, (int)nb, (int)kb,
            creal(alpha), cimag(alpha), creal(beta), cimag(beta), way_names[way]);
    char other_triangle = uplo == 'L' ? 'U' : 'L';
    struct array A = trans == 'N' ? array_new(dtype, n, k, 1) : array_new(dtype, k, n, 2);
    array_random(A);
    struct array C = random_C(hermitian, n, beta != 0), D = array_copy(C), A0 = array_copy(A);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n && beta == 0; i++)
            set(D, i, j, 0);
    if (hermitian)
        lapack(D)->herk(uplo, trans, creal(alpha), A, creal(beta), D);
    else
        lapack(D)->syrk(uplo, trans, alpha, A, beta, D);
    array_poison(C, other_triangle);
    if (alpha == 0)
        array_poison(A, 'G');

    struct test_matrix SA =
        trans == 'N' ? test_matrix_new(A, way, 'G', nb, kb) : test_matrix_new(A, way, 'G', kb, nb);
    struct test_matrix SC = test_matrix_new(C, way, uplo, nb, nb);
    if (hermitian)
        require_info(startile_herk(uplo, trans, creal(alpha), SA.A, creal(beta), SC.A), 0);
    else
        require_info(startile_syrk(uplo, trans, alpha, SA.A, beta, SC.A), 0);
    test_matrices_finish(&SA, &SC);
    require(is_poisoned(C, other_triangle));
    require(alpha == 0 || is_same(A, A0));
    check_near_in(uplo, C, D, product_bound(k, alpha, beta));
    for (int64_t i = 0; i < n && hermitian; i++)
        require(cimag(get(C, i, i)) == 0);
    arrays_free(A, C, D, A0);
}

/* Returns the valid letters of trans. */
static const char *transposes(bool hermitian)
{
    return is_real(dtype) ? "NTC" : hermitian ? "NC" : "NT";
}

static void check_scalars(bool hermitian, startile_complex alpha, startile_complex beta)
{
    for (int u = 0; u < 2; u++)
        for (const char *trans = transposes(hermitian); *trans != '\0'; trans++)
            for (int w = 0; w < WAYS; w++)
                check_update(hermitian, uplos[u], *trans, 20, 13, alpha, beta, (enum way)w, 6, 5);
}

static void test_scalars(void)
{
    static const double scalars[][2] = {{1, 1}, {-1, 1}, {1, 0}, {0, 1}, {0, 0}, {0, -2}, {0.5, 3}};
    random_seed(30);
    for (int s = 0; s < 7; s++) {
        check_scalars(true, scalars[s][0], scalars[s][1]);
        check_scalars(false, scalars[s][0], scalars[s][1]);
    }
}

static void test_complex_scalars(void)
{
    random_seed(31);
    if (is_real(dtype))
        return;
    check_scalars(false, 0.5 + I, 1 - 0.3 * I);
    check_scalars(false, I, 0);
    check_scalars(false, 0, I);
}

static void test_sizes(void)
{
    enum { NB = 6 };
    static const int64_t sizes[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB + 3};
    random_seed(32);
    for (int n = 0; n < 6; n++)
        for (int k = 0; k < 6; k++)
            for (int u = 0; u < 2; u++)
                for (int hermitian = 0; hermitian < 2; hermitian++)
                    check_update(hermitian, uplos[u],
                                 (n + k) % 2 ? 'N'
                                 : hermitian ? 'C'
                                             : 'T',
                                 sizes[n], sizes[k], -1, k % 2 ? 1 : 0, (enum way)((n + k) % WAYS),
                                 NB, NB - 2);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "herk", test_scalars, test_complex_scalars, test_sizes);
}
