/* The pieces of algorithms that other algorithms are made of. */
#ifndef STARTILE_ALGORITHMS_H
#define STARTILE_ALGORITHMS_H

#include "codelets.h"

/* B := alpha A⁻¹ B for a triangular A, which is lower as seen (forward) or upper, with so many
 * steps to come later. With after_info the first task of each block column waits for the last
 * factorization's success. */
void solve_triangle(startile_request *r, bool forward, char uplo, char diag, startile_complex alpha,
                    view A, view B, int64_t later, bool after_info);

/* A := A⁻¹ for the triangle uplo; a zero on its diagonal fails the request, and A is untouched. */
void invert_triangle(startile_request *r, char uplo, char diag, startile_matrix *A);

/* -- LU over block columns ------------------------------------------------------------------- */

/* Pivots, and rows of the diagonal block, of panel k. */
int64_t pivots_in_panel(const startile_matrix *A, int64_t k);

/* Step k to the right of the panel: interchanges if P is not NULL, solve by W if there is one,
 * product. */
void update_right(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                  inverse *W);
/* The same for block columns first … last − 1 alone. */
void update_columns(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                    inverse *W, int64_t first, int64_t last);
/* Step k to the left of it: interchanges, some panels at a time. */
void interchange_left(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k);
/* How panel k of A is factored, and written to P; returns L11's inverse, or NULL. */
typedef inverse *panel_factorization(startile_request *r, startile_matrix *A, startile_pivots *P,
                                     int64_t k);
/* Without pivoting: diagonal block, then the rows below it. */
panel_factorization factor_panel;
/* A := L and U by such panels, with P NULL for no interchanges; or the request has failed where the
 * memory has no room. */
void factor_lu(startile_request *r, startile_matrix *A, startile_pivots *P,
               panel_factorization *panel);

/* Block column j of B := op(T)⁻¹ B for the triangle uplo of A, both taken from diagonal block
 * `first` on. */
void substitute(startile_request *r, char uplo, char trans, char diag, const startile_matrix *A,
                startile_matrix *B, int64_t j, int64_t first);

/* B := op(A)⁻¹ B with the factors in A, not before they are there; P may be NULL. */
void solve_by_lu(startile_request *r, char trans, const startile_matrix *A,
                 const startile_pivots *P, startile_matrix *B);

/* -- QR over block columns ------------------------------------------------------------------- */

/* A := R and V, T := the triangles. */
void factor_by_panels(startile_request *r, startile_matrix *A, const startile_matrix *T);
/* C := op(Q) C for the reflectors in the first columns of A, as many as T has. */
void apply_reflectors(startile_request *r, char trans, const startile_matrix *A,
                      const startile_matrix *T, const startile_matrix *C);
/* The same, or C := C op(Q) with side 'R'; and C goes home. */
void apply_on_side(startile_request *r, char side, char trans, const startile_matrix *A,
                   const startile_matrix *T, startile_matrix *C);
/* 'N', 'C' also for a real 'T', or '\0' for a wrong letter; and the other one of the two. */
char conjugating_trans(char trans, const startile_matrix *A);
char other_trans(char trans);
/* Of arguments 1 … 3 of a factorization. */
int check_geqrf(const startile_matrix *A, const startile_matrix *T,
                const startile_request *request);
/* Of arguments 1 … 3 of a product with Q. */
int check_product(char side, char trans, const startile_matrix *A);
/* Of all arguments of such a product, where Q is of that order. */
int check_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                const startile_matrix *C, int64_t order, const startile_request *request);
/* C can be multiplied on that side by a Q of that order that A belongs to. */
bool is_other_factor(char side, const startile_matrix *C, const startile_matrix *A, int64_t order);

/* -- QR by a tree ----------------------------------------------------------------------------- */

/* A := R and part of Q, *tree := the rest of it. */
void factor_by_tree(startile_request *r, startile_matrix *A, const startile_tree *tree);
/* C := op(Q) C; C has tiles of A's height. */
void apply_tree(startile_request *r, char trans, const startile_matrix *A,
                const startile_tree *tree, const startile_matrix *C);
/* No task that is submitted later uses it. */
void forget_tree(startile_tree *tree);

/* -- scaling --------------------------------------------------------------------------------- */

/* Of A's first rows. */
magnitude *largest_of(startile_request *r, const startile_matrix *A, int64_t rows);
/* insert_lascl() for some rows of A. */
void rescale(startile_request *r, const magnitude *up, const magnitude *down,
             const startile_matrix *A, int64_t row, int64_t rows);

/* -- transposition ---------------------------------------------------------------------------- */

/* B := Aᴴ */
void transpose(startile_request *r, const startile_matrix *A, const startile_matrix *B);
/* Aᴴ as a temporary in whole block columns of A's tile width; or NULL, and the request has failed.
 */
startile_matrix *transposed(startile_request *r, const startile_matrix *A);

/* All tiles of a wrapped matrix have their final values. */
void send_home(startile_request *r, startile_matrix *A);

/* What is submitted from here to past_gate() waits until U's diagonal has been looked through: its
 * first zero fails the request, unless `largest`, which may be NULL, is 0. */
void behind_zero_check(startile_request *r, const startile_matrix *U, const magnitude *largest);

/* has_capacity() for tasks on two block columns. */
bool have_room_for_columns(startile_request *r, const startile_matrix *A);
/* has_capacity() for tasks on three tiles, at most all of them A's. */
bool have_room_for_product(startile_request *r, const startile_matrix *A);

/* Where a block of columns that begins there ends, of columns_at_a_time(). */
int64_t end_of_block(const startile_matrix *A, int64_t first);
/* So many panels before its end a block makes room for the next. */
enum { AHEAD = 2 };
/* Block column k is not in use for a while. */
void rest_column(const startile_matrix *A, int64_t k);
/* No part of A is: where not all of it fits, what earlier tasks left in the memory goes home before
 * it takes the room of what is used, since StarPU drops first what it has not got to write. */
void rest_matrix(const startile_matrix *A);

/* A's tiles suit the panels of LU and QR. */
bool has_panels(const startile_matrix *A);
/* Of arguments 1 … 3 of a factorization, and 1 … 2 of what uses its factors. */
int check_getrf(const startile_matrix *A, const startile_pivots *P,
                const startile_request *request);
int check_factors(const startile_matrix *A, const startile_pivots *P);
bool is_right_side(const startile_matrix *B, const startile_matrix *A);

#endif
