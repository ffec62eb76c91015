/* Tests of nrm2, asum, iamax, dot, dotc, scal and axpy of batches, against sums in extended
 * precision. */
#include "batch.h"
#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* -- results by definition --------------------------------------------------------------------- */

/* Returns |Re z| + |Im z|. */
static long double cabs1l(startile_complex z)
{
    return fabsl((long double)creal(z)) + fabsl((long double)cimag(z));
}

/* Returns the 2-norm of the vector. */
static long double nrm2_of(struct array x)
{
    long double sum = 0;
    for (int64_t j = 0; j < x.n; j++) {
        long double re = creal(get(x, 0, j)), im = cimag(get(x, 0, j));
        sum += re * re + im * im;
    }
    return sqrtl(sum);
}

/* Returns the sum of the elements' |Re| + |Im|. */
static long double asum_of(struct array x)
{
    long double sum = 0;
    for (int64_t j = 0; j < x.n; j++)
        sum += cabs1l(get(x, 0, j));
    return sum;
}

/* Returns the 1-based index of the first NaN, or else of the first element of the largest |Re| +
 * |Im|; 0 for an empty vector. */
static int64_t iamax_of(struct array x)
{
    int64_t at = 0;
    for (int64_t j = 0; j < x.n; j++) {
        /* magnitudes in the vector's precision, as in the kernels */
        startile_complex z = get(x, 0, j), w = at > 0 ? get(x, 0, at - 1) : 0;
        bool single = x.dtype == STARTILE_S || x.dtype == STARTILE_C;
        double a = single ? (double)(fabsf((float)creal(z)) + fabsf((float)cimag(z)))
                          : fabs(creal(z)) + fabs(cimag(z));
        double b = single ? (double)(fabsf((float)creal(w)) + fabsf((float)cimag(w)))
                          : fabs(creal(w)) + fabs(cimag(w));
        if (at == 0 || a > b || (isnan(a) && !isnan(b)))
            at = j + 1;
    }
    return at;
}

/* Returns Σ x y, or Σ x̄ y (conjugate); *magnitude := Σ |x| |y|. */
static long double _Complex dot_of(bool conjugate, struct array x, struct array y,
                                   long double *magnitude)
{
    long double _Complex sum = 0;
    *magnitude = 0;
    for (int64_t j = 0; j < x.n; j++) {
        long double _Complex a = get(x, 0, j), b = get(y, 0, j);
        sum += (conjugate ? conjl(a) : a) * b;
        *magnitude += cabsl(a) * cabsl(b);
    }
    return sum;
}

/* -- with batches ------------------------------------------------------------------------------ */

/* Returns the type of norms and sums. */
static startile_dtype real_type(void)
{
    return dtype == STARTILE_C ? STARTILE_S : dtype == STARTILE_Z ? STARTILE_D : dtype;
}

/* Returns vectors as 1 × n matrices. The increment, their leading dimension, is 3 if `variant` is
 * odd, else 1. */
static struct group vectors(int64_t n, int64_t count, int variant)
{
    struct group G = group_new_random(count, 1, n, variant % 2 ? 2 : 0);
    return G;
}

/* Returns a batch of 1 × 1 matrices for results: the adjacent elements of the row R. */
static startile_batch *results(struct array R, const startile_batch *like)
{
    startile_batch *b;
    require_info(startile_batch_wrap(&b, R.dtype, R.n, 1, 1, R.a, 1, R.ld, 0, like), 0);
    return b;
}

/* Requires |value − expected| to be at most about `tolerance`, which may be 0. */
static void require_near(long double _Complex value, long double _Complex expected,
                         long double tolerance)
{
    require_below((double)cabsl(value - expected), (double)tolerance + 0x1p-1070);
}

static void check_reductions(int64_t n, int64_t count, enum batch_form form, int variant)
{
    struct group X = vectors(n, count, variant);
    struct test_batch x = test_batch_new(X, form, 0, NULL);
    struct array norm_row = array_new(real_type(), 1, count, 0),
                 sum_row = array_new(real_type(), 1, count, 0);
    struct integers largest = integers_new(count, 1, form, x.b);
    startile_batch *norms = results(norm_row, x.b), *sums = results(sum_row, x.b);
    require_info(startile_nrm2_batch(x.b, norms), 0);
    require_info(startile_asum_batch(x.b, sums), 0);
    require_info(startile_iamax_batch(x.b, largest.b), 0);
    startile_batch_destroy(norms);
    startile_batch_destroy(sums);
    integers_finish(&largest);
    test_batch_finish(&x);
    require(has_borders_intact(norm_row) && has_borders_intact(sum_row));
    double unit = unit_roundoff(dtype) * (double)(n + 4);
    for (int64_t q = 0; q < count; q++) {
        require_near(get(norm_row, 0, q), nrm2_of(X.matrix[q]), unit * nrm2_of(X.matrix[q]));
        require_near(get(sum_row, 0, q), asum_of(X.matrix[q]), 2 * unit * asum_of(X.matrix[q]));
        require_info(*integers_of(&largest, q), iamax_of(X.matrix[q]));
    }
    integers_free(&largest);
    arrays_free(norm_row, sum_row);
    group_free(X);
}

static void check_dot(int64_t n, int64_t count, enum batch_form form, int variant)
{
    struct group X = vectors(n, count, variant), Y = vectors(n, count, variant / 2);
    struct test_batch x = test_batch_new(X, form, 0, NULL), y = test_batch_new(Y, form, 0, x.b);
    for (int conjugate = 0; conjugate < 2; conjugate++) {
        struct array R = array_new(dtype, 1, count, 0);
        startile_batch *r = results(R, x.b);
        require_info(conjugate ? startile_dotc_batch(x.b, y.b, r) : startile_dot_batch(x.b, y.b, r),
                     0);
        startile_batch_destroy(r);
        require(has_borders_intact(R));
        for (int64_t q = 0; q < count; q++) {
            long double magnitude;
            long double _Complex expected = dot_of(conjugate, X.matrix[q], Y.matrix[q], &magnitude);
            require_near(get(R, 0, q), expected,
                         2 * (double)(n + 4) * unit_roundoff(dtype) * magnitude);
        }
        array_free(R);
    }
    test_batches_finish(&x, &y);
    groups_free(X, Y);
}

/* Checks scal and axpy, with one alpha for all vectors or with one for each, depending on
 * `variant`. */
static void check_updates(int64_t n, int64_t count, enum batch_form form, int variant)
{
    bool shared = variant % 3 == 0;
    struct group X = vectors(n, count, variant / 2), Y = vectors(n, count, variant),
                 U = group_copy(X), V = group_copy(Y);
    struct array alpha = array_new_random(dtype, 1, count > 0 ? count : 1, 0);
    struct test_batch x = test_batch_new(U, form, 0, NULL), y = test_batch_new(V, form, 0, x.b);
    startile_batch *a;
    require_info(startile_batch_wrap(&a, dtype, count, 1, 1, alpha.a, 1, shared ? 0 : 1, 0, x.b),
                 0);
    require_info(startile_axpy_batch(a, x.b, y.b), 0);
    require_info(startile_scal_batch(a, x.b), 0);
    startile_batch_destroy(a);
    test_batches_finish(&y, &x);
    require(group_has_borders_intact(U) && group_has_borders_intact(V));
    for (int64_t q = 0; q < count; q++)
        for (int64_t j = 0; j < n; j++) {
            startile_complex s = get(alpha, 0, shared ? 0 : q), u = get(X.matrix[q], 0, j),
                             v = get(Y.matrix[q], 0, j);
            double unit = 8 * unit_roundoff(dtype);
            require_near(get(U.matrix[q], 0, j), s * u, unit * cabs(s) * cabs(u));
            require_near(get(V.matrix[q], 0, j), s * u + v, unit * (cabs(s) * cabs(u) + cabs(v)));
        }
    array_free(alpha);
    groups_free(X, Y, U, V);
}

/* Calls for_batches(), and `check` for lengths next to multiples of the number of elements that a
 * block of threads processes at a time. */
static void for_vectors(batch_check *check)
{
    static const int64_t lengths[] = {127, 129, 255, 257, 1023, 1025, 4099};
    for_batches(check);
    for (size_t s = 0; s < sizeof lengths / sizeof lengths[0]; s++)
        for (int variant = 0; variant < 4; variant++) {
            in_case("length %d, variant %d", (int)lengths[s], variant);
            check(lengths[s], 33, STRIDED, variant);
        }
}

static void test_reductions(void)
{
    for_vectors(check_reductions);
    in_case("long vectors");
    check_reductions(100003, 5, STRIDED, 1);
}

static void test_dot(void)
{
    for_vectors(check_dot);
    in_case("long vectors");
    check_dot(100003, 5, POINTERS, 0);
}

static void test_updates(void)
{
    for_vectors(check_updates);
    in_case("long vectors");
    check_updates(100003, 5, HANDLES, 0);
}

/* Tests elements whose squares overflow or underflow, infinity and NaN. */
static void test_extremes(void)
{
    bool single = dtype == STARTILE_S || dtype == STARTILE_C;
    int exponent = single ? 120 : 1000;
    enum { COUNT = 6, N = 37 };
    random_seed(6);
    struct group X = group_new_random(COUNT, 1, N, 0);
    for (int64_t j = 0; j < N; j++) {
        set(X.matrix[0], 0, j, get(X.matrix[0], 0, j) * ldexp(1, exponent));
        set(X.matrix[1], 0, j, get(X.matrix[1], 0, j) * ldexp(1, -exponent));
        set(X.matrix[2], 0, j,
            get(X.matrix[2], 0, j) * ldexp(1, j % 3 == 0 ? exponent : -exponent));
        set(X.matrix[5], 0, j, 0);
    }
    set(X.matrix[3], 0, 20, INFINITY);
    set(X.matrix[4], 0, 20, NAN);
    in_case("huge and tiny elements");
    struct test_batch x = test_batch_new(X, STRIDED, 0, NULL);
    struct array R = array_new(real_type(), 1, COUNT, 0);
    struct integers largest = integers_new(COUNT, 1, STRIDED, x.b);
    startile_batch *r = results(R, x.b);
    require_info(startile_nrm2_batch(x.b, r), 0);
    require_info(startile_iamax_batch(x.b, largest.b), 0);
    startile_batch_destroy(r);
    integers_finish(&largest);
    test_batch_finish(&x);
    for (int64_t q = 0; q < 3; q++) {
        long double norm = nrm2_of(X.matrix[q]);
        require_near(get(R, 0, q), norm, (N + 4) * unit_roundoff(dtype) * norm);
    }
    require(isinf(creal(get(R, 0, 3))) && isnan(creal(get(R, 0, 4))) && get(R, 0, 5) == 0);
    for (int64_t q = 0; q < COUNT; q++)
        require_info(*integers_of(&largest, q), q == 3 || q == 4 ? 21 : iamax_of(X.matrix[q]));
    integers_free(&largest);
    array_free(R);
    group_free(X);
}

/* Checks iamax for two elements of equal magnitude and opposite sign, at varying positions: 0,
 * finite, infinite (also beside another infinity) or NaN. The result is the first NaN, or else the
 * first element of the largest magnitude. */
static void check_iamax_ties(int64_t n, int variant)
{
    enum { COUNT = 64 };
    static const double magnitudes[] = {0, 3, INFINITY, NAN};
    struct group X = vectors(n, COUNT, variant);
    for (int64_t q = 0; q < COUNT; q++) {
        int64_t position = q * 7 % n, opposite_position = q * 31 % n;
        set(X.matrix[q], 0, n - 1 - position, q % 8 < 4 ? 1 : INFINITY);
        set(X.matrix[q], 0, position, magnitudes[q % 4]);
        set(X.matrix[q], 0, opposite_position, -magnitudes[q % 4]);
    }
    struct test_batch x = test_batch_new(X, POINTERS, 0, NULL);
    struct integers result = integers_new(COUNT, 1, STRIDED, x.b);
    require_info(startile_iamax_batch(x.b, result.b), 0);
    integers_finish(&result);
    test_batch_finish(&x);
    for (int64_t q = 0; q < COUNT; q++)
        require_info(*integers_of(&result, q), iamax_of(X.matrix[q]));
    integers_free(&result);
    group_free(X);
}

static void test_iamax_ties(void)
{
    static const int64_t lengths[] = {1, 2, 23, 24, 25, 33, 64, 127, 128, 129, 300, 1000};
    random_seed(8);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int variant = 0; variant < 2; variant++) {
            in_case("equal largest of %d elements, increment %d", (int)lengths[i], 1 + 2 * variant);
            check_iamax_ties(lengths[i], variant);
        }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "batch_vectors", test_reductions, test_dot, test_updates,
                      test_extremes, test_iamax_ties);
}
