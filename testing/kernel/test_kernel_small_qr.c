/* Tests of the CPU's QR kernels for small matrices, in the variants for all instruction sets of the
 * machine, against LAPACK: factors and least squares, one by one and one matrix per vector lane. */
#include "check.h"
#include "kernel_tests.h"
#include "qr.h"
#include "reference.h"
#include "small_calls.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Most elements of a matrix in a vector lane, and variants, as in small.h */
enum { TOGETHER = 784, VARIANTS = 3 };

static const struct small_calls *calls(void)
{
    const struct small_calls *const of_type[4] = {&small_calls_s, &small_calls_d, &small_calls_c,
                                                  &small_calls_z};
    return of_type[dtype];
}

/* Calls `check` for each variant of the kernel for one matrix and of the kernel for several. */
static void for_kernels(void (*check)(int variant, bool together))
{
    static const char *const names[VARIANTS] = {"baseline", "AVX2", "AVX-512"};
    for (int v = 0; v < 2 * VARIANTS; v++)
        if (calls()->lanes(v / 2) > 0) {
            in_case("%s, %s", names[v / 2], v % 2 ? "together" : "one by one");
            random_seed(91);
            check(v / 2, v % 2);
        }
}

/* -- cases ------------------------------------------------------------------------------------ */

static struct small_case factors_new(struct array A)
{
    return (struct small_case){.A = array_copy(A), .tau = array_new(dtype, min(A.m, A.n), 1, 0)};
}

static void case_free(struct small_case *of)
{
    arrays_free(of->A, of->tau);
}

/* Factors one matrix. The caller frees the case. */
static struct small_case factored(int variant, bool together, struct array A)
{
    struct small_case of = factors_new(A);
    calls()->geqrf(variant, together, 1, &of);
    require(has_borders_intact(of.A) && has_borders_intact(of.tau));
    return of;
}

static void check_factors_of(struct array A, const struct small_case *of)
{
    check_qr(A, (struct qr){QR, of->A, of->tau}, INFINITY);
}

/* -- factors ---------------------------------------------------------------------------------- */

static void check_shape(int variant, bool together, int64_t m, int64_t n)
{
    static int cases;
    if ((together && m * n > TOGETHER) || is_left_to_other_types(cases++ + (int)n))
        return;
    struct array A = array_new_random(dtype, m, n, 3);
    struct small_case of = factored(variant, together, A);
    check_factors_of(A, &of);
    case_free(&of);
    array_free(A);
}

static void check_shapes(int variant, bool together)
{
    for (int64_t n = 1; n <= 100; n++) {
        check_shape(variant, together, n, n);
        check_shape(variant, together, n + 1, n);
        check_shape(variant, together, n, n + 1 + n / 3);
    }
    for (int64_t n = 1; n <= 200; n += n < 10 ? 1 : 19) {
        check_shape(variant, together, 2 * n, n);
        check_shape(variant, together, min(4 * n, 512), n);
        check_shape(variant, together, min(n * n, 512), n);
    }
}

static void test_shapes(void)
{
    for_kernels(check_shapes);
    check_report("factors");
}

/* Checks that the bits of the factors do not depend on the other lanes, with matrices of all sizes
 * in one call, and one of NaN. */
static void check_lanes(int variant, bool together)
{
    enum { ORDER = 28, NANS = 1 };
    const int lanes = calls()->lanes(variant);
    struct array A[MOST_LANES];
    struct small_case of[MOST_LANES];
    for (int l = 0; l < lanes && together; l++) {
        A[l] = array_new_random(dtype, ORDER - l % 11, ORDER - (3 * l) % ORDER, 1);
        if (l == NANS)
            array_fill(A[l], NAN);
        of[l] = factors_new(A[l]);
    }
    for (int count = 1; count <= lanes && together; count++) {
        calls()->geqrf(variant, true, count, of);
        for (int l = 0; l < count; l++) {
            struct small_case alone = factored(variant, true, A[l]);
            /* the signs of NaN may differ */
            require(l == NANS || (is_same(of[l].A, alone.A) && is_same(of[l].tau, alone.tau)));
            array_assign(A[l], of[l].A);
            case_free(&alone);
        }
    }
    for (int l = 0; l < lanes && together; l++) {
        case_free(&of[l]);
        array_free(A[l]);
    }
}

static void test_lanes(void)
{
    for_kernels(check_lanes);
}

/* -- zeros, ends of the range, NaN ------------------------------------------------------------ */

/* Checks zero columns, zeros below the diagonal, and a matrix of zeros: tau is 0 where LAPACK's is.
 */
static void check_zeros(int variant, bool together)
{
    for (int kind = 0; kind < 4; kind++) {
        const int64_t m = 13, n = 9;
        struct array A = array_new_random(dtype, m, n, 2);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++)
                if (kind == 3 || (kind == 2 && i > j) || (kind < 2 && j % 3 == kind))
                    set(A, i, j, 0);
        struct small_case of = factored(variant, together, A);
        struct qr f = lapack_qr(A, QR);
        check_factors_of(A, &of);
        for (int64_t j = 0; j < n && kind >= 2; j++)
            require((get(of.tau, j, 0) == 0) == (get(f.tau, j, 0) == 0));
        qr_free(f);
        case_free(&of);
        array_free(A);
    }
}

static void test_zeros(void)
{
    for_kernels(check_zeros);
}

/* Multiplies the elements of column j by 2^exponent. */
static void scale_column(struct array A, int64_t j, int exponent)
{
    for (int64_t i = 0; i < A.m; i++) {
        const startile_complex z = get(A, i, j);
        set(A, i, j, CMPLX(ldexp(creal(z), exponent), ldexp(cimag(z), exponent)));
    }
}

/* Checks columns of magnitudes from subnormal to huge, each with its own exponent. After division
 * by the columns' powers of two, the factors are those of A without them; errors by underflow are
 * `tiny` in one element. */
static void check_range(int variant, bool together)
{
    const int least = is_single(dtype) ? -140 : -1060, most = is_single(dtype) ? 120 : 1015;
    for (int64_t n = 1; n <= 24; n += 5) {
        struct array A = array_new_random(dtype, n + 3, n, 0), S = array_copy(A);
        for (int64_t j = 0; j < n; j++) {
            const int exponent = least + (int)((most - least) * j / max(n - 1, 1));
            scale_column(S, j, exponent);
            array_assign(array_part(S, 0, j, A.m, 1), array_part(A, 0, j, A.m, 1));
            scale_column(A, j, -exponent);
        }
        struct small_case of = factored(variant, together, S);
        require(is_finite(of.A) && is_finite(of.tau));
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i <= j; i++) {
                const int exponent = least + (int)((most - least) * j / max(n - 1, 1));
                const startile_complex r = get(of.A, i, j);
                set(of.A, i, j, CMPLX(ldexp(creal(r), -exponent), ldexp(cimag(r), -exponent)));
            }
        struct factors f = factors_of((struct qr){QR, of.A, of.tau});
        const double eps = unit_roundoff(dtype);
        require_below(loss_of_orthogonality(f.Q) / ((double)A.m * eps), 30);
        lapack(A)->gemm('N', 'N', -1, f.Q, f.R, 1, A);
        for (int64_t j = 0; j < n; j++) {
            const int exponent = least + (int)((most - least) * j / max(n - 1, 1));
            const double tiny = ldexp(1, (is_single(dtype) ? -149 : -1074) - exponent);
            for (int64_t i = 0; i < A.m; i++)
                require_below(cabs(get(A, i, j)), 30 * (double)A.m * (eps + tiny));
        }
        factors_free(f);
        case_free(&of);
        arrays_free(A, S);
    }
}

static void test_range(void)
{
    for_kernels(check_range);
}

/* Checks columns whose elements below the diagonal are so small that their squares underflow:
 * LAPACK's tau and vector. */
static void check_small_tail(int variant, bool together)
{
    for (int scale = 0; scale < 3; scale++) {
        const int exponent = is_single(dtype) ? -90 - 25 * scale : -600 - 200 * scale;
        struct array A = array_new_random(dtype, 11, 1, 0);
        scale_column(A, 0, exponent);
        set(A, 0, 0, CMPLX(-2, dtype < STARTILE_C ? 0 : 1));
        struct small_case of = factored(variant, together, A);
        struct qr f = lapack_qr(A, QR);
        check_near(of.tau, f.tau, 16);
        for (int64_t i = 0; i < A.m; i++) {
            const double tiny = is_single(dtype) ? 0x1p-149 : 0x1p-1074;
            require_below(cabs(get(of.A, i, 0) - get(f.F, i, 0)),
                          16 * unit_roundoff(dtype) * cabs(get(f.F, i, 0)) + 4 * tiny);
        }
        qr_free(f);
        case_free(&of);
        array_free(A);
    }
}

static void test_small_tail(void)
{
    for_kernels(check_small_tail);
}

/* Checks a NaN or infinity in column j: the columns before it have the bits that they have without
 * it, and column j becomes NaN or infinite. */
static void check_not_finite(int variant, bool together)
{
    const int64_t m = 22, n = 17;
    struct array A = array_new_random(dtype, m, n, 0);
    struct small_case expected = factored(variant, together, A);
    for (int64_t j = 0; j < n; j += 4)
        for (int kind = 0; kind < 2; kind++) {
            struct array B = array_copy(A);
            set(B, (7 * j) % m, j, kind ? NAN : INFINITY);
            struct small_case of = factored(variant, together, B);
            require(!is_finite(array_part(of.A, 0, j, m, 1)));
            for (int64_t i = 0; i < m * j; i++)
                require(get(of.A, i % m, i / m) == get(expected.A, i % m, i / m));
            case_free(&of);
            array_free(B);
        }
    case_free(&expected);
    array_free(A);
}

static void test_not_finite(void)
{
    for_kernels(check_not_finite);
}

/* -- least squares ---------------------------------------------------------------------------- */

static struct small_case system_new(struct array A, struct array B, bool is_transposed)
{
    return (struct small_case){array_copy(A), array_new(dtype, 0, 1, 0), array_copy(B),
                               is_transposed, -1};
}

static void system_free(struct small_case *of)
{
    arrays_free(of->A, of->tau, of->B);
}

/* Checks X of op(A) X = B. */
static void check_solution_of(char trans, struct array A, struct array B, struct array X)
{
    const int64_t m = trans == 'N' ? A.m : A.n, n = trans == 'N' ? A.n : A.m;
    struct array b = array_new_rows(B, m), x = array_new_rows(X, n);
    check_componentwise(m > n ? qrt17(trans, A, x, b) : qrt16(trans, A, x, b));
    if (m < n)
        check_componentwise(qrt14(trans, A, x));
    arrays_free(b, x);
}

/* Checks X and the rows below it, which LAPACK's xGELS defines up to their norm. */
static void check_system(int variant, bool together, char trans, int64_t m, int64_t n)
{
    const int64_t rows = max(m, n), sides = 1 + n % 3;
    if (together && rows * (min(m, n) + sides) > TOGETHER)
        return;
    struct array A = array_new_random(dtype, m, n, 1), B = array_new_random(dtype, rows, sides, 2);
    struct small_case of = system_new(A, B, m < n);
    const char op = (trans == 'N') == (m >= n) ? 'N' : 'C';
    struct array before = array_copy(B);
    calls()->gels(variant, together, op, 1, &of);
    require_info(of.info, 0);
    require(has_borders_intact(of.B) && has_borders_intact(of.A));
    check_solution_of(trans, A, B, of.B);
    struct array F = array_copy(A);
    lapack(A)->gels(trans, F, before);
    const int64_t unknowns = trans == 'N' ? n : m;
    for (int64_t j = 0; j < sides && rows > unknowns; j++) {
        double ours = lapack(A)->lange('F', array_part(of.B, unknowns, j, rows - unknowns, 1)),
               lapacks = lapack(A)->lange('F', array_part(before, unknowns, j, rows - unknowns, 1));
        require_below(fabs(ours - lapacks),
                      300 * (double)rows * unit_roundoff(dtype) * (1 + lapacks));
    }
    system_free(&of);
    arrays_free(A, B, before, F);
}

static void check_systems(int variant, bool together)
{
    for (int64_t n = 1; n <= 100; n += n < 36 ? 1 : 7) {
        const char trans = "NC"[n % 2];
        check_system(variant, together, trans, n, n);
        check_system(variant, together, trans, n + 1 + n / 2, n);
        check_system(variant, together, trans, n, n + 1 + n / 2);
        check_system(variant, together, "CN"[n % 2], 4 * n, n);
        check_system(variant, together, "CN"[n % 2], n, 4 * n);
    }
}

static void test_systems(void)
{
    for_kernels(check_systems);
    check_report("least squares");
}

/* Checks systems of different sizes in one call, one of them with a zero column: the bits do not
 * depend on the others; info is the column, and its B does not change. */
static void check_lanes_of_systems(int variant, bool together)
{
    const int lanes = calls()->lanes(variant);
    for (int o = 0; o < 2; o++) {
        struct small_case of[MOST_LANES], alone[MOST_LANES];
        struct array before = array_new_random(dtype, 23, 2, 0);
        for (int l = 0; l < lanes; l++) {
            struct array A = array_new_random(dtype, 23 - l % 5, 1 + (5 * l) % 18, 1),
                         B = array_new_random(dtype, A.m, 1 + l % 3, 1);
            for (int64_t i = 0; i < A.m && l == 1; i++)
                set(A, i, 3, 0);
            of[l] = system_new(A, B, false);
            alone[l] = system_new(A, B, false);
            if (l == 1) {
                array_free(before);
                before = array_copy(B);
            }
            arrays_free(A, B);
        }
        calls()->gels(variant, together, "NC"[o], lanes, of);
        for (int l = 0; l < lanes; l++) {
            calls()->gels(variant, together, "NC"[o], 1, &alone[l]);
            require_info(of[l].info, l == 1 ? 4 : 0);
            require_info(alone[l].info, l == 1 ? 4 : 0);
            require(is_same(of[l].B, alone[l].B) && (l != 1 || is_same(of[l].B, before)));
        }
        for (int l = 0; l < lanes; l++) {
            system_free(&of[l]);
            system_free(&alone[l]);
        }
        array_free(before);
    }
}

static void test_lanes_of_systems(void)
{
    for_kernels(check_lanes_of_systems);
}

int test_kernel_small_qr(void)
{
    return run_group("kernel_small_qr", test_shapes, test_lanes, test_zeros, test_range,
                     test_small_tail, test_not_finite, test_systems, test_lanes_of_systems);
}
