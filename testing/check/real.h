/* Matrices of real problems, from the Matrix Market files in testing/data. */
#ifndef TESTING_REAL_H
#define TESTING_REAL_H

#include "array.h"

/* Reads a file of STARTILE_TEST_DATA (default testing/data) as a dense matrix of the program's
 * type: coordinate real general or symmetric, or array real general. */
struct array read_real(const char *name);

/* Returns A times a column of ones. */
struct array row_sums(struct array A);

#endif
