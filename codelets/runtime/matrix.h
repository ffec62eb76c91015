/* What the constructors of matrices share. */
#ifndef STARTILE_MATRIX_H
#define STARTILE_MATRIX_H

#include "runtime/runtime.h"

/* Validates arguments 2 … 4, and mb and nb, which are arguments `at_mb` and `at_mb` + 1; returns 0
 * or −i. */
int check_shape(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb, int at_mb,
                int64_t least);
/* Allocates the descriptor; the caller registers the tiles. Returns 0 or a startile_error. */
int new_matrix(startile_matrix **out, enum matrix_kind kind, startile_dtype dtype, int64_t m,
               int64_t n, int64_t mb, int64_t nb, startile_grid *grid);
/* Frees a matrix whose tiles are not registered, and returns `status`. */
int discard_matrix(startile_matrix *A, int status);
/* Return the handle of tile (i, j), the rows of its row and the columns of its column. */
starpu_data_handle_t *slot(const startile_matrix *A, int64_t i, int64_t j);
int64_t height_of(const startile_matrix *A, int64_t i);
int64_t width_of(const startile_matrix *A, int64_t j);

/* startile_matrix_create_distributed() without an agreement between the processes. */
int create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, int64_t mb,
                       int64_t nb, startile_grid *grid);

#endif
