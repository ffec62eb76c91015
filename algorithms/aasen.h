/* Aasen's factors P A Pᵀ = L T op(L), in two stages: those of the band matrix T, too. */
#ifndef STARTILE_AASEN_H
#define STARTILE_AASEN_H

#include "algorithms.h"

/* Returns step k of the substitution with L in the factors Q T = L U of the band: its block column
 * has rows in the diagonal block and in the one below. Each step begins with interchanges. */
substitution band_lower(const startile_matrix *band, int64_t k);

/* Checks arguments 1 … 5 (uplo, A, P, band, band_pivots) of a routine; uplo is a capital. Returns 0
 * or −i. */
int check_aasen(char uplo, const startile_matrix *A, const startile_pivots *P,
                const startile_matrix *band, const startile_pivots *band_pivots);

#endif
