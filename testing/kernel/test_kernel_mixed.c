/* Tests of the kernels of mixed-precision solves and of componentwise errors, against their
 * definitions in kernel_list.h. */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* More rows than a strip of the CPU's kernels (128) and a block of the GPU's (512), and numbers of
 * columns that are not multiples of 8 */
static const int shapes[][2] = {{1, 1},  {7, 20},   {129, 3}, {300, 9}, {1030, 2},
                                {70, 1}, {2100, 1}, {0, 3},   {3, 0}};
enum { SHAPES = 9 };

static const double extremes[] = {0,         1,        3,        0.75, 1e300,   1e-300,   0x1p-1074,
                                  0x1p-1030, 0x1p1023, INFINITY, NAN,  0x1p127, 0x1p-149, 0x1p-126};
enum { EXTREMES = sizeof extremes / sizeof *extremes };

/* Returns a random exponent within ±limit. */
static int random_exponent(int limit)
{
    return (int)(random_real() * limit);
}

/* Returns a random number of any magnitude in the range of the type. */
static double wide_real(void)
{
    return ldexp(random_real(), random_exponent(is_single(dtype) ? 120 : 1000));
}

/* Returns wide_real(), or, once in seven times, an extreme. */
static double wild_real(void)
{
    const int pick = (int)((random_real() + 1) * 3.5);
    return pick == 0 ? extremes[(int)((random_real() + 1) / 2 * EXTREMES)] : wide_real();
}

/* Elements and scales of a test. PLAIN: of similar magnitude; WIDE: finite, of any magnitude; WILD:
 * also extremes */
enum range { PLAIN, WIDE, WILD, RANGES };
static const char *const range_names[] = {"plain", "wide", "wild"};

static double real_in(enum range range)
{
    return range == PLAIN ? random_real() : range == WIDE ? wide_real() : wild_real();
}

static void fill(enum range range, struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j,
                dtype < STARTILE_C ? real_in(range) : CMPLX(real_in(range), real_in(range)));
}

/* Returns a vector of scales, doubles. */
static struct array scales_new(enum range range, int64_t n)
{
    struct array v = array_new(STARTILE_D, n, 1, 0);
    for (int64_t i = 0; i < n; i++)
        set(v, i, 0,
            range == WILD && i % 3 == 0
                ? extremes[i / 3 % EXTREMES]
                : ldexp(2 + random_real(), random_exponent(range == PLAIN ? 3 : 900)));
    return v;
}

/* Returns the exponent e with f(x) = 2^−e. */
static int exponent_of(struct array v, int64_t i)
{
    const double x = creal(get(v, i, 0));
    int e;
    if (!(x > 0) || isinf(x))
        return 0;
    frexp(x, &e);
    return e - 1;
}

static bool is_equal(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static double abs1(startile_complex z)
{
    return fabs(creal(z)) + fabs(cimag(z));
}

/* Returns 2^p z, rounded to double once. */
static startile_complex scaled(startile_complex z, int p)
{
    return CMPLX((double)ldexpl(creal(z), p), (double)ldexpl(cimag(z), p));
}

/* Returns max(a, b), or NaN if one of them is NaN. */
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* Returns v's address for kernels, or NULL if it is not `used`. */
static void *put_if(bool used, struct array v)
{
    return used ? device_put(v) : NULL;
}

static void fetch_if(bool used, struct array v, void *p)
{
    if (used)
        device_fetch(v, p);
}

/* -- lag2 -------------------------------------------------------------------------------------- */

static const startile_dtype other_precision[] = {[STARTILE_S] = STARTILE_D,
                                                 [STARTILE_D] = STARTILE_S,
                                                 [STARTILE_C] = STARTILE_Z,
                                                 [STARTILE_Z] = STARTILE_C};

static void check_lag2(int m, int n, bool with_r, bool with_c, int divide, int add)
{
    in_case("lag2, %d × %d, r %d, c %d, divide %d, add %d", m, n, with_r, with_c, divide, add);
    struct array A = array_new(dtype, m, n, 3), B = array_new(other_precision[dtype], m, n, 2), D;
    struct array r = scales_new(WILD, m), c = scales_new(WILD, n), A0;
    fill(WILD, A);
    if (add)
        fill(WILD, B);
    D = array_copy(B);
    A0 = array_copy(A);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            int e_r = with_r ? exponent_of(r, i) : 0, e_c = with_c ? exponent_of(c, j) : 0;
            startile_complex v = scaled(get(A, i, j), (divide ? e_c : -e_c) - e_r);
            set(D, i, j, add ? v + get(D, i, j) : v);
        }
    void *a = device_put(A), *b = device_put(B), *pr = put_if(with_r, r), *pc = put_if(with_c, c);
    require_info(kernels->lag2(exec, m, n, a, (int)A.ld, pr, pc, divide, add, b, (int)B.ld), 0);
    device_fetch(A, a);
    device_fetch(B, b);
    fetch_if(with_r, r, pr);
    fetch_if(with_c, c, pc);
    require(is_same(A, A0));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            require(is_equal(creal(get(B, i, j)), creal(get(D, i, j))) &&
                    is_equal(cimag(get(B, i, j)), cimag(get(D, i, j))));
    arrays_free(A, B, D, r, c, A0);
}

static void test_lag2(void)
{
    random_seed(80);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int flags = 0; flags < 16; flags++)
            check_lag2(shapes[shape][0], shapes[shape][1], flags & 1, flags & 2, !!(flags & 4),
                       !!(flags & 8));
}

static void test_lascl2(void)
{
    random_seed(86);
    for (int shape = 0; shape < SHAPES; shape++) {
        const int m = shapes[shape][0], n = shapes[shape][1];
        in_case("lascl2, %d × %d", m, n);
        struct array A = array_new(dtype, m, n, 3), r = scales_new(WILD, m), D;
        fill(WILD, A);
        D = array_copy(A);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++)
                set(D, i, j, scaled(get(A, i, j), -exponent_of(r, i)));
        void *a = device_put(A), *pr = device_put(r);
        require_info(kernels->lascl2(exec, m, n, pr, a, (int)A.ld), 0);
        device_fetch(A, a);
        device_fetch(r, pr);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++)
                require(is_equal(creal(get(A, i, j)), creal(get(D, i, j))) &&
                        is_equal(cimag(get(A, i, j)), cimag(get(D, i, j))));
        arrays_free(A, r, D);
    }
}

/* -- column_dots, column_axpys ----------------------------------------------------------------- */

/* Tests products of columns, added to earlier ones, and that two runs give the same bits. */
static void test_column_dots(void)
{
    random_seed(87);
    for (int shape = 0; shape < SHAPES; shape++) {
        const int m = shapes[shape][0], n = shapes[shape][1];
        in_case("column_dots, %d × %d", m, n);
        struct array A = array_new_random(dtype, m, n, 3), B = array_new_random(dtype, m, n, 1),
                     acc = array_new_random(STARTILE_D, 2 * n, 1, 0), before, again;
        before = array_copy(acc);
        again = array_copy(acc);
        void *a = device_put(A), *b = device_put(B), *p = device_put(acc), *q = device_put(again);
        require_info(kernels->column_dots(exec, m, n, a, (int)A.ld, b, (int)B.ld, p), 0);
        require_info(kernels->column_dots(exec, m, n, a, (int)A.ld, b, (int)B.ld, q), 0);
        device_fetch(A, a);
        device_fetch(B, b);
        device_fetch(acc, p);
        device_fetch(again, q);
        require(is_same(acc, again));
        for (int64_t j = 0; j < n; j++) {
            startile_complex sum =
                CMPLX(creal(get(before, 2 * j, 0)), creal(get(before, 2 * j + 1, 0)));
            for (int64_t i = 0; i < m; i++)
                sum += conj(get(A, i, j)) * get(B, i, j);
            startile_complex found =
                CMPLX(creal(get(acc, 2 * j, 0)), creal(get(acc, 2 * j + 1, 0)));
            require_below(cabs(found - sum), (m + 1) * 4.0 * (m + 1) * 0x1p-53);
        }
        arrays_free(A, B, acc, before, again);
    }
}

/* num, den: with quotients of earlier products, of which every third denominator is 0 */
static void check_column_axpys(int m, int n, int sign, bool with_quotients)
{
    in_case("column_axpys, %d × %d, sign %d, quotients %d", m, n, sign, with_quotients);
    struct array A = array_new_random(dtype, m, n, 3), B = array_new_random(dtype, m, n, 1), D,
                 num = array_new_random(STARTILE_D, 2 * n, 1, 0),
                 den = array_new_random(STARTILE_D, 2 * n, 1, 0);
    for (int64_t j = 0; j < n; j++) {
        set(den, 2 * j, 0, j % 3 == 2 ? 0 : 1.5 + creal(get(den, 2 * j, 0)));
        if (dtype < STARTILE_C)
            set(num, 2 * j + 1, 0, 0);
    }
    D = array_copy(B);
    for (int64_t j = 0; j < n; j++) {
        double denominator = creal(get(den, 2 * j, 0));
        startile_complex factor = sign;
        if (with_quotients)
            factor *= denominator == 0 ? 0
                                       : CMPLX(creal(get(num, 2 * j, 0)) / denominator,
                                               creal(get(num, 2 * j + 1, 0)) / denominator);
        for (int64_t i = 0; i < m; i++)
            set(D, i, j, get(D, i, j) + factor * get(A, i, j));
    }
    void *a = device_put(A), *b = device_put(B), *pn = put_if(with_quotients, num),
         *pd = put_if(with_quotients, den);
    require_info(kernels->column_axpys(exec, m, n, sign, pn, pd, a, (int)A.ld, b, (int)B.ld), 0);
    device_fetch(A, a);
    device_fetch(B, b);
    fetch_if(with_quotients, num, pn);
    fetch_if(with_quotients, den, pd);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            require_below(cabs(get(B, i, j) - get(D, i, j)), 8 * unit_roundoff(dtype));
    arrays_free(A, B, D, num, den);
}

static void test_column_axpys(void)
{
    random_seed(88);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int flags = 0; flags < 4; flags++)
            check_column_axpys(shapes[shape][0], shapes[shape][1], flags & 1 ? 1 : -1, flags & 2);
}

/* -- column_maxima, ratio_maxima --------------------------------------------------------------- */

/* Fills acc with results of earlier tiles: 0, small, large and NaN. */
static void fill_maxima(struct array acc)
{
    static const double before[] = {0, 1e-300, 1e300, NAN, 0, INFINITY};
    for (int64_t j = 0; j < acc.m; j++)
        set(acc, j, 0, before[j % 6]);
}

/* Requires acc to be `expected` up to 4 roundings. */
static void require_maxima(struct array acc, struct array expected)
{
    for (int64_t j = 0; j < acc.m; j++) {
        const double x = creal(get(acc, j, 0)), y = creal(get(expected, j, 0));
        require(is_equal(x, y) || fabs(x - y) <= 0x1p-51 * y + 0x1p-1073);
    }
}

static void check_column_maxima(int m, int n, bool with_r, enum range range)
{
    in_case("column_maxima, %d × %d, r %d, %s", m, n, with_r, range_names[range]);
    struct array A = array_new(dtype, m, n, 1), r = scales_new(range, m);
    struct array acc = array_new(STARTILE_D, n, 1, 0), expected;
    fill(range, A);
    fill_maxima(acc);
    expected = array_copy(acc);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(expected, j, 0,
                larger(creal(get(expected, j, 0)),
                       abs1(scaled(get(A, i, j), with_r ? -exponent_of(r, i) : 0))));
    void *a = device_put(A), *p = device_put(acc), *pr = put_if(with_r, r);
    require_info(kernels->column_maxima(exec, m, n, a, (int)A.ld, pr, p), 0);
    device_fetch(A, a);
    device_fetch(acc, p);
    fetch_if(with_r, r, pr);
    require_maxima(acc, expected);
    arrays_free(A, r, acc, expected);
}

static void test_column_maxima(void)
{
    random_seed(81);
    for (int shape = 0; shape < SHAPES; shape++)
        for (enum range range = PLAIN; range < RANGES; range++)
            for (int with_r = 0; with_r < 2; with_r++)
                check_column_maxima(shapes[shape][0], shapes[shape][1], with_r, range);
}

/* Tests that one large or NaN element is found in each row of a column, also a negative NaN. */
static void test_column_maxima_of_one(void)
{
    static const double values[] = {-7, -NAN, NAN, INFINITY};
    random_seed(82);
    for (int v = 0; v < 4; v++)
        for (int64_t at = 0; at < 1100; at += 157) {
            in_case("column_maxima, %g at (%d, 1)", values[v], (int)at);
            struct array A = array_new_random(dtype, 1100, 3, 0);
            struct array acc = array_new(STARTILE_D, 3, 1, 0);
            set(A, at, 1, values[v]);
            array_fill(acc, 0);
            void *a = device_put(A), *p = device_put(acc);
            require_info(kernels->column_maxima(exec, 1100, 3, a, (int)A.ld, NULL, p), 0);
            device_fetch(A, a);
            device_fetch(acc, p);
            require(is_equal(creal(get(acc, 1, 0)), fabs(values[v])));
            require(creal(get(acc, 0, 0)) < 3 && creal(get(acc, 2, 0)) < 3);
            arrays_free(A, acc);
        }
}

/* Tests that a subnormal result is rounded once: (9/16) u = u, where u is the smallest number. With
 * two divisions by 4, it would be (2/4) u = 0. */
static void test_subnormal_maximum(void)
{
    if (is_single(dtype))
        return;
    in_case("column_maxima, subnormal");
    struct array A = array_new(dtype, 1, 1, 0), r = array_new(STARTILE_D, 1, 1, 0);
    struct array acc = array_new(STARTILE_D, 1, 1, 0);
    set(A, 0, 0, 9 * 0x1p-1074);
    set(r, 0, 0, 16);
    set(acc, 0, 0, 0);
    void *a = device_put(A), *pr = device_put(r), *p = device_put(acc);
    require_info(kernels->column_maxima(exec, 1, 1, a, (int)A.ld, pr, p), 0);
    device_fetch(A, a);
    device_fetch(r, pr);
    device_fetch(acc, p);
    require(creal(get(acc, 0, 0)) == 0x1p-1074);
    arrays_free(A, r, acc);
}

/* Returns |a| / (|b| + w), where 0/0 counts as 0. */
static double ratio(startile_complex a, startile_complex b, double w)
{
    const double denominator = abs1(b) + w;
    return abs1(a) == 0 && denominator == 0 ? 0 : abs1(a) / denominator;
}

/* zeros: one of three rows of A, B and W is zero. */
static void check_ratio_maxima(int m, int n, enum range range, bool zeros)
{
    in_case("ratio_maxima, %d × %d, %s, zeros %d", m, n, range_names[range], zeros);
    struct array A = array_new(dtype, m, n, 1), B = array_new(dtype, m, n, 2);
    struct array W = array_new(STARTILE_D, m, n, 3), acc = array_new(STARTILE_D, n, 1, 0), expected;
    fill(range, A);
    fill(range, B);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            set(W, i, j, fabs(real_in(range)));
            if (zeros && i % 3 == 0)
                set(A, i, j, 0), set(B, i, j, 0), set(W, i, j, 0);
        }
    fill_maxima(acc);
    expected = array_copy(acc);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(expected, j, 0,
                larger(creal(get(expected, j, 0)),
                       ratio(get(A, i, j), get(B, i, j), creal(get(W, i, j)))));
    void *a = device_put(A), *b = device_put(B), *w = device_put(W), *p = device_put(acc);
    require_info(kernels->ratio_maxima(exec, m, n, a, (int)A.ld, b, (int)B.ld, w, (int)W.ld, p), 0);
    device_fetch(A, a);
    device_fetch(B, b);
    device_fetch(W, w);
    device_fetch(acc, p);
    require_maxima(acc, expected);
    arrays_free(A, B, W, acc, expected);
}

static void test_ratio_maxima(void)
{
    random_seed(83);
    for (int shape = 0; shape < SHAPES; shape++)
        for (enum range range = PLAIN; range < RANGES; range++)
            for (int zeros = 0; zeros < 2; zeros++)
                check_ratio_maxima(shapes[shape][0], shapes[shape][1], range, zeros);
}

/* -- diagonal_roots ---------------------------------------------------------------------------- */

static void test_diagonal_roots(void)
{
    static const int orders[] = {0, 1, 17, 300};
    random_seed(84);
    for (int o = 0; o < 4; o++) {
        const int n = orders[o];
        in_case("diagonal_roots, n %d", n);
        struct array A = array_new(dtype, n, n, 2), d = array_new(STARTILE_D, n, 1, 0);
        for (int64_t i = 0; i < n; i++)
            set(A, i, i, dtype < STARTILE_C ? wild_real() : CMPLX(wild_real(), NAN));
        void *a = device_put(A), *p = device_put(d);
        require_info(kernels->diagonal_roots(exec, n, a, (int)A.ld, p), 0);
        device_fetch(A, a);
        device_fetch(d, p);
        for (int64_t i = 0; i < n; i++) {
            const double x = creal(get(d, i, 0)), y = sqrt(fabs(creal(get(A, i, i))));
            require(is_equal(x, y) || fabs(x - y) <= 0x1p-52 * y);
        }
        arrays_free(A, d);
    }
}

/* -- abs_gemm ---------------------------------------------------------------------------------- */

/* Returns |a_ij| of op(A), or of the Hermitian A in the triangle uplo. */
static double size_at(char trans, char uplo, struct array A, int64_t i, int64_t j)
{
    const bool mirrored = uplo == 'G' ? trans != 'N' : !is_in_triangle(uplo, i, j);
    const startile_complex v = mirrored ? get(A, j, i) : get(A, i, j);
    return uplo != 'G' && i == j ? fabs(creal(v)) : abs1(v);
}

/* special: A has a NaN, and B an infinite element. */
static void check_abs_gemm(char trans, char uplo, int m, int n, int k, bool special)
{
    in_case("abs_gemm %c%c, %d × %d × %d, special %d", trans, uplo, m, n, k, special);
    struct array A = array_new_random(dtype, trans == 'N' ? m : k, trans == 'N' ? k : m, 3);
    struct array B = array_new_random(dtype, k, n, 2), W = array_new_random(STARTILE_D, m, n, 1), D,
                 A0;
    if (uplo != 'G') {
        array_poison(A, uplo == 'L' ? 'U' : 'L');
        for (int64_t i = 0; i < m && dtype >= STARTILE_C; i++)
            set(A, i, i, CMPLX(creal(get(A, i, i)), NAN));
    }
    if (special && A.m > 0 && A.n > 0 && n > 0) {
        set(A, A.m - 1, 0, uplo == 'U' ? get(A, A.m - 1, 0) : NAN);
        set(B, k / 2, n - 1, -INFINITY);
    }
    D = array_copy(W);
    A0 = array_copy(A);
    for (int64_t q = 0; q < n; q++)
        for (int64_t i = 0; i < m; i++) {
            long double sum = creal(get(W, i, q));
            for (int64_t j = 0; j < k; j++)
                sum += (long double)size_at(trans, uplo, A, i, j) * abs1(get(B, j, q));
            set(D, i, q, (double)sum);
        }
    void *a = device_put(A), *b = device_put(B), *w = device_put(W);
    require_info(
        kernels->abs_gemm(exec, trans, uplo, m, n, k, a, (int)A.ld, b, (int)B.ld, w, (int)W.ld), 0);
    device_fetch(A, a);
    device_fetch(B, b);
    device_fetch(W, w);
    require(is_same(A, A0));
    for (int64_t q = 0; q < n; q++)
        for (int64_t i = 0; i < m; i++) {
            const double x = creal(get(W, i, q)), y = creal(get(D, i, q));
            require(is_equal(x, y) || fabs(x - y) <= (k + 2) * (4.0 * k + 2) * 0x1p-53);
        }
    arrays_free(A, B, W, D, A0);
}

static void test_abs_gemm(void)
{
    static const int sizes[][3] = {{1, 1, 1},   {33, 1, 70}, {70, 3, 33}, {600, 1, 9}, {9, 5, 1100},
                                   {41, 13, 5}, {0, 2, 3},   {3, 0, 2},   {2, 3, 0}};
    random_seed(85);
    for (int s = 0; s < 9; s++)
        for (int special = 0; special < 2; special++) {
            for (const char *trans = "NTC"; *trans != '\0'; trans++)
                check_abs_gemm(*trans, 'G', sizes[s][0], sizes[s][1], sizes[s][2], special);
            for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
                check_abs_gemm('N', *uplo, sizes[s][0], sizes[s][1], sizes[s][0], special);
        }
}

/* -- trtri ------------------------------------------------------------------------------------- */

/* Checks the inverse W of a well-conditioned triangle T: every row of W T is a row of the identity.
 * The other triangle of T, and with diag 'U' its diagonal, are not numbers. */
static void check_trtri(char uplo, char diag, int n)
{
    in_case("trtri %c%c, n %d", uplo, diag, n);
    struct array T = array_new_random(dtype, n, n, 3), W = array_new(dtype, n, n, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(T, i, j, i == j ? (diag == 'U' ? NAN : 2 + get(T, i, j)) : get(T, i, j) / n);
    array_poison(T, uplo == 'L' ? 'U' : 'L');
    void *t = device_put(T), *w = device_put(W);
    require_info(kernels->trtri(exec, uplo, diag, n, t, (int)T.ld, w, (int)W.ld), 0);
    device_fetch(T, t);
    device_fetch(W, w);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            startile_complex sum = 0;
            for (int64_t k = uplo == 'L' ? j : 0; k < (uplo == 'L' ? n : j + 1); k++)
                sum += get(W, i, k) * (k == j && diag == 'U' ? 1 : get(T, k, j));
            require_below(cabs(sum - (i == j)), 30 * unit_roundoff(dtype));
            require(is_in_triangle(uplo, i, j) || get(W, i, j) == 0);
        }
    arrays_free(T, W);
}

static void test_trtri(void)
{
    static const int sizes[] = {0, 1, 5, 64, 65, 200};
    random_seed(86);
    for (int s = 0; s < 6; s++)
        for (int c = 0; c < 4; c++)
            check_trtri("LU"[c % 2], "NU"[c / 2], sizes[s]);
}

int test_kernel_mixed(void)
{
    return run_group("kernel_mixed", test_lag2, test_lascl2, test_column_dots, test_column_axpys,
                     test_column_maxima, test_column_maxima_of_one, test_subnormal_maximum,
                     test_ratio_maxima, test_diagonal_roots, test_abs_gemm, test_trtri);
}
