/* Tests of the kernels on whole matrices, against products of dense matrices. */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#ifdef STARTILE_HAVE_CUDA
#include "whole.h"

/* Orders, and orders of blocks: strips of the kernels have 64 to 512 rows */
static const int shapes[][2] = {{1, 1},     {3, 2},     {64, 64},  {70, 33},   {300, 300},
                                {500, 128}, {700, 257}, {900, 90}, {1200, 600}};
enum { SHAPES = sizeof shapes / sizeof *shapes, COLUMNS = 2 };

static int blocks_of(int n, int nb)
{
    return (n + nb - 1) / nb;
}

/* Fills in the blocks of A, which is on the device at a. Blocks outside the triangle uplo have no
 * address. */
static startile_blocks blocks_new(struct array A, char *a, char uplo, int nb, startile_piece *block)
{
    int n = (int)A.n, count = blocks_of(n, nb);
    for (int l = 0; l < count; l++)
        for (int k = 0; k < count; k++) {
            int64_t place = (int64_t)k * nb + (int64_t)l * nb * A.ld;
            block[k + l * count] = (startile_piece){NULL, 0, 0};
            if (is_in_triangle(uplo, k, l))
                block[k + l * count] =
                    (startile_piece){a + place * (int64_t)element_size(A.dtype), (int)A.ld, nb};
        }
    return (startile_blocks){n, nb, count, block};
}

static void rows_new(struct array V, char *v, int nb, startile_piece *block)
{
    for (int k = 0; k < blocks_of((int)V.m, nb); k++)
        block[k] = (startile_piece){v + (int64_t)k * nb * (int64_t)element_size(V.dtype), (int)V.ld,
                                    (int)min(nb, V.m - (int64_t)k * nb)};
}

/* Returns the triangle uplo of A ('G': A) without the rest, with a unit diagonal if diag is 'U'. */
static struct array triangle_of(char uplo, char diag, struct array A)
{
    struct array T = array_copy(A);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(T, i, j, i == j && diag == 'U' ? 1 : is_in_triangle(uplo, i, j) ? get(A, i, j) : 0);
    return T;
}

/* Returns a random matrix whose triangles have condition numbers near 1. */
static struct array well_conditioned(int n)
{
    struct array A = array_new_random(dtype, n, n, 3);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(A, i, j, i == j ? 2 + get(A, i, j) / 2 : get(A, i, j) / n);
    return A;
}

static void check_solve(char uplo, char trans, char diag, int n, int nb)
{
    in_case("solve %c%c%c, n %d, nb %d", uplo, trans, diag, n, nb);
    startile_piece block[STARTILE_MOST_BLOCKS * STARTILE_MOST_BLOCKS], rows[STARTILE_MOST_BLOCKS];
    struct array A = well_conditioned(n), B = array_new_random(dtype, n, COLUMNS, 1);
    struct array T = triangle_of(uplo, diag, A), X = array_copy(B), Y, D = array_copy(B);
    array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t i = 0; i < n && diag == 'U'; i++)
        set(A, i, i, NAN);
    struct array A0 = array_copy(A);
    for (int run = 0; run < 2; run++) {
        Y = array_copy(B);
        char *a = device_put(A), *x = device_put(Y);
        startile_blocks t = blocks_new(A, a, uplo, nb, block);
        rows_new(Y, x, nb, rows);
        require_info(
            startile_cuda_whole_kernels[dtype]->solve(exec, uplo, trans, diag, t, COLUMNS, rows),
            0);
        device_fetch(A, a);
        device_fetch(Y, x);
        require(run == 0 || is_same(X, Y));
        array_free(X);
        X = Y;
    }
    require(is_same(A, A0));
    lapack(D)->gemm(trans, 'N', 1, T, X, 0, D);
    check_near(D, B, 100);
    arrays_free(A, A0, B, T, X, D);
}

/* Tests a solve in double precision with a triangle in single precision. */
static void check_solve_by_single(char uplo, char trans, int n, int nb)
{
    const bool is_complex = dtype == STARTILE_Z;
    in_case("solve %c%c with a triangle in single precision, n %d, nb %d", uplo, trans, n, nb);
    startile_piece block[STARTILE_MOST_BLOCKS * STARTILE_MOST_BLOCKS], rows[STARTILE_MOST_BLOCKS];
    struct array A = well_conditioned(n), B = array_new_random(dtype, n, COLUMNS, 1), D, X, T,
                 S = array_new(is_complex ? STARTILE_C : STARTILE_S, n, n, 2);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            set(S, i, j, get(A, i, j));
            set(A, i, j, get(S, i, j)); /* rounded */
        }
    T = triangle_of(uplo, 'N', A);
    array_poison(S, uplo == 'L' ? 'U' : 'L');
    X = array_copy(B);
    D = array_copy(B);
    char *t = device_put(S), *x = device_put(X);
    startile_blocks blocks = blocks_new(S, t, uplo, nb, block);
    rows_new(X, x, nb, rows);
    require_info(startile_cuda_whole_kernels[dtype]->solve_by_single(exec, uplo, trans, 'N', blocks,
                                                                     COLUMNS, rows),
                 0);
    device_fetch(S, t);
    device_fetch(X, x);
    lapack(D)->gemm(trans, 'N', 1, T, X, 0, D);
    check_near(D, B, 100);
    arrays_free(A, B, D, X, T, S);
}

static void test_solve_by_single(void)
{
    random_seed(233);
    if (dtype == STARTILE_D || dtype == STARTILE_Z)
        for (int s = 0; s < SHAPES; s++)
            for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
                for (const char *trans = "NTC"; *trans != '\0'; trans++)
                    check_solve_by_single(*uplo, *trans, shapes[s][0], shapes[s][1]);
}

static void test_solve(void)
{
    random_seed(230);
    for (int s = 0; s < SHAPES; s++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (const char *trans = "NTC"; *trans != '\0'; trans++)
                for (const char *diag = "NU"; *diag != '\0'; diag++)
                    check_solve(*uplo, *trans, *diag, shapes[s][0], shapes[s][1]);
}

/* A NaN of any bits, also of those that mark missing numbers, comes to the solution. */
static void test_nan(void)
{
    random_seed(231);
    startile_piece block[4], rows[2];
    struct array A = well_conditioned(200), B = array_new_random(dtype, 200, 1, 0);
    memset(B.a, 0xff, element_size(dtype));
    char *a = device_put(A), *b = device_put(B);
    startile_blocks t = blocks_new(A, a, 'L', 100, block);
    rows_new(B, b, 100, rows);
    require_info(startile_cuda_whole_kernels[dtype]->solve(exec, 'L', 'N', 'N', t, 1, rows), 0);
    device_fetch(A, a);
    device_fetch(B, b);
    require(isnan(creal(get(B, 0, 0))) && isnan(creal(get(B, 199, 0))));
    arrays_free(A, B);
}

static void check_residual_of(char uplo, int n, int nb)
{
    in_case("residual %c, n %d, nb %d", uplo, n, nb);
    startile_piece block[STARTILE_MOST_BLOCKS * STARTILE_MOST_BLOCKS],
        rows[3][STARTILE_MOST_BLOCKS];
    struct array A = array_new_random(dtype, n, n, 2), V = array_new_random(dtype, n, COLUMNS, 1),
                 sums, E;
    struct array B = array_new_random(dtype, n, COLUMNS, 2), R = array_new(dtype, n, COLUMNS, 3), D,
                 A0;
    struct array W = uplo == 'G' ? array_copy(A) : full_hermitian(uplo, A);
    D = array_copy(B);
    lapack(D)->gemm('N', 'N', -1, W, V, 1, D);
    sums = array_new(STARTILE_D, n, 1, 0);
    E = array_new(STARTILE_D, n, 1, 0);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += cabs(get(W, i, j));
        set(E, i, 0, sum);
    }
    if (uplo != 'G')
        array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t i = 0; i < n && dtype >= STARTILE_C && uplo != 'G'; i++)
        set(A, i, i, CMPLX(creal(get(A, i, i)), NAN));
    A0 = array_copy(A);
    char *a = device_put(A), *v = device_put(V), *b = device_put(B), *r = device_put(R);
    double *s = device_put(sums);
    startile_blocks blocks = blocks_new(A, a, uplo, nb, block);
    rows_new(V, v, nb, rows[0]);
    rows_new(B, b, nb, rows[1]);
    rows_new(R, r, nb, rows[2]);
    const startile_whole_kernels *K = startile_cuda_whole_kernels[dtype];
    require_info(K->residual(exec, uplo, blocks, COLUMNS, rows[0], rows[1], rows[2]), 0);
    require_info(K->abs_sums(exec, uplo, blocks, s), 0);
    device_fetch(A, a);
    device_fetch(V, v);
    device_fetch(B, b);
    device_fetch(R, r);
    device_fetch(sums, s);
    require(is_same(A, A0));
    check_near(R, D, product_bound(n, -1, 1));
    for (int64_t i = 0; i < n; i++)
        require(fabs(creal(get(sums, i, 0)) - creal(get(E, i, 0))) <= 1e-12 * creal(get(E, i, 0)));
    arrays_free(A, A0, B, V, R, D, W, sums, E);
}

static void test_residual(void)
{
    random_seed(232);
    for (int s = 0; s < SHAPES; s++)
        for (const char *uplo = "GLU"; *uplo != '\0'; uplo++)
            check_residual_of(*uplo, shapes[s][0], shapes[s][1]);
}

int test_kernel_whole(void)
{
    return run_group("kernel whole", test_solve, test_solve_by_single, test_nan, test_residual);
}
#else
int test_kernel_whole(void)
{
    return 0; /* the kernels are for GPUs */
}
#endif
