/*
 * Micro-benchmarks of a GPU, after section 3 of Volkov & Demmel (2008): not part of the library,
 * but of the command that measures machines.
 *
 * All work goes to the stream of x and has ended when a function returns, unless it says that it
 * enqueues. Functions return 0 or a startile_error.
 */
#ifndef STARTILE_MACHINE_KERNELS_H
#define STARTILE_MACHINE_KERNELS_H

#include "kernels.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a read of the bytes, a multiple of 16. */
int startile_machine_read(startile_exec *x, const void *p, size_t bytes);

/* *seconds := time of one launch of an empty kernel out of many, all enqueued at once or, with
 * wait, each waited for */
int startile_machine_launch(startile_exec *x, int wait, double *seconds);

/* *seconds := time of one barrier among all threads of a kernel. These blocks have to run at the
 * same time: at most one a multiprocessor. */
int startile_machine_grid_barrier(startile_exec *x, int blocks, int threads, double *seconds);

/* The same among the blocks of one thread block cluster. NaN where the device has none of that
 * size. */
int startile_machine_cluster_barrier(startile_exec *x, int blocks, int threads, double *seconds);

/* *seconds := time to copy every stride-th element of `bytes` at `from` (each of `size` bytes: 4, 8
 * or 16, to which from and to are aligned) to the same places at `to` */
int startile_machine_copy(startile_exec *x, const void *from, void *to, size_t bytes, int size,
                          int stride, double *seconds);

/* *seconds := time to read, to write the bytes, a multiple of 16 */
int startile_machine_read_time(startile_exec *x, const void *p, size_t bytes, double *seconds);
int startile_machine_write_time(startile_exec *x, void *p, size_t bytes, double *seconds);

/* *seconds := latency of a load that the next load's address depends on, in a walk with a stride
 * through `bytes` at p, which it writes before; past the L1 cache, or not */
int startile_machine_chase(startile_exec *x, void *p, size_t bytes, size_t stride, int past_l1,
                           double *seconds);

/* The same in shared memory */
int startile_machine_chase_shared(startile_exec *x, double *seconds);

/* *seconds := time of one atomic addition to 32-bit integers when all threads of the device make
 * them, to `addresses` places in turn, 128 bytes apart; p has room for these */
int startile_machine_atomic(startile_exec *x, void *p, int addresses, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
