/*
 * Kernels for matrices so small that the overhead of LAPACK and BLAS exceeds the arithmetic, and
 * iamax for vectors of any length. The files in small_variants/ are compiled once per instruction
 * set, with STARTILE_AVX512, STARTILE_AVX2 or neither defined; small.c chooses at run time.
 */
#ifndef STARTILE_SMALL_H
#define STARTILE_SMALL_H

#include "dtype.h"

/* A matrix of order n, and the place for LAPACK's info of its factorization */
struct small_matrix {
    element *p;
    int n, ld;
    int64_t *info;
};

struct small_kernels {
    int lanes; /* number of matrices that potrf_together factors at a time */
    /* Factors `count` ≤ lanes matrices of order at most max_order ≤ STARTILE_SMALL_TOGETHER. */
    void (*potrf_together)(char uplo, int max_order, int count, const struct small_matrix *a);
    /* Factors matrix `a` of order at most STARTILE_SMALL_ORDER and prefetches matrix `next`. */
    void (*potrf)(char uplo, struct small_matrix a, struct small_matrix next);
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

/* Returns the fastest kernels that this CPU supports. */
const struct small_kernels *NAME(small)(void);

void NAME(potrf_together)(char, int, int, const struct small_matrix *);
void NAME(potrf_small)(char, struct small_matrix, struct small_matrix);
int64_t NAME(iamax_small)(int, const element *, int);
void NAME(potrf_together_avx2)(char, int, int, const struct small_matrix *);
void NAME(potrf_small_avx2)(char, struct small_matrix, struct small_matrix);
int64_t NAME(iamax_small_avx2)(int, const element *, int);
void NAME(potrf_together_avx512)(char, int, int, const struct small_matrix *);
void NAME(potrf_small_avx512)(char, struct small_matrix, struct small_matrix);
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

/* Returns part c (0: real, 1: imaginary) of conj(z). */
static inline real conjugate_part(const element *z, int c)
{
    return c == 0 ? ((const real *)z)[0] : -((const real *)z)[c];
}

#endif
