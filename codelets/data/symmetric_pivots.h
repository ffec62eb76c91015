/* Pivots of Bunch–Kaufman factorizations. */
#ifndef STARTILE_SYMMETRIC_PIVOTS_H
#define STARTILE_SYMMETRIC_PIVOTS_H

#include "startile.h"

#include <stdbool.h>

/* Returns whether P has as many pivots as A has rows. */
bool symmetric_pivots_fit(const startile_symmetric_pivots *P, const startile_matrix *A);
/* Sets the triangle, 'L' or 'U', of the factorization that P is of. */
void symmetric_pivots_set_triangle(startile_symmetric_pivots *P, char uplo);
/* Returns that triangle, or '\0' before the first factorization. */
char symmetric_pivots_triangle(const startile_symmetric_pivots *P);

#endif
