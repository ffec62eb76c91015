/* Column permutations of factorizations with column or diagonal pivoting. */
#ifndef STARTILE_PERMUTATION_H
#define STARTILE_PERMUTATION_H

#include "startile.h"

#include <stdbool.h>

/* Returns whether P has as many columns as A. */
bool permutation_fits(const startile_permutation *P, const startile_matrix *A);
/* Returns the number of columns that the caller wants first. */
int64_t permutation_chosen(const startile_permutation *P);

#endif
