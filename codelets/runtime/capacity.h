/* Which data fits the memories that tasks run on. Private to this folder. */
#ifndef STARTILE_CAPACITY_H
#define STARTILE_CAPACITY_H

#include "startile.h"

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

/* When StarPU has started. (room.c) */
void capacity_init(void);
/* What StarPU takes of the host and its GPUs, in bytes: it would try for ever to allocate what is
 * beyond it. */
double memory_of_machine(void);
/* Leaves the task those devices whose memory has room for all that it works on: whether there are
 * any. */
bool task_fits_memory(struct starpu_task *t);

/* Whether the memories that tasks run on have room for all of a matrix together, and each of them;
 * if not, what of nb each has room for enough block columns of m rows of, and enough square tiles.
 * (room.c) */
bool fits_memories_together(startile_dtype dtype, int64_t m, int64_t n);
bool fits_each_memory(startile_dtype dtype, int64_t m, int64_t n);
int64_t width_within_capacity(startile_dtype dtype, int64_t m, int64_t nb);
int64_t side_within_capacity(startile_dtype dtype, int64_t nb);

#endif
