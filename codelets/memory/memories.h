/* Capacity of the memories that tasks run on. Private to codelets/. */
#ifndef STARTILE_MEMORIES_H
#define STARTILE_MEMORIES_H

#include "startile.h"

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads StarPU's settings once it has started. */
void capacity_init(void);
/* Returns the memory of the host and its GPUs that StarPU may allocate, in bytes (StarPU quirk
 * 1). */
double memory_of_machine(void);
/* Removes from the task the kinds of devices whose memory is too small for its data. Returns false
 * if none is left. */
bool task_exclude_small_memories(struct starpu_task *t);

/* Returns whether the matrix fits nine tenths of the memory of all GPUs together or, without GPUs,
 * of the user's limit of main memory if there is one. */
bool fits_memories_together(startile_dtype dtype, int64_t m, int64_t n);
/* Returns whether the matrix fits nine tenths of the memory of each single GPU or, without GPUs, of
 * the user's limit of main memory if there is one. */
bool fits_each_memory(startile_dtype dtype, int64_t m, int64_t n);
/* Returns nb, reduced so that enough block columns of m rows fit each memory. */
int64_t width_within_capacity(startile_dtype dtype, int64_t m, int64_t nb);
/* Returns nb, reduced so that enough square tiles fit each memory. */
int64_t side_within_capacity(startile_dtype dtype, int64_t nb);

#endif
