/* Checks of the arguments of routines. */
#ifndef STARTILE_CHECKS_H
#define STARTILE_CHECKS_H

#include "startile.h"

#include <stdbool.h>

/* -- letters ---------------------------------------------------------------------------------- */

/* Returns c as a capital: LAPACK accepts its letters in either case. */
char capital(char c);
bool is_one_of(char c, const char *letters);
/* Returns 'N' or 'C' for a valid letter ('C' also for 'T' of a real type), '\0' for a wrong one.
 * other_trans() maps 'N' to 'C' and back. */
char conjugating_trans(char trans, const startile_matrix *A);
char other_trans(char trans);

/* -- tiles ------------------------------------------------------------------------------------ */

/* Returns whether A is square and has square tiles. */
bool has_square_tiles(const startile_matrix *A);
/* Returns whether each diagonal block of nb rows is in one tile row of A, and A has at most
 * MOST_TILES tiles in a column. */
bool has_whole_blocks(const startile_matrix *A, int64_t nb);
/* Returns whether A's tiles suit the panels of LU and QR; on a symmetric grid they do not. */
bool has_panels(const startile_matrix *A);
/* Returns whether A and B have the same type of elements, and are on the same grid or both on none.
 */
bool have_same_type_and_grid(const startile_matrix *A, const startile_matrix *B);

/* -- routines --------------------------------------------------------------------------------- */

/* check_NAME() return 0 or −i for the first wrong argument. */

/* Arguments 1 … 3 (uplo, A, request) of a routine on a Hermitian matrix or its Cholesky factor, and
 * arguments 1 … 4 (uplo, A, B, request) of one with right-hand sides. uplo is a capital. */
int check_hermitian(char uplo, const startile_matrix *A, const startile_request *request);
int check_hermitian_system(char uplo, const startile_matrix *A, const startile_matrix *B,
                           const startile_request *request);
/* Arguments 1 … 3 of an LU factorization, and arguments 1 … 2 of a routine that uses the factors of
 * LU, where P may be NULL */
int check_getrf(const startile_matrix *A, const startile_pivots *P,
                const startile_request *request);
int check_factors(const startile_matrix *A, const startile_pivots *P);
/* Return whether B can have the right-hand sides of a system with A; the second one is for a
 * Hermitian A in square tiles. */
bool is_right_hand_side(const startile_matrix *B, const startile_matrix *A);
bool is_cholesky_right_hand_side(const startile_matrix *B, const startile_matrix *A);
/* Arguments 1 … 3 of geqrf and gelqf */
int check_geqrf(const startile_matrix *A, const startile_matrix *T,
                const startile_request *request);
/* Arguments 1 and 2 of routines with column pivoting, with and without grids, and 1 … 3 of geqp3
 * (geqp3.c) */
int check_panels_of_columns(const startile_matrix *A, const startile_permutation *P);
int check_column_pivoting(const startile_matrix *A, const startile_permutation *P);
int check_geqp3(const startile_matrix *A, const startile_permutation *P, const startile_matrix *T);
/* Arguments 1 … 3 of a product with Q (side, trans, A); `side` is a capital. */
int check_product_with_q(char side, char trans, const startile_matrix *A);
/* All arguments of a product with a Q of order `order`; `side` is a capital. */
int check_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                const startile_matrix *C, int64_t order, const startile_request *request);
/* Returns whether C can be multiplied on that side by the Q of A; Q has order `order`. */
bool fits_q(char side, const startile_matrix *C, const startile_matrix *A, int64_t order);
/* All arguments of gels */
int check_gels_arguments(char trans, const startile_matrix *A, const startile_matrix *B,
                         const startile_request *request);

/* -- one matrix on the left or right of another ------------------------------------------------ */

/* Returns the transposition by which X op(A) = B or B := B op(A) becomes an equation with a matrix
 * on the left: 'T' for transa 'T', else 'C'; for side 'L' 'N'. The matrix on the left is then A or,
 * for transa 'N', Aᴴ. */
char transposition_for(char side, char transa);
/* Returns whether A has B's type and grid, and its order and tiles are those of B's rows (side 'L')
 * or columns ('R'). */
bool fits_on_side(char side, const startile_matrix *A, const startile_matrix *B);
/* The arguments of trsm and trmm; returns 0 or −i */
int check_triangle(char side, char uplo, char transa, char diag, const startile_matrix *A,
                   const startile_matrix *B, const startile_request *request);

#endif
