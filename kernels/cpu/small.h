/*
 * Matrices and vectors so small that calls of LAPACK and BLAS cost more than the arithmetic. Their
 * files are compiled once for each instruction set that is worth it, with STARTILE_AVX512,
 * STARTILE_AVX2 or nothing defined, and small.c chooses.
 */
#ifndef STARTILE_SMALL_H
#define STARTILE_SMALL_H

#include "dtype.h"

/* A matrix and the outcome of its factorization, LAPACK's info. */
struct small_matrix {
    element *p;
    int n, ld;
    int64_t *info;
};

struct small_kernels {
    int lanes; /* how many matrices the next takes at once */
    /* Cholesky of `count` matrices, none larger than `most` ≤ STARTILE_SMALL_TOGETHER */
    void (*potrf_together)(char uplo, int most, int count, const struct small_matrix *a);
    /* Cholesky of one matrix up to STARTILE_SMALL_ORDER, while that which comes next is fetched */
    void (*potrf)(char uplo, struct small_matrix a, struct small_matrix next);
    /* The 1-based place of the first of the largest |re| + |im|, or of the first NaN; 0 without
     * elements. Of any length. */
    int64_t (*iamax)(int n, const element *x, int ld);
};

/* Below the first one matrix alone takes longer, beyond the second OpenBLAS has not been compared.
 * (Zen 5 with AVX-512, double precision, together and alone: order 28 in 0.60 and 1.0 µs out of a
 * cache, 0.85 and 1.0 out of main memory; order 32 in 0.95 and 1.0, 1.9 and 1.1.) */
enum { STARTILE_SMALL_TOGETHER = 28, STARTILE_SMALL_ORDER = 128 };

/* The fastest that this CPU runs. */
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

/* Below: what those files see. */
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

/* As aligned as its elements are. */
typedef real lanes __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

/* One element in each lane: real parts, and imaginary parts apart from them. */
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

/* Part c of conj(z) */
static inline real conjugate_part(const element *z, int c)
{
    return c == 0 ? ((const real *)z)[0] : -((const real *)z)[c];
}

#endif
