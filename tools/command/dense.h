/*
 * Host computations of `startile solve` outside the library: plain loops over column-major
 * matrices, in higher precision than the matrix' where rounding errors matter.
 */
#ifndef DENSE_H
#define DENSE_H

#include "startile.h"

#include <stdbool.h>

/* Returns whether A is symmetric or, if conjugated, Hermitian: whether |a_ij − a_ji|, or
 * |a_ij − conj(a_ji)|, is at most tolerance eps max |a| for all i, j, where eps is the unit
 * roundoff. For i = j the latter is twice the imaginary part. If the result is false, stores
 * the row and column of the first element for which the condition does not hold. */
bool dense_is_symmetric(startile_dtype dtype, int64_t n, const void *a, bool conjugated,
                        double tolerance, int64_t *row, int64_t *column);

/* R := B − A X for m × n A, accumulated in long double on all cores. B may be NULL and is zero
 * then. Returns false after a report if memory does not suffice. */
bool dense_residual(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, const void *a,
                    const void *b, const void *x, double _Complex *r);

/* Returns the Frobenius norm of Aᴴ R for m × n A and m × nrhs R, accumulated in long double. */
long double dense_adjoint_norm(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs,
                               const void *a, const double _Complex *r);

/* R (n × n) := the upper triangle of A's first n rows and columns, or of their conjugate transpose
 * if `adjoint`, with zeros below. lda: number of rows of A */
void dense_upper_triangle(startile_dtype dtype, int64_t n, const void *a, int64_t lda, bool adjoint,
                          void *r);

/* Returns the Frobenius norm of an m × n matrix, accumulated in long double. */
long double dense_norm_frobenius(startile_dtype dtype, int64_t m, int64_t n, const void *a);

/* Returns the 1-norm of an m × n matrix, the largest column sum of magnitudes; NaN if an element is
 * NaN. */
double dense_norm1(startile_dtype dtype, int64_t m, int64_t n, const void *a);

/* Returns the ∞-norm of an m × n matrix, the largest row sum of magnitudes; NaN if an element is
 * NaN. sums: workspace of m elements */
double dense_norm_inf(startile_dtype dtype, int64_t m, int64_t n, const void *a, double *sums);

/* Returns the largest magnitude in one column of a matrix with m rows; NaN if an element is NaN. */
double dense_column_max(startile_dtype dtype, int64_t m, const void *a, int64_t column);

#endif
