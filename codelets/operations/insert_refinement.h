/* Refinement of solutions: two precisions, residuals, errors. */
#ifndef STARTILE_INSERT_REFINEMENT_H
#define STARTILE_INSERT_REFINEMENT_H

#include "data/view.h"
#include "request/context.h"
#include "request/decision.h"
#include "startile.h"

#include <stdbool.h>

/* b_ij := f(r_i) g(c_j) a_ij or, if `add`, b_ij += f(r_i) g(c_j) a_ij. B has the other precision of
 * A's type. f(x) is the power of two that scales x to [1, 2); g is f or, if `divide`, 1/f. r has a
 * value for each row of the matrices, c for each column; NULL: factor 1. (kernel lag2) */
void insert_lag2(context ctx, int64_t priority, column A, const values *r, const values *c,
                 bool divide, bool add, column B);
/* Columns 0 … n − 1 of B := columns first … first + n − 1 of A, in the other precision */
void insert_lag2_columns(context ctx, column A, int64_t first, int64_t n, column B);
/* a_ij := f(r_i) a_ij with the f of insert_lag2() (kernel lascl2) */
void insert_lascl2(context ctx, const values *r, column A);
/* dots_j += A(:,j)^H B(:,j), a complex number as two values, also for real types. `dots` has two
 * values for each column of the matrices. */
void insert_column_dots(context ctx, column A, column B, const values *dots);
/* B(:,j) := B(:,j) + sign num_j / den_j A(:,j) with results of insert_column_dots(); unchanged
 * where den_j = 0. num and den NULL: B := B + sign A */
void insert_column_axpys(context ctx, int sign, const values *num, const values *den, column A,
                         column B);

/* Operand of a triangular solve */
typedef struct {
    char uplo, trans, diag;
} triangular_factor;
/* V_j := P V_j, and then V_j := op(T)^-1 V_j with one triangle of T after the other, `steps` (1 or
 * 2) of them, for block column j of V. V has T's type, or that type's double precision. P NULL:
 * without interchanges */
void insert_whole_solve(context ctx, const startile_pivots *P, int steps,
                        const triangular_factor *step, const startile_matrix *T,
                        const startile_matrix *V, int64_t j);
/* R_j := B_j - A X_j for block columns j of R, B, X. uplo 'L', 'U': A is Hermitian, and that
 * triangle is stored; else uplo is 'G'. */
void insert_whole_residual(context ctx, char uplo, const startile_matrix *A,
                           const startile_matrix *X, const startile_matrix *B,
                           const startile_matrix *R, int64_t j);
/* sums_i := Σ_j |a_ij| for a matrix as in insert_whole_residual() */
void insert_whole_abs_sums(context ctx, char uplo, const startile_matrix *A, const values *sums);
/*
 * A is a block column of the triangle uplo of a Hermitian matrix: the diagonal block D of n columns
 * and the rows E, below it for 'L' and above it for 'U'. B and C have the same rows.
 *   C_D := C_D - D B_D - E^H B_E
 *   C_E := C_E - E B_D
 */
void insert_hemm_column(context ctx, int64_t priority, char uplo, column A, int64_t n, column B,
                        column C);
/* W := W + |A| |B|, where W has real numbers in double precision. insert_abs_gemm_column() works on
 * block columns as insert_gemm_column() does, insert_abs_gemm() on tiles. uplo 'L', 'U': A is a
 * Hermitian tile of which that triangle is stored; else uplo is 'G'. */
void insert_abs_gemm_column(context ctx, column A, column B, column W);
void insert_abs_gemm(context ctx, char uplo, tile A, tile B, tile W);
/* v_j := max(v_j, max_i |r_ij| / (|b_ij| + w_ij)), where 0/0 = 0 */
void insert_ratio_maxima(context ctx, column R, column B, column W, const values *v);

/* W := (|R| + rounding (W + |B|)) / largest_j for the columns j (kernel error_weights) */
void insert_error_weights(context ctx, double rounding, tile R, tile B, const values *largest,
                          tile W);
/* v_i := w_ij v_i for column j of W, a matrix of real numbers in double precision */
void insert_weight_rows(context ctx, const startile_matrix *W, int64_t j, tile v);

#endif
