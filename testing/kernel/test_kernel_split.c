/*
 * Tests of products of single precision on tensor cores with split operands: as accurate as BLAS
 * for any kind of factors, and not used where splitting would lose digits. All results are compared
 * with double precision.
 */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

/* Returns whether GPU 0 has the tensor cores that split products use: compute capability 9.0. */
static bool has_tensor_cores(void)
{
#ifdef STARTILE_HAVE_CUDA
    int major = 0, minor = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess &&
           major == 9 && minor == 0;
#else
    return false;
#endif
}

/* -- kinds of factors ------------------------------------------------------------------------- */

/* Returns 2^e with a random exponent e from `least` to `most`. */
static double random_power_of_2(int least, int most)
{
    return ldexp(1, least + (int)((most - least + 1) * (random_real() + 1) / 2));
}

/* Each of these returns the element of row `row` of op(A), or of column `row` of op(B), with index
 * `term` in the sum. */

static float uniform(int row, int term)
{
    (void)row, (void)term;
    return (float)random_real();
}

static float positive(int row, int term)
{
    return fabsf(uniform(row, term));
}

/* Returns an element of rows that are scaled by 10⁻¹⁵ … 10¹⁵. */
static float badly_scaled(int row, int term)
{
    return (float)(uniform(row, term) * pow(10, (row * 37) % 31 - 15));
}

/* Terms have sizes from 2⁻²⁰ to 2²⁰. */
static float wide(int row, int term)
{
    return (float)(uniform(row, term) * random_power_of_2(-20, 20));
}

static float wide_positive(int row, int term)
{
    return fabsf(wide(row, term));
}

/* Returns an element of factors of which half of the sums cancel: products of an even and an odd
 * row come in pairs of nearly opposite terms. */
static float cancelling(int row, int term)
{
    double x = sin(1 + row + 1e-3 * (term / 2 * 2) * (row + 1));
    return (float)(term % 2 == 0 ? x : row % 2 == 0 ? x : -x * (1 + 1e-5 * random_real()));
}

/* One term of each row is about 10¹⁰ times as large as the others. */
static float dominated(int row, int term)
{
    return uniform(row, term) * (term == row % 97 ? 1 : 1e-10f);
}

/* Returns ±1.5 plus set bits in each of the three BF16 parts into which an operand is split. */
static float all_bits(int row, int term)
{
    return (uniform(row, term) < 0 ? -1.0f : 1.0f) * (1 + 0x808101 * ldexpf(1, -24)) +
           ldexpf((float)(rand() % 1024), -23);
}

static float sparse(int row, int term)
{
    return rand() % 32 == 0 ? uniform(row, term) : 0;
}

static float tiny(int row, int term)
{
    return ldexpf(uniform(row, term), -60);
}

static float with_denormals(int row, int term)
{
    return term % 97 == 5 ? uniform(row, term) * 1e-40f : uniform(row, term);
}

static float with_infinity(int row, int term)
{
    return row == 3 && term == 7 ? INFINITY : uniform(row, term);
}

static float with_nan(int row, int term)
{
    return row == 5 && term == 9 ? NAN : uniform(row, term);
}

/* Products of two such elements are nearly as large as the largest float. */
static float nearly_overflowing(int row, int term)
{
    return uniform(row, term) * 1.7e19f;
}

static float largest(int row, int term)
{
    return uniform(row, term) * 3.4e38f;
}

static const struct kind {
    const char *name;
    float (*element)(int row, int term); /* row of op(A) or column of op(B); index in the sum */
    bool is_split;
} kinds[] = {{"uniform", uniform, true},
             {"positive", positive, true},
             {"badly scaled", badly_scaled, true},
             {"wide", wide, true},
             {"wide, positive", wide_positive, true},
             {"cancelling", cancelling, true},
             {"dominated", dominated, true},
             {"all bits", all_bits, true},
             {"sparse", sparse, true},
             {"tiny", tiny, true},
             {"denormals", with_denormals, false},
             {"infinity", with_infinity, false},
             {"NaN", with_nan, false},
             {"nearly overflowing", nearly_overflowing, false},
             {"largest", largest, false}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Returns `length` rows of op(A) or columns of op(B), with k elements each; is_length_by_k: stored
 * as a `length` × k array, else k × `length`. */
static struct array factor(const struct kind *kind, int length, int k, bool is_length_by_k, int pad)
{
    struct array F = is_length_by_k ? array_new(STARTILE_S, length, k, pad)
                                    : array_new(STARTILE_S, k, length, pad);
    for (int i = 0; i < length; i++)
        for (int t = 0; t < k; t++)
            set(F, is_length_by_k ? i : t, is_length_by_k ? t : i, kind->element(i, t));
    return F;
}

/* -- products --------------------------------------------------------------------------------- */

struct product {
    char transa, transb, uplo;
    int m, n, k;
    float alpha, beta;
    struct array A, B, C; /* C: before the call */
};

/* Returns a product with factors of the kind and a random C, which is poison if beta is 0. */
static struct product product_new(const struct kind *kind, char transa, char transb, int m, int n,
                                  int k, float alpha, float beta)
{
    struct product p = {.transa = transa, .transb = transb, .uplo = 'G', .m = m, .n = n, .k = k};
    p.alpha = alpha;
    p.beta = beta;
    p.A = factor(kind, m, k, transa == 'N', 1);
    p.B = factor(kind, n, k, transb != 'N', 4);
    p.C = array_new(STARTILE_S, m, n, 3);
    if (beta != 0)
        array_random(p.C);
    return p;
}

static void product_free(struct product p)
{
    arrays_free(p.A, p.B, p.C);
}

/* Implementations of the product. SPLIT: by this library with split operands; PLAIN: by this
 * library without, by FFMA; VENDOR: by cuBLAS */
enum way { SPLIT, PLAIN, VENDOR };

/* Returns C after the product; p does not change. */
static struct array compute(struct product p, enum way way)
{
    struct array C = array_copy(p.C);
    const startile_kernels *table = kernels;
#ifdef STARTILE_HAVE_CUDA
    if (way == VENDOR)
        table = startile_cuda_vendor_kernels[STARTILE_S];
    startile_exec_allow_tensor_single(exec, way == SPLIT);
#else
    (void)way;
#endif
    void *a = device_put(p.A), *b = device_put(p.B), *c = device_put(C);
    startile_product one = {a, b, c, (int)p.A.ld, (int)p.B.ld, (int)C.ld, p.m, p.n};
    require_info(table->gemm_group(exec, p.transa, p.transb, p.k, (startile_scalar){p.alpha, 0}, 1,
                                   &one, (startile_scalar){p.beta, 0}, p.uplo),
                 0);
    device_fetch(p.A, a);
    device_fetch(p.B, b);
    device_fetch(C, c);
    return C;
}

/* Return elements of op(A) and op(B). */
static double of_a(struct product p, int i, int t)
{
    return creal(p.transa == 'N' ? get(p.A, i, t) : get(p.A, t, i));
}

static double of_b(struct product p, int t, int j)
{
    return creal(p.transb == 'N' ? get(p.B, t, j) : get(p.B, j, t));
}

/* Errors of some elements in units of eps (|alpha| Σ|a||b| + |beta c|). */
struct error {
    double largest, mean_square;
};

enum { SAMPLES = 4000 };

/* Returns the error of element (i, j) in the unit of struct error, to which the smallest positive
 * number of single precision is added, because a unit may be 0. */
static double error_of_element(struct product p, struct array C, int i, int j)
{
    double sum = 0, size = 0;
    for (int t = 0; t < p.k; t++) {
        double term = of_a(p, i, t) * of_b(p, t, j);
        sum += term;
        size += fabs(term);
    }
    double old = p.beta != 0 ? p.beta * creal(get(p.C, i, j)) : 0;
    double expected = p.alpha * sum + old;
    double e = fabs(creal(get(C, i, j)) - expected);
    size = (fabs(p.alpha) * size + fabs(old)) * unit_roundoff(STARTILE_S) + 1.5e-45;
    return e / size;
}

/* Returns the errors of SAMPLES random elements of C, 40 of them in the last rows. Leaves out those
 * outside the triangle uplo. */
static struct error error_of(struct product p, struct array C)
{
    struct error error = {0, 0};
    srand(7);
    for (int s = 0; s < SAMPLES; s++) {
        int i = s < 40 ? p.m - 1 - s % p.m % 40 : rand() % p.m, j = rand() % p.n;
        if (p.uplo == 'L' ? i < j : p.uplo == 'U' && i > j)
            continue;
        double e = error_of_element(p, C, i, j);
        error.largest = fmax(error.largest, e);
        error.mean_square += e * e / SAMPLES;
    }
    return error;
}

/* Size of C at which the library uses split operands */
enum { ROWS = 4224, COLUMNS = 2064 };

/*
 * Requires that operands are split for kinds with is_split and no others, and that split products
 * have the accuracy of FFMA or cuBLAS, whichever is less accurate, with some slack. Sums of one to
 * three terms, which occur with sparse factors, need the slack: BLAS rounds once for each term,
 * while the split product adds two numbers for each term and omits products of up to one unit of
 * struct error.
 */
static void check_kind(const struct kind *kind, int k)
{
    in_case("%s, k %d", kind->name, k);
    random_seed((uint64_t)k);
    srand(3);
    struct product p = product_new(kind, 'N', 'T', ROWS, COLUMNS, k, 1, 0);
    struct array split = compute(p, SPLIT), plain = compute(p, PLAIN), vendor = compute(p, VENDOR);
    require(is_same(split, plain) == !kind->is_split);
    if (kind->is_split) {
        struct error s = error_of(p, split), f = error_of(p, plain), v = error_of(p, vendor);
        printf("%-15s k %4d: largest %6.2f, FFMA %6.2f, cuBLAS %6.2f; root mean square %5.3f, "
               "%5.3f, %5.3f\n",
               kind->name, k, s.largest, f.largest, v.largest, sqrt(s.mean_square),
               sqrt(f.mean_square), sqrt(v.mean_square));
        require_below(sqrt(s.mean_square), 1.1 * sqrt(fmax(f.mean_square, v.mean_square)) + 0.02);
        require_below(s.largest, fmax(f.largest, v.largest) + 2);
    }
    arrays_free(split, plain, vendor);
    product_free(p);
}

static void test_accuracy(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++)
        check_kind(&kinds[i], 256);
    for (int i = 0; i < KINDS; i++)
        check_kind(&kinds[i], 1000);
}

/* Tests shapes with edges in all dimensions; elements outside C must not change. */
static void test_shapes(void **state)
{
    (void)state;
    static const float scalars[][2] = {{1, 0}, {-1, 1}, {0.5f, -2}};
    random_seed(9);
    for (const char *ta = "NT"; *ta != '\0'; ta++)
        for (const char *tb = "NT"; *tb != '\0'; tb++)
            for (int s = 0; s < 3; s++)
                for (int odd = 0; odd < 2; odd++) {
                    /* without `odd`, full blocks of 192 × 128 */
                    int m = 192 * 22 + odd, n = 128 * 16 - odd, k = 256 + 33 * odd;
                    in_case("%c%c, %d × %d × %d, alpha %g, beta %g", *ta, *tb, m, n, k,
                            scalars[s][0], scalars[s][1]);
                    struct product p =
                        product_new(&kinds[0], *ta, *tb, m, n, k, scalars[s][0], scalars[s][1]);
                    struct array C = compute(p, SPLIT), D = compute(p, PLAIN);
                    require(!is_same(C, D));
                    require_below(error_of(p, C).largest, 8);
                    arrays_free(C, D);
                    product_free(p);
                }
}

/* Checks an update of the triangle uplo by A and its transpose; the other triangle must not change.
 */
static void check_rank_k(char transa, char uplo, int n)
{
    char other_uplo = uplo == 'L' ? 'U' : 'L';
    in_case("rank-k update, op %c, uplo %c, n = %d", transa, uplo, n);
    struct product p = product_new(&kinds[0], transa, transa == 'N' ? 'C' : 'N', n, n, 300, -1, 1);
    array_free(p.B);
    p.B = array_copy(p.A);
    p.uplo = uplo;
    array_poison(p.C, other_uplo);
    struct array C = compute(p, SPLIT), D = compute(p, PLAIN);
    require(!is_same(C, D));
    require(is_poisoned(C, other_uplo));
    require_below(error_of(p, C).largest, 8);
    arrays_free(C, D);
    product_free(p);
}

/* Tests rank-k updates with n a multiple of the blocks' orders, and with one row and column more.
 */
static void test_triangle(void **state)
{
    (void)state;
    random_seed(10);
    for (const char *ta = "NC"; *ta != '\0'; ta++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (int n = 4224; n <= 4225; n++)
                check_rank_k(*ta, *uplo, n);
}

int test_kernel_split(void)
{
    if (dtype != STARTILE_S)
        check_skip("single precision only");
    if (backend != GPU || !has_tensor_cores())
        check_skip("needs a GPU of compute capability 9.0");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_triangle),
    };
    return cmocka_run_group_tests_name("kernel split", tests, NULL, NULL);
}
