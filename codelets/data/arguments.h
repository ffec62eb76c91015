/* Checks of arguments. */
#ifndef STARTILE_ARGUMENTS_H
#define STARTILE_ARGUMENTS_H

#include "startile.h"

#include <stdbool.h>

/* Returns c as a capital: LAPACK accepts its letters in either case. */
char capital(char c);
bool is_one_of(char c, const char *letters);
/* Returns whether n elements cut into tiles of nb1 and of nb2 give the same tiles. */
bool same_tiles(int64_t n, int64_t nb1, int64_t nb2);
/* Returns whether both have the same type of elements and lie on the same processes. */
bool may_copy(const startile_matrix *A, const startile_matrix *B);
/* Returns whether A is square and has square tiles. */
bool has_square_tiles(const startile_matrix *A);
bool is_complex(const startile_matrix *A);
/* Returns whether each diagonal block of nb rows is in one tile row of A, and A has at most
 * MOST_TILES tiles in a column. */
enum { MOST_TILES = 1024 };
bool has_whole_blocks(const startile_matrix *A, int64_t nb);

#endif
