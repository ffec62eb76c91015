/* Panels of the interchanges of LU. */
#ifndef STARTILE_PIVOTS_H
#define STARTILE_PIVOTS_H

#include "request/context.h"
#include "startile.h"

#include <stdbool.h>

/* pivots_first_row() returns the number of rows above panel k, pivots_panels() the number of
 * panels. */
int64_t pivots_first_row(const startile_pivots *P, int64_t k);
int64_t pivots_panels(const startile_pivots *P);
/* Returns whether P has the grid, the number of rows, the number of pivots and the panels of A. */
bool pivots_fit(const startile_pivots *P, const startile_matrix *A);
/* Returns pivots for as many panels as A has, a temporary of the request; NULL without memory. */
startile_pivots *temporary_pivots(context ctx, const startile_matrix *A);

#endif
