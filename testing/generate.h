/* Test matrices: Hermitian ones in full storage, and general ones. */
#ifndef TESTING_GENERATE_H
#define TESTING_GENERATE_H

#include "array.h"

struct generator {
    const char *name;
    /* h: n × n, column-major, in double; complex where is_complex; single: for a type of 24 bits */
    void (*fill)(int64_t n, bool is_complex, bool single, startile_complex *h);
};

/* All positive definite in every type up to n = 150 or so. The last one's name is NULL. */
extern const struct generator generators[];

/* h_ij = 1 / (i + j − 1): no longer positive definite in floating point from some order on */
extern const struct generator hilbert;

/* Eigenvalues from 1 down to 1/100; for tests that need just any positive definite matrix. */
extern const struct generator well_conditioned;

struct array generate(const struct generator *g, startile_dtype dtype, int64_t n, int64_t pad);

/* The matrix of ones' factor with the pivots of orders k, k + 1 … taken out: L D Lᵀ with L all ones
 * and d = 1 but for d_k = pivot (1-based). All sums are of small integers, so that the leading
 * minor of order k is exactly `pivot` in every arithmetic. */
struct array known_minor(startile_dtype dtype, int64_t n, int64_t pad, int64_t k, double pivot);

/* What LAPACK's xPOTRF would return as info, by the textbook's loops: the first pivot that is not
 * above 0, a NaN among them. L overwrites the lower triangle up to there. */
int64_t textbook_potrf(struct array A);

/* -- general matrices ------------------------------------------------------------------------- */

struct general {
    const char *name;
    void (*fill)(struct array A); /* m × n */
    /* Partial pivoting's choice is one of rows that differ by far more than rounding. */
    bool has_clear_pivots;
};

/* For an LU factorization, of any shape up to an order of 100 or so: the growth of elements in
 * gfpp is exponential. The last one's name is NULL. */
extern const struct general generals[];

/* Elements in [−1, 1). */
extern const struct general random_general;
/* Each column's diagonal element is larger than the others together. */
extern const struct general dominant;
/* The textbook's example of growth by 2 in every step: all integer, and the candidates for a pivot
 * are ±1 each time. */
extern const struct general gfpp;
/* Higham's gfpp(T), on which partial pivoting's elements grow by 1.9 in every step (Accuracy
 * and Stability of Numerical Algorithms, 2002, section 9.4); its triangle T is random. */
extern const struct general growing;
/* 1 / (i + j − 1): singular to working precision from order 13 on in double, from 6 on in single */
extern const struct general hilbert_general;
/* A random matrix with a last column that is nearly the mean of the others: condition near 1e3 in
 * single precision and 1e9 in double. */
extern const struct general nearly_singular;

struct array generate_general(const struct general *g, startile_dtype dtype, int64_t m, int64_t n,
                              int64_t pad);

/*
 * A matrix whose every step of elimination is exact in all types and orders of the operations, with
 * inverses of triangles too: L = I + N with N² = 0 and elements ±1/2, U of even integers with
 * powers of two on the diagonal. So factors and pivots are known to the last bit.
 */
struct known_lu {
    struct array A;
    struct array F; /* its factors */
    int64_t *ipiv;  /* of partial pivoting: min(m, n) */
    int64_t info;   /* the first of the zeros, or 0 */
};

/* U(k, k) = 0 for the k (1-based) among zeros[0 … count − 1]. With `interchanges` the pivots come
 * from all over the column; without, they are where they belong, the multipliers are ±2, which
 * partial pivoting would not leave there, and U⁻¹ is exact like L⁻¹. */
struct known_lu known_lu(startile_dtype dtype, int64_t m, int64_t n, int64_t pad,
                         const int64_t *zeros, int count, bool interchanges);
void known_lu_free(struct known_lu K);

#endif
