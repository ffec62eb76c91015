/* Insert functions of factorizations with column pivoting. */
#ifndef STARTILE_INSERT_PIVOTED_H
#define STARTILE_INSERT_PIVOTED_H

#include "data/view.h"
#include "request/context.h"
#include "request/decision.h"

/* A(:,k:) := R and V of the next columns of A P = Q R, as many as T has, with the updates of all
 * columns to their right. Tiles of A have all its rows. T's diagonal := tau. norms: two numbers for
 * each column, from one panel to the next. */
void insert_geqp3(context ctx, int64_t priority, const startile_matrix *A, int64_t k,
                  startile_permutation *P, const values *norms, tile T);

/* P := P P_k for the interchanges P_k of panel k of `pivots`. The first panel begins with P := I.
 */
void insert_permute(context ctx, startile_permutation *P, const startile_pivots *pivots, int64_t k);

#endif
