/*
 * What the files of startile-mpi share.
 */
#ifndef RANKS_H
#define RANKS_H

#include "bench/bench.h"

#include <mpi.h>

/* scalapack.c: see struct ranks */
bool scalapack_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size);
/* Returns the file name of the machine's ScaLAPACK; NULL: there is none. */
const char *scalapack_name(void);

/* processes.c. Called before StarPU binds the threads. */
void remember_binding(void);
/* Print where the processes are, and warn of cores that have workers of several. The library has
 * been started. Collective. */
void describe_processes(const struct ranks *r);
void warn_of_shared_cores(const struct ranks *r);

#endif
