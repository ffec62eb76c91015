/* Tests of the Cholesky kernel: factor, inverse, status record. */
#include "check.h"
#include "device.h"
#include "generate.h"
#include "kernel_tests.h"
#include "reference.h"

#include <complex.h>
#include <math.h>

static const char uplos[] = {'L', 'U'};

/* Results of the kernel: factor T and its inverse W. */
struct outcome {
    struct array T, W;
    startile_tile_status tile_status;
};

/* Runs the kernel on a copy of A, with w = NULL unless with_inverse. The status begins with invalid
 * values, which the kernel must replace. The kernel must not change the other triangle. */
static struct outcome run_potrf(struct array A, char uplo, bool with_inverse)
{
    char other_uplo = uplo == 'L' ? 'U' : 'L';
    struct outcome o = {array_copy(A), array_new(dtype, A.n, A.n, 2), {0, 0}};
    startile_tile_status *tile_status = device_status();
    *tile_status = (startile_tile_status){-7, -7};
    array_poison(o.T, other_uplo);
    void *t = device_put(o.T), *w = device_put(o.W);
    require_info(kernels->potrf(exec, uplo, (int)A.n, t, (int)o.T.ld, with_inverse ? w : NULL,
                                (int)o.W.ld, tile_status),
                 0);
    device_fetch(o.T, t);
    device_fetch(o.W, w);
    o.tile_status = *tile_status;
    require(is_poisoned(o.T, other_uplo));
    require(with_inverse || is_poisoned(o.W, 'G'));
    return o;
}

static void outcome_free(struct outcome o)
{
    arrays_free(o.T, o.W);
}

/* Requires W to be the inverse of T up to the rounding errors of the kernel and of LAPACK, 4 (n +
 * 2) eps κ(T) ‖W‖, and zero in the other triangle. */
static void check_inverse(char uplo, struct array T, struct array W)
{
    int64_t n = T.n;
    struct array V = array_copy(T);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (uplo == 'L' ? i < j : i > j) {
                require(get(W, i, j) == 0);
                set(V, i, j, 0);
            }
    double norm_T = lapack(V)->lange('1', V);
    require_info(lapack(V)->trtri(uplo, V), 0);
    double norm_W = lapack(V)->lange('1', V);
    check_near(W, V, 4 * (double)(n + 2) * norm_T * norm_W * norm_W);
    array_free(V);
}

static void test_sizes(void)
{
    static const int64_t sizes[] = {0,  1,  2,  3,  5,  10, 31,  32, 33,
                                    50, 63, 64, 65, 96, 97, 129, 200};
    for (int s = 0; s < 17; s++)
        for (int u = 0; u < 2; u++)
            for (int with_inverse = 0; with_inverse < 2; with_inverse++) {
                int64_t n = sizes[s];
                in_case("n %d, uplo %c, %s inverse", (int)n, uplos[u],
                        with_inverse ? "with" : "without");
                random_seed((uint64_t)n);
                struct array A = generate(&well_conditioned, dtype, n, 1 + n % 2);
                struct outcome o = run_potrf(A, uplos[u], with_inverse);
                require(o.tile_status.info == 0);
                require(n == 0 || with_inverse || o.tile_status.use_inverse == 0);
                check_factor(uplos[u], A, o.T, n);
                if (with_inverse)
                    check_inverse(uplos[u], o.T, o.W);
                outcome_free(o);
                array_free(A);
            }
    check_report("sizes");
}

/* Tests orders that span several of the kernel's internal tiles, with full and partial last tiles.
 */
static void test_large(void)
{
    static const int64_t sizes[] = {127, 128, 255, 257, 511, 513, 1000};
    for (int s = 0; s < 7; s++)
        for (int with_inverse = 0; with_inverse < 2; with_inverse++) {
            if (is_left_to_other_types(s + with_inverse))
                continue;
            int64_t n = sizes[s];
            char uplo = uplos[(s + with_inverse) % 2];
            in_case("n %d, uplo %c, %s inverse", (int)n, uplo, with_inverse ? "with" : "without");
            random_seed((uint64_t)n);
            struct array A = generate(&well_conditioned, dtype, n, 1 + n % 3);
            struct outcome o = run_potrf(A, uplo, with_inverse);
            require(o.tile_status.info == 0);
            require(with_inverse || o.tile_status.use_inverse == 0);
            check_factor(uplo, A, o.T, n);
            if (with_inverse)
                check_inverse(uplo, o.T, o.W);
            outcome_free(o);
            array_free(A);
        }
    check_report("large");
}

static void test_kinds(void)
{
    for (const struct generator *g = generators; g->name != NULL; g++)
        for (int u = 0; u < 2; u++) {
            in_case("%s, uplo %c", g->name, uplos[u]);
            random_seed(2);
            struct array A = generate(g, dtype, 70, 0);
            struct outcome o = run_potrf(A, uplos[u], true);
            require(o.tile_status.info == 0);
            check_factor(uplos[u], A, o.T, 70);
            outcome_free(o);
            array_free(A);
        }
    check_report("kinds");
}

/* Returns diag(first², 1, …, 1), whose factor is diag(first, 1, …, 1). */
static struct array diagonal(int64_t n, double first)
{
    struct array A = generate(&generators[4], dtype, n, 0); /* the identity */
    set(A, 0, 0, first * first);
    return A;
}

/* Tests use_inverse, which means ‖W‖ ‖T‖ ≤ n. For a diagonal T the product is known exactly. */
static void test_use_inverse(void)
{
    static const double ratios[] = {1, 2, 7, 8, 8.5, 1000, 0.5, 0.125, 0.0625};
    for (int r = 0; r < 9; r++)
        for (int u = 0; u < 2; u++) {
            double condition = ratios[r] < 1 ? 1 / ratios[r] : ratios[r];
            in_case("T = diag(%g, 1, …), n 8, uplo %c", ratios[r], uplos[u]);
            struct array A = diagonal(8, ratios[r]);
            struct outcome o = run_potrf(A, uplos[u], true);
            require(o.tile_status.info == 0);
            require(o.tile_status.use_inverse == (condition <= 8));
            outcome_free(o);
            array_free(A);
        }
}

/* Tests use_inverse for Moler's matrix: the factor has small elements and an inverse of size 2ⁿ.
 * The norms must include all of T, not only its diagonal. */
static void test_use_inverse_off_diagonal(void)
{
    for (int u = 0; u < 2; u++) {
        in_case("moler, uplo %c", uplos[u]);
        struct array A = generate(&generators[6], dtype, 40, 0); /* Moler's matrix */
        struct outcome o = run_potrf(A, uplos[u], true);
        require(o.tile_status.info == 0 && o.tile_status.use_inverse == 0);
        outcome_free(o);
        array_free(A);
        /* an inverse with small elements: L of ones has norm 40, its bidiagonal inverse norm 2; 80
         * > n = 40 */
        in_case("minij, uplo %c", uplos[u]);
        A = generate(&generators[8], dtype, 40, 0); /* min(i, j) */
        o = run_potrf(A, uplos[u], true);
        require(o.tile_status.info == 0 && o.tile_status.use_inverse == 0);
        check_inverse(uplos[u], o.T, o.W);
        outcome_free(o);
        array_free(A);
    }
}

/* Tests a leading minor of order k that is negative, zero or NaN: info is k, and the factor of the
 * leading block of order k − 1 is correct. Orders k are at the edges of the kernel's tiles. */
static void test_info(void)
{
    enum { N = 140 };
    static const int64_t orders[] = {1,  2,  3,  7,  8,  9,  31,  32,  33,  34,  62,
                                     63, 64, 65, 66, 96, 97, 127, 128, 129, 130, N};
    for (int p = 0; p < 22; p++)
        for (int kind = 0; kind < 3; kind++)
            for (int u = 0; u < 2; u++) {
                int64_t k = orders[p];
                in_case("order %d %s, uplo %c", (int)k,
                        kind == 0   ? "indefinite"
                        : kind == 1 ? "singular"
                                    : "NaN",
                        uplos[u]);
                struct array A = known_minor(dtype, N, 0, k, kind == 1 ? 0 : -1);
                if (kind == 2)
                    set(A, k - 1, k - 1, NAN);
                struct outcome o = run_potrf(A, uplos[u], true);
                require_info(o.tile_status.info, k);
                require(o.tile_status.use_inverse == 0);
                check_factor(uplos[u], A, o.T, k - 1);
                outcome_free(o);
                array_free(A);
            }
}

/* Tests a NaN off the diagonal, also with a negative diagonal element: info is the first pivot that
 * is not above 0, as in LAPACK. */
static void test_nan_off_diagonal(void)
{
    static const int64_t at[][2] = {{1, 0}, {20, 3}, {69, 0}, {69, 68}, {40, 39}};
    for (int p = 0; p < 5; p++)
        for (int negative = 0; negative < 2; negative++)
            for (int u = 0; u < 2; u++) {
                in_case("NaN at (%d, %d), with a negative A(50,50): %d, uplo %c", (int)at[p][0],
                        (int)at[p][1], negative, uplos[u]);
                random_seed(3);
                struct array A = generate(&well_conditioned, dtype, 70, 0);
                set(A, at[p][0], at[p][1], NAN);
                set(A, at[p][1], at[p][0], NAN);
                if (negative)
                    set(A, 50, 50, -1);
                struct array overwritten = array_copy(A);
                int64_t expected = textbook_potrf(overwritten);
                struct outcome o = run_potrf(A, uplos[u], true);
                require_info(o.tile_status.info, expected);
                require(o.tile_status.use_inverse == 0);
                check_factor(uplos[u], A, o.T, expected - 1);
                outcome_free(o);
                arrays_free(A, overwritten);
            }
}

/* Tests that an infinite pivot does not fail: T has no NaN, and an inverse with NaN is not used. */
static void test_infinite_pivot(void)
{
    for (int u = 0; u < 2; u++) {
        in_case("infinite pivot, uplo %c", uplos[u]);
        random_seed(4);
        struct array A = generate(&well_conditioned, dtype, 40, 0);
        set(A, 17, 17, INFINITY);
        struct outcome o = run_potrf(A, uplos[u], true);
        require(o.tile_status.info == 0);
        require(!o.tile_status.use_inverse || !has_nan(o.W, uplos[u]));
        require(isinf(creal(get(o.T, 17, 17))) && !has_nan(o.T, uplos[u]));
        outcome_free(o);
        array_free(A);
    }
}

int test_kernel_potrf(void)
{
    return run_group("kernel potrf", test_sizes, test_large, test_kinds, test_use_inverse,
                     test_use_inverse_off_diagonal, test_info, test_nan_off_diagonal,
                     test_infinite_pivot);
}
