/* Sums over the tiles of a matrix on a grid: each process adds up its own tiles in a local matrix;
 * then join_partial_sums() adds the local matrices of all processes. */
#ifndef STARTILE_PARTIAL_SUMS_H
#define STARTILE_PARTIAL_SUMS_H

#include "request/context.h"
#include "startile.h"

/* Returns a temporary: an m × n matrix of doubles, initially 0, in tiles of mb × n, on a grid one
 * in each process. Without memory fails the request and returns NULL. */
startile_matrix *partial_sums(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                              int64_t mb);
/* S := the sum of the matrices S of all processes of A's grid, with the same bits on all. Waits for
 * the tasks submitted so far that write S. Collective. Does nothing without a grid. */
void join_partial_sums(context ctx, const startile_matrix *A, const startile_matrix *S);

#endif
