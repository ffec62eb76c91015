/*
 * Start and stop: joining or starting StarPU, the execution contexts of its CUDA workers, and
 * sleeping while idle.
 */
#include "runtime.h"

#include "energy.h"
#include "profile.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef STARTILE_HAVE_CUDA
#include <starpu_cuda.h>
#endif

static struct {
    pthread_mutex_t mutex;
    int users;       /* nested startile_init() */
    bool own_starpu; /* started here */
    bool pause_when_idle;
    int holders; /* matrices and requests */
    atomic_bool up;
    bool has_cuda;
    uint32_t where; /* kinds of workers that run the library's tasks */
    startile_implementation implementation;
    unsigned generation;
    startile_exec *exec[STARPU_NMAXWORKERS];
} lib = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void startile_options_default(startile_options *options)
{
    *options = (startile_options){.ncpu = -1, .ncuda = -1, .workers_per_cuda = -1};
}

bool runtime_is_up(void)
{
    return atomic_load(&lib.up) && starpu_is_initialized();
}

bool runtime_has_cuda(void)
{
    return lib.has_cuda;
}

uint32_t runtime_where(void)
{
    return lib.where;
}

startile_implementation runtime_implementation(void)
{
    return lib.implementation;
}

unsigned runtime_generation(void)
{
    return lib.generation;
}

startile_exec *runtime_exec_of_this_worker(void)
{
    return lib.exec[starpu_worker_get_id_check()];
}

/* What a GPU takes in one launch. Other GPUs and CPU workers, and the next task of the critical
 * path, wait for tasks that are long. (perf_models/NOTES.md) */
int64_t runtime_tiles_at_a_time(void)
{
    enum { TILES_ON_CUDA = 4 };
    return lib.where == STARPU_CUDA ? TILES_ON_CUDA : 1;
}

/* -- StarPU --------------------------------------------------------------------------------- */

/* Sets a variable for StarPU's start unless the user has set it; says whether to unset it. */
static bool lend_env(const char *name, const char *value)
{
    return getenv(name) == NULL && setenv(name, value, 0) == 0;
}

/* What the machine's models say before StarPU starts; 0: nothing. */
static int calibrated_workers_per_cuda(const startile_options *o)
{
    struct machine m;
    machine_find(&m, o->hybrid, o->ncuda != 0 && starpu_getenv_number("STARPU_NCUDA") != 0);
    return m.gpu[0] != '\0' ? models_preview(&m) : 0;
}

/* On one kind of device priorities alone do as well as models, or better, several GPUs having tiles
 * of their own (perf_models/NOTES.md). To a mixture it matters what a task is. */
static const char *default_scheduler(const startile_options *o)
{
    return o->hybrid ? "dmdas" : "prio";
}

#ifndef STARTILE_SIMULATION
/* The environment comes before what StarPU is told. */
static int gpus_wanted(const startile_options *o)
{
    int count = 0, said = starpu_getenv_number("STARPU_NCUDA");
    if (said >= 0 || o->ncuda >= 0)
        return said >= 0 ? said : o->ncuda;
#ifdef STARTILE_HAVE_CUDA
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        cudaGetLastError();
#endif
    return count;
}
#endif

/* Where all that tasks work on is in main memory, StarPU's prefetches gain nothing but keep tiles
 * of files there, for ready tasks, until no task finds room: StarPU 1.4.10 stands still then. */
static bool is_without_gpus(const startile_options *o)
{
#ifdef STARTILE_SIMULATION
    (void)o;
    return false;
#else
    return gpus_wanted(o) == 0;
#endif
}

static bool gpus_are_lost(void)
{
#ifdef STARTILE_HAVE_CUDA
    return startile_cuda_unusable_after_fork() != 0;
#else
    return false;
#endif
}

static bool leaves_gpus_alone(struct starpu_conf *conf)
{
    conf->ncuda = 0;
    return starpu_getenv_number("STARPU_NCUDA") <= 0;
}

/* Two streams keep a GPU busy at the end of each task, besides that of critical tasks; where the
 * machine was calibrated, as many as were the fastest. */
static int workers_per_cuda(const startile_options *o)
{
    enum { USUAL = 3 };
    int calibrated = o->workers_per_cuda > 0 ? 0 : calibrated_workers_per_cuda(o);
    return o->workers_per_cuda > 0 ? o->workers_per_cuda : calibrated > 0 ? calibrated : USUAL;
}

static int start_starpu(const startile_options *o)
{
    struct starpu_conf conf;
    char workers[16];
    int traced = trace_prepare(o->trace);
    if (traced != 0 || !home_for_starpu())
        return traced != 0 ? traced : STARTILE_ERROR_STARPU;
    starpu_conf_init(&conf);
    conf.ncpus = o->ncpu >= 0 ? o->ncpu : conf.ncpus;
    conf.ncuda = o->ncuda >= 0 ? o->ncuda : conf.ncuda;
    bool lost = gpus_are_lost();
    if (lost && !leaves_gpus_alone(&conf))
        return STARTILE_ERROR_NO_WORKER;
    conf.catch_signals = 0;
    if (o->scheduler != NULL)
        conf.sched_policy_name = o->scheduler;
    else if (getenv("STARPU_SCHED") == NULL)
        conf.sched_policy_name = default_scheduler(o);

    /* A panel is some hundred launches, for which the other workers of a GPU should not wait: so
     * each has a thread. StarPU reads all of these from the environment only. */
    snprintf(workers, sizeof workers, "%d", workers_per_cuda(o));
    bool lent_silent = lend_env("STARPU_SILENT", "1");
    bool lent_workers = lend_env("STARPU_NWORKER_PER_CUDA", workers);
    bool lent_threads = lend_env("STARPU_CUDA_THREAD_PER_WORKER", "1");
    /* Factorizations say which tiles are not in use; StarPU would write back others, too, for which
     * it stood still in a simulation with room for an eighth of the matrix, and, simulated with
     * room for all, moved 14.1 GB back where 8.7 are the result (perf_models/NOTES.md). */
    bool lent_clean = lend_env("STARPU_MINIMUM_CLEAN_BUFFERS", "0");
    bool lent_prefetch = is_without_gpus(o) && lend_env("STARPU_PREFETCH", "0");
    /* which is done through CUDA */
    bool lent_pinning = lost && lend_env("STARPU_DISABLE_PINNING", "1");
    int status = starpu_init(&conf);
    if (lent_pinning)
        unsetenv("STARPU_DISABLE_PINNING");
    if (lent_clean)
        unsetenv("STARPU_MINIMUM_CLEAN_BUFFERS");
    if (lent_prefetch)
        unsetenv("STARPU_PREFETCH");
    if (lent_silent)
        unsetenv("STARPU_SILENT");
    if (lent_workers)
        unsetenv("STARPU_NWORKER_PER_CUDA");
    if (lent_threads)
        unsetenv("STARPU_CUDA_THREAD_PER_WORKER");
    if (status == -ENODEV)
        return STARTILE_ERROR_NO_WORKER;
    return status == 0 ? 0 : STARTILE_ERROR_STARPU;
}

#ifdef STARTILE_HAVE_CUDA
static void create_exec(void *arg)
{
    const startile_options *o = arg;
    const char *said = getenv("STARTILE_TENSOR_SINGLE");
    startile_exec *x = startile_exec_create(starpu_cuda_get_local_stream());
    if (x != NULL)
        startile_exec_allow_tensor_single(x, o->tensor_single ||
                                                 (said != NULL && strcmp(said, "1") == 0));
    lib.exec[starpu_worker_get_id_check()] = x;
}

static void destroy_exec(void *arg)
{
    (void)arg;
    int worker = starpu_worker_get_id_check();
    startile_exec_destroy(lib.exec[worker]);
    lib.exec[worker] = NULL;
}
#endif

/* Once one user of the library may submit tasks of its own, pausing is over for all. */
static void stay_awake(void)
{
    if (lib.pause_when_idle && lib.holders == 0 && starpu_is_initialized())
        starpu_resume();
    lib.pause_when_idle = false;
}

static void stop(void)
{
    profile_drop();
    atomic_store(&lib.up, false);
    stay_awake();
    /* The caller may have shut StarPU down first, and the devices' memory with it. */
    if (starpu_is_initialized()) {
        request_free_spares();
#ifdef STARTILE_HAVE_CUDA
        if (lib.has_cuda)
            starpu_execute_on_each_worker(destroy_exec, NULL, STARPU_CUDA);
#endif
        if (lib.own_starpu)
            starpu_shutdown();
    }
    /* tasks that StarPU still waited for had these times */
    models_close();
    trace_finish();
}

static startile_implementation implementation_for(const startile_options *o)
{
    const char *said = getenv("STARTILE_IMPLEMENTATION");
    if (o->implementation != STARTILE_AUTO || said == NULL)
        return o->implementation;
    return strcmp(said, "own") == 0      ? STARTILE_OWN
           : strcmp(said, "vendor") == 0 ? STARTILE_VENDOR
                                         : STARTILE_AUTO;
}

static void find_models(void)
{
    struct machine m;
    machine_find(&m, (lib.where & STARPU_CPU) != 0, lib.has_cuda);
    models_open(&m);
}

static int set_up_cpu(void)
{
#ifdef STARTILE_SIMULATION
    return 0;
#else
    bool runs_tasks = (lib.where & STARPU_CPU) != 0;
    return startile_cpu_setup(runs_tasks ? (int)starpu_cpu_worker_get_count() : 0);
#endif
}

/* With blocking drivers StarPU lets idle workers sleep. Pausing would gain nothing, and a resumed
 * worker was seen to take the core of the thread that submits for 1.7 ms. */
#ifdef STARPU_NON_BLOCKING_DRIVERS
enum { IDLE_WORKERS_SLEEP = false };
#else
enum { IDLE_WORKERS_SLEEP = true };
#endif

static int start(const startile_options *o)
{
    lib.own_starpu = !starpu_is_initialized();
    int status = lib.own_starpu ? start_starpu(o) : 0;
    if (status != 0) {
        trace_finish();
        return status;
    }
    trace_note_start();
    lib.has_cuda = false;
#ifdef STARTILE_CUDA_TASKS
    lib.has_cuda = starpu_cuda_worker_get_count() > 0;
#endif
#ifdef STARTILE_HAVE_CUDA
    if (lib.has_cuda) {
        starpu_execute_on_each_worker(create_exec, (void *)o, STARPU_CUDA);
        for (unsigned w = 0; w < starpu_worker_get_count(); w++)
            if (starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER && lib.exec[w] == NULL) {
                stop();
                return STARTILE_ERROR_MEMORY;
            }
    }
#endif
    lib.where = !lib.has_cuda ? STARPU_CPU : o->hybrid ? STARPU_CPU | STARPU_CUDA : STARPU_CUDA;
    workers_divide();
    room_begin();
    if (set_up_cpu() != 0) {
        stop();
        return STARTILE_ERROR_MEMORY;
    }
    lib.implementation = implementation_for(o);
    energy_settle(o);
    lib.generation++;
    find_models();
    lib.holders = 0;
    lib.pause_when_idle = lib.own_starpu && o->pause_when_idle && !IDLE_WORKERS_SLEEP;
    if (lib.pause_when_idle)
        starpu_pause();
    atomic_store(&lib.up, true);
    return 0;
}

static bool is_known_scheduler(const char *name)
{
    struct starpu_sched_policy **policies = starpu_sched_get_predefined_policies();
    for (int p = 0; policies[p] != NULL; p++)
        if (strcmp(policies[p]->policy_name, name) == 0)
            return true;
    return false;
}

int library_enter(const startile_options *options, bool *first)
{
    pthread_mutex_lock(&lib.mutex);
    bool starts = lib.users == 0 && !starpu_is_initialized();
    pthread_mutex_unlock(&lib.mutex);
    int status = startile_init(options);
    *first = starts && status == 0;
    return *first ? startile_init(options) : status;
}

static bool options_are_valid(const startile_options *o)
{
    return o->ncpu >= -1 && o->ncuda >= -1 && o->workers_per_cuda >= -1 &&
           (unsigned)o->implementation <= STARTILE_VENDOR &&
           (o->scheduler == NULL || is_known_scheduler(o->scheduler));
}

int startile_init(const startile_options *options)
{
    startile_options defaults;
    startile_options_default(&defaults);
    const startile_options *o = options != NULL ? options : &defaults;
    if (!options_are_valid(o))
        return -1;
    pthread_mutex_lock(&lib.mutex);
    int status = lib.users > 0 ? 0 : start(o);
    if (status == 0)
        lib.users++;
    if (status == 0 && !o->pause_when_idle)
        stay_awake();
    pthread_mutex_unlock(&lib.mutex);
    return status;
}

void startile_finalize(void)
{
    pthread_mutex_lock(&lib.mutex);
    if (lib.users > 0 && --lib.users == 0)
        stop();
    pthread_mutex_unlock(&lib.mutex);
}

void runtime_hold(void)
{
    pthread_mutex_lock(&lib.mutex);
    if (lib.holders++ == 0 && lib.pause_when_idle)
        starpu_resume();
    pthread_mutex_unlock(&lib.mutex);
}

void runtime_release(void)
{
    pthread_mutex_lock(&lib.mutex);
    if (--lib.holders == 0 && lib.pause_when_idle)
        starpu_pause();
    pthread_mutex_unlock(&lib.mutex);
}

int startile_cpu_workers(void)
{
    return runtime_is_up() ? (int)starpu_cpu_worker_get_count() : 0;
}

int startile_cuda_workers(void)
{
    return runtime_is_up() ? (int)starpu_cuda_worker_get_count() : 0;
}

/* -- host memory ---------------------------------------------------------------------------- */

void *startile_malloc(size_t bytes)
{
    void *memory = NULL;
    if (!runtime_is_up() || starpu_malloc_flags(&memory, bytes, STARPU_MALLOC_PINNED) != 0)
        return NULL;
    return memory;
}

void startile_free(void *memory, size_t bytes)
{
    if (memory != NULL)
        starpu_free_flags(memory, bytes, STARPU_MALLOC_PINNED);
}

int startile_pin(void *memory, size_t bytes)
{
    if (memory == NULL)
        return -1;
    if (bytes == 0)
        return -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    return !runtime_has_cuda() || starpu_memory_pin(memory, bytes) == 0 ? 0 : STARTILE_ERROR_MEMORY;
}

int startile_unpin(void *memory, size_t bytes)
{
    if (memory == NULL)
        return -1;
    if (bytes == 0)
        return -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    return !runtime_has_cuda() || starpu_memory_unpin(memory, bytes) == 0 ? 0
                                                                          : STARTILE_ERROR_MEMORY;
}

/* -- words ---------------------------------------------------------------------------------- */

#define STRING(x) #x
#define VERSION(major, minor, patch) STRING(major) "." STRING(minor) "." STRING(patch)

const char *startile_version(void)
{
    return VERSION(STARTILE_VERSION_MAJOR, STARTILE_VERSION_MINOR, STARTILE_VERSION_PATCH);
}

const char *startile_strerror(int64_t code)
{
    switch (code) {
    case 0:
        return "success";
    case STARTILE_ERROR_MEMORY:
        return "out of host or device memory";
    case STARTILE_ERROR_NO_WORKER:
        return "no StarPU worker can run this operation";
    case STARTILE_ERROR_DEVICE:
        return "a CUDA, cuBLAS or cuSOLVER call failed";
    case STARTILE_ERROR_CANCELLED:
        return "the request was cancelled";
    case STARTILE_ERROR_STARPU:
        return "StarPU is not running or could not be started";
    case STARTILE_ERROR_TILE:
        return "an operation met a tile that has no handle, no value or no implicit dependences";
    case STARTILE_ERROR_PROFILE:
        return "a profile is being taken already, or none";
    case STARTILE_ERROR_DISK:
        return "a file or folder cannot be used or has no room, or a transfer from or to it failed";
    case STARTILE_ERROR_TRACE:
        return "no trace: StarPU was built without FxT or not started with one, or its folder "
               "cannot "
               "be written";
    default:
        return code > 0                      ? "numerical failure: LAPACK's info"
               : code > STARTILE_ERROR_FIRST ? "wrong argument"
                                             : "unknown code";
    }
}
