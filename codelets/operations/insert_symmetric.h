/* Insert functions of symmetric indefinite systems. */
#ifndef STARTILE_INSERT_SYMMETRIC_H
#define STARTILE_INSERT_SYMMETRIC_H

#include "data/view.h"
#include "request/context.h"

/* Block column k of A := that of L and D in A = L D L^T with trans 'T', A = L D L^H with 'C', with
 * the update of the block columns right of it; with uplo 'U' of U and D in A = U D U^T, with the
 * update of the block columns left of it. P gets the panel's pivots. */
void insert_sytrf(context ctx, int64_t priority, char uplo, char trans, const startile_matrix *A,
                  int64_t k, const startile_symmetric_pivots *P);

/* D := the blocks of D of the factors in A, as an array of two columns (symmetric.h); the tile has
 * all rows. fails: the first zero pivot of order 1 fails the request. Returns whether the task was
 * submitted. */
bool insert_ldl_diagonal(context ctx, char trans, const startile_matrix *A,
                         const startile_symmetric_pivots *P, bool fails, tile D);
/* `to` := the interchanges of P, as those of an LU factorization of n rows. */
void insert_ldl_order(context ctx, const startile_symmetric_pivots *P, startile_pivots *to,
                      int64_t n);
/* Block column j of T := block column k of the triangle L' or U' without its diagonal, where
 * P A P^T = L' D L'^T for all interchanges P. */
void insert_ldl_column(context ctx, int64_t priority, const startile_matrix *A, int64_t k,
                       const startile_symmetric_pivots *P, const startile_matrix *T, int64_t j);
/* B := D^-1 B */
void insert_ldl_solve(context ctx, int64_t priority, char trans, tile D, column B);
/* W := D W for a checksum W (insert_checksum.h) */
void insert_ldl_checksum(context ctx, char trans, tile D, column W);
/* inertia := number of positive, negative and zero eigenvalues of D. */
void insert_ldl_inertia(context ctx, tile D, int64_t *inertia);
/* *sign := d / |d| and *logabsdet := log |d| for d = det D. */
void insert_ldl_determinant(context ctx, char trans, tile D, startile_complex *sign,
                            double *logabsdet);

/* The order of rows and columns after the interchanges of several panels. A temporary. */
typedef struct row_order row_order;
/* Returns the order before all interchanges; NULL, and the request has failed, without memory.
 * Each process of a grid has its own. */
row_order *row_order_begin(context ctx, int64_t rows);
/* order := the order after the interchanges of panel k of P, too. */
void insert_compose_moves(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                          row_order *order);
/* C := `block`, rows of a block column of P A P^T, for the interchanges P of `order`; C is in one
 * tile. A: tiles with all rows, of the same width, one for each block column of A; columns of C
 * that come from other block columns do not change. One task reads all tiles if they fit a memory,
 * else one. */
void insert_gather_block(context ctx, int64_t priority, tile_sequence A, const row_order *order,
                         column block, column C);
/* C := block column j of the symmetric matrix (op 'T'), or the Hermitian one ('C'), of which A has
 * the triangle uplo. The tile C has all rows. I: an identity of A's tiles' order. */
void insert_both_triangles(context ctx, char uplo, char op, const startile_matrix *A, int64_t j,
                           tile I, tile C);

#endif
