/*
 * Tests of emulated products in double precision: as accurate as their bound says for any shape,
 * the same bits in two runs, and left to FP64 tensor cores where the factors do not suit.
 */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Sets whether the products that follow may be emulated. Small ones are emulated, too. */
static void emulate(bool emulated)
{
#ifdef STARTILE_HAVE_CUDA
    startile_exec_emulate_double(exec, emulated);
    startile_exec_keep_own(exec, emulated);
#else
    (void)emulated;
#endif
}

static int64_t count_emulated(void)
{
#ifdef STARTILE_HAVE_CUDA
    return startile_exec_splits(exec);
#else
    return 0;
#endif
}

struct product {
    char transa, transb, uplo;
    int m, n, k;
    double alpha;
    struct array A, B, C; /* C: before the call */
};

static struct product product_new(char transa, char transb, char uplo, int m, int n, int k,
                                  double alpha)
{
    struct product p = {transa, transb, uplo, m, n, k, alpha, {0}, {0}, {0}};
    p.A = array_new_random(dtype, transa == 'N' ? m : k, transa == 'N' ? k : m, 1);
    p.B = array_new_random(dtype, transb == 'N' ? k : n, transb == 'N' ? n : k, 2);
    p.C = array_new_random(dtype, m, n, 3);
    return p;
}

static void product_free(struct product p)
{
    arrays_free(p.A, p.B, p.C);
}

/* Most products of a group in these tests */
enum { MOST = 3 };

/* Computes a group of products, and sets C[q] to the result of product q. p does not change.
 * Products with the same array B share it on the device, too; for a triangle the first has B = A.
 */
static void compute_group(int count, const struct product *p, struct array *C, bool emulated)
{
    const int64_t before = count_emulated();
    startile_product product[MOST];
    void *a[MOST], *b[MOST], *c[MOST];
    for (int q = 0; q < count; q++) {
        C[q] = array_copy(p[q].C);
        a[q] = device_put(p[q].A);
        b[q] = p[q].B.a == p[q].A.a            ? a[q]
               : q > 0 && p[q].B.a == p[0].B.a ? b[0]
                                               : device_put(p[q].B);
        c[q] = device_put(C[q]);
        product[q] = (startile_product){a[q],           b[q],         c[q],   (int)p[q].A.ld,
                                        (int)p[q].B.ld, (int)C[q].ld, p[q].m, p[q].n};
    }
    emulate(emulated);
    require_info(kernels->gemm_group(exec, p->transa, p->transb, p->k,
                                     (startile_scalar){p->alpha, 0}, count, product,
                                     (startile_scalar){1, 0}, p->uplo),
                 0);
    emulate(false);
    require((count_emulated() > before) == emulated);
    for (int q = 0; q < count; q++) {
        device_fetch(p[q].A, a[q]);
        if (b[q] != a[q] && (q == 0 || b[q] != b[0]))
            device_fetch(p[q].B, b[q]);
        device_fetch(C[q], c[q]);
    }
}

/* Returns C after the product; p does not change. */
static struct array compute(struct product p, bool emulated)
{
    struct array C;
    compute_group(1, &p, &C, emulated);
    return C;
}

/* Returns element (i, j) of op(A). */
static startile_complex element_of(struct array A, char trans, int i, int j)
{
    startile_complex a = trans == 'N' ? get(A, i, j) : get(A, j, i);
    return trans == 'C' ? conj(a) : a;
}

/* Returns element (l, j) of the right factor, which is op(A)^H if only a triangle is computed. */
static startile_complex right(struct product p, int l, int j)
{
    return p.uplo != 'G' ? conj(element_of(p.A, p.transa, j, l)) : element_of(p.B, p.transb, l, j);
}

/* Requires the error bound for some elements, and that no element outside the triangle changes. */
static void check_elements(struct product p, struct array C)
{
    const double u = 0x1p-53;
    for (int s = 0; s < 500; s++) {
        /* the last rows and columns first */
        const int i = s < 20 ? p.m - 1 - s % 5 % p.m : rand() % p.m;
        const int j = s < 20 ? p.n - 1 - s / 5 % p.n : rand() % p.n;
        if (p.uplo == 'L' ? i < j : p.uplo == 'U' && i > j) {
            require(get(C, i, j) == get(p.C, i, j));
            continue;
        }
        long double _Complex sum = 0;
        long double squares_a = 0, squares_b = 0;
        for (int l = 0; l < p.k; l++) {
            const long double _Complex a = element_of(p.A, p.transa, i, l), b = right(p, l, j);
            sum += a * b;
            squares_a += creall(a * conjl(a)), squares_b += creall(b * conjl(b));
        }
        const startile_complex old = get(p.C, i, j);
        const double norms = fabs(p.alpha) * sqrt((double)squares_a) * sqrt((double)squares_b);
        const double error = cabs((startile_complex)(get(C, i, j) - (old + p.alpha * sum)));
        /* a complex product has 2 k real terms for each of two parts */
        const double parts = dtype == STARTILE_Z ? 2 : 1;
        require_below(error, u * (sqrt(parts) * (sqrt(parts * p.k) + 3) * norms + 2 * cabs(old)) +
                                 0x1p-1000);
    }
}

static void check_product(struct product p)
{
    in_case("%c%c%c %d x %d, k %d", p.transa, p.transb, p.uplo, p.m, p.n, p.k);
    struct array C = compute(p, true), again = compute(p, true);
    check_elements(p, C);
    require(is_same(C, again));
    array_free(C);
    array_free(again);
}

static void test_shapes(void)
{
    random_seed(21);
    static const struct {
        char transa, transb, uplo;
        int m, n, k;
        double alpha;
    } shapes[] = {{'N', 'T', 'G', 1000, 700, 1000, -1}, {'N', 'N', 'G', 1024, 512, 512, -1},
                  {'T', 'N', 'G', 777, 601, 515, 0.7},  {'C', 'C', 'G', 1, 900, 1024, 1},
                  {'N', 'T', 'G', 300, 1, 600, -1},     {'N', 'T', 'G', 512, 512, 9000, -1},
                  {'N', 'T', 'L', 1100, 1100, 600, -1}, {'T', 'N', 'U', 1100, 1100, 600, -1}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        if (dtype == STARTILE_Z && shapes[s].uplo != 'G')
            continue; /* triangles of complex matrices are not emulated */
        struct product p = product_new(shapes[s].transa, shapes[s].transb, shapes[s].uplo,
                                       shapes[s].m, shapes[s].n, shapes[s].k, shapes[s].alpha);
        check_product(p);
        product_free(p);
    }
}

/* Groups as in Cholesky: a triangle A A^H, or a full product in its place, and products of other
 * rows with the same B. The triangle of a complex group is left to FP64 tensor cores. */
static void test_groups(void)
{
    random_seed(24);
    static const struct {
        char transa, transb, uplo;
        int n, k;
    } groups[] = {{'N', 'C', 'L', 600, 1024},
                  {'C', 'N', 'U', 513, 600},
                  {'N', 'C', 'G', 500, 777},
                  {'C', 'N', 'G', 300, 512},
                  {'N', 'N', 'G', 384, 2500}};
    static const int rows[MOST] = {0, 700, 129};
    for (size_t s = 0; s < sizeof groups / sizeof groups[0]; s++) {
        struct product p[MOST];
        struct array C[MOST], again[MOST];
        for (int q = 0; q < MOST; q++) {
            const bool is_triangle = q == 0 && groups[s].uplo != 'G';
            const int n = groups[s].n, m = q == 0 ? n : rows[q];
            p[q] = product_new(groups[s].transa, groups[s].transb,
                               is_triangle ? groups[s].uplo : 'G', m, n, groups[s].k, -1);
            if (is_triangle || q > 0) {
                array_free(p[q].B);
                p[q].B = is_triangle ? p[q].A : p[0].B;
            }
            for (int i = 0; i < n && is_triangle; i++)
                set(p[q].C, i, i, creal(get(p[q].C, i, i)));
        }
        compute_group(MOST, p, C, true);
        compute_group(MOST, p, again, true);
        for (int q = 0; q < MOST; q++) {
            in_case("%c%c%c, product %d of a group", groups[s].transa, groups[s].transb,
                    groups[s].uplo, q);
            check_elements(p[q], C[q]);
            require(is_same(C[q], again[q]));
        }
        if (groups[s].uplo == 'G')
            array_free(p[0].B);
        for (int q = 0; q < MOST; q++) {
            arrays_free(C[q], again[q]);
            arrays_free(p[q].A, p[q].C);
        }
    }
}

/* Factors that suit: rows of very different size, zero rows, integers near 2^53 */
static void test_suitable(void)
{
    random_seed(22);
    struct product p = product_new('N', 'T', 'G', 600, 500, 700, -1);
    for (int l = 0; l < p.k; l++) {
        for (int i = 0; i < p.m; i++)
            set(p.A, i, l, i == 7 ? 0 : ldexp(creal(get(p.A, i, l)), i % 7 * 40 - 120));
        for (int j = 0; j < p.n; j++)
            set(p.B, j, l, floor(ldexp(creal(get(p.B, j, l)), 53)));
    }
    check_product(p);
    product_free(p);
}

/* Requires the bits of FP64 tensor cores after element (i, l) of A is set to x, or, with x = 0,
 * after A is multiplied by `scale`. */
static void check_left_to_native(const char *name, double x, double scale)
{
    in_case("%s", name);
    struct product p = product_new('N', 'T', 'G', 600, 500, 700, -1);
    if (x != 0)
        set(p.A, 3, 5, x);
    else
        for (int l = 0; l < p.k; l++)
            for (int i = 0; i < p.m; i++)
                set(p.A, i, l, creal(get(p.A, i, l)) * scale);
    struct array emulated = compute(p, true), native = compute(p, false);
    for (int j = 0; j < p.n; j++)
        for (int i = 0; i < p.m; i++) {
            const startile_complex a = get(emulated, i, j), b = get(native, i, j);
            require(a == b || (isnan(cabs(a)) && isnan(cabs(b))));
        }
    array_free(emulated);
    array_free(native);
    product_free(p);
}

static void test_unsuitable(void)
{
    random_seed(23);
    check_left_to_native("NaN", NAN, 1);
    check_left_to_native("Inf", INFINITY, 1);
    check_left_to_native("one huge element", 1e8, 1);
    check_left_to_native("rows of 1e150", 0, 1e150);
    check_left_to_native("rows of 1e-150", 0, 1e-150);
    check_left_to_native("denormals", 0, 0x1p-1040);
}

int test_kernel_emulated(void)
{
    if (backend != GPU || !has_tensor_cores())
        check_skip("needs a GPU of compute capability 9.0");
    return run_group("kernel emulated", test_shapes, test_groups, test_suitable, test_unsuitable);
}
