/*
 * Tests of products of single and complex single precision on tensor cores, in all formats of
 * operands: as accurate as the format for any kind of factors, and left to FFMA where the format
 * does not suit the factors. All results are compared with double precision.
 */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"
#include "split_factors.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    p.A = split_factor(kind, m, k, transa == 'N', 1);
    p.B = split_factor(kind, n, k, transb != 'N', 4);
    p.C = array_new(dtype, m, n, 3);
    if (beta != 0)
        array_random(p.C);
    return p;
}

static void product_free(struct product p)
{
    arrays_free(p.A, p.B, p.C);
}

/* A format of operands. The error of a product x y is at most product_error · eps (|x| + v) (|y| +
 * v), to which largest_error adds some slack; mean_error bounds the root mean square. */
static const struct format {
    const char *name;
    startile_products products;
    int bit; /* in the sets of struct kind */
    double v, largest_error, mean_error;
    double least_mean_error; /* lower bound for uniform factors */
} formats[] = {{"split", STARTILE_PRODUCTS_SPLIT, SPLIT, 0, 2, 0.02, 0},
               {"fp16x2", STARTILE_PRODUCTS_FP16X2, FP16X2, 0x1p-14, 8 + 2, 3.2, 0},
               {"fp16", STARTILE_PRODUCTS_FP16, FP16, 0x1p-14, 1.01 * 0x1p14, 0.4 * 0x1p14, 20},
               {"bf16", STARTILE_PRODUCTS_BF16, BF16, 0, 1.01 * 0x1p17, 0.4 * 0x1p17, 160},
               {"tf32", STARTILE_PRODUCTS_TF32, TF32, 0, 1.01 * 0x1p15, 0.5 * 0x1p15, 0}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* Sets the arithmetic of the products that follow. */
static void use_products(startile_products products)
{
#ifdef STARTILE_HAVE_CUDA
    startile_exec_set_products(exec, products);
#else
    (void)products;
#endif
}

/* Returns the number of split products so far. */
static int64_t count_splits(void)
{
#ifdef STARTILE_HAVE_CUDA
    return startile_exec_splits(exec);
#else
    return 0;
#endif
}

static const startile_kernels *vendor_kernels(void)
{
#ifdef STARTILE_HAVE_CUDA
    return startile_cuda_vendor_kernels[dtype];
#else
    return kernels;
#endif
}

/* Returns C after the product by the kernels of `table`; p does not change. Restores PLAIN. */
static struct array compute_by(const startile_kernels *table, struct product p,
                               startile_products products)
{
    struct array C = array_copy(p.C);
    void *a = device_put(p.A), *b = device_put(p.B), *c = device_put(C);
    startile_product one = {a, b, c, (int)p.A.ld, (int)p.B.ld, (int)C.ld, p.m, p.n};
    use_products(products);
    require_info(table->gemm_group(exec, p.transa, p.transb, p.k, (startile_scalar){p.alpha, 0}, 1,
                                   &one, (startile_scalar){p.beta, 0}, p.uplo),
                 0);
    use_products(STARTILE_PRODUCTS_PLAIN);
    device_fetch(p.A, a);
    device_fetch(p.B, b);
    device_fetch(C, c);
    return C;
}

/* Returns C after the product by FFMA. */
static struct array compute_plain(struct product p)
{
    const int64_t splits = count_splits();
    struct array C = compute_by(kernels, p, STARTILE_PRODUCTS_PLAIN);
    require(count_splits() == splits);
    return C;
}

/* Returns C after the product in the format. Requires that a split product is launched, except for
 * TF32, which launches one for triangles only. */
static struct array compute(struct product p, const struct format *format)
{
    const int64_t splits = count_splits();
    struct array C = compute_by(kernels, p, format->products);
    require(count_splits() == splits + (format->bit == TF32 && p.uplo == 'G' ? 0 : 1));
    return C;
}

/* Number of real numbers of an element. A complex product is checked as the real one of its
 * numbers: an element c of C is two rows, an element b of op(B) two terms, and an element a of
 * op(A) the square [Re a, −Im a; Im a, Re a]. */
static int parts(void)
{
    return dtype == STARTILE_C ? 2 : 1;
}

static double part_of(startile_complex z, int part)
{
    return part == 0 ? creal(z) : cimag(z);
}

static startile_complex op(char trans, struct array X, int i, int j)
{
    startile_complex z = trans == 'N' ? get(X, i, j) : get(X, j, i);
    return trans == 'C' ? conj(z) : z;
}

/* Return numbers of op(A), op(B) and C. */
static double of_a(struct product p, int i, int t)
{
    startile_complex z = op(p.transa, p.A, i / parts(), t / parts());
    int row = i % parts(), column = t % parts();
    return row < column ? -cimag(z) : part_of(z, row - column);
}

static double of_b(struct product p, int t, int j)
{
    return part_of(op(p.transb, p.B, t / parts(), j), t % parts());
}

static double of_c(struct array C, int i, int j)
{
    return part_of(get(C, i / parts(), j), i % parts());
}

/* Errors of some numbers in units of eps (|alpha| Σ (|a| + v) (|b| + v) + |beta c|) */
struct error {
    double largest, mean; /* mean: root mean square */
};

enum { SAMPLES = 2000 };

/* Returns the error of number (i, j) in the unit of struct error, to which the smallest positive
 * number of single precision is added, because a unit may be 0. */
static double error_of_element(struct product p, struct array C, double v, int i, int j)
{
    double sum = 0, size = 0;
    for (int t = 0; t < parts() * p.k; t++) {
        double a = of_a(p, i, t), b = of_b(p, t, j);
        sum += a * b;
        size += (fabs(a) + v) * (fabs(b) + v);
    }
    double old = p.beta != 0 ? p.beta * of_c(p.C, i, j) : 0;
    double expected = p.alpha * sum + old;
    double e = fabs(of_c(C, i, j) - expected);
    size = (fabs(p.alpha) * size + fabs(old)) * unit_roundoff(STARTILE_S) + 1.5e-45;
    return e / size;
}

/* Returns the errors of SAMPLES random numbers of C, 40 of them in the last rows. Leaves out those
 * outside the triangle uplo. */
static struct error error_of(struct product p, struct array C, double v)
{
    struct error error = {0, 0};
    double mean_square = 0;
    srand(7);
    for (int s = 0; s < SAMPLES; s++) {
        int m = parts() * p.m, j = rand() % p.n;
        int i = s < 40 ? m - 1 - s % m % 40 : rand() % m, row = i / parts();
        if (p.uplo == 'L' ? row < j : p.uplo == 'U' && row > j)
            continue;
        double e = error_of_element(p, C, v, i, j);
        error.largest = fmax(error.largest, e);
        mean_square += e * e / SAMPLES;
    }
    error.mean = sqrt(mean_square);
    return error;
}

/* Size of C at which the library uses split operands */
enum { ROWS = 4224, COLUMNS = 2064 };

/*
 * Requires that products in the format have the accuracy of FFMA (`plain`) or cuBLAS, whichever is
 * less accurate, plus the errors of the format. For `split` these are some slack. Sums of one to
 * three terms, which occur with sparse factors, need it: BLAS rounds once for each term, while the
 * split product adds two numbers for each term and omits products of up to one unit of struct
 * error.
 */
static void check_accuracy(const struct kind *kind, const struct format *format, struct product p,
                           struct array C, struct array plain, struct array vendor)
{
    const double v = format->v;
    struct error s = error_of(p, C, v), f = error_of(p, plain, v), b = error_of(p, vendor, v);
    printf("%-6s %-15s k %4d: largest %8.2f, FFMA %6.2f, cuBLAS %6.2f; root mean square %8.3f, "
           "%5.3f, %5.3f\n",
           format->name, kind->name, p.k, s.largest, f.largest, b.largest, s.mean, f.mean, b.mean);
    require_below(s.mean, 1.1 * fmax(f.mean, b.mean) + format->mean_error);
    require_below(s.largest, fmax(f.largest, b.largest) + format->largest_error);
    require(kind != kinds || s.mean >= format->least_mean_error);
}

/* Requires that each format computes products of this kind, or leaves them to FFMA, as the kind
 * says, and that two runs give the same bits. */
static void check_kind(const struct kind *kind, int k)
{
    random_seed((uint64_t)k);
    srand(3);
    struct product p = product_new(kind, 'N', 'T', ROWS, COLUMNS, k, 1, 0);
    struct array plain = compute_plain(p);
    struct array vendor = compute_by(vendor_kernels(), p, STARTILE_PRODUCTS_PLAIN);
    for (int f = 0; f < FORMATS; f++) {
        const struct format *format = &formats[f];
        const bool is_used = (kind->formats & format->bit) != 0;
        in_case("%s, %s, k %d", format->name, kind->name, k);
        if (format->bit == TF32 && !is_used)
            continue;
        struct array C = compute(p, format), again = compute(p, format);
        require(is_same(C, again));
        require(is_same(C, plain) == !is_used || format->bit == TF32);
        if (is_used)
            check_accuracy(kind, format, p, C, plain, vendor);
        arrays_free(C, again);
    }
    arrays_free(plain, vendor);
    product_free(p);
}

static void test_accuracy(void)
{
    enum { THIRD = 3 }; /* long sums for every third kind only, because the checks take time */
    for (const struct kind *kind = kinds; kind->name; kind++)
        check_kind(kind, 256);
    for (int i = 0; kinds[i].name; i++)
        if (i % THIRD == 0)
            check_kind(&kinds[i], 1000);
}

/* Requires that each format computes the product with uniform factors, and with its accuracy.
 * triangle: triangle of C that must stay poisoned, or 0 */
static void check_product(struct product p, char triangle)
{
    struct array plain = compute_plain(p);
    for (int f = 0; f < FORMATS; f++) {
        struct array C = compute(p, &formats[f]);
        require(!is_same(C, plain) || formats[f].bit == TF32);
        require(triangle == 0 || is_poisoned(C, triangle));
        require_below(error_of(p, C, formats[f].v).largest, 8 + formats[f].largest_error);
        array_free(C);
    }
    array_free(plain);
    product_free(p);
}

/* Tests shapes with edges in all dimensions; elements outside C must not change. */
static void test_shapes(void)
{
    static const float scalars[][2] = {{1, 0}, {-1, 1}, {0.5f, -2}};
    random_seed(9);
    const char *transpositions = dtype == STARTILE_C ? "NTC" : "NT";
    for (const char *ta = transpositions; *ta != '\0'; ta++)
        for (const char *tb = transpositions; *tb != '\0'; tb++)
            for (int s = 0; s < 3; s++)
                for (int odd = 0; odd < 2; odd++) {
                    /* without `odd`, full blocks of 192 × 128 and 192 × 256 */
                    int m = 192 * 22 + odd, n = 128 * 16 - odd, k = 256 + 33 * odd;
                    in_case("%c%c, %d × %d × %d, alpha %g, beta %g", *ta, *tb, m, n, k,
                            scalars[s][0], scalars[s][1]);
                    check_product(
                        product_new(&kinds[0], *ta, *tb, m, n, k, scalars[s][0], scalars[s][1]), 0);
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
    for (int j = 0; j < n; j++)
        set(p.C, j, j, creal(get(p.C, j, j)));
    array_poison(p.C, other_uplo);
    check_product(p, other_uplo);
}

/* Tests rank-k updates with n a multiple of the blocks' orders, and with one row and column more.
 */
static void test_triangle(void)
{
    random_seed(10);
    for (const char *ta = "NC"; *ta != '\0'; ta++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (int n = 4224; n <= 4225; n++)
                check_rank_k(*ta, *uplo, n);
}

/* Returns B := op(W) B or B op(W), for a B of `rows` rows, in the arithmetic. */
static struct array multiply_by_triangle(char side, char uplo, char trans, struct array W,
                                         struct array B, startile_products products)
{
    struct array X = array_copy(B);
    void *w = device_put(W), *x = device_put(X);
    use_products(products);
    require_info(kernels->trmm(exec, side, uplo, trans, (int)B.m, (int)B.n, (startile_scalar){1, 0},
                               w, (int)W.ld, x, (int)X.ld),
                 0);
    use_products(STARTILE_PRODUCTS_PLAIN);
    device_fetch(W, w);
    device_fetch(X, x);
    return X;
}

/*
 * Compares products with a triangle of order k with those of FFMA. Numbers are at most 1. The
 * errors of the products are independent, so that those of sums of k products stay below sqrt(k)
 * times the largest error of a product; 64 is for the rounding of sums. A complex number's sum has
 * 2 k products, and its two errors count together. One missing block of terms would change some
 * sums by more than 1.
 */
static void check_triangular_factor(char side, char uplo, char trans, int k)
{
    const int m = side == 'L' ? k : 8448, n = side == 'L' ? 8448 : k;
    struct array W = array_new_random(dtype, k, k, 1);
    struct array B = array_new_random(dtype, m, n, 3);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            if (uplo == 'L' ? i < j : i > j)
                set(W, i, j, 0);
    struct array plain = multiply_by_triangle(side, uplo, trans, W, B, STARTILE_PRODUCTS_PLAIN);
    for (int f = 0; f < FORMATS; f++) {
        in_case("trmm %c%c%c, k %d, %s", side, uplo, trans, k, formats[f].name);
        struct array X = multiply_by_triangle(side, uplo, trans, W, B, formats[f].products);
        double largest = 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                largest = fmax(largest, cabs(get(X, i, j) - get(plain, i, j)));
        require(!is_same(X, plain) || formats[f].bit == TF32);
        require_below(largest, (formats[f].largest_error + 64) * parts() * sqrt(parts() * k) *
                                   unit_roundoff(STARTILE_S));
        array_free(X);
    }
    arrays_free(W, B, plain);
}

static void test_triangular_factor(void)
{
    random_seed(11);
    for (const char *side = "LR"; *side != '\0'; side++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (const char *trans = "NC"; *trans != '\0'; trans++)
                check_triangular_factor(*side, *uplo, *trans, *trans == 'N' ? 1024 : 1000);
}

int test_kernel_split(void)
{
    if (!is_single(dtype))
        check_skip("single precision only");
    if (backend != GPU || !has_tensor_cores())
        check_skip("needs a GPU of compute capability 9.0");
    return run_group("kernel split", test_accuracy, test_shapes, test_triangle,
                     test_triangular_factor);
}
