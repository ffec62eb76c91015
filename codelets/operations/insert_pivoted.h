/* Insert functions of factorizations with column or diagonal pivoting. */
#ifndef STARTILE_INSERT_PIVOTED_H
#define STARTILE_INSERT_PIVOTED_H

#include "data/view.h"
#include "operations/insert_norms.h"
#include "request/context.h"
#include "request/decision.h"

/* A(:,k:) := R and V of the next columns of A P = Q R, as many as T has, with the updates of all
 * columns to their right. Tiles of A have all its rows. T's diagonal := tau. norms: two numbers for
 * each column, from one panel to the next. */
void insert_geqp3(context ctx, int64_t priority, const startile_matrix *A, int64_t k,
                  startile_permutation *P, const values *norms, tile T);

/* A := A P_k^T for the interchanges P_k of panel k of P, which insert_order() or
 * insert_select_and_order() has made. Tiles of A have all its rows. As insert_lapmt(), by several
 * tasks if A is in several memories. A is not on a grid. */
void insert_lapmt_in_groups(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                            startile_matrix *A);

/* Parts of A := A P_k^T on a grid, where a process has the block columns j, j + step, … of A.
 * insert_exchange_columns() sets those columns of `arrived` that P_k moves from these block columns
 * to panel k, each at its new place; then these block columns := the old columns of the panel that
 * move there. With j = k it does so for the block columns that insert_lapmt_with_arrived() leaves
 * out, which completes the panel and those block columns k, k + step, … that one task works on.
 * `arrived` is as large as the panel. */
void insert_exchange_columns(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                             startile_matrix *A, int64_t j, int64_t step, tile arrived);
void insert_lapmt_with_arrived(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                               startile_matrix *A, int64_t step, tile arrived);

/* P := P P_k^T for the interchanges P_k of panel k of `pivots`. The first panel begins with P := I;
 * no column of P may be chosen. */
void insert_permute(context ctx, startile_permutation *P, const startile_pivots *pivots, int64_t k);

/* Where a QR factorization with column pivoting stops, found by tasks. A temporary of the request.
 */
typedef struct truncation truncation;
/* A factorization of A stops at most after `steps` panels. rank: see insert_truncation(). NULL, and
 * the request has failed, without memory. */
truncation *truncation_begin(context ctx, const startile_matrix *A, int64_t steps, double tol,
                             int64_t max_rank, int64_t *rank);
/* Returns ctx for tasks of step k, which do nothing if the factorization has stopped before it. */
context unless_truncated(context ctx, const truncation *T, int64_t k);
/* A := 0 if the factorization has stopped before step k. */
void insert_clear_truncated(context ctx, const truncation *T, int64_t k, tile A);
/* sums_i += Σ_j |a_ij / s|², with the s of kernel row_squares for `largest`; uplo 'U': over the
 * upper trapezoid of A. Tiles of A's matrix have all its rows. */
void insert_row_squares(context ctx, int64_t priority, char uplo, column A,
                        const magnitude *largest, const values *sums);
/* Sets T's limit to tol² times the sum of all numbers in `sums`. */
void insert_limit(context ctx, truncation *T, const values *sums);
/* Decides after step k whether the factorization stops: if the sum of sums_r, sums_{r+1}, … is at
 * most the limit for an r up to the step's last column. *rank := the smallest such r, or else the
 * number of columns that have been factored, but at most max_rank. The tasks that use panel k + 1
 * of `pivots` wait for the decision. */
void insert_truncation(context ctx, truncation *T, int64_t k, const values *sums,
                       const startile_pivots *pivots);

/* Numerical rank of a triangle, which a task finds. A temporary of the request. */
typedef struct triangle_rank triangle_rank;
/* Submits the search for the rank r of R in the upper triangle of A, whose tiles have all rows:
 * *rank := r, and if r is below A's number of columns, A's rows from r on and its elements below
 * the diagonal := 0 (kernel trank). *estimate := the estimated 1 / condition of R(0:r,0:r), unless
 * it is NULL. Returns NULL, and the request has failed, without memory. */
triangle_rank *insert_trank(context ctx, startile_matrix *A, double rcond, int64_t *rank,
                            double *estimate);
/* Returns ctx for tasks after insert_trank() that do something only if r is A's number of columns
 * (is_full), or only if it is not. */
context if_rank(context ctx, const triangle_rank *r, bool is_full);
/* X(r:,:) := 0, for all rows of X from X.row on, which is 0 */
void insert_clear_below(context ctx, const triangle_rank *r, column X);
/* Sets the elements on and right of the diagonal of A to those of the identity, in the rows from r
 * on and in A's block column k. Tiles of A have all its rows. */
void insert_unit_diagonal(context ctx, const triangle_rank *r, const startile_matrix *A, int64_t k);
/* A := P A for the permutation P, or P^T A with `inverse`; the tile has all rows and op 'N'. */
void insert_lapmr(context ctx, const startile_permutation *P, bool inverse, tile A);

/* Block column k of A := that of L in P^T A P = L L^H, with the update of the trailing triangle and
 * the interchanges of the earlier columns. uplo: triangle that A's matrix stores. stop: the limit
 * for pivots, which tol sets with k = 0. *rank := columns of L that are complete, when the task has
 * ended. */
void insert_pstrf(context ctx, int64_t priority, char uplo, view A, int64_t k,
                  startile_permutation *P, double tol, const values *stop, int64_t *rank);

#endif
