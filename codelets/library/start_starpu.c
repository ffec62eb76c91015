/* Starts StarPU with the library's defaults. */
#include "library/local_gpus.h"
#include "library/runtime.h"

#include "library/starpu_build.h"
#include "library/start.h"
#include "library/thread_state.h"
#include "trace/trace.h"

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

/* Returns the default scheduler: one with models only where CPUs and GPUs share tasks. With one
 * kind of device, priorities alone are at least as fast; several GPUs own tiles then
 * (perf_models/NOTES.md, "Tiles, workers and schedulers"). */
static const char *default_scheduler(bool shares_tasks)
{
    return shares_tasks ? "dmdas" : "prio";
}

#ifndef STARTILE_SIMULATION
#ifdef STARTILE_HAVE_CUDA
static int count_gpus(void *unused)
{
    int count = 0;
    (void)unused;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        cudaGetLastError();
    return count;
}

/* CUDA's driver creates a thread at its first call. */
int visible_gpus(void)
{
    int count;
    return run_in_default_thread(count_gpus, NULL, &count) ? count : 0;
}
#else
static int visible_gpus(void)
{
    return 0;
}
#endif

/* Returns the number of GPUs that the environment or the options request, or −1. The environment
 * overrides the options, as in StarPU. */
static int requested_gpus(const startile_options *o)
{
    int env_value = starpu_getenv_number("STARPU_NCUDA");
    return env_value >= 0 ? env_value : o->ncuda;
}
#endif

int most_gpus(const startile_options *o)
{
#ifdef STARTILE_SIMULATION
    (void)o;
    return 1;
#else
    int requested = requested_gpus(o), visible = visible_gpus();
    return requested >= 0 && requested < visible ? requested : visible;
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

/* -- several processes on one host ----------------------------------------------------------- */

/* StarPU's variable that limits the memory of a GPU, and its value; empty strings: no limit. */
struct gpu_memory_limit {
    char name[40], mebibytes[24];
};

#if defined STARTILE_HAVE_CUDA && !defined STARTILE_SIMULATION
/* Returns whether the user or the launcher has chosen the GPUs of this process. */
static bool gpus_are_chosen(const startile_options *o, int visible)
{
    return getenv("STARPU_WORKERS_CUDAID") != NULL || requested_gpus(o) >= 0 ||
           (visible == 1 && getenv("CUDA_VISIBLE_DEVICES") != NULL);
}

/* Returns the limit if `users` processes divide the nine tenths of the GPU's memory that StarPU
 * takes by default (StarPU quirk 44). */
static struct gpu_memory_limit limit_gpu_memory(int gpu, int users)
{
    struct gpu_memory_limit limit = {"", ""};
    struct cudaDeviceProp properties;
    if (users > 1 && cudaGetDeviceProperties(&properties, gpu) == cudaSuccess) {
        snprintf(limit.name, sizeof limit.name, "STARPU_LIMIT_CUDA_%d_MEM", gpu);
        snprintf(limit.mebibytes, sizeof limit.mebibytes, "%zu",
                 properties.totalGlobalMem / 10 * 9 / (size_t)users >> 20);
    }
    return limit;
}

/* Sets *conf to this process' share of the host's GPUs, if a launcher has started several processes
 * on the host and the GPUs have not been chosen. Returns the limit of the process' memory on a GPU
 * that it shares. */
static struct gpu_memory_limit choose_gpus(const startile_options *o, struct starpu_conf *conf)
{
    int rank, processes, visible = visible_gpus();
    int gpus = visible < STARPU_MAXCUDADEVS ? visible : STARPU_MAXCUDADEVS;
    if (gpus == 0 || gpus_are_chosen(o, visible) || !find_local_rank(&rank, &processes) ||
        processes == 1)
        return (struct gpu_memory_limit){"", ""};
    struct gpu_share share = share_gpus(gpus, rank, processes);
    conf->ncuda = share.count;
    conf->use_explicit_workers_cuda_gpuid = 1;
    for (int i = 0; i < STARPU_NMAXWORKERS; i++) /* StarPU drops repetitions */
        conf->workers_cuda_gpuid[i] = (unsigned)(share.first + i % share.count);
    return limit_gpu_memory(share.first, share.users);
}
#else
static struct gpu_memory_limit choose_gpus(const startile_options *o, struct starpu_conf *conf)
{
    (void)o, (void)conf;
    return (struct gpu_memory_limit){"", ""};
}
#endif

/* -- start ----------------------------------------------------------------------------------- */

/* Workers of a GPU by default: one for critical tasks, and two that overlap the end of one task
 * with the next (perf_models/NOTES.md, "Tiles, workers and schedulers"). */
enum { WORKERS_PER_CUDA = 3 };

static int workers_per_gpu(const startile_options *o)
{
    return o->workers_per_cuda > 0 ? o->workers_per_cuda : WORKERS_PER_CUDA;
}

int requested_cpus(const startile_options *o)
{
    int ncpu = starpu_getenv_number("STARPU_NCPU"), ncpus = starpu_getenv_number("STARPU_NCPUS");
    return ncpu >= 0 ? ncpu : ncpus >= 0 ? ncpus : o->ncpu;
}

/* Returns 0 if StarPU can start, and prepares its folder; else a startile_error. */
static int prepare_start(const startile_options *o)
{
    int status = starpu_environment_check();
    if (status != 0)
        return status;
#ifdef STARTILE_SIMULATION
    (void)o; /* its threads are SimGrid's, and its files are those of the simulated machine */
    return 0;
#else
    status = limits_check(requested_cpus(o), most_gpus(o) * workers_per_gpu(o));
    return status != 0 ? status : state_dir_prepare();
#endif
}

/* A variable that StarPU reads while it starts. */
struct env_default {
    const char *name, *value;
    bool is_wanted;
};

#ifdef STARTILE_SIMULATION
/* SimGrid needs the program's own thread. */
static int init_starpu(struct starpu_conf *conf)
{
    return starpu_init(conf);
}
#else
static int call_starpu_init(void *conf)
{
    return starpu_init(conf);
}

static int init_starpu(struct starpu_conf *conf)
{
    int status;
    return run_in_default_thread(call_starpu_init, conf, &status) ? status : -EAGAIN;
}
#endif

int start_starpu(const startile_options *o, bool shares_tasks)
{
    struct starpu_conf conf;
    char workers[16];
    int status = trace_prepare(o->trace);
    if (status == 0)
        status = prepare_start(o);
    if (status != 0)
        return status;
    starpu_conf_init(&conf);
    conf.ncpus = o->ncpu >= 0 ? o->ncpu : conf.ncpus;
    conf.ncuda = o->ncuda >= 0 ? o->ncuda : conf.ncuda;
    bool gpus_unusable = gpus_unusable_after_fork();
    if (gpus_unusable && !disable_gpus(&conf)) {
        state_dir_release();
        return STARTILE_ERROR_NO_WORKER;
    }
    struct gpu_memory_limit limit = {"", ""};
    if (!gpus_unusable)
        limit = choose_gpus(o, &conf);
    conf.catch_signals = 0;
    if (o->scheduler != NULL)
        conf.sched_policy_name = o->scheduler;
    else if (getenv("STARPU_SCHED") == NULL)
        conf.sched_policy_name = default_scheduler(shares_tasks);

    snprintf(workers, sizeof workers, "%d", workers_per_gpu(o));
    bool no_gpus = most_gpus(o) == 0;
    struct env_default defaults[] = {
        {"STARPU_SILENT", "1", true},
        {"STARPU_NWORKER_PER_CUDA", workers, true},
        /* A panel has some hundred launches. Each worker of a GPU has its own thread, so that the
         * other workers do not wait for these launches (StarPU quirk 22). */
        {"STARPU_CUDA_THREAD_PER_WORKER", "1", true},
        /* Factorizations hint idle tiles; StarPU's own early write-back is off (StarPU quirk 4). */
        {"STARPU_MINIMUM_CLEAN_BUFFERS", "0", true},
        {"STARPU_PREFETCH", "0", no_gpus || !starpu_is_patched()},
        /* Microseconds, for a StarPU with tools/starpu-patches/04. A worker may share its core with
         * the thread that submits, which waits while the worker spins. On an H100 the test
         * `capacity` terminated with 200 and hung with 20000. */
        {"STARPU_SPIN_BEFORE_SLEEP", no_gpus ? "50" : "200", true},
        /* page-locking memory calls CUDA */
        {"STARPU_DISABLE_PINNING", "1", gpus_unusable},
        {limit.name, limit.mebibytes, limit.name[0] != '\0'},
    };
    enum { DEFAULTS = sizeof defaults / sizeof *defaults };
    bool is_set[DEFAULTS]; /* variables that the library has set and unsets afterwards */
    for (int d = 0; d < DEFAULTS; d++)
        is_set[d] = defaults[d].is_wanted && set_env_default(defaults[d].name, defaults[d].value);
    status = init_starpu(&conf);
    state_dir_release();
    for (int d = 0; d < DEFAULTS; d++)
        if (is_set[d])
            unsetenv(defaults[d].name);
    if (status == -ENODEV)
        return STARTILE_ERROR_NO_WORKER;
    return status == 0 ? 0 : STARTILE_ERROR_STARPU;
}
