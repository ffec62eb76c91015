/*
 * Functions shared by the files of startile-mpi.
 */
#ifndef RANKS_H
#define RANKS_H

#include "bench/bench.h"

#include <mpi.h>

/* Measures ScaLAPACK, as struct ranks' function `peer`. (scalapack.c) */
bool scalapack_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size);
/* Loads the machine's ScaLAPACK. Returns its file name, or NULL if there is none. (scalapack.c) */
const char *load_scalapack(void);

/* Stores the cores to which this process is bound. Must be called before StarPU binds threads.
 * (processes.c) */
void remember_binding(void);
/* Print where the processes run (describe_processes() only), and warn of cores that have workers of
 * several processes. The library must have been started. Collective. (processes.c) */
void describe_processes(const struct ranks *r);
void warn_of_shared_cores(const struct ranks *r);

#endif
