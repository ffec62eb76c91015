/*
 * Insert functions: each submits one task on tiles and returns. Factorizations, solves, products,
 * and operations on the elements.
 */
#ifndef STARTILE_INSERT_H
#define STARTILE_INSERT_H

#include "data/view.h"
#include "request/context.h"
#include "startile.h"

#include <stdbool.h>

/* The inverse of a triangular diagonal block of a matrix, or for a panel of LU the inverses of the
 * diagonal blocks of L11 (kernel getrf), in a temporary. */
typedef struct inverse inverse;

/* Rows of a panel that take part in a tournament. */
typedef struct candidates candidates;

/* C := alpha A B + beta C; with A.A NULL: C := beta C */
void insert_gemm(context ctx, int64_t priority, startile_complex alpha, tile A, tile B,
                 startile_complex beta, tile C);

/* C := alpha A A^H + beta C (op 'C', real scalars) or alpha A A^T + beta C (op 'T') on the triangle
 * uplo; with A.A NULL: C := beta C */
void insert_herk(context ctx, int64_t priority, char op, char uplo, startile_complex alpha, tile A,
                 startile_complex beta, tile C);

/* B := alpha T^-1 B (side 'L') or alpha B T^-1 (side 'R'). after_info: the task waits for the
 * request's last Cholesky factorization and does nothing if that failed. */
void insert_trsm(context ctx, int64_t priority, char side, char uplo, char diag,
                 startile_complex alpha, tile T, tile B, bool after_info);

/* B := alpha W B (side 'L') or alpha B W (side 'R') for a triangular W whose other triangle is
 * zero */
void insert_trmm(context ctx, int64_t priority, char side, char uplo, startile_complex alpha,
                 tile W, tile B);

/* T := T^-1 for a triangular T without zero on its diagonal */
void insert_trtri(context ctx, int64_t priority, char uplo, char diag, tile T);

/* B := B T^-1. On a GPU the task multiplies by W if W is not NULL and is accurate; otherwise it
 * solves. */
void insert_trsm_inverse(context ctx, int64_t priority, char uplo, tile T, inverse *W,
                         tile_range B);

/* C := C - A B^H for each tile of the range: tile B is the tile of A's block column in the row that
 * equals C's column. If C begins on the diagonal, its first tile is updated in the triangle uplo
 * only, and B is A's first tile. */
void insert_herk_gemm(context ctx, int64_t priority, char uplo, tile_range A, tile B, tile_range C);

/* A := its Cholesky factor; on failure the request's info is the order of the failing minor.
 * Returns the factor's inverse if want_inverse is set, there are GPUs and A is not on a grid; else,
 * and without memory, NULL. */
inverse *insert_potrf(context ctx, int64_t priority, char uplo, tile A, bool want_inverse);

/* A := its factors L and U with partial pivoting, panel k of P := its interchanges; a zero pivot is
 * stored in the request. Returns the inverses of L11's diagonal blocks if want_inverse is set,
 * there are GPUs and A is not on a grid; else, and without memory, NULL. */
inverse *insert_getrf(context ctx, int64_t priority, column A, const startile_pivots *P, int64_t k,
                      bool want_inverse);

/* Factors the diagonal block of n columns at the top of A without pivoting. Returns the inverse of
 * L, which the caller releases, or NULL without GPUs or memory, and on a grid. *WU := the inverse
 * of U, a temporary of the request, or NULL without GPUs or memory. */
inverse *insert_getrf_nopiv(context ctx, int64_t priority, column A, int64_t n, inverse **WU);

/* B := B U^-1 for the upper triangle U of the diagonal block T of n columns. On a GPU the task
 * multiplies by W if W is not NULL and is accurate; otherwise it solves. */
void insert_trsm_column(context ctx, int64_t priority, column T, int64_t n, inverse *W, column B);

/* B := P B for the panels first … last − 1 of P, or the inverse interchanges from the last panel to
 * the first. If `after` is not NULL, the task waits for the tile *after. */
void insert_laswp(context ctx, int64_t priority, const startile_pivots *P, int64_t first,
                  int64_t last, bool inverse, column B, const tile *after);

/* A := A P^T for panel k of P, in tile row i of A; with `inverse` A := A P. */
void insert_lapmt(context ctx, int64_t priority, const startile_pivots *P, int64_t k, bool inverse,
                  startile_matrix *A, int64_t i);

/*
 * One step of a substitution with the columns T of a triangle, on the same rows of B. The
 * triangular block T_k has n columns; it is at the top of T for uplo 'L' and at the bottom for 'U'.
 * T_rest are the other rows of T; B_k and B_rest are the corresponding rows of B.
 *   trans 'N':       B_k := T_k^-1 B_k,  B_rest := B_rest - T_rest B_k
 *   trans 'T', 'C':  B_k := op(T_k)^-1 (B_k - op(T_rest) B_rest)
 */
typedef struct {
    char uplo, trans, diag;
    int64_t n;
    column columns;    /* T */
    inverse *W;        /* inverse of T_k or of its diagonal blocks, or NULL */
    const tile *after; /* tile that the task waits for, or NULL */
} substitution;
void insert_substitution(context ctx, int64_t priority, const substitution *s, column B);

/* B := P B for panel k of P, then the substitution: one step of LU with pivoting in one task,
 * because StarPU's overhead of a task is about as long as a small product. */
void insert_update(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                   const substitution *s, column B);

/* C := C - A B for all rows of the block columns; B has as many rows as A has columns. */
void insert_gemm_column(context ctx, int64_t priority, column A, column B, column C);

/* C_q := A_q B_q + beta C_q for the tiles of sequences of the same length. C's tiles have op 'N'
 * and differ from each other. */
void insert_gemm_sequence(context ctx, int64_t priority, tile_sequence A, tile_sequence B,
                          startile_complex beta, tile_sequence C);

/* C := C - A_0 B_0 - A_1 B_1 - …, where A_q is A in block column A.j + q step, and the tiles B_q
 * have op 'N'. A and C are in one tile each. */
void insert_gemm_columns(context ctx, int64_t priority, column A, int64_t step, tile_sequence B,
                         column C);

/* B_q := A_q, where A_q is A in block column A.j + q step, in one tile each. Tiles with op 'C', for
 * real types also 'T', become A_q^H as stored. */
void insert_copy_sequence(context ctx, int64_t priority, column A, int64_t step, tile_sequence B);

/* C := alpha A^H B + beta C for columns A and B of the same rows; C has as many rows as A has
 * columns. */
void insert_column_product(context ctx, int64_t priority, double alpha, column A, column B,
                           double beta, tile C);

/* C_j := alpha A_j^H B + beta C_j for the block columns A_j of A and the tiles C_j of the same
 * number in block column c_column of C. B has as many rows as A, in one tile. */
void insert_row_product(context ctx, int64_t priority, double alpha, row_blocks A, column B,
                        double beta, const startile_matrix *C, int64_t c_column);

/* B := alpha A + beta B; both tiles have op 'N' */
void insert_geadd(context ctx, int64_t priority, startile_complex alpha, tile A,
                  startile_complex beta, tile B);

/* Panel A := R and V of its QR factorization; T := the triangle of its block reflector. */
void insert_geqrf(context ctx, int64_t priority, column A, tile T);

/* T := the triangle of the block reflector of the first k reflectors in V, where T's diagonal holds
 * tau and T has k columns */
void insert_larft(context ctx, column V, tile T);

/* C := op(Q) C (trans 'N', 'C') for the block reflector Q = I - V T V^H. C and V have the same
 * rows; V's columns beyond those of T are not read. */
void insert_larfb(context ctx, int64_t priority, char trans, column V, tile T, column C);
/* The same for a row of blocks C. V is in one tile. */
void insert_larfb_row(context ctx, int64_t priority, char trans, column V, tile T, row_blocks C);

/* [R; B] := R and V of its QR factorization, for an upper triangular R on top of B, which is full
 * (uplo 'G') or upper trapezoidal ('U'); T := the triangle of the block reflector. */
void insert_tpqrt(context ctx, int64_t priority, char uplo, column R, column B, tile T);

/* [A; B] := op(Q) [A; B] for the Q of V and T from insert_tpqrt() */
void insert_tpmqrt(context ctx, int64_t priority, char uplo, char trans, column V, tile T, column A,
                   column B);

/* Householder reconstruction for Q, the top of a matrix with orthonormal columns: factors Q - S =
 * V1 U without pivoting, where S is diagonal with elements 1 or -1. Q := V1 with zeros above its
 * unit diagonal, tile U := U, T := the triangle -U S V1^-H of the block reflector, R := S R. Q is
 * in one tile. */
void insert_reconstruct(context ctx, int64_t priority, column Q, tile U, tile T, tile R);

/* B := A^H; A's rows are B's columns and A's columns B's rows. Their tiles need not match. */
void insert_transpose(context ctx, int64_t priority, column A, column B);

/* B := A for the rows of A and the columns that both have; uplo 'U' copies the upper triangle and
 * needs A and B in one tile each. */
void insert_copy(context ctx, int64_t priority, char uplo, column A, column B);

/* Returns the n rows of A that partial pivoting would choose: one leaf of a tournament. */
candidates *insert_select(context ctx, int64_t priority, column A, int64_t n);
/* Selects n pivot rows of A, which is not changed, and sets panel k of P to the interchanges that
 * move them to the first row of the panel and those below it. */
void insert_select_and_order(context ctx, int64_t priority, column A, int64_t n, startile_pivots *P,
                             int64_t k);
/* winners := the n best rows of winners and losers. The losers of insert_match_rows() are the rows
 * of B, which is in one tile and has fewer than n rows. */
void insert_match(context ctx, int64_t priority, candidates *winners, candidates *losers);
void insert_match_rows(context ctx, int64_t priority, candidates *winners, column B);
/* panel k of P := the interchanges that bring the winners to the top */
void insert_order(context ctx, int64_t priority, candidates *winners, startile_pivots *P,
                  int64_t k);
/* Returns the number of rows of a leaf for panels of n columns. */
int64_t leaf_rows(int64_t n);

/* Returns the inverse of the triangle T, a diagonal block of n rows; a temporary of the request.
 * NULL without GPUs or memory. Only for solutions that are refined: solves multiply by the inverse
 * without a check of its condition, so their error grows with cond(T). */
inverse *insert_inverse(context ctx, int64_t priority, char uplo, char diag, column T, int64_t n);

/* Frees W after the tasks submitted so far; NULL is allowed. */
void release_inverse(inverse *W);

/* Sets the elements of A in the triangle uplo ('G': all) to offdiag, and those on the diagonal of
 * the matrix to diag. */
void insert_laset(context ctx, char uplo, startile_complex offdiag, startile_complex diag, tile A);

/* A := diag times the first columns of the identity, in the upper triangle ('U'; its rows are in
 * one tile) or everywhere ('G'). The diagonal begins at the top of the column. */
void insert_laset_column(context ctx, int64_t priority, char uplo, startile_complex diag, column A);

/* B := A in the triangle uplo or in all of the tile ('G'); both tiles have op 'N' */
void insert_lacpy(context ctx, char uplo, tile A, tile B);

/* B := A with the sign changed in the rows in which the diagonal of D is negative, in the triangle
 * uplo or in all of the tile ('G'). The tiles have op 'N'; D may be A, A may be B. (kernel
 * signed_rows) */
void insert_signed_rows(context ctx, char uplo, tile D, tile A, tile B);

/* B := the tile of a Hermitian (`hermitian`) or symmetric matrix of which A has the triangle uplo;
 * both tiles have op 'N' (kernel mirror) */
void insert_mirror(context ctx, int64_t priority, char uplo, bool hermitian, tile A, tile B);

/* B := A for the elements that both tiles have of the whole matrix, in its triangle uplo or all
 * ('G'); the two matrices may have different tiles. With 'G' the tasks that copy to B must together
 * write all of it; the first of them must write B's first element, and loses B's other elements. */
void insert_lacpy_overlap(context ctx, char uplo, tile A, tile B);

/* Sets the imaginary parts of A's diagonal to 0; does nothing for real types. A is a tile of a
 * temporary. */
void insert_real_diagonal(context ctx, tile A);

/* A := random elements, with `bump` added on the diagonal of the matrix; kind 'G' (general), 'S'
 * (symmetric) or 'H' (Hermitian) */
void insert_random(context ctx, char kind, uint64_t seed, double bump, tile A);
/* A := columns column, column + 1, … of the general matrix that insert_random() makes. A's place in
 * its row of tiles does not matter. */
void insert_random_columns(context ctx, uint64_t seed, int64_t column, tile A);

#endif
