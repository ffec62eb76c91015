/* The library: start, end, and what is the same for all its tasks. */
#ifndef STARTILE_LIBRARY_H
#define STARTILE_LIBRARY_H

#include "startile.h"

#include <stdbool.h>

/* Calls startile_init(). *has_started := whether this call started StarPU. If so, calls it a
 * second time: the caller stops the library again when the program ends. */
int library_enter(const startile_options *options, bool *has_started);

/* Returns whether this process is a child of fork() whose parent uses StarPU. StarPU's threads are
 * not in the child, which must not wait for them. */
bool library_unusable_after_fork(void);

/* Notes that the calling thread runs the program's exit handlers: other threads do not start or
 * stop StarPU from now on. */
void library_note_exit(void);
/* Returns whether the program ends and the calling thread does not run its exit handlers. */
bool library_ends(void);

/* Returns the number of workers that run the library's tasks. */
int64_t task_workers(void);
/* Returns whether GPUs take part. */
bool runtime_has_cuda(void);
/* Returns the number of GPUs that own tiles: 0 with fewer than two GPUs, if tasks also run on CPUs,
 * or with a scheduler that uses models. (workers.c) */
int runtime_owners(void);

/* Returns the option `reproducible`: nothing that affects results may depend on the number of
 * workers or GPUs, the scheduler, memory or time. */
bool runtime_is_reproducible(void);

#endif
