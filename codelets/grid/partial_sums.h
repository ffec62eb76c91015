/* Sums over the tiles of a matrix on a grid: each process adds up its own tiles in a matrix that it
 * has for itself; then all processes add these matrices. */
#ifndef STARTILE_PARTIAL_SUMS_H
#define STARTILE_PARTIAL_SUMS_H

#include "request/context.h"
#include "startile.h"

/* Returns an m × n matrix of doubles in tiles of mb × n, initially 0, a temporary. On a grid each
 * process has a matrix of its own. Returns NULL and fails the request without memory. */
startile_matrix *partial_sums(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                              int64_t mb);
/* Waits for the tasks submitted so far that write S, the partial sums on A's grid. S := the sum of
 * all processes' S, with the same bits on all. Collective; without a grid it does nothing. */
void join_partial_sums(context ctx, const startile_matrix *A, const startile_matrix *S);

#endif
