/* Shapes of matrices and tiles for checks of factorizations by block columns. */
#ifndef TESTING_SHAPES_H
#define TESTING_SHAPES_H

#include "test_matrix.h"

/* A tile shape, mb × nb. */
struct tiling {
    const char *name;
    int64_t mb, nb;
};
enum { TILINGS = 4 };
/* Returns tile shape `which`, 0 … 3, of width nb for a matrix of m rows. A larger `which` selects
 * the last one. */
struct tiling tiling_of(int which, int64_t m, int64_t nb);

/* Checks an m × n matrix in tiles of shape t. The caller has called in_case(). */
typedef void shape_check(int64_t m, int64_t n, enum way way, struct tiling t);
/* Calls `check` for square, rectangular and elongated matrices and for the library's tiles, and
 * prints a report for each of these. */
void for_shapes(const char *routine, shape_check *check);

#endif
