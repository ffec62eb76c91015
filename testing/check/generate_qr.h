/* Matrices for QR factorizations: scaled columns, dependent columns, zeros. */
#ifndef TESTING_GENERATE_QR_H
#define TESTING_GENERATE_QR_H

#include "generate.h"

/* Lists of matrices of any shape; the last name of each list is NULL. Except in `extremes`, the sum
 * of squares of 100 elements neither overflows nor underflows: nonzero elements are between about
 * 1e-150 and 1e150 (1e-18 and 1e18 in single precision). */
/* Full rank: columns graded by 1e15 (1e6 in single precision), nearly dependent columns (condition
 * 1e14, 1e6), all elements large or all small. */
extern const struct general full_rank[];
/* Deficient rank: zero or equal columns, and exact products of low rank. */
extern const struct general deficient[];
/* Matrices with large and small rows or columns; and a triangular matrix. */
extern const struct general mixed[];

/* Elements near the ends of the range, whose squares overflow or underflow: about 1e300 or 1e-300
 * (1e36 or 1e-36 in single precision). */
extern const struct general extremes[];

#endif
