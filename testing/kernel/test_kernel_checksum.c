/* Tests of the kernels behind the option `verify`: weights, checksums, their comparison, and the
 * flip of a bit. */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"
#include "weights.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Returns the number of columns of one weighted sum, and of a checksum. */
static int parts(void)
{
    return dtype == STARTILE_C || dtype == STARTILE_Z ? 2 : 1;
}

static int sums(void)
{
    return 2 * parts() + 1;
}

/* Returns weighted sum s, 0 or 1, of row i of a checksum. */
static startile_complex sum_of(struct array W, int64_t i, int s)
{
    return CMPLX(creal(get(W, i, s * parts())), parts() == 2 ? creal(get(W, i, 2 * s + 1)) : 0);
}

static void set_sum(struct array W, int64_t i, int s, startile_complex value)
{
    set(W, i, s * parts(), creal(value));
    if (parts() == 2)
        set(W, i, 2 * s + 1, cimag(value));
}

static double squares_of(struct array W, int64_t i)
{
    return creal(get(W, i, sums() - 1));
}

/* Returns a checksum with random sums and squares in [0, 1). */
static struct array random_checksum(int64_t m)
{
    struct array W = array_new(STARTILE_D, m, sums(), 3);
    array_random(W);
    for (int64_t i = 0; i < m; i++)
        set(W, i, sums() - 1, fabs(squares_of(W, i)));
    return W;
}

/* -- weights, spread_weights ------------------------------------------------------------------- */

static void test_weights(void)
{
    static const int sizes[] = {0, 1, 2, 50, 700};
    for (int s = 0; s < 5; s++) {
        int m = sizes[s];
        in_case("weights, m %d", m);
        struct array E = array_new(dtype, m, 2, 3), W = array_new(STARTILE_D, m, sums(), 1);
        void *e = device_put(E), *w = device_put(W);
        for (int first = 0, rows; first < m; first += rows) { /* in two parts */
            rows = first == 0 ? (m + 1) / 2 : m - first;
            char *part = (char *)e + (size_t)first * element_size(dtype);
            require_info(kernels->weights(exec, first, m, rows, part, (int)E.ld), 0);
        }
        require_info(kernels->spread_weights(exec, m, e, (int)E.ld, w, (int)W.ld), 0);
        device_fetch(E, e);
        device_fetch(W, w);
        double signs = 0;
        for (int64_t i = 0; i < m; i++) {
            double first = creal(get(E, i, 0)), second = creal(get(E, i, 1));
            signs += first;
            require(fabs(first) == 1);
            require_below(fabs(fabs(second) - (m + i + 1) / (2.0 * m)), 2 * unit_roundoff(dtype));
            require(sum_of(W, i, 0) == first && sum_of(W, i, 1) == second);
            require(squares_of(W, i) == 1);
        }
        require(fabs(signs) <= 5 * sqrt(m)); /* as many of each sign, up to chance */
        arrays_free(E, W);
    }
}

/* -- checksum ---------------------------------------------------------------------------------- */

/* Returns element (i, j) of the matrix that A, uplo and diag describe. */
static startile_complex element_of(struct array A, char uplo, char diag, int64_t i, int64_t j)
{
    if (!is_in_triangle(uplo, i, j))
        return 0;
    if (uplo == 'G' || i != j || diag == 'N')
        return get(A, i, j);
    return diag == 'U' ? 1 : diag == 'Z' ? 0 : creal(get(A, i, j));
}

static startile_complex op_of(char op, startile_complex z)
{
    return op == 'C' || op == 'J' ? conj(z) : z;
}

/* Adds the expected sums of op(A) W to S. */
static void add_expected(char op, char uplo, char diag, startile_complex alpha, struct array A,
                         struct array W, struct array S)
{
    bool by_columns = op == 'T' || op == 'C';
    double scale = creal(alpha * conj(alpha));
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex a = op_of(op, element_of(A, uplo, diag, i, j));
            int64_t from = by_columns ? i : j, to = by_columns ? j : i;
            for (int s = 0; s < 2; s++)
                set_sum(S, to, s, sum_of(S, to, s) + alpha * a * sum_of(W, from, s));
            set(S, to, sums() - 1,
                squares_of(S, to) + scale * creal(a * conj(a)) * squares_of(W, from));
        }
}

static void check_checksum(char op, char uplo, char diag, int m, int n)
{
    in_case("checksum %c%c%c, %d × %d", op, uplo, diag, m, n);
    bool by_columns = op == 'T' || op == 'C';
    startile_complex alpha = parts() == 2 ? CMPLX(-0.5, 2) : -0.5;
    struct array A = array_new_random(dtype, m, n, 3), W = random_checksum(by_columns ? m : n),
                 S = random_checksum(by_columns ? n : m), expected = array_copy(S);
    if (uplo != 'G')
        array_poison(A, uplo == 'L' ? 'U' : 'L');
    for (int64_t i = 0; i < m && uplo != 'G' && (diag == 'U' || diag == 'Z'); i++)
        set(A, i, i, NAN);
    add_expected(op, uplo, diag, alpha, A, W, expected);
    void *a = device_put(A), *w = device_put(W), *to = device_put(S);
    require_info(kernels->checksum(exec, op, uplo, diag, m, n,
                                   (startile_scalar){creal(alpha), cimag(alpha)}, a, (int)A.ld, w,
                                   (int)W.ld, to, (int)S.ld),
                 0);
    device_fetch(A, a);
    device_fetch(W, w);
    device_fetch(S, to);
    /* Terms of magnitude at most 4.2 √2 √2; 64: their sums are rounded, too. Largest difference, of
     * complex sums on an H100: 24. */
    check_near(S, expected, 64.0 * (m + n + 4));
    arrays_free(A, W, S, expected);
}

static void test_checksum(void)
{
    static const int shapes[][2] = {{0, 3}, {3, 0},   {1, 1},    {5, 3},
                                    {3, 5}, {64, 64}, {130, 37}, {37, 600}};
    static const int orders[] = {0, 1, 2, 5, 33, 64, 129};
    random_seed(91);
    for (int o = 0; o < 4; o++) {
        char op = "NTCJ"[o];
        for (int s = 0; s < 8; s++)
            check_checksum(op, 'G', 'N', shapes[s][0], shapes[s][1]);
        for (int s = 0; s < 7; s++)
            for (int d = 0; d < 8; d++)
                check_checksum(op, "LU"[d % 2], "NRUZ"[d / 2], orders[s], orders[s]);
    }
}

/* -- compare_checksums ------------------------------------------------------------------------- */

/* Returns found[0 … 4] for the comparison of C and D with these bounds, after an earlier result. */
static void compare(struct array C, struct array D, double bound, struct array found)
{
    void *c = device_put(C), *d = device_put(D), *f = device_put(found);
    require_info(
        kernels->compare_checksums(exec, (int)C.m, c, (int)C.ld, d, (int)D.ld, bound, 100, f), 0);
    device_fetch(C, c);
    device_fetch(D, d);
    device_fetch(found, f);
}

static void require_found(struct array found, int64_t row)
{
    require(creal(get(found, 0, 0)) == (row < 0 ? 0 : (double)(100 + row + 1)));
}

/* The rows `first` and `second` differ by `difference` in sum s. */
static void check_compare(int64_t m, int64_t first, int64_t second, double difference, int s)
{
    in_case("compare_checksums, m %d, rows %d and %d, %g in sum %d", (int)m, (int)first,
            (int)second, difference, s);
    struct array C = random_checksum(m), D = array_copy(C), found = array_new(STARTILE_D, 5, 1, 0);
    array_fill(found, 0);
    double v = 2 * squares_of(C, first);
    set_sum(D, first, s, sum_of(D, first, s) + difference * sqrt(v) * (parts() == 2 ? I : 1));
    set_sum(D, second, s, sum_of(D, second, s) + 50 * sqrt(2 * squares_of(C, second)));
    compare(C, D, 0.5, found);
    bool finds_first = fabs(difference) > 0.5 || isnan(difference);
    require_found(found, finds_first ? first : second);
    if (isfinite(difference) && finds_first) {
        require_below(fabs(creal(get(found, 1 + s, 0)) - fabs(difference) * sqrt(v)), 1e-13);
        require(creal(get(found, 2 - s, 0)) == 0);
    }
    require_below(fabs(creal(get(found, 3, 0)) - 100), 1e-8);
    compare(C, C, 0.5, found); /* an earlier result stays */
    require_found(found, finds_first ? first : second);
    arrays_free(C, D, found);
}

/* A row of C whose squares are not finite is not compared, one of D is. */
static void check_infinity(bool in_c, double value)
{
    in_case("compare_checksums, %g in %c", value, in_c ? 'C' : 'D');
    struct array C = random_checksum(20), D = array_copy(C), found = array_new(STARTILE_D, 5, 1, 0);
    array_fill(found, 0);
    set(in_c ? C : D, 7, sums() - 1, value);
    compare(C, D, 0.5, found);
    require_found(found, in_c ? -1 : 7);
    require(creal(get(found, 4, 0)) == in_c);
    require(creal(get(found, 3, 0)) == 0);
    arrays_free(C, D, found);
}

static void test_compare(void)
{
    static const double differences[] = {0.1, -0.49, 0.51, -3, INFINITY, NAN};
    random_seed(92);
    for (int d = 0; d < 6; d++)
        for (int s = 0; s < 2; s++) {
            check_compare(2, 0, 1, differences[d], s);
            check_compare(600, 299, 511, differences[d], s);
        }
    for (int c = 0; c < 4; c++)
        check_infinity(c % 2, c / 2 ? NAN : INFINITY);
    struct array none = random_checksum(0), found = array_new(STARTILE_D, 5, 1, 0);
    array_fill(found, 0);
    compare(none, none, 0.5, found);
    require_found(found, -1);
    arrays_free(none, found);
}

/* -- flip_bit ---------------------------------------------------------------------------------- */

static void test_flip_bit(void)
{
    in_case("flip_bit");
    struct array A = array_new_random(dtype, 9, 4, 2);
    int64_t bits = 8 * (int64_t)element_size(dtype);
    for (int64_t bit = 0; bit < bits; bit++) {
        struct array B = array_copy(A);
        int64_t place = (2 * A.ld + 3) * bits + bit;
        void *a = device_put(A);
        require_info(kernels->flip_bit(exec, a, place), 0);
        device_fetch(A, a);
        unsigned char *byte = (unsigned char *)B.a + place / 8;
        *byte = (unsigned char)(*byte ^ 1 << place % 8);
        require(memcmp(A.memory, B.memory, array_bytes(A)) == 0);
        array_free(B);
    }
    array_free(A);
}

int test_kernel_checksum(void)
{
    return run_group("kernel_checksum", test_weights, test_checksum, test_compare, test_flip_bit);
}
