/*
 * Kernels for matrices so small that the overhead of LAPACK and BLAS exceeds the arithmetic, and
 * iamax for vectors of any length. The files in small_variants/ are compiled once per instruction
 * set, with STARTILE_AVX512, STARTILE_AVX2 or neither defined; small.c chooses at run time.
 */
#ifndef STARTILE_SMALL_H
#define STARTILE_SMALL_H

#include "dtype.h"

#include <float.h>
#include <string.h>

/* A matrix of order n, and the places for LAPACK's info of its factorization and, for LU, for its n
 * pivots. For QR the matrix is m × n; tau has min(m, n) elements. For least squares m ≥ n, the
 * matrix may be the conjugate transpose of the one at p, and b has `sides` columns. */
struct small_matrix {
    element *p;
    int m, n, ld;
    int64_t *info, *pivots;
    element *tau, *b;
    int ldb, sides;
    bool is_transposed;
};

struct small_kernels {
    int lanes; /* number of matrices that the functions …_together factor at a time */
    /* Factors `count` ≤ lanes matrices of order at most max_order ≤ STARTILE_SMALL_TOGETHER. */
    void (*potrf_together)(char uplo, int max_order, int count, const struct small_matrix *a);
    /* Factors matrix `a` of order at most STARTILE_SMALL_ORDER and prefetches matrix `next`. */
    void (*potrf)(char uplo, struct small_matrix a, struct small_matrix next);
    /* Factors `count` ≤ lanes matrices of order at most max_order ≤ STARTILE_SMALL_LU_TOGETHER. */
    void (*getrf_together)(int max_order, int count, const struct small_matrix *a);
    /* Factors a matrix of order at most STARTILE_SMALL_LU_ORDER. */
    void (*getrf)(struct small_matrix a);
    /* Factors `count` ≤ lanes matrices of at most max_m rows and max_n columns, which have at most
     * STARTILE_SMALL_QR_TOGETHER elements. */
    void (*geqrf_together)(int max_m, int max_n, int count, const struct small_matrix *a);
    /* Factors a matrix of at most STARTILE_SMALL_QR_ROWS × STARTILE_SMALL_QR_COLUMNS elements.
     * work: see qr_small_work() */
    void (*geqrf)(struct small_matrix a, real *work);
    /* Solves `count` ≤ lanes systems: for op 'N' b := X of least ‖A X − B‖, followed by the rest of
     * Qᴴ B; for op 'C' b := X of least norm with Aᴴ X = B. info: 1-based index of the first
     * zero on R's diagonal, which leaves b unchanged, or 0. A does not change. Limits are those of
     * geqrf_together, where the columns of B count as A's. */
    void (*gels_together)(char op, int max_m, int max_n, int count, const struct small_matrix *a);
    /* Solves one such system, with the limits of geqrf, where the columns of B count as A's. */
    void (*gels)(char op, struct small_matrix a, real *work);
    /* Returns the 1-based index of the first NaN; without NaN, of the first element of largest
     * |re| + |im|; 0 if n is 0. n is unlimited. */
    int64_t (*iamax)(int n, const element *x, int ld);
};

/* Largest orders of potrf_together (STARTILE_SMALL_TOGETHER) and of potrf (STARTILE_SMALL_ORDER).
 * Up to the first one potrf_together is faster than potrf. Beyond the second one potrf was not
 * compared with OpenBLAS. Measured on Zen 5 with AVX-512 in double precision, time per matrix by
 * potrf_together / potrf: order 28: 0.60 / 1.0 µs from a cache, 0.85 / 1.0 µs from main memory;
 * order 32: 0.95 / 1.0 µs from a cache, 1.9 / 1.1 µs from main memory. */
enum { STARTILE_SMALL_TOGETHER = 28, STARTILE_SMALL_ORDER = 128 };

/* Largest orders of getrf_together and of getrf. Time of OpenBLAS 0.3.21's xGETRF divided by
 * theirs, on one core of an AMD EPYC with AVX-512:
 *
 *                          s     d     c     z
 *     together, order 8    3.0   2.5   2.2   1.7
 *     together, order 28   2.0   1.7   1.4   1.0
 *     getrf, order 32      2.4   2.0   1.5   1.4
 *     getrf, order 64      1.8   1.7   1.5   1.2
 *     getrf, order 100     1.3   1.3   1.2   1.2
 *
 * The figures of getrf are those of its AVX2 variant. With AVX-512 they were 0.1 to 0.9 lower, so
 * CPUs with AVX-512 use the AVX2 variant, too. */
enum { STARTILE_SMALL_LU_TOGETHER = 28, STARTILE_SMALL_LU_ORDER = 100 };

/* Most elements of a matrix for geqrf_together, and most rows and columns for geqrf. The limits of
 * gels_together and gels are the same, where the columns of B count as A's. Time of OpenBLAS
 * 0.3.21's xGEQRF divided by theirs, on one core of an AMD EPYC (Zen 4) with AVX-512:
 *
 *                           d     z
 *     together, 28 × 28     2.7   2.1
 *     geqrf, 28 × 28        2.6   2.0
 *     geqrf, 64 × 64        2.6   1.8
 *     geqrf, 256 × 64       1.9   1.4
 *     geqrf, 200 × 200      1.6   1.4
 *     geqrf, 400 × 200      1.5   1.3
 *
 * CPUs with AVX-512 also use the AVX2 variants of geqrf and gels: from 32 × 32 on the AVX-512
 * variants had 0.7 to 1.05 of their speed. */
enum {
    STARTILE_SMALL_QR_TOGETHER = 784,
    STARTILE_SMALL_QR_ROWS = 512,
    STARTILE_SMALL_QR_COLUMNS = 200
};

/* Returns whether geqrf factors an m × n matrix, or gels solves with it; n: with the columns of B
 */
static inline bool is_qr_small(int m, int n)
{
    return m <= STARTILE_SMALL_QR_ROWS && n <= STARTILE_SMALL_QR_COLUMNS;
}

/* Returns their workspace in elements for matrices up to m × n; larger ones do not count. */
static inline int qr_small_work(int m, int n)
{
    enum { PADDING = 2 * 64 / sizeof(real) };
    int rows = m < STARTILE_SMALL_QR_ROWS ? m : STARTILE_SMALL_QR_ROWS,
        columns = n < STARTILE_SMALL_QR_COLUMNS ? n : STARTILE_SMALL_QR_COLUMNS;
    return (rows + PADDING) * (columns + 2) + PADDING;
}

/* Returns the fastest kernels that this CPU supports. */
const struct small_kernels *NAME(small)(void);

/* Returns the kernels for the compiler's default instructions (0), AVX2 (1) or AVX-512 (2), or NULL
 * if this CPU does not support them. */
enum { STARTILE_SMALL_VARIANTS = 3 };
const struct small_kernels *NAME(small_variant)(int variant);

void NAME(potrf_together)(char, int, int, const struct small_matrix *);
void NAME(potrf_small)(char, struct small_matrix, struct small_matrix);
void NAME(getrf_together)(int, int, const struct small_matrix *);
void NAME(getrf_small)(struct small_matrix);
void NAME(geqrf_together)(int, int, int, const struct small_matrix *);
void NAME(gels_together)(char, int, int, int, const struct small_matrix *);
void NAME(geqrf_small)(struct small_matrix, real *);
void NAME(gels_small)(char, struct small_matrix, real *);
int64_t NAME(iamax_small)(int, const element *, int);
void NAME(potrf_together_avx2)(char, int, int, const struct small_matrix *);
void NAME(potrf_small_avx2)(char, struct small_matrix, struct small_matrix);
void NAME(getrf_together_avx2)(int, int, const struct small_matrix *);
void NAME(getrf_small_avx2)(struct small_matrix);
void NAME(geqrf_together_avx2)(int, int, int, const struct small_matrix *);
void NAME(gels_together_avx2)(char, int, int, int, const struct small_matrix *);
void NAME(geqrf_small_avx2)(struct small_matrix, real *);
void NAME(gels_small_avx2)(char, struct small_matrix, real *);
int64_t NAME(iamax_small_avx2)(int, const element *, int);
void NAME(potrf_together_avx512)(char, int, int, const struct small_matrix *);
void NAME(potrf_small_avx512)(char, struct small_matrix, struct small_matrix);
void NAME(getrf_together_avx512)(int, int, const struct small_matrix *);
void NAME(geqrf_together_avx512)(int, int, int, const struct small_matrix *);
void NAME(gels_together_avx512)(char, int, int, int, const struct small_matrix *);
int64_t NAME(iamax_small_avx512)(int, const element *, int);

/* Names and vector types for the files that are compiled once per instruction set: SMALL(op) is the
 * name of op's variant. */
#if defined STARTILE_AVX512
#define SMALL(op) NAME(op##_avx512)
enum { VECTOR_BYTES = 64 };
#elif defined STARTILE_AVX2
#define SMALL(op) NAME(op##_avx2)
enum { VECTOR_BYTES = 32 };
#else
#define SMALL(op) NAME(op)
enum { VECTOR_BYTES = 16 };
#endif

enum { LANES = VECTOR_BYTES / sizeof(real), PARTS = sizeof(element) / sizeof(real) };

/* A vector of LANES real numbers, aligned like one real number */
typedef real lanes __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

/* One element per lane: a vector of real parts and, for complex types, one of imaginary parts. */
typedef struct {
    lanes part[PARTS];
} numbers;

/* z −= x conj(y) */
static inline void subtract_conjugate_product(numbers *z, const numbers *x, const numbers *y)
{
    z->part[0] -= x->part[0] * y->part[0];
    for (int c = 1; c < PARTS; c++) {
        z->part[0] -= x->part[c] * y->part[c];
        z->part[c] -= x->part[c] * y->part[0];
        z->part[c] += x->part[0] * y->part[c];
    }
}

/* z −= x y */
static inline void subtract_product(numbers *z, const numbers *x, const numbers *y)
{
    z->part[0] -= x->part[0] * y->part[0];
    for (int c = 1; c < PARTS; c++) {
        z->part[0] += x->part[c] * y->part[c];
        z->part[c] -= x->part[c] * y->part[0];
        z->part[c] -= x->part[0] * y->part[c];
    }
}

/* Returns x y. */
static inline numbers product(const numbers *x, const numbers *y)
{
    numbers z = {{-x->part[0] * y->part[0]}};
    for (int c = 1; c < PARTS; c++) {
        z.part[0] += x->part[c] * y->part[c];
        z.part[c] = -x->part[c] * y->part[0] - x->part[0] * y->part[c];
    }
    for (int c = 0; c < PARTS; c++)
        z.part[c] = -z.part[c];
    return z;
}

/* Lanes of a comparison: all bits set where it holds */
typedef __typeof__((lanes){0} > (lanes){0}) condition;

/* Returns x where the condition holds, else y. */
static inline lanes choose(condition where, lanes x, lanes y)
{
    return (lanes)((where & (condition)x) | (~where & (condition)y));
}

/* Returns |re| + |im|, infinity for NaN. */
static inline lanes magnitudes(const numbers *z)
{
    lanes sum = {0};
    for (int c = 0; c < PARTS; c++)
        sum += choose(z->part[c] < 0, -z->part[c], z->part[c]);
    return choose(sum == sum, sum, (real)INFINITY - (lanes){0});
}

/* Return, and set, one lane. */
static inline element lane_of(const numbers *z, int lane)
{
#ifdef STARTILE_COMPLEX
    real part[2] = {z->part[0][lane], z->part[PARTS - 1][lane]};
    element e;
    memcpy(&e, part, sizeof e);
    return e;
#else
    return z->part[0][lane];
#endif
}

static inline void set_lane(numbers *z, int lane, element x)
{
    real part[PARTS];
    memcpy(part, &x, sizeof part);
    for (int c = 0; c < PARTS; c++)
        z->part[c][lane] = part[c];
}

/* Returns a power of two by which the elements of a column and their pivot are multiplied before
 * the division by 1 / pivot, which overflows for a subnormal pivot. (LAPACK xGETF2 divides then.)
 */
static inline real boost_of_pivot(element pivot)
{
    const double least = 4 * (sizeof(real) == sizeof(double) ? DBL_MIN : FLT_MIN);
    return ABS1(pivot) < least ? (real)0x1p100 : 1;
}

/* Returns 1 / pivot, or 1 for a pivot of 0. */
static inline element inverse_of_pivot(element pivot)
{
    return pivot == 0 ? 1 : 1 / pivot;
}

/* Returns part c (0: real, 1: imaginary) of conj(z). */
static inline real conjugate_part(const element *z, int c)
{
    return c == 0 ? ((const real *)z)[0] : -((const real *)z)[c];
}

#endif
