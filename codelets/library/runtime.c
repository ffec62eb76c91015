/*
 * Start and stop of the library: uses a running StarPU or starts one, creates the execution
 * contexts of CUDA workers, and pauses idle workers.
 */
#include "library/runtime.h"

#include "library/environment.h"
#include "library/library.h"
#include "library/thread_state.h"
#include "memory/memories.h"
#include "models/model.h"
#include "request/progress.h"
#include "request/state.h"
#include "task/direct_gpu.h"
#include "task/energy.h"
#include "trace/profile.h"
#include "trace/trace.h"
#include "whole.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef STARTILE_HAVE_CUDA
#include <starpu_cuda.h>
#endif

static struct {
    pthread_mutex_t mutex;
    int users;       /* number of nested calls of startile_init() */
    bool own_starpu; /* StarPU was started here */
    bool pause_when_idle;
    int holders; /* number of matrices, pivots, batches and requests */
    atomic_bool up;
    bool unusable_after_fork; /* a parent process has StarPU's threads */
    bool has_cuda;
    /* kinds of workers (STARPU_CPU, STARPU_CUDA) that run tasks on matrices of each type, and on
     * batches */
    uint32_t where_of[4], where_of_batches;
    bool shares_all_sizes; /* whatever the models say of the size of a matrix */
    startile_implementation implementation;
    bool plain_single, emulated_double, map_files;
    bool gpus_can_emulate;         /* all GPUs can emulate products in double precision */
    bool gpus_can_solve_by_single; /* all GPUs have the shared memory for it (whole.h) */
    int verify;
    bool reproducible;
    unsigned generation;
    bool has_allocator; /* of the program, for workspace on GPUs */
    startile_exec *exec[STARPU_NMAXWORKERS];
} lib = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* -- the end of the program ------------------------------------------------------------------ */

static struct {
    atomic_bool ends; /* exit() has begun */
    pthread_t thread; /* that called exit() */
} program;

void library_note_exit(void)
{
    program.thread = pthread_self();
    atomic_store(&program.ends, true);
}

bool library_ends(void)
{
    return atomic_load(&program.ends) && !pthread_equal(program.thread, pthread_self());
}

/* Runs at exit. Waits for a thread that starts or stops StarPU, since the libraries that StarPU
 * uses are destroyed next. No thread begins a start or stop later. Waits at most SECONDS: a start
 * takes a tenth of a second, or seconds if StarPU has to measure the machine. */
static void await_start_and_stop(void)
{
    enum { SECONDS = 10 };
    struct timespec deadline;
    library_note_exit();
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += SECONDS;
    if (!lib.unusable_after_fork && pthread_mutex_timedlock(&lib.mutex, &deadline) == 0)
        pthread_mutex_unlock(&lib.mutex);
}

/* Exit handlers run in the reverse order of their registration. CUDA registers its own at its first
 * call, which StarPU makes if it runs already. */
static void watch_exit(void)
{
#ifdef STARTILE_HAVE_CUDA
    if (!starpu_is_initialized())
        (void)visible_gpus();
#endif
    atexit(await_start_and_stop);
}

/* -- fork ------------------------------------------------------------------------------------ */

/* Runs in each child of fork(), which has none of the parent's other threads. A parent that uses
 * StarPU leaves the library unusable in the child, and so does a thread of the parent that was
 * starting or stopping the library: its mutex stays locked. */
static void note_fork(void)
{
    bool is_unlocked = pthread_mutex_trylock(&lib.mutex) == 0;
    if (is_unlocked)
        pthread_mutex_unlock(&lib.mutex);
    if (is_unlocked && lib.users == 0 && !starpu_is_initialized())
        return;
    lib.unusable_after_fork = true;
    atomic_store(&lib.up, false);
}

/* When the library is loaded, because the program may start StarPU itself. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

bool library_unusable_after_fork(void)
{
    return lib.unusable_after_fork;
}

/* -- options and queries --------------------------------------------------------------------- */

void startile_options_default(startile_options *options, size_t size)
{
    const startile_options defaults = {
        .size = size, .ncpu = -1, .ncuda = -1, .workers_per_cuda = -1};
    memset(options, 0, size);
    memcpy(options, &defaults, size < sizeof defaults ? size : sizeof defaults);
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
    return lib.where_of[STARTILE_S] | lib.where_of[STARTILE_D] | lib.where_of[STARTILE_C] |
           lib.where_of[STARTILE_Z];
}

uint32_t runtime_where_of(startile_dtype dtype, int64_t n)
{
    uint32_t where = lib.where_of[dtype];
    if (where != (STARPU_CPU | STARPU_CUDA) || lib.shares_all_sizes)
        return where;
    return models_say_share_size(dtype, n) ? where : STARPU_CUDA;
}

uint32_t runtime_where_of_batches(void)
{
    return lib.where_of_batches;
}

startile_implementation runtime_implementation(void)
{
    return lib.implementation;
}

bool runtime_maps_files(void)
{
    return lib.has_cuda || lib.map_files;
}

int runtime_verify(void)
{
    return lib.verify;
}

bool runtime_is_reproducible(void)
{
    return lib.reproducible;
}

bool runtime_emulates_double(void)
{
    return lib.emulated_double && lib.gpus_can_emulate;
}

bool runtime_can_solve_by_single(void)
{
    return lib.gpus_can_solve_by_single;
}

unsigned runtime_generation(void)
{
    return lib.generation;
}

startile_exec *runtime_exec_of_this_worker(void)
{
    return lib.exec[starpu_worker_get_id_check()];
}

startile_products runtime_products(void)
{
    return lib.plain_single ? STARTILE_PRODUCTS_PLAIN : STARTILE_PRODUCTS_SPLIT;
}

/* Returns several tiles if all tasks run on GPUs, because one tile does not fill a GPU. CPU
 * workers need shorter tasks (perf_models/NOTES.md, "Tiles, workers and schedulers"). */
int64_t runtime_tiles_at_a_time(startile_dtype dtype, int64_t n)
{
    enum { TILES_ON_CUDA = 4 };
    return runtime_where_of(dtype, n) == STARPU_CUDA ? TILES_ON_CUDA : 1;
}

#ifdef STARTILE_HAVE_CUDA
static startile_exec *new_exec(void *stream, const startile_allocator *allocator)
{
    startile_exec *x = startile_exec_create(stream, allocator);
    if (x != NULL)
        startile_exec_emulate_double(x, lib.emulated_double);
    return x;
}

/* Returns whether a property of all GPUs is from `least` to `most`. */
static bool all_gpus_have(enum cudaDeviceAttr property, int least, int most)
{
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        int device = starpu_worker_get_devid((int)w), value;
        if (starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER &&
            (cudaDeviceGetAttribute(&value, property, device) != cudaSuccess || value < least ||
             value > most))
            return false;
    }
    return true;
}

/* Finds what the GPUs can do. */
static void examine_gpus(void)
{
    /* compute capability 9.0, as in kernels/cuda/gemm/product_emulated.cu */
    lib.gpus_can_emulate = all_gpus_have(cudaDevAttrComputeCapabilityMajor, 9, 9) &&
                           all_gpus_have(cudaDevAttrComputeCapabilityMinor, 0, 0);
    lib.gpus_can_solve_by_single = all_gpus_have(cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                                 STARTILE_SHARED_OF_SOLVE_BY_SINGLE, INT_MAX);
}

static void create_exec(void *arg)
{
    lib.exec[starpu_worker_get_id_check()] = new_exec(starpu_cuda_get_local_stream(), arg);
}

/* Returns the context of the GPU's first worker, which runs its critical tasks, or NULL. */
static const startile_exec *exec_for_critical_tasks(int device)
{
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (starpu_worker_get_type(w) == STARPU_CUDA_WORKER && starpu_worker_get_devid(w) == device)
            return lib.exec[w];
    return NULL;
}

startile_exec *runtime_new_exec(void *stream, int device)
{
    const startile_allocator cuda = {NULL, NULL, NULL};
    const startile_exec *critical = exec_for_critical_tasks(device);
    startile_exec *x = lib.has_allocator || critical == NULL ? NULL : new_exec(stream, &cuda);
    if (x != NULL)
        startile_exec_share_priority_stream(x, critical);
    return x;
}

static void destroy_exec(void *arg)
{
    (void)arg;
    int worker = starpu_worker_get_id_check();
    startile_exec_destroy(lib.exec[worker]);
    lib.exec[worker] = NULL;
}
#endif

/* Disables pause_when_idle and resumes paused workers: before the stop, and because a caller of
 * startile_init() without that option may submit tasks of its own. */
static void disable_pausing(void)
{
    if (lib.pause_when_idle && lib.holders == 0 && starpu_is_initialized())
        starpu_resume();
    lib.pause_when_idle = false;
}

static void stop(void)
{
    locale_t locale = use_c_locale(); /* StarPU writes files (StarPU quirk 60) */
    profile_drop();
    atomic_store(&lib.up, false);
    disable_pausing();
    /* if the caller has shut down StarPU, the devices' memory is free already */
    if (starpu_is_initialized()) {
        request_free_spares();
#ifdef STARTILE_HAVE_CUDA
        if (lib.has_cuda) {
            direct_gpu_stop();
            starpu_execute_on_each_worker(destroy_exec, NULL, STARPU_CUDA);
        }
#endif
        if (lib.own_starpu)
            starpu_shutdown();
    }
#ifndef STARTILE_SIMULATION
    startile_cpu_stop();
#endif
    /* after the last tasks, which used these models */
    models_close();
    trace_finish();
    uselocale(locale);
}

enum { ALWAYS_HYBRID = 2 }; /* value of the option `hybrid` */

/* Sets what an option chooses, or an environment variable if the option is not set. With the option
 * reproducible, tasks run on one kind of device. */
static int resolve_options(startile_options *o)
{
    struct environment e;
    int status = environment_read(&e);
    if (status != 0)
        return status;
    lib.implementation =
        o->implementation != STARTILE_IMPLEMENTATION_AUTO ? o->implementation : e.implementation;
    lib.plain_single = o->plain_single || e.plain_single;
    lib.emulated_double = o->emulated_double || e.emulated_double;
    lib.verify = o->verify != 0 ? o->verify : e.verify;
    lib.reproducible = o->reproducible || e.reproducible;
    o->hybrid = o->hybrid && !lib.reproducible;
    return 0;
}

/* Returns 0 or a startile_error. */
static int find_models(bool uses_cpu, bool uses_gpu)
{
    struct machine m;
    machine_find(&m, uses_cpu, uses_gpu);
    return models_open(&m);
}

/* Opens the models of CPU and GPU, and sets shares[t] to whether they share the tasks on matrices
 * of type t. Without a folder of both, opens that of the GPU. */
static int find_models_and_shares(const startile_options *o, bool *shares)
{
    int status = find_models(true, true);
    for (int t = 0; status == 0 && t < 4; t++)
        shares[t] = models_say_share((startile_dtype)t, requested_cpus(o), most_gpus(o)) ||
                    o->hybrid == ALWAYS_HYBRID;
    return status == 0 && !models_are_open() ? find_models(false, true) : status;
}

/* CPU kernels run in as many threads of the program as there are workers, by run_directly(), and in
 * the workers themselves where they take tasks of GPUs or there is no GPU. */
static int set_up_cpu(void)
{
#ifdef STARTILE_SIMULATION
    return 0;
#else
    bool runs_tasks = (lib.where_of_batches & STARPU_CPU) != 0;
    return startile_cpu_setup((runs_tasks ? 2 : 1) * (int)starpu_cpu_worker_get_count());
#endif
}

/* Workers of a StarPU with blocking drivers sleep when idle (StarPU quirk 21). Pausing them gains
 * nothing, and a resumed worker was measured to take the core of the submitting thread for 1.7
 * ms. */
#ifdef STARPU_NON_BLOCKING_DRIVERS
enum { IDLE_WORKERS_SLEEP = false };
#else
enum { IDLE_WORKERS_SLEEP = true };
#endif

static int start(const startile_options *given)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    startile_options chosen = *given, *o = &chosen;
    if (library_ends())
        return STARTILE_ERROR_STARPU;
    pthread_once(&once, watch_exit);
    lib.own_starpu = !starpu_is_initialized();
    bool shares[4] = {false};
    int status = resolve_options(o);
    if (status == 0 && o->hybrid)
        status = find_models_and_shares(o, shares);
    if (status != 0)
        return status;
    bool shares_any = shares[0] || shares[1] || shares[2] || shares[3];
    status = lib.own_starpu ? start_starpu(o, shares_any) : trace_check(o->trace);
    if (status != 0) {
        models_close();
        trace_finish();
        return status;
    }
    lib.has_cuda = false;
#ifdef STARTILE_CUDA_TASKS
    lib.has_cuda = starpu_cuda_worker_get_count() > 0;
#endif
#ifdef STARTILE_HAVE_CUDA
    if (lib.has_cuda) {
        startile_allocator allocator = {o->allocate, o->release, o->allocator};
        lib.has_allocator = o->allocate != NULL;
        starpu_execute_on_each_worker(create_exec, &allocator, STARPU_CUDA);
        for (unsigned w = 0; w < starpu_worker_get_count(); w++)
            if (starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER && lib.exec[w] == NULL) {
                stop();
                return STARTILE_ERROR_MEMORY;
            }
        examine_gpus();
    }
#endif
    trace_note_start(lib.has_cuda);
    uint32_t gpus_or_cpus = lib.has_cuda ? STARPU_CUDA : STARPU_CPU;
    lib.shares_all_sizes = o->hybrid == ALWAYS_HYBRID;
    lib.where_of_batches = gpus_or_cpus | (o->hybrid && scheduler_uses_models() ? STARPU_CPU : 0);
    for (int t = 0; t < 4; t++)
        lib.where_of[t] = gpus_or_cpus | (shares[t] ? STARPU_CPU : 0);
    workers_assign();
    capacity_init();
    status = set_up_cpu() != 0           ? STARTILE_ERROR_MEMORY
             : o->hybrid && lib.has_cuda ? 0
                                         : find_models(!lib.has_cuda, lib.has_cuda);
    if (status != 0) {
        stop();
        return status;
    }
    lib.map_files = o->map_files;
    energy_configure(o);
    progress_configure(o);
    lib.generation++;
    lib.holders = 0;
    lib.pause_when_idle = lib.own_starpu && o->pause_when_idle && !IDLE_WORKERS_SLEEP;
    if (lib.pause_when_idle)
        starpu_pause();
    if (library_ends()) { /* the handler waits for this start, but not for the call */
        stop();
        return STARTILE_ERROR_STARPU;
    }
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

int library_enter(const startile_options *options, bool *has_started)
{
    *has_started = false;
    if (lib.unusable_after_fork)
        return STARTILE_ERROR_STARPU;
    pthread_mutex_lock(&lib.mutex);
    bool starts = lib.users == 0 && !starpu_is_initialized();
    pthread_mutex_unlock(&lib.mutex);
    int status = startile_init(options);
    *has_started = starts && status == 0;
    return *has_started ? startile_init(options) : status;
}

static bool options_are_valid(const startile_options *o)
{
    return o->hybrid >= 0 && o->hybrid <= ALWAYS_HYBRID && o->ncpu >= -1 &&
           o->ncpu <= STARPU_MAXCPUS && o->ncuda >= -1 && o->workers_per_cuda >= -1 &&
           (unsigned)o->implementation <= STARTILE_IMPLEMENTATION_VENDOR && o->cpu_watts >= 0 &&
           o->cuda_watts >= 0 && o->verify >= 0 && o->verify <= 2 &&
           (o->allocate == NULL) == (o->release == NULL) &&
           (o->scheduler == NULL || is_known_scheduler(o->scheduler));
}

/* Fills *o with the caller's options, and with the defaults of the fields that the caller's version
 * of the header does not have. Returns false for a size that no version has. */
static bool read_options(startile_options *o, const startile_options *options)
{
    const size_t first_version = offsetof(startile_options, reproducible) + sizeof(int);
    startile_options_default(o, sizeof *o);
    if (options == NULL)
        return true;
    if (options->size < first_version || options->size > sizeof *o)
        return false;
    memcpy(o, options, options->size);
    return true;
}

int64_t startile_init(const startile_options *options)
{
    startile_options o;
    if (!read_options(&o, options) || !options_are_valid(&o))
        return -1;
    if (lib.unusable_after_fork)
        return STARTILE_ERROR_STARPU;
    pthread_mutex_lock(&lib.mutex);
    int status = lib.users > 0 ? trace_check(o.trace) : start(&o);
    if (status == 0)
        lib.users++;
    if (status == 0 && !o.pause_when_idle)
        disable_pausing();
    pthread_mutex_unlock(&lib.mutex);
    return status;
}

void startile_finalize(void)
{
    if (lib.unusable_after_fork)
        return;
    pthread_mutex_lock(&lib.mutex);
    if (lib.users > 0 && --lib.users == 0 && !library_ends())
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
