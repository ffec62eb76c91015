/* Aasen's factors P A Pᵀ = L T op(L), in two stages: those of the band matrix T, too. */
#ifndef STARTILE_AASEN_H
#define STARTILE_AASEN_H

#include "algorithms.h"
#include "operations/insert_symmetric.h"

/* Matrices of a factorization. The first block column of L is that of the identity; L(:,j) is in
 * block column j − 1 of W. Block column j of F and of W belongs to owner j mod `owners`. The owner
 * of L(:,j) also has the blocks of T and of H that it multiplies with. */
struct aasen {
    const plan *p;
    int64_t owners; /* processes of the grid; without one, GPUs that share the products with L */
    startile_matrix *F; /* A, both triangles, not interchanged. Tiles have all rows */
    row_order *order;   /* rows and columns of A after the interchanges of all panels so far */
    startile_matrix *W; /* block column k of P A Pᵀ from step k on; when it is factored, block
                           column k + 1 of L, as LAPACK stores it. Tiles have all rows if GPUs run
                           the tasks */
    startile_matrix *I; /* one tile: L(0,0) */
    startile_matrix *T; /* blocks T(j,j) and T(j+1,j) for the owner of L(:,j) */
    startile_matrix *B; /* blocks T(j,j−1) for the owner of L(:,j) */
    /* of step k only */
    startile_matrix *K;     /* L(k,1:k), block row of L, as LAPACK stores it */
    startile_matrix *H;     /* H(1:k−1,k), block column of H = T op(L) */
    startile_matrix *X;     /* tiles for H(k,k), T(k,k) and L(k,k) */
    startile_matrix *R, *S; /* sums of each owner: a block column for block k of A − L H, and one
                               for the blocks below it; with one owner S is NULL, and the second
                               sum is in W(:,k) */
    int64_t part;           /* number of blocks of rows of W on which a task for a sum works */
};

/* Create the matrices of the factorization, and those of step k. Return false, and the request has
 * failed, without memory. */
bool aasen_create(context ctx, const plan *p, struct aasen *f);
bool aasen_create_step(context ctx, struct aasen *f, int64_t k);

/* Return L(k,k), of which k > 0 has a value after copy_row(), and a block of T. */
tile diagonal_of_l(const struct aasen *f, int64_t k);
tile block_of_t(const struct aasen *f, int64_t i, int64_t j);
/* Return H(k,k), a tile for T(k,k), and the sum of block k of L(:,k)'s owner. */
tile diagonal_of_h(const struct aasen *f, int64_t k);
tile block_of_x(const struct aasen *f, int64_t k);
tile diagonal_sum(const struct aasen *f, int64_t k);

/* Submits F := A, L(0,0) := I and P_0 := I. */
void begin_aasen(context ctx, const struct aasen *f);
/* Submits the copy of L(k,1:k). */
void copy_row(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits A(k,j−1) := L(k,j), 0 < j ≤ k. */
void store_row(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits R(c) and S(c) := those columns of blocks k and k + 1, … of block column k of A, with the
 * interchanges of panels 1 … k, that owner c has. */
void gather_column(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits H(j,k) := T(j,j−1) op(L(k,j−1)) + T(j,j) op(L(k,j)) + T(j,j+1) op(L(k,j+1)), 0 < j < k,
 * and H(k,k) := T(k,k−1) op(L(k,k−1)). */
void multiply_row(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits X := Σ R(c) − L(k,1:k) H(1:k,k) for X = diagonal_sum(). */
void subtract_from_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submit S(c) := S(c) − L(k+1:,j) H(j,k) for all j, 0 < j ≤ k, and S(c) := S(c) − L(k+1:,k) H,
 * where c is the owner of L(:,j). */
void subtract_products(context ctx, int64_t priority, const struct aasen *f, int64_t k);
void subtract_product(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile H);
/* Submits W(k+1:,k) := Σ S(c). */
void add_sums(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits T(k+1,k) := U op(L(k,k))⁻¹, and L(k+1,k+1) with its zeros and ones, for the factors
 * L(k+1:,k+1) U in W(k+1:,k). */
void split_panel(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits the interchanges P_k of rows of L, and of A's order. */
void interchange(context ctx, int64_t priority, const struct aasen *f, int64_t k);

/* store_band() submits copies of T(k,k), T(k,k−1), T(k−1,k) to the band. factor_band() submits step
 * k of its LU factorization, which needs store_band() up to k + 2; it does nothing for k < 0. */
void store_band(context ctx, const struct aasen *f, int64_t k);
void factor_band(context ctx, const plan *p, int64_t k);
/* Returns step k of the substitution with L in the factors of the band, Q T = L U: its block column
 * has rows in the diagonal block and in the one below. The step begins with interchanges. */
substitution band_lower(const startile_matrix *band, int64_t k);

/* Checks arguments 1 … 5 (uplo, A, P, band, band_pivots) of a routine; uplo is a capital. Returns 0
 * or −i. */
int check_aasen(char uplo, const startile_matrix *A, const startile_pivots *P,
                const startile_matrix *band, const startile_pivots *band_pivots);

#endif
