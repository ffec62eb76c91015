/* Matrices for QR factorizations: scaled columns, dependent columns, zeros. */
#ifndef TESTING_GENERATE_QR_H
#define TESTING_GENERATE_QR_H

#include "generate.h"

/* For any shape; the last name is NULL. The sum of squares of 100 elements neither overflows nor
 * underflows: elements are within 1e±150, 1e±18 in single precision. */
/* Columns graded by 1e15 (1e6), nearly dependent (condition 1e14, 1e6), all large or all small. */
extern const struct general full_rank[];
/* Zero or equal columns, and exact products of low rank. */
extern const struct general deficient[];
/* Rows or columns of which some are large and others small; and a triangular matrix. */
extern const struct general mixed[];

/* Elements near the ends of the range, whose squares overflow or underflow: 1e±300, 1e±36. */
extern const struct general extremes[];

#endif
