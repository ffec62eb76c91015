/* Hermitian test matrices, full storage. */
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

#endif
