/* Contexts in which the program's threads run tasks on GPUs themselves. */
#ifndef STARTILE_DIRECT_GPU_H
#define STARTILE_DIRECT_GPU_H

#include "kernels.h"

/* Takes the context of a GPU, and makes the GPU the thread's current device. Returns NULL if
 * another thread has the context, or without memory for it. The first call creates the context. */
startile_exec *direct_gpu_enter(int device);
/* Waits for the work in the context, gives it back and restores the thread's current device.
 * Returns 0 or STARTILE_ERROR_DEVICE. */
int direct_gpu_leave(int device);
/* Destroys all contexts when the library stops. */
void direct_gpu_stop(void);

#endif
