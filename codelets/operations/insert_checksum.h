/* Checksums: sums of columns with two weights, and sums of squares (kernels weights, checksum). */
#ifndef STARTILE_INSERT_CHECKSUM_H
#define STARTILE_INSERT_CHECKSUM_H

#include "data/view.h"
#include "request/context.h"
#include "request/decision.h"
#include "startile.h"

#include <stdbool.h>

/* Returns the number of columns of a checksum of A, a matrix in double precision. */
int64_t checksum_columns(const startile_matrix *A);
/* E := the weights of its rows, counted in the whole matrix. If `after` is not NULL, the task
 * waits for the tile *after. */
void insert_weights(context ctx, int64_t priority, tile E, const tile *after);
/* Checksum W := the columns of E */
void insert_spread_weights(context ctx, int64_t priority, tile E, tile W);
/* S := S + A^H W for checksums W and S, whose rows correspond to A's rows and to its first n
 * columns. uplo 'L': the first `order` rows of A are a lower triangle; 'U': the last `order` rows
 * are an upper trapezoid; 'G': A is general. diag is that of the kernel. */
void insert_column_checksum(context ctx, int64_t priority, char uplo, char diag, int64_t order,
                            column A, int64_t n, column W, column S);
/* S := S + alpha op(A) W with op 'N', 'T' or 'C', for as many columns of A as W ('N') or S has
 * rows. uplo 'L': the first tile of the range is a lower triangle; 'U': the last one is an upper
 * triangle. diag is that of the kernel. If `after` is not NULL, the task waits for the tile *after.
 */
void insert_checksum(context ctx, int64_t priority, char trans, char uplo, char diag,
                     startile_complex alpha, tile_range A, column W, column S, const tile *after);
/* found := before + the first row in which C and D differ, see the kernel compare_checksums. dtype
 * is the type of the matrix that has the checksums. */
void insert_compare_checksums(context ctx, startile_dtype dtype, double bound, int64_t before,
                              column C, column D, const values *found);

#endif
