/* Test matrices: Hermitian matrices in full storage, and general matrices. */
#ifndef TESTING_GENERATE_H
#define TESTING_GENERATE_H

#include "array.h"

struct generator {
    const char *name;
    /* Fills h, n × n, column-major, in double precision. is_complex: with complex elements. single:
     * for a type of single precision. */
    void (*fill)(int64_t n, bool is_complex, bool single, startile_complex *h);
};

/* Positive definite in every type up to about n = 150. The last name is NULL. */
extern const struct generator generators[];

/* Hilbert's matrix h_ij = 1 / (i + j − 1); positive definite in floating point only for small
 * orders. */
extern const struct generator hilbert;

/* Random matrices with eigenvalues from 1 down to 1/100, for tests that need any positive definite
 * matrix. */
extern const struct generator well_conditioned;

/* Returns an n × n matrix of g in `dtype`, exactly Hermitian, with ld = max(1, n) + pad. */
struct array generate(const struct generator *g, startile_dtype dtype, int64_t n, int64_t pad);

/* Returns L D Lᵀ for a lower triangle L of ones and a diagonal D of ones except d_k = pivot (k is
 * 1-based). All sums are of small integers, so that the leading minor of order k is exactly `pivot`
 * in every type. */
struct array known_minor(startile_dtype dtype, int64_t n, int64_t pad, int64_t k, double pivot);

/* Factors A in its lower triangle by the textbook's loops. Returns the info that xPOTRF documents:
 * the index of the first pivot that is not above 0, which includes NaN. */
int64_t textbook_potrf(struct array A);

/* -- general matrices ------------------------------------------------------------------------- */

struct general {
    const char *name;
    void (*fill)(struct array A); /* m × n */
    /* whether rounding cannot change the choice of a pivot: the largest candidate exceeds the
     * others by far more than rounding errors, or the candidates are computed exactly */
    bool has_clear_pivots;
};

/* Matrices of any shape for LU factorizations, with orders up to about 100: in gfpp elements grow
 * exponentially with the order. The last name is NULL. */
extern const struct general generals[];

/* Elements in [−1, 1). */
extern const struct general random_general;
/* Matrices in which the magnitude of each diagonal element exceeds the sum of the magnitudes of the
 * other elements in its column. */
extern const struct general dominant;
/* The textbook's example of growth by a factor of 2 in every step: all elements are integers, and
 * all candidates for a pivot have the same magnitude. */
extern const struct general gfpp;
/* Higham's gfpp(T): elements grow by a factor of 1.9 in every step of partial pivoting (Accuracy
 * and Stability of Numerical Algorithms, 2002, section 9.4); its triangle T is random. */
extern const struct general growing;
/* Hilbert's matrix: singular to working precision from order 13 on in double, from 6 on in single.
 */
extern const struct general hilbert_general;
/* A random matrix whose last column is nearly the mean of the others: condition near 1e3 in single
 * precision and 1e9 in double. */
extern const struct general nearly_singular;

/* Returns an m × n matrix of g with ld = max(1, m) + pad. */
struct array generate_general(const struct general *g, startile_dtype dtype, int64_t m, int64_t n,
                              int64_t pad);

/*
 * A matrix for which every step of the elimination, and L⁻¹, are exact in all types and in every
 * sequence of the operations: L = I + N with N² = 0, and U consists of even integers, with powers
 * of two or zeros on the diagonal. Factors and pivots are known to the last bit.
 */
struct known_lu {
    struct array A;
    struct array F; /* factors of A */
    int64_t *ipiv;  /* min(m, n) pivots */
    int64_t info;   /* smallest k with U(k, k) = 0, or 0 */
};

/* Returns a matrix with U(k, k) = 0 for each k (1-based) in zeros[0 … count − 1]. With
 * `interchanges`, a pivot may be in any row from the diagonal down, and the elements of N are ±1/2
 * or 0. Without, all pivots are on the diagonal, although partial pivoting would interchange rows,
 * because the elements of N are ±2 or 0; U⁻¹ is then exact, as L⁻¹ is. */
struct known_lu known_lu(startile_dtype dtype, int64_t m, int64_t n, int64_t pad,
                         const int64_t *zeros, int count, bool interchanges);
void known_lu_free(struct known_lu K);

#endif
