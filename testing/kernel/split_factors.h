/* Factors of the tests of products on tensor cores */
#ifndef TESTING_SPLIT_FACTORS_H
#define TESTING_SPLIT_FACTORS_H

#include "array.h"

/* Formats of operands, as bits of a set */
enum { SPLIT = 1, FP16X2 = 2, FP16 = 4, BF16 = 8, TF32 = 16 };

struct kind {
    const char *name;
    float (*element)(int row, int term); /* row of op(A) or column of op(B); index in the sum */
    int formats; /* set of the formats that compute products of such factors; FFMA computes those
                    of the other formats, except TF32's, which are not tested */
};

/* The first kind is uniform; the last one has no name. */
extern const struct kind kinds[];

/* Returns `length` rows of op(A) or columns of op(B), with k elements each of the type dtype;
 * is_length_by_k: stored as a `length` × k array, else k × `length`. */
struct array split_factor(const struct kind *kind, int length, int k, bool is_length_by_k, int pad);

#endif
