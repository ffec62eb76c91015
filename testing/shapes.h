/* The shapes of matrices and tiles that factorizations over block columns are checked on. */
#ifndef TESTING_SHAPES_H
#define TESTING_SHAPES_H

#include "subject.h"

/* The shapes of tiles that suit block columns of nb columns. */
struct tiling {
    const char *name;
    int64_t mb, nb;
};
enum { TILINGS = 4 };
struct tiling tiling_of(int which, int64_t m, int64_t nb);

/* What the factorizations are checked on: a case has been told when `check` is called. */
typedef void shape_check(int64_t m, int64_t n, enum way way, struct tiling t);
/* CONTRIBUTING.md's sizes around several tile sizes in every way and tiling */
void for_squares(shape_check *check);
/* every pair of these sizes: tall, wide, one row, one column; ways and tilings take turns */
void for_oblongs(shape_check *check);
/* many rows to a panel, and many panels to a row */
void for_long_ones(shape_check *check);
/* the library's own square tiles, and the shape that it recommends for the routine */
void for_own_tiles(const char *routine, shape_check *check);

#endif
