/* Arrays where the kernels of a backend want them: as they are for the CPU, copied for CUDA. */
#ifndef TESTING_DEVICE_H
#define TESTING_DEVICE_H

#include "array.h"
#include "kernels.h"

/* The kernels under test, and what they want as first argument. On GPUs the library's own ones also
 * compute the small products that they would leave to cuBLAS. */
extern const startile_kernels *kernels;
extern startile_exec *exec;

/* Whether own products leave small ones to cuBLAS, as they do outside of tests. */
void device_leave_small(bool left);

/* False where there is no such device. */
bool device_start(void);
void device_stop(void);

/* The array's storage with its borders, where kernels can reach it: element (0, 0). */
void *device_put(struct array A);

/* Waits for what was enqueued, brings the storage back and frees the device's. */
void device_home(struct array A, void *p);

/* 64-bit integers, in storage that device_put() takes. */
struct array integers_new(int64_t count);
int64_t *integers(struct array A);

/* The rows of A cut into pieces of these heights, each with storage of its own and its own leading
 * dimension, where kernels can reach them. */
enum { MOST_PARTS = 12 };
struct stack {
    struct array whole;
    int pieces;
    struct array part[MOST_PARTS];
    startile_piece piece[MOST_PARTS];
};
struct stack stack_put(struct array A, int pieces, const int64_t *heights);
/* Brings the pieces back into A. */
void stack_home(struct stack *S);

/* Heights for ways 0 … 3 to cut m rows: in one piece, and in several, the first of which has k
 * rows or one more. Returns their number. */
int stack_cut(int way, int64_t m, int64_t k, int64_t *heights);

/* The pivots of a panel where kernels can reach them, and back. */
startile_pivots_of_panel pivots_put(struct array of);
void pivots_home(struct array of, startile_pivots_of_panel pivots);

/* A record that the host may read after device_home(). */
startile_panel *device_panel(void);

#endif
