/* Matrices that try a QR factorization: scaled columns, dependent ones, zeros. */
#ifndef TESTING_GENERATE_QR_H
#define TESTING_GENERATE_QR_H

#include "generate.h"

/* For any shape; the last one's name is NULL. In none of these does the sum of the squares of 100
 * elements overflow or underflow: they go to 1e±150, 1e±18 in single precision. */
/* Columns graded by 1e15 (1e6), nearly dependent (condition 1e14, 1e6), all large or all small. */
extern const struct general full_rank[];
/* Zero or equal columns, and exact products of low rank. */
extern const struct general deficient[];
/* Columns, or rows, of which some are large and others small; and one with nothing to eliminate. */
extern const struct general mixed[];

/* Near the ends of the range, where squares are out of it: 1e±300, 1e±36. */
extern const struct general extremes[];

#endif
