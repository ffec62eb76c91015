/*
 * The start of startile counts for the first problems on CPU cores. It takes the time that startile
 * saves in `pays_after` seconds of the machine's library. So that library solves the large problems
 * of a program until it has spent so long in them, or would with the next one: a program never
 * loses more than one start, and one with few large problems loses none. With a GPU the first large
 * problem starts startile: neither the start nor the gain was measured there.
 */
#define _GNU_SOURCE
#include "common.h"
#include "scalar.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 25 ms of CPU time for startile_init() on two threads of one core, by a gain of 1/6, which is
 * below that of most routines (perf_models/NOTES.md, "The drop-in's crossovers") */
static const double pays_after = 0.15;
/* Estimated operations per second of the machine's library on a hardware thread, in double
 * precision: dgesv of order 1500 on two threads takes 0.056 s */
static const double rate = 20e9;

static _Atomic double seconds_before_start;

const char reason_start[] = "too small to start StarPU yet";

int usable_cpus(void)
{
    cpu_set_t usable;
    const char *wanted = getenv("STARPU_NCPU");
    if (wanted != NULL)
        return atoi(wanted);
    return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

bool has_gpu(void)
{
    const char *wanted = getenv("STARPU_NCUDA");
    return DROPIN_HAS_CUDA && access("/dev/nvidiactl", F_OK) == 0 &&
           (wanted == NULL || strcmp(wanted, "0") != 0);
}

/* Returns the number of hardware threads of this process: those that it may use, but at most its
 * share of the machine's if Open MPI's mpirun has started several processes on it. */
static double own_threads(void)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    double processes = local != NULL && atoi(local) > 1 ? atoi(local) : 1;
    double share = (double)sysconf(_SC_NPROCESSORS_ONLN) / processes;
    return fmin(share, (double)larger(1, usable_cpus()));
}

bool start_does_not_pay(const struct problem *p, int processes)
{
    double threads = own_threads() * processes;
    double seconds = p->flops / (rate * threads * (dtype_is_single(p->dtype) ? 2 : 1));
    return !has_gpu() && atomic_load(&seconds_before_start) + seconds < pays_after;
}

void add_seconds_before_start(double seconds)
{
    double sum = atomic_load(&seconds_before_start);
    while (!atomic_compare_exchange_weak(&seconds_before_start, &sum, sum + seconds))
        continue;
}
