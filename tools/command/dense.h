/*
 * What `startile solve` computes on the host beside the library: plain loops over column-major
 * matrices, in more than the working precision where that matters.
 */
#ifndef DENSE_H
#define DENSE_H

#include "startile.h"

#include <stdbool.h>

/* Whether |a_ij − conj(a_ji)| ≤ tolerance eps max |a| everywhere, imaginary parts of the diagonal
 * included; else the first place where it is not. */
bool dense_is_hermitian(startile_dtype dtype, int64_t n, const void *a, double tolerance,
                        int64_t *row, int64_t *column);

/* R := B − A X for m × n A, accumulated in long double on all cores. B may be NULL: zero. Returns
 * false without memory. */
bool dense_residual(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, const void *a,
                    const void *b, const void *x, double _Complex *r);

/* ‖Aᴴ R‖ in the Frobenius norm for m × n A and m × nrhs R, accumulated in long double. */
long double dense_adjoint_norm(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs,
                               const void *a, const double _Complex *r);

/* R := the upper triangle of the leading n × n part of A, or of Aᴴ, zero below; A has lda rows. */
void dense_upper_triangle(startile_dtype dtype, int64_t n, const void *a, int64_t lda, bool adjoint,
                          void *r);

long double dense_norm_frobenius(startile_dtype dtype, int64_t m, int64_t n, const void *a);

/* Largest column sum of absolute values of an m × n matrix. */
double dense_norm1(startile_dtype dtype, int64_t m, int64_t n, const void *a);

/* Largest row sum of them; sums has m elements. */
double dense_norm_inf(startile_dtype dtype, int64_t m, int64_t n, const void *a, double *sums);

/* Largest absolute value in one column of m rows. */
double dense_column_max(startile_dtype dtype, int64_t m, const void *a, int64_t column);

#endif
