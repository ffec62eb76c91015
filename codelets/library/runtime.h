/*
 * The running library: StarPU, options, devices, workers. starpu_quirks.md lists StarPU's defects
 * and traps by number; comments say "StarPU quirk 3".
 */
#ifndef STARTILE_RUNTIME_H
#define STARTILE_RUNTIME_H

#include "kernels.h"
#include "library/library.h"
#include "startile.h"

#include <starpu.h>

/* Defined if tasks may run on GPUs. With a StarPU for SimGrid this needs no kernels, since StarPU
 * then only simulates their times. */
#if defined STARTILE_HAVE_CUDA || defined STARTILE_SIMULATION
#define STARTILE_CUDA_TASKS
#endif

/* -- the running library (runtime.c) -------------------------------------------------------- */

bool runtime_is_up(void);
/* Count the objects (matrices, pivots, batches, requests) that keep the workers awake. */
void runtime_hold(void);
void runtime_release(void);
/* Return the kinds of workers (STARPU_CPU, STARPU_CUDA) that run tasks: on any matrix; on matrices
 * of one type whose larger dimension is n; and on batches. */
uint32_t runtime_where(void);
uint32_t runtime_where_of(startile_dtype dtype, int64_t n);
uint32_t runtime_where_of_batches(void);
/* Returns the largest number of tiles of a block column that one task updates, in a matrix whose
 * larger dimension is n. */
int64_t runtime_tiles_at_a_time(startile_dtype dtype, int64_t n);
startile_exec *runtime_exec_of_this_worker(void);
/* Returns a new context for `stream` on `device`, the thread's current GPU. Its critical work runs
 * on the stream of the GPU's critical tasks. NULL without memory, without a context of the GPU's
 * first worker, or if the program has an allocator, which the workers' threads call. */
startile_exec *runtime_new_exec(void *stream, int device);
startile_implementation runtime_implementation(void);
/* Returns the products of requests that do not choose others. */
startile_products runtime_products(void);
/* Returns whether files of matrices are mapped into main memory. */
bool runtime_maps_files(void);
/* Returns the level of the option `verify` of requests that do not choose another. */
int runtime_verify(void);
/* Returns whether the option emulated_double is set and the GPUs can emulate products. */
bool runtime_emulates_double(void);
/* Returns whether all GPUs can run solve_by_single (whole.h). */
bool runtime_can_solve_by_single(void);
/* Returns the number of starts of the library so far. */
unsigned runtime_generation(void);

#ifdef STARTILE_HAVE_CUDA
/* Returns the number of GPUs that CUDA sees. (start_starpu.c) */
int visible_gpus(void);
#endif
/* Returns the number of GPUs that StarPU will use at most; 1 in a simulation. (start_starpu.c) */
int most_gpus(const startile_options *o);
/* Returns the number of CPU workers that the environment or the options request, or −1.
 * (start_starpu.c) */
int requested_cpus(const startile_options *o);
/* Starts StarPU. shares_tasks: CPUs and GPUs share tasks on matrices. Returns 0 or a
 * startile_error. (start_starpu.c) */
int start_starpu(const startile_options *o, bool shares_tasks);

/* Assigns the workers to critical and other tasks. Call it when StarPU has started and
 * runtime_where() is known. (workers.c) */
void workers_assign(void);
/* Returns whether the scheduler places tasks by models of times and transfers. Tiles have no owners
 * then. */
bool scheduler_uses_models(void);
/* Returns the workers of the kinds `where` that run critical tasks (is_critical), or the other
 * tasks; one bit per worker. */
enum { WORKER_WORDS = (STARPU_NMAXWORKERS + 31) / 32 };
uint32_t *runtime_workers(bool is_critical, uint32_t where);
uint32_t *runtime_workers_of_batches(void);
/* Returns the number of GPUs with workers. */
int runtime_gpus(void);
/* Returns the workers that run critical tasks (is_critical), or the other tasks, on GPU number
 * `owner_index` modulo runtime_owners(), which is not 0. */
uint32_t *runtime_workers_of_owner(int64_t owner_index, bool is_critical);
/* Returns the workers of one GPU for tasks that are not critical. */
uint32_t *runtime_workers_of_device(int device);

#endif
