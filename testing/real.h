/* Matrices of real problems, from Matrix Market files that are no part of the repository. */
#ifndef TESTING_REAL_H
#define TESTING_REAL_H

#include "array.h"

/* A file of STARTILE_TEST_DATA, coordinate real general or symmetric or array real general, as a
 * full matrix of the program's type. Skips the program where the file is not there. */
struct array read_real(const char *name);

/* B := A · 1 */
struct array row_sums(struct array A);

#endif
