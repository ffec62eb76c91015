/*
 * Micro-benchmarks of a GPU, after section 3 of Volkov & Demmel (2008). They are part of the
 * command that measures machines, not of the library.
 *
 * All work runs on the stream of x and has ended when a function returns, unless the function's
 * comment begins with "Enqueues". Functions return 0 or a startile_error.
 */
#ifndef STARTILE_MACHINE_KERNELS_H
#define STARTILE_MACHINE_KERNELS_H

#include "kernels.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues a read of `bytes` bytes at p; bytes is a multiple of 16. */
int startile_machine_read(startile_exec *x, const void *p, size_t bytes);

/* *seconds := mean time of one launch of an empty kernel; wait ≠ 0: the host waits after each
 * launch, 0: all launches are enqueued at once */
int startile_machine_launch(startile_exec *x, int wait, double *seconds);

/* *seconds := time of one barrier among all threads of a kernel. All blocks must run at the same
 * time: at most one block per multiprocessor. */
int startile_machine_grid_barrier(startile_exec *x, int blocks, int threads, double *seconds);

/* *seconds := time of one barrier among the blocks of one thread block cluster; NaN if the device
 * does not support clusters of that size. */
int startile_machine_cluster_barrier(startile_exec *x, int blocks, int threads, double *seconds);

/* *seconds := time to copy every stride-th element of `bytes` bytes at `from` to the same offsets
 * at `to`; elements have `size` bytes, 4, 8 or 16, and both addresses are aligned to it */
int startile_machine_copy(startile_exec *x, const void *from, void *to, size_t bytes, int size,
                          int stride, double *seconds);

/* *seconds := time to read, and to write, `bytes` bytes at p; bytes is a multiple of 16 */
int startile_machine_read_time(startile_exec *x, const void *p, size_t bytes, double *seconds);
int startile_machine_write_time(startile_exec *x, void *p, size_t bytes, double *seconds);

/* *seconds := latency of a load in a pointer chase with a stride through `bytes` bytes at p, which
 * the function overwrites; past_l1 ≠ 0: the loads bypass the L1 cache */
int startile_machine_chase(startile_exec *x, void *p, size_t bytes, size_t stride, int past_l1,
                           double *seconds);

/* *seconds := latency of a load in a pointer chase in shared memory */
int startile_machine_chase_shared(startile_exec *x, double *seconds);

/* *seconds := time of one atomic addition to a 32-bit integer while all threads of the device
 * execute them, on `addresses` addresses in turn, 128 bytes apart; p has at least that size */
int startile_machine_atomic(startile_exec *x, void *p, int addresses, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
