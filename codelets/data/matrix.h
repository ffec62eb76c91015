/* Functions shared by the constructors of matrices. */
#ifndef STARTILE_MATRIX_H
#define STARTILE_MATRIX_H

#include "data/tiles.h"

/* Validates arguments 2 … 4, and mb and nb, which are arguments `at_mb` and `at_mb` + 1. Returns 0
 * or −i. */
int check_shape(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb, int at_mb);
/* Returns the bytes of the tiles that this process owns. g: NULL, or their grid */
double bytes_of(const startile_shape *s, const startile_grid *g);
/* Allocates the descriptor; the caller registers the tiles. Returns 0 or a startile_error. */
int new_matrix(startile_matrix **out, enum matrix_kind kind, startile_dtype dtype, int64_t m,
               int64_t n, int64_t mb, int64_t nb, startile_grid *grid);
/* Wraps the array `a`, which is in the memory of `node`. The other arguments are those of
 * startile_matrix_wrap() and valid. Returns 0 or a startile_error. */
int wrap_on_node(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, void *a,
                 int64_t lda, int64_t mb, int64_t nb, int node);
/* Validates arguments 1 … 8 of startile_matrix_wrap(); returns 0 or −i. */
int check_wrapped(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, const void *a,
                  int64_t lda, int64_t mb, int64_t nb);
/* Frees a matrix but unregisters no handles of its tiles, and returns `status`. */
int discard_matrix(startile_matrix *A, int status);
/* Begin of the message about a caller's handle that cannot be tile (i, j) */
#define WRONG_TILE "matrix from handles, argument 7: tile (%lld, %lld) "
/* Returns 0, or −7 with a message if the caller's handle cannot be tile (i, j) of A. */
int check_tile(starpu_data_handle_t handle, const startile_matrix *A, int64_t i, int64_t j);
/* Returns the handle of tile (i, j), or NULL for one of another process that no task used here. */
starpu_data_handle_t local_handle(const startile_matrix *A, int64_t i, int64_t j);
/* Return the address of the handle of tile (i, j), the number of rows of tile row i, and the number
 * of columns of tile column j. */
starpu_data_handle_t *slot(const startile_matrix *A, int64_t i, int64_t j);
int64_t height_of(const startile_matrix *A, int64_t i);
int64_t width_of(const startile_matrix *A, int64_t j);

/* Returns the same status on all processes: the least `status` or, if that is 0,
 * STARTILE_ERROR_MISMATCH if they differ in `hash`, in *s or in the kinds of workers, which the
 * graph of tasks depends on. */
int agree_on_matrix(const startile_grid *g, int status, const startile_shape *s, uint64_t hash);
/* Creates a distributed matrix as startile_matrix_create_distributed() does, but without an
 * agreement between the processes. */
int create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, int64_t mb,
                       int64_t nb, startile_grid *grid);
/* As create_distributed(), for a temporary. All tiles are registered at their first use: LU on a
 * grid makes several temporaries in each step, and uses only their tiles right of the panel. */
int create_distributed_temporary(startile_matrix **A, startile_shape s, startile_grid *grid);

#endif
