/* Default tile shapes. */
#ifndef STARTILE_TILE_SIZE_H
#define STARTILE_TILE_SIZE_H

#include "startile.h"

#include <stdbool.h>

/* startile_tile_shape() for a matrix in the memory of the array `a`: a GPU's, or main memory.
 * (data/matrix_for.c) */
int64_t tile_shape_for(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                       const void *a, int64_t *mb, int64_t *nb);
/* Returns whether startile_tile_shape() gives this routine, which it knows, square tiles. */
bool routine_has_square_tiles(const char *routine);

/* Returns the order of the square tiles with which CPU cores solve with the factors of a matrix of
 * order n in main memory and nrhs right-hand sides; 0 if the tiles of the factorization are better:
 * the matrix is small, has as many right-hand sides as keep the cores busy in these tiles (`width`:
 * their width), or GPUs solve faster although the matrix must be copied to them. */
int64_t tile_for_few(int64_t n, int64_t nrhs, int64_t width);
/* Returns whether CPU workers shall run an operation on a small m × n matrix in main memory: they
 * take less time than a GPU. False with the option reproducible. */
bool suits_cores(int64_t m, int64_t n);

/* Returns whether CPU cores compute with `count` matrices, fewer than cores, whose smaller
 * dimension is at least n, faster if all cores share one matrix after the other than if a core has
 * one. */
bool cores_share_each(int64_t count, int64_t n);

/* gels uses a reduction tree on CPUs when m >= TALL * n (perf_models/NOTES.md, "CPU cores"). */
enum { TALL = 2 };

#endif
