/* Matrices of real problems, from the files in testing/data, which the command's reader reads. */
#ifndef TESTING_REAL_H
#define TESTING_REAL_H

#include "array.h"

/* Reads NAME.mtx.gz in the folder STARTILE_TEST_DATA (default testing/data) as a dense matrix of
 * the program's type. Ends the program if that fails. */
struct array read_real(const char *name);

/* Returns A times a column of ones. */
struct array row_sums(struct array A);

#endif
