/*
 * How the checks of batches look at a residual matrix R without forming it: they multiply it with
 * BATCH_PROBES columns of 1-norm 1, so that the norm of what comes out is at most ‖R‖₁. One column
 * is random and sees all that is grossly wrong anywhere, the others are unit vectors.
 *
 * Matrices have as many rows as their leading dimension says, vectors are double complex.
 */
#ifndef BATCH_PROBE_H
#define BATCH_PROBE_H

#include "startile.h"

#include <complex.h>
#include <stdbool.h>

/* Column c of n elements */
void batch_probe(int64_t n, int c, double _Complex *x);
double batch_norm1(int64_t n, const double _Complex *x);
/* x := x − y; ‖x‖₁ */
double batch_distance(int64_t n, double _Complex *x, const double _Complex *y);
/* x := column j */
void batch_column(startile_dtype dtype, int64_t m, const void *a, int64_t ld, int64_t j,
                  double _Complex *x);

/* y := op(A) x for m × n A, trans 'N' or 'C' */
void batch_product(startile_dtype dtype, char trans, int64_t m, int64_t n, const void *a,
                   int64_t ld, const double _Complex *x, double _Complex *y);
/* y := op(T) x for the triangle or, m ≠ n, trapezoid of A; 'U' for diag: ones on the diagonal */
void batch_triangle(startile_dtype dtype, char uplo, char trans, char diag, int64_t m, int64_t n,
                    const void *a, const double _Complex *x, double _Complex *y);
/* ‖T‖₁ of it */
double batch_triangle_norm1(startile_dtype dtype, char uplo, char diag, int64_t m, int64_t n,
                            const void *a);
/* The row interchanges of LU on x, forwards: x := P x; or backwards: x := Pᵀ x */
void batch_interchange(int64_t k, const int64_t *ipiv, bool backwards, double _Complex *x);
/* x := op(Q) x for k reflectors of m rows in A's columns */
void batch_reflect(startile_dtype dtype, char trans, int64_t m, int64_t k, const void *a,
                   const void *tau, double _Complex *x);

/* The larger; NaN wins. */
double batch_worse(double a, double b);

#endif
