/*
 * Tests of the Cholesky kernel at orders at which it changes its method (max_order_by_tiles in
 * potrf.cu). The matrices are large: factor and inverse are checked by products with a random
 * vector, which any wrong element changes.
 */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* A vector, and for each element the sum of the magnitudes of its terms. */
struct vector {
    int64_t n;
    startile_complex *element;
    double *size;
};

static struct vector vector_new(int64_t n)
{
    struct vector x = {n, calloc((size_t)n, sizeof *x.element), calloc((size_t)n, sizeof *x.size)};
    require(x.element != NULL && x.size != NULL);
    return x;
}

static void vector_free(struct vector x)
{
    free(x.element);
    free(x.size);
}

static struct vector vector_random(int64_t n)
{
    struct vector x = vector_new(n);
    for (int64_t i = 0; i < n; i++) {
        x.element[i] = random_element(dtype);
        x.size[i] = fabs(creal(x.element[i])) + fabs(cimag(x.element[i]));
    }
    return x;
}

/* y_i += a x_j, with the magnitudes of the terms. */
static void add(struct vector y, int64_t i, startile_complex a, struct vector x, int64_t j)
{
    y.element[i] += a * x.element[j];
    y.size[i] += (fabs(creal(a)) + fabs(cimag(a))) * x.size[j];
}

/* Returns op(A) x, reading only the triangle uplo of A ('G': all of it). */
static struct vector multiplied(struct array A, char uplo, char op, struct vector x)
{
    struct vector y = vector_new(x.n);
    for (int64_t j = 0; j < x.n; j++)
        for (int64_t i = uplo == 'L' ? j : 0; i < (uplo == 'U' ? j + 1 : x.n); i++)
            if (op == 'N')
                add(y, i, get(A, i, j), x, j);
            else
                add(y, j, conj(get(A, i, j)), x, i);
    return y;
}

/* Requires x = y up to 8 (√n + 8) roundings of the sums of magnitudes in x. √n suffices instead of
 * n, the worst case, because rounding errors are nearly independent. */
static void check_same(struct vector x, struct vector y)
{
    const double roundings = 8 * (sqrt((double)x.n) + 8);
    for (int64_t i = 0; i < x.n; i++)
        require_below(cabs(x.element[i] - y.element[i]),
                      roundings * x.size[i] * unit_roundoff(dtype));
}

/* Requires T Tᴴ x = A x, or Tᴴ T x = A x for uplo 'U'. */
static void check_factor_on(struct array A, char uplo, struct array T, struct vector x)
{
    struct vector half = multiplied(T, uplo, uplo == 'L' ? 'C' : 'N', x);
    struct vector TTx = multiplied(T, uplo, uplo == 'L' ? 'N' : 'C', half);
    struct vector Ax = multiplied(A, 'G', 'N', x);
    check_same(TTx, Ax);
    vector_free(half);
    vector_free(TTx);
    vector_free(Ax);
}

/* Requires W (T x) = x. Reads T's triangle uplo only but all of W, so that W's other triangle must
 * be zero. */
static void check_inverse_on(char uplo, struct array T, struct array W, struct vector x)
{
    struct vector Tx = multiplied(T, uplo, 'N', x), WTx = multiplied(W, 'G', 'N', Tx);
    check_same(WTx, x);
    vector_free(Tx);
    vector_free(WTx);
}

/* Returns a Hermitian matrix whose eigenvalues are within a factor of 10 of each other: its
 * diagonal is 2.5 √n, and the eigenvalues of its random off-diagonal part are below 2 √n in
 * magnitude. */
static struct array well_conditioned_matrix(int64_t n)
{
    struct array A = array_new(dtype, n, n, 1 + n % 3);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < j; i++) {
            startile_complex a = random_element(dtype);
            set(A, i, j, a);
            set(A, j, i, conj(a));
        }
        set(A, j, j, 2.5 * sqrt((double)n));
    }
    return A;
}

/* Checks the kernel for order n, with w = NULL unless with_inverse. */
static void check_order(int64_t n, char uplo, bool with_inverse)
{
    const char other_uplo = uplo == 'L' ? 'U' : 'L';
    in_case("n %d, uplo %c, %s inverse", (int)n, uplo, with_inverse ? "with" : "without");
    random_seed((uint64_t)n);
    struct array A = well_conditioned_matrix(n), T = array_copy(A), W = array_new(dtype, n, n, 2);
    struct vector x = vector_random(n);
    startile_tile_status *tile_status = device_status();
    *tile_status = (startile_tile_status){-7, -7};
    array_poison(T, other_uplo);
    void *t = device_put(T), *w = device_put(W);
    require_info(kernels->potrf(exec, uplo, (int)n, t, (int)T.ld, with_inverse ? w : NULL,
                                (int)W.ld, tile_status),
                 0);
    device_fetch(T, t);
    device_fetch(W, w);
    require_info(tile_status->info, 0);
    require(is_poisoned(T, other_uplo));
    check_factor_on(A, uplo, T, x);
    if (with_inverse)
        check_inverse_on(uplo, T, W, x);
    else
        require(tile_status->use_inverse == 0 && is_poisoned(W, 'G'));
    vector_free(x);
    arrays_free(A, T, W);
}

/* Tests orders next to powers of 2, up to one more than the largest order that a GPU factors by
 * tiles for the type. */
static void test_orders(void)
{
    static const int64_t largest_by_tiles[4] = {
        [STARTILE_S] = 2048, [STARTILE_D] = 4096, [STARTILE_C] = 2048, [STARTILE_Z] = 1024};
    static const int64_t orders[] = {1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097};
    /* from 512 on, tiles in single precision are factored in double */
    for (int64_t n = 511; n <= 513; n++)
        check_order(n, n % 2 ? 'L' : 'U', true);
    const int64_t largest = largest_by_tiles[dtype];
    for (int i = dtype == STARTILE_Z ? 0 : 2; i < 9 && orders[i] <= largest + 1; i++) {
        check_order(orders[i], i % 2 ? 'U' : 'L', true);
        if (orders[i] >= largest)
            check_order(orders[i], i % 2 ? 'L' : 'U', false);
    }
}

int test_kernel_potrf_routes(void)
{
    return run_group("kernel potrf routes", test_orders);
}
