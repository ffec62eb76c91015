/* Functions that several algorithms share. */
#ifndef STARTILE_ALGORITHMS_H
#define STARTILE_ALGORITHMS_H

#include "codelets.h"

/* Submits B := alpha A⁻¹ B for a triangular view A: lower if `forward`, else upper. `later` is the
 * number of steps that the caller submits afterwards, for priorities. With after_info the first
 * task of each block column waits until the last factorization has succeeded. */
void solve_triangle(startile_request *r, bool forward, char uplo, char diag, startile_complex alpha,
                    view A, view B, int64_t later, bool after_info);

/* Submits A := A⁻¹ for the triangle uplo. A zero on the diagonal fails the request, and A is not
 * changed. */
void invert_triangle(startile_request *r, char uplo, char diag, startile_matrix *A);

/* -- LU over block columns ------------------------------------------------------------------- */

/* Returns the number of pivots of panel k, which is the order of its diagonal block. */
int64_t pivots_in_panel(const startile_matrix *A, int64_t k);

/* Submits step k for the block columns right of panel k: row interchanges if P is not NULL,
 * triangular solve (multiplication by W if W is not NULL), product. */
void update_right(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                  inverse *W);
/* Submits step k for block columns first … last − 1. */
void update_columns(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                    inverse *W, int64_t first, int64_t last);
/* Submits the row interchanges of panel k for the block columns to its left, several panels at a
 * time. */
void interchange_left(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k);
/* Submits the factorization of panel k of A and writes its pivots to P. Returns the inverse of L11,
 * or NULL. */
typedef inverse *panel_factorization(startile_request *r, startile_matrix *A, startile_pivots *P,
                                     int64_t k);
/* Factors panel k without pivoting: diagonal block, then the rows below it. */
panel_factorization factor_panel;
/* Submits A := L and U with the given panel factorization; P is NULL for no interchanges. The
 * request fails if the memory's capacity does not suffice. */
void factor_lu(startile_request *r, startile_matrix *A, startile_pivots *P,
               panel_factorization *panel);

/* Submits B(:,j) := op(T)⁻¹ B(:,j) for the triangle T = uplo of A, both from diagonal block `first`
 * on. */
void substitute(startile_request *r, char uplo, char trans, char diag, const startile_matrix *A,
                startile_matrix *B, int64_t j, int64_t first);

/* Submits B := op(A)⁻¹ B with the factors in A; the tasks wait for the factorization. P may be
 * NULL. */
void solve_by_lu(startile_request *r, char trans, const startile_matrix *A,
                 const startile_pivots *P, startile_matrix *B);

/* -- QR over block columns ------------------------------------------------------------------- */

/* Submits the QR factorization by panels: A := R and V, T := the triangles of the block
 * reflectors. */
void factor_by_panels(startile_request *r, startile_matrix *A, const startile_matrix *T);
/* Submits C := op(Q) C for the reflectors in the first columns of A, as many as T has. */
void apply_reflectors(startile_request *r, char trans, const startile_matrix *A,
                      const startile_matrix *T, const startile_matrix *C);
/* Submits C := op(Q) C, or C := C op(Q) with side 'R', and the return of C to host memory. */
void apply_on_side(startile_request *r, char side, char trans, const startile_matrix *A,
                   const startile_matrix *T, startile_matrix *C);
/* Returns 'N' or 'C' for a valid letter ('C' also for 'T' of a real type), '\0' for a wrong one.
 * other_trans() maps 'N' to 'C' and back. */
char conjugating_trans(char trans, const startile_matrix *A);
char other_trans(char trans);
/* Validates arguments 1 … 3 of geqrf and gelqf; returns 0 or −i. */
int check_geqrf(const startile_matrix *A, const startile_matrix *T,
                const startile_request *request);
/* Validates arguments 1 … 3 of a product with Q; returns 0 or −i. */
int check_product(char side, char trans, const startile_matrix *A);
/* Validates all arguments of a product with a Q of order `order`; returns 0 or −i. */
int check_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                const startile_matrix *C, int64_t order, const startile_request *request);
/* Returns whether C can be multiplied on that side by the Q of A, which has order `order`. */
bool is_other_factor(char side, const startile_matrix *C, const startile_matrix *A, int64_t order);

/* -- QR by a tree ----------------------------------------------------------------------------- */

/* Submits the QR factorization by a tree: A := R and a part of Q's reflectors, tree := the rest of
 * Q. */
void factor_by_tree(startile_request *r, startile_matrix *A, const startile_tree *tree);
/* Submits C := op(Q) C; C has A's tile height. */
void apply_tree(startile_request *r, char trans, const startile_matrix *A,
                const startile_tree *tree, const startile_matrix *C);
/* Releases the tree after the tasks that were submitted. */
void forget_tree(startile_tree *tree);

/* -- scaling --------------------------------------------------------------------------------- */

/* Submits the search for max |a_ij| of A's first `rows` rows; returns the result's location. */
magnitude *largest_of(startile_request *r, const startile_matrix *A, int64_t rows);
/* Submits A := f(up) / f(down) A for rows row … row + rows − 1, see insert_lascl(). */
void rescale(startile_request *r, const magnitude *up, const magnitude *down,
             const startile_matrix *A, int64_t row, int64_t rows);

/* -- transposition ---------------------------------------------------------------------------- */

/* Submits B := Aᴴ. */
void transpose(startile_request *r, const startile_matrix *A, const startile_matrix *B);
/* Returns a temporary with Aᴴ, in whole block columns of A's tile width; NULL if the request has
 * failed. */
startile_matrix *transposed(startile_request *r, const startile_matrix *A);

/* Submits the return of all tiles of a wrapped matrix to host memory; no later task writes them. */
void send_home(startile_request *r, startile_matrix *A);

/* Submits a search for zeros on U's diagonal. The tasks submitted from here to past_gate() wait for
 * it. The first zero fails the request, unless *largest is 0; `largest` may be NULL. */
void behind_zero_check(startile_request *r, const startile_matrix *U, const magnitude *largest);

/* Checks the capacity for tasks on two block columns, see has_capacity(). */
bool has_capacity_for_columns(startile_request *r, const startile_matrix *A);
/* Checks the capacity for tasks on three of A's tiles, see has_capacity(). */
bool has_capacity_for_product(startile_request *r, const startile_matrix *A);

/* Returns the end (exclusive) of the block of block columns that begins at `first` and fits the
 * memory, see columns_at_a_time(). */
int64_t end_of_block(const startile_matrix *A, int64_t first);
/* Number of panels at the end of a block that open the gate for the next block's tasks. */
enum { AHEAD = 2 };
/* Hints that no submitted task uses block column k after the current ones: its tiles may be
 * evicted. */
void hint_idle_column(const startile_matrix *A, int64_t k);
/* Hints that all tiles of A may be evicted. Used if A exceeds the memory: tiles that earlier tasks
 * left there are written back first. Without the hint StarPU would evict tiles in use, because it
 * prefers tiles that need no write-back. */
void hint_idle_matrix(const startile_matrix *A);

/* Returns whether A's tiles suit the panels of LU and QR. */
bool has_panels(const startile_matrix *A);
/* Validate arguments 1 … 3 of an LU factorization, arguments 1 … 2 of a routine that uses its
 * factors, and a right-hand side. The first two return 0 or −i. */
int check_getrf(const startile_matrix *A, const startile_pivots *P,
                const startile_request *request);
int check_factors(const startile_matrix *A, const startile_pivots *P);
bool is_right_side(const startile_matrix *B, const startile_matrix *A);

#endif
