/* Numbers of a matrix: magnitudes, norms, sums, determinants, zeros on the diagonal. */
#ifndef STARTILE_INSERT_NORMS_H
#define STARTILE_INSERT_NORMS_H

#include "data/view.h"
#include "request/context.h"
#include "request/decision.h"
#include "startile.h"

#include <stdbool.h>

/* The largest |a_ij| that tasks have found; initially 0. It is a temporary of the request. */
typedef struct magnitude magnitude;
magnitude *magnitude_begin(context ctx);
/* x := max(x, |a_ij|) */
void insert_largest(context ctx, column A, magnitude *x);
/* A := f(up) / f(down) A. Let s be the smallest normal number divided by the machine epsilon. f(x)
 * is the power of two that scales an x < s to about 1 and an x > 1/s to about 1/s; f(x) = 1 for
 * other x and for NULL; f(∞) = 0. A := 0 if up is 0. (LAPACK xLASCL, as in xGELS) */
void insert_lascl(context ctx, const magnitude *up, const magnitude *down, column A);

/* Fails the request if the diagonal of U's block column k has a zero: info := the 1-based index in
 * U of the first one. Does not fail it if `largest` is not NULL and has the value 0. */
void insert_zero_check(context ctx, const startile_matrix *U, int64_t k, const magnitude *largest);

/* v_j := max(v_j, max_i f(r_i) |a_ij|) for the columns j of A; r NULL: without f(r_i) */
void insert_column_maxima(context ctx, column A, const values *r, const values *v);
/* sums_i += Σ_j |a_ij| for the rows i of A ('I'), or sums_j += Σ_i |a_ij| for its columns ('1') */
void insert_abs_sums(context ctx, char norm, column A, const values *sums);
/* sums_i += Σ_j |a_ij| for a Hermitian diagonal tile of which the triangle uplo is stored */
void insert_hermitian_sums(context ctx, char uplo, tile A, const values *sums);
/* v_i := sqrt(|re a_ii|) for a diagonal tile */
void insert_diagonal_roots(context ctx, tile A, const values *v);

/* Partial norms: one accumulator per block column ('1', 'M', 'F') or block row ('I'). */
typedef struct norm_parts norm_parts;
norm_parts *norm_begin(context ctx, char norm, const startile_matrix *A);
/* Adds the norm of the tile to accumulator p; weight 2 counts its elements twice in 'F'. */
void insert_lange(context ctx, char norm, double weight, tile A, norm_parts *parts, int64_t p);
/* Adds the norm of a diagonal tile stored by its triangle. */
void insert_lansy(context ctx, char norm, char uplo, bool hermitian, tile A, norm_parts *parts,
                  int64_t p);
/* *value := the norm from all accumulators when the tasks have run, unless the request has failed;
 * frees the parts */
void insert_norm_end(context ctx, norm_parts *parts, double *value);

/* The product of a factor's diagonal, in one part for each diagonal block. Functions accept NULL,
 * which determinant_begin() returns without memory. */
typedef struct determinant determinant;
determinant *determinant_begin(context ctx, const startile_matrix *A);
/* part k of d := the product of the elements of A's diagonal block k, with the sign changed for
 * each interchange of panel k of P, which may be NULL */
void insert_diagonal_product(context ctx, const startile_matrix *A, const startile_pivots *P,
                             int64_t k, determinant *d);
/* *sign, *logabsdet := sign and logarithm of the product of all parts when the tasks have run,
 * unless the request has failed; sign NULL: *logabsdet := the logarithm of the product's square.
 * Frees d. */
void insert_determinant_end(context ctx, determinant *d, startile_complex *sign, double *logabsdet);

/* The estimator of a 1-norm (LAPACK xLACN2) on the vector v, which is one tile. Each function
 * submits one step; the kernel lacn2 defines the steps and the scale s of the matrix M. */
typedef struct norm_estimate norm_estimate;
/* anorm NULL: s = 1. Otherwise M = A⁻¹, *anorm is the norm of A, and s is a power of two for which
 * s A⁻¹ is within the range of single precision, even if A⁻¹ is not. *anorm is read when the
 * operations submitted into the request so far have ended, and the steps wait for them. */
norm_estimate *estimate_begin(context ctx, const double *anorm, tile v);
/* best := v; a later step that raises the estimate sets best to its v. Both are vectors in one
 * tile.
 */
void insert_keep(context ctx, norm_estimate *e, const startile_matrix *v,
                 const startile_matrix *best);
void insert_sign(context ctx, norm_estimate *e, tile v);
void insert_unit(context ctx, norm_estimate *e, tile v);
void insert_alternating(context ctx, norm_estimate *e, tile v);
/* Returns ctx for tasks between steps, which do nothing once insert_unit() has repeated its vector:
 * all of them on CPU cores and without a grid, else none. e may be NULL. */
context without_repetition(context ctx, const norm_estimate *e);
/* *norm := the estimate of ‖s M‖ when the tasks have run, unless the request has failed. Frees e.
 */
void insert_estimate_end(context ctx, norm_estimate *e, tile v, double *norm);
/* *rcond := s / (*anorm * estimate) when the tasks have run; 0 if *anorm is not above 0, if the
 * estimate is 0 or not finite, or if the request has failed. Frees e. */
void insert_rcond(context ctx, norm_estimate *e, tile v, double *rcond);

#endif
