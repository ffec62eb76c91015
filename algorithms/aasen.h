/* Aasen's factors P A Pᵀ = L T op(L), in two stages: those of the band matrix T, too. */
#ifndef STARTILE_AASEN_H
#define STARTILE_AASEN_H

#include "algorithms.h"
#include "operations/insert_symmetric.h"

/* Matrices of a factorization. The first block column of L is that of the identity. */
struct aasen {
    const plan *p;
    startile_matrix *F; /* A, both triangles, not interchanged. Tiles j copies, …, j copies + copies
                           − 1 are copies of block column j, one for each GPU; they have all rows */
    int64_t copies;
    row_order *order;   /* rows and columns of A after the interchanges of all panels so far */
    startile_matrix *W; /* block column k of P A Pᵀ from step k on; when it is factored, block
                           column k + 1 of L, as LAPACK stores it. Tiles have all rows if GPUs run
                           the tasks */
    startile_matrix *D; /* blocks L(k,k) */
    startile_matrix *T; /* blocks T(k,k) and T(k+1,k) */
    /* of step k only */
    startile_matrix *H;     /* H(1:k,k), block column of H = T op(L) */
    startile_matrix *X;     /* tiles for T(k,k) */
    startile_matrix *S, *R; /* sums of products with L, a block column for each GPU, and those of
                               row k; NULL with fewer than two GPUs */
};

/* Create the matrices of the factorization, and those of step k. Return false, and the request has
 * failed, without memory. */
bool aasen_create(context ctx, const plan *p, struct aasen *f);
bool aasen_create_step(context ctx, struct aasen *f, int64_t k);

/* Return blocks of L, T and H. L(k,j), j < k, has a value after store_row(). */
tile block_of_l(const struct aasen *f, int64_t k, int64_t j);
tile block_of_t(const struct aasen *f, int64_t i, int64_t j);
tile block_of_h(const struct aasen *f, int64_t j);
/* Returns tile i, 0 or 1, of X for step k. */
tile block_of_x(const struct aasen *f, int64_t k, int64_t i);

/* Submits F := A, L(0,0) := I and P_0 := I. */
void begin_aasen(context ctx, const struct aasen *f);
/* Submits W(k:,k) := A(k:,k) with the interchanges of panels 1 … k. */
void gather_column(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits A(k,j−1) := L(k,j), 0 < j ≤ k. */
void store_row(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits H(j,k) := T(j,j−1) op(L(k,j−1)) + T(j,j) op(L(k,j)) + T(j,j+1) op(L(k,j+1)), 0 < j < k,
 * and H(k,k) := T(k,k−1) op(L(k,k−1)). */
void multiply_row(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits X := W(k,k) − L(k,1:k) H(1:k,k). */
void subtract_from_diagonal(context ctx, int64_t priority, const struct aasen *f, int64_t k,
                            tile X);
/* Submits W(k+1:,k) := W(k+1:,k) − L(k+1:,1:k) H(1:k,k). */
void subtract_products(context ctx, int64_t priority, const struct aasen *f, int64_t k);
/* Submits W(k+1:,k) := W(k+1:,k) − L(k+1:,k) H. */
void subtract_product(context ctx, int64_t priority, const struct aasen *f, int64_t k, tile H);
/* Submits T(k+1,k) := U op(L(k,k))⁻¹ and L(k+1,k+1) for the factors L(k+1:,k+1) U in W(k+1:,k). */
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
