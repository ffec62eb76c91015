/* Arrays in memory that the kernels of a backend can access: used in place on the CPU, copied for
 * CUDA. */
#ifndef TESTING_DEVICE_H
#define TESTING_DEVICE_H

#include "array.h"
#include "kernels.h"

/* The tested kernels and their first argument. In tests the library's own GPU kernels also compute
 * the small products that they otherwise leave to cuBLAS. */
extern const startile_kernels *kernels;
extern startile_exec *exec;

/* Sets whether cuBLAS computes small products, as it does outside of tests. */
void device_use_cublas_for_small(bool is_used);

/* Selects the kernels of the backend. Returns false if the machine has no device for them. */
bool device_start(void);
void device_stop(void);

/* Returns the address of element (0, 0) in memory that kernels can access: of A itself on the CPU,
 * of a copy with its borders on a GPU. */
void *device_put(struct array A);

/* Ends the use of device_put()'s address p. On a GPU waits for the enqueued kernels, copies the
 * storage back and frees the copy. Requires intact borders. */
void device_fetch(struct array A, void *p);

/* integers_new() returns an array of 64-bit integers for device_put(), integers() its elements. The
 * array has type d, whose elements are as large. */
struct array integers_new(int64_t count);
int64_t *integers(struct array A);

/* An array cut by rows into pieces. Each piece has storage and a leading dimension of its own, in
 * memory that kernels can access. */
enum { MOST_PARTS = 12 };
struct tile_column {
    struct array whole;
    int pieces;
    struct array part[MOST_PARTS];
    startile_piece piece[MOST_PARTS];
};
struct tile_column tile_column_put(struct array A, int pieces, const int64_t *heights);
/* Copies the pieces back to the array, and frees them. */
void tile_column_fetch(struct tile_column *S);

/* Cuts m rows into pieces and stores their heights. cut 0, or m ≤ k: one piece. cut 1 to 3: the
 * first piece has k rows (cut 3: k + 1), the others have k (cut 1), m / 7 + 1 (cut 2) or 1 (cut 3),
 * and the last one has all remaining rows. Returns the number of pieces. */
int tile_column_cut(int cut, int64_t m, int64_t k, int64_t *heights);

/* Copies the pivots of a panel to the device, and back. `of` has the 5 k integers of
 * startile_pivots_of_panel. */
startile_pivots_of_panel pivots_put(struct array of);
void pivots_fetch(struct array of, startile_pivots_of_panel pivots);

/* Returns whether GPU 0 has the tensor cores that split and emulated products use: compute
 * capability 9.0. */
bool has_tensor_cores(void);

/* Returns a status record that the host may read after device_fetch(). */
startile_tile_status *device_status(void);

#endif
