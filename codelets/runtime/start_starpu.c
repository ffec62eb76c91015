/* Starts StarPU with the library's defaults. */
#include "runtime/runtime.h"

#include "runtime/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef STARTILE_HAVE_CUDA
#include <starpu_cuda.h>
#endif

/* Sets an environment variable for StarPU's start if the user has not set it. Returns whether to
 * unset it afterwards. StarPU reads some settings from the environment only (StarPU quirk 18). */
static bool set_env_default(const char *name, const char *value)
{
    return getenv(name) == NULL && setenv(name, value, 0) == 0;
}

/* Returns the default scheduler: one with models only if both CPUs and GPUs run tasks. With one
 * kind of device, priorities alone are at least as fast, because tiles have owners if there are
 * several GPUs (perf_models/NOTES.md). */
static const char *default_scheduler(const startile_options *o)
{
    return o->hybrid ? "dmdas" : "prio";
}

#ifndef STARTILE_SIMULATION
/* Returns the requested number of GPUs; the environment overrides the options, as in StarPU. */
static int requested_gpus(const startile_options *o)
{
    int count = 0, env_value = starpu_getenv_number("STARPU_NCUDA");
    if (env_value >= 0 || o->ncuda >= 0)
        return env_value >= 0 ? env_value : o->ncuda;
#ifdef STARTILE_HAVE_CUDA
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        cudaGetLastError();
#endif
    return count;
}
#endif

/* Returns whether tasks run on CPUs only. Prefetches are then useless and may block the program
 * (StarPU quirk 5). */
static bool is_without_gpus(const startile_options *o)
{
#ifdef STARTILE_SIMULATION
    (void)o;
    return false;
#else
    return requested_gpus(o) == 0;
#endif
}

static bool gpus_unusable_after_fork(void)
{
#ifdef STARTILE_HAVE_CUDA
    return startile_cuda_unusable_after_fork() != 0;
#else
    return false;
#endif
}

/* Disables GPUs. Returns false if STARPU_NCUDA, which has priority, requests GPUs. */
static bool disable_gpus(struct starpu_conf *conf)
{
    conf->ncuda = 0;
    return starpu_getenv_number("STARPU_NCUDA") <= 0;
}

/* Workers of a GPU by default: one for critical tasks, and two that overlap the end of one task
 * with the next (perf_models/NOTES.md, Tile size and workers). */
enum { WORKERS_PER_CUDA = 3 };

/* A variable that StarPU reads while it starts. */
struct env_default {
    const char *name, *value;
    bool is_wanted;
};

int start_starpu(const startile_options *o)
{
    struct starpu_conf conf;
    char workers[16];
    int traced = trace_prepare(o->trace);
    if (traced != 0 || !prepare_state_dir())
        return traced != 0 ? traced : STARTILE_ERROR_STARPU;
    starpu_conf_init(&conf);
    conf.ncpus = o->ncpu >= 0 ? o->ncpu : conf.ncpus;
    conf.ncuda = o->ncuda >= 0 ? o->ncuda : conf.ncuda;
    bool gpus_unusable = gpus_unusable_after_fork();
    if (gpus_unusable && !disable_gpus(&conf))
        return STARTILE_ERROR_NO_WORKER;
    conf.catch_signals = 0;
    if (o->scheduler != NULL)
        conf.sched_policy_name = o->scheduler;
    else if (getenv("STARPU_SCHED") == NULL)
        conf.sched_policy_name = default_scheduler(o);

    snprintf(workers, sizeof workers, "%d",
             o->workers_per_cuda > 0 ? o->workers_per_cuda : WORKERS_PER_CUDA);
    bool no_gpus = is_without_gpus(o);
    struct env_default defaults[] = {
        {"STARPU_SILENT", "1", true},
        /* A panel has some hundred launches. Each worker of a GPU has its own thread, so that the
         * other workers do not wait for them (StarPU quirk 22). */
        {"STARPU_NWORKER_PER_CUDA", workers, true},
        {"STARPU_CUDA_THREAD_PER_WORKER", "1", true},
        /* Factorizations hint idle tiles; StarPU's own early write-back is off (StarPU quirk 4). */
        {"STARPU_MINIMUM_CLEAN_BUFFERS", "0", true},
        {"STARPU_PREFETCH", "0", no_gpus},
        /* Microseconds, for a StarPU with tools/starpu-patches/04. A worker may share its core
         * with the thread that submits, which waits while the worker spins. The test capacity on an
         * H100 terminated with 200 and hung with 20000. */
        {"STARPU_SPIN_BEFORE_SLEEP", no_gpus ? "50" : "200", true},
        /* page-locking memory calls CUDA */
        {"STARPU_DISABLE_PINNING", "1", gpus_unusable},
    };
    enum { DEFAULTS = sizeof defaults / sizeof *defaults };
    bool is_set[DEFAULTS]; /* variables that the library has set and unsets afterwards */
    for (int d = 0; d < DEFAULTS; d++)
        is_set[d] = defaults[d].is_wanted && set_env_default(defaults[d].name, defaults[d].value);
    int status = starpu_init(&conf);
    for (int d = 0; d < DEFAULTS; d++)
        if (is_set[d])
            unsetenv(defaults[d].name);
    if (status == -ENODEV)
        return STARTILE_ERROR_NO_WORKER;
    return status == 0 ? 0 : STARTILE_ERROR_STARPU;
}
