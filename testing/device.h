/* Arrays where the kernels of a backend want them: as they are for the CPU, copied for CUDA. */
#ifndef TESTING_DEVICE_H
#define TESTING_DEVICE_H

#include "array.h"
#include "kernels.h"

/* The kernels under test, and what they want as first argument. */
extern const startile_kernels *kernels;
extern startile_exec *exec;

/* False where there is no such device. */
bool device_start(void);
void device_stop(void);

/* The array's storage with its borders, where kernels can reach it: element (0, 0). */
void *device_put(struct array A);

/* Waits for what was enqueued, brings the storage back and frees the device's. */
void device_home(struct array A, void *p);

/* A record that the host may read after device_home(). */
startile_panel *device_panel(void);

#endif
