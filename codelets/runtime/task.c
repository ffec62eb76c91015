/*
 * From an insert function to a StarPU task, and from the task to a kernel.
 */
#include "runtime/runtime.h"

#include "runtime/disk.h"
#include "runtime/energy.h"
#include "runtime/profile.h"
#include "runtime/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef STARTILE_HAVE_CUDA
#include <starpu_cuda.h>
#endif

/* More than the spread of priorities inside any factorization of up to half a million block
 * columns. */
enum { PRIORITY_STEP = 1 << 20 };

static pthread_mutex_t define_mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef STARTILE_SIMULATION
/* StarPU only looks whether there are such functions. */
static void run_on_cpu(void *buffers[], void *args)
{
    (void)buffers;
    (void)args;
}

static const starpu_cuda_func_t run_on_cuda = run_on_cpu, run_own_on_cuda = run_on_cpu,
                                run_vendor_on_cuda = run_on_cpu;
#else
/* What could not be read is not what was written. */
static bool io_failed(const struct starpu_task *t)
{
    for (int b = 0; b < t->nbuffers; b++) {
        const struct store *s = store_of(STARPU_TASK_GET_HANDLE(t, b));
        if (s != NULL && store_has_failed(s))
            return true;
    }
    return false;
}

static void run(const startile_kernels *const table[4], startile_exec *x, void *buffers[],
                struct task_args *args)
{
    struct starpu_task *t = starpu_task_get_current();
    if (io_failed(t))
        request_fail(args->request, STARTILE_ERROR_DISK);
    if (request_skips(args->request, args->stage)) {
        /* keeps the time of doing nothing out of the performance model */
        t->failed = 1;
        return;
    }
    request_fail(args->request, args->run(table[args->dtype], x, buffers, args));
}

static void run_on_cpu(void *buffers[], void *args)
{
    run(startile_cpu_kernels, NULL, buffers, args);
}
#endif

#ifdef STARTILE_HAVE_CUDA
/* Another worker's update may have filled the GPU: what is critical goes before what of it waits.
 */
static void run_by_priority(const startile_kernels *const table[4], void *buffers[],
                            struct task_args *args)
{
    startile_exec *x = runtime_exec_of_this_worker();
    if (args->critical && startile_exec_use_priority_stream(x) == 0) {
        run(table, x, buffers, args);
        request_fail(args->request, startile_exec_use_default_stream(x));
    } else {
        run(table, x, buffers, args);
    }
}

static void run_on_cuda(void *buffers[], void *args)
{
    run_by_priority(startile_cuda_kernels, buffers, args);
}

static void run_own_on_cuda(void *buffers[], void *args)
{
    run_by_priority(startile_cuda_own_kernels, buffers, args);
}

static void run_vendor_on_cuda(void *buffers[], void *args)
{
    run_by_priority(startile_cuda_vendor_kernels, buffers, args);
}
#endif

#ifdef STARTILE_CUDA_TASKS
/* A policy without models takes the first of those that are wanted: with STARTILE_AUTO the mixture
 * that measurements said. */
static int is_selected(unsigned worker, struct starpu_task *t, unsigned implementation)
{
    (void)t;
    startile_implementation pinned = runtime_implementation();
    return starpu_worker_get_type((int)worker) != STARPU_CUDA_WORKER || pinned == STARTILE_AUTO ||
           implementation == (unsigned)pinned;
}
#endif

static uint32_t footprint(struct starpu_task *t)
{
    return ((const struct task_args *)t->cl_arg)->footprint;
}

static size_t size(struct starpu_task *t, unsigned implementation)
{
    (void)implementation;
    return (size_t)((const struct task_args *)t->cl_arg)->bytes;
}

static double calibrated_time(struct starpu_task *t, struct starpu_perfmodel_arch *arch,
                              unsigned implementation)
{
    const struct task_args *args = t->cl_arg;
    enum model_device device = arch->devices[0].type == STARPU_CUDA_WORKER ? MODEL_CUDA : MODEL_CPU;
    double time = args->model == NULL ? NAN
                                      : model_time(args->model, device, implementation,
                                                   args->footprint, t->flops, args->bytes);
#ifdef STARTILE_SIMULATION
    time = simulated_time(t, device, time);
#endif
    return time;
}

/* StarPU's own kind of model cannot tell of sizes that it has not seen. */
static void define_model(struct operation *op, int type)
{
    struct starpu_perfmodel *model = &op->model[type];
    op->calibrated[type] = models_of(op->model_name[type]);
    bool is_calibrated = op->calibrated[type] != NULL;
#ifdef STARTILE_SIMULATION
    is_calibrated = true; /* StarPU would end the program where it knows no time */
#endif
    model->type = is_calibrated ? STARPU_PER_ARCH : STARPU_HISTORY_BASED;
    model->arch_cost_function = is_calibrated ? calibrated_time : NULL;
    model->symbol = op->model_name[type];
    model->footprint = footprint;
    model->size_base = size;
}

/* One codelet and one model a type: StarPU tells tasks of one model apart by the shapes of their
 * tiles only, and not by element size. */
static void define(struct operation *op)
{
    static const char letters[] = "sdcz";
    for (int t = 0; t < 4; t++) {
        struct starpu_perfmodel *model = &op->model[t];
        struct starpu_codelet *cl = &op->codelet[t];
        snprintf(op->codelet_name[t], sizeof op->codelet_name[t], "%c%s", letters[t], op->name);
        snprintf(op->model_name[t], sizeof op->model_name[t], "startile_%s", op->codelet_name[t]);
        starpu_codelet_init(cl);
        cl->name = op->codelet_name[t];
        cl->cpu_funcs[0] = run_on_cpu;
        cl->cpu_funcs_name[0] = "run_on_cpu";
#ifdef STARTILE_CUDA_TASKS
        cl->cuda_funcs[0] = run_on_cuda;
        cl->cuda_flags[0] = STARPU_CUDA_ASYNC;
        if (op->has_vendor_kernels) {
            cl->cuda_funcs[STARTILE_OWN] = run_own_on_cuda;
            cl->cuda_funcs[STARTILE_VENDOR] = run_vendor_on_cuda;
            cl->cuda_flags[STARTILE_OWN] = cl->cuda_flags[STARTILE_VENDOR] = STARPU_CUDA_ASYNC;
            cl->can_execute = is_selected;
        }
#endif
        cl->nbuffers = STARPU_VARIABLE_NBUFFERS; /* so the modes are the task's */
        cl->model = model;
        energy_define(cl, &op->energy[t]);
        cl->color = op->color;
        if (op->order_only) {
            cl->specific_nodes = 1;
            for (int b = 0; b < STARPU_NMAXBUFS; b++)
                cl->nodes[b] = STARPU_SPECIFIC_NODE_LOCAL;
            /* STARPU_SPECIFIC_NODE_NONE says more, but leaves the task without an interface there,
             * on which StarPU 1.4's tracing trips */
            cl->nodes[op->order_only - 1] = STARPU_SPECIFIC_NODE_CPU;
        }
    }
}

/* Each start of the library may find other models. */
static void define_once(struct operation *op)
{
    unsigned now = runtime_generation();
    if (atomic_load(&op->defined) == now)
        return;
    pthread_mutex_lock(&define_mutex);
    if (atomic_load(&op->defined) == 0)
        define(op);
    if (atomic_load(&op->defined) != now) {
        for (int t = 0; t < 4; t++)
            define_model(op, t);
        atomic_store(&op->defined, now);
    }
    pthread_mutex_unlock(&define_mutex);
}

const struct model *operation_model(struct operation *op, startile_dtype dtype)
{
    define_once(op);
    return op->calibrated[dtype];
}

static void note_info(void *arg)
{
    struct task_args *args = arg;
    int64_t info = args->tile_status->info > 0 ? args->panel_row + args->tile_status->info : 0;
    if (args->continues_on_zero_pivot)
        request_note_zero_pivot(args->request, info, args->stage);
    else
        request_fail(args->request, info);
}

static void note_end(void *arg)
{
    struct starpu_task *t = starpu_task_get_current();
    const struct task_args *args = t->cl_arg;
    profile_note_end(t, args->record);
    request_end_one(arg);
}

struct starpu_task *task_new(struct operation *op, startile_request *r, int64_t priority,
                             startile_dtype dtype, task_function run, size_t args_size)
{
    struct task_args *args = calloc(1, args_size);
    if (args == NULL) {
        request_fail(r, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    define_once(op);
    struct starpu_task *t = starpu_task_create();
    args->request = r;
    args->dtype = dtype;
    args->run = run;
    args->stage = r->stage;
    args->record = NO_RECORD;
    args->critical = priority >= CRITICAL;
    args->model = op->calibrated[dtype];
    t->cl = &op->codelet[dtype];
    t->name = op->codelet_name[dtype];
    t->cl_arg = args;
    t->cl_arg_size = args_size;
    t->cl_arg_free = 1;
    t->nbuffers = 0;
    t->where = (int32_t)runtime_where();
    t->workerids = runtime_workers(priority >= CRITICAL);
    t->workerids_len = WORKER_WORDS;
    t->priority = (int)(r->priority * (int64_t)PRIORITY_STEP + priority);
    t->callback_func = note_end;
    t->callback_arg = r;
    return t;
}

bool task_reserve(struct starpu_task *t, int64_t accesses)
{
    accesses++; /* of the gate */
    if (accesses <= STARPU_NMAXBUFS)
        return true;
    /* StarPU frees them with the task */
    t->dyn_handles = calloc((size_t)accesses, sizeof *t->dyn_handles);
    t->dyn_modes = calloc((size_t)accesses, sizeof *t->dyn_modes);
    if (t->dyn_handles != NULL && t->dyn_modes != NULL)
        return true;
    struct task_args *args = t->cl_arg;
    request_fail(args->request, STARTILE_ERROR_MEMORY);
    t->destroy = 0;
    starpu_task_destroy(t);
    return false;
}

void task_access(struct starpu_task *t, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode)
{
    /* a tile that cannot be used is found when the task is complete, by task_submit() */
    STARPU_TASK_SET_HANDLE(t, handle, t->nbuffers);
    STARPU_TASK_SET_MODE(t, mode, t->nbuffers);
    t->nbuffers++;
}

/* A tile without a handle or, of the caller's, without a value or implicit dependences. */
static bool has_unusable_tile(const struct starpu_task *t)
{
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        if (handle == NULL || !handle_orders_tasks(handle))
            return true;
    }
    return false;
}

static void describe(struct task_args *args, struct work w)
{
    const int64_t key[] = {w.m, w.n, w.k, w.variant};
    double m = (double)w.m, n = (double)w.n, k = (double)w.k;
    args->footprint = starpu_hash_crc32c_be_n(key, sizeof key, 0);
    args->bytes = (double)startile_element_size[args->dtype] * (m * n + n * k + k * m);
    if (w.count > 0) {
        args->footprint = starpu_hash_crc32c_be_n(&w.count, sizeof w.count, args->footprint);
        args->bytes *= (double)w.count;
    }
}

/* Where GPUs of one memory are all that can run a ready task, StarPU 1.4 fetches ahead for it
 * before its scheduler is asked. What it makes room for, for a task that only writes it, never
 * counts as done with (its coherency.c, nb_tasks_prefetch), so that where the memory is full those
 * that are still to be fetched look through all of it again and again, and tasks wait for them: 97
 * GB of new tiles for 79 GB of an H200 came to a standstill. So such a task's devices are all of
 * them; its workers are still the GPU's. Schedulers by models fetch ahead in any case. Critical
 * tasks write what goes with a panel, and are to be fetched for. */
static void disable_early_fetch(struct starpu_task *t)
{
    enum { MIN_BYTES = 16 << 10 }; /* of which there is always some: StarPU's grain (room.c) */
    const struct task_args *args = t->cl_arg;
    if (args->critical || runtime_where() != STARPU_CUDA)
        return;
    for (int b = 0; b < t->nbuffers; b++)
        if ((STARPU_TASK_GET_MODE(t, b) & STARPU_R) == 0 &&
            starpu_data_get_size(STARPU_TASK_GET_HANDLE(t, b)) > MIN_BYTES)
            t->where |= STARPU_CPU;
}

void task_submit(struct starpu_task *t, struct work w)
{
    struct task_args *args = t->cl_arg;
    startile_request *r = args->request;
    if (args->tile_status != NULL) {
        t->epilogue_callback_func = note_info;
        t->epilogue_callback_arg = args;
    }
    if (r->gate_mode != STARPU_NONE)
        task_access(t, r->gate, r->gate_mode);
    t->flops = w.flops;
    describe(args, w);
    request_begin_one(r);
    int refused = has_unusable_tile(t)   ? STARTILE_ERROR_TILE
                  : !task_fits_memory(t) ? STARTILE_ERROR_MEMORY
                                         : 0;
    if (refused == 0)
        disable_early_fetch(t);
    int64_t record = refused == 0 ? profile_note_submit(t, r->step) : NO_RECORD;
    args->record = record;
    if (refused == 0 && trace_submit(t, r->step) != 0)
        refused = STARTILE_ERROR_NO_WORKER;
    if (refused != 0) {
        profile_note_end(NULL, record);
        t->destroy = 0;
        starpu_task_destroy(t);
        request_fail(r, refused);
        request_end_one(r);
    }
}

struct buffer matrix_buffer(const void *interface)
{
    return (struct buffer){
        (void *)STARPU_MATRIX_GET_PTR(interface), (int)STARPU_MATRIX_GET_LD(interface),
        (int)STARPU_MATRIX_GET_NX(interface), (int)STARPU_MATRIX_GET_NY(interface)};
}
