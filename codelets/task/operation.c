/* Defines StarPU's codelets and performance models of an operation, and runs its tasks. */
#include "library/library.h"
#include "library/runtime.h"
#include "library/thread_state.h"
#include "memory/disk.h"
#include "request/request.h"
#include "request/state.h"
#include "task/energy.h"
#include "task/task.h"

#include <math.h>
#include <stdio.h>

static pthread_mutex_t define_mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef STARTILE_SIMULATION
/* Does nothing: a simulation checks only that the function exists. */
static void run_on_cpu(void *buffers[], void *args)
{
    (void)buffers;
    (void)args;
}

static const starpu_cuda_func_t run_on_cuda = run_on_cpu, run_own_on_cuda = run_on_cpu,
                                run_vendor_on_cuda = run_on_cpu, run_selected_on_cuda = run_on_cpu;
#else
/* Returns STARTILE_ERROR_DISK if a transfer has failed from or to a file that has data of the task,
 * else 0. The data may then be invalid. */
static int file_status(const struct starpu_task *t)
{
    int status = 0;
    for (int b = 0; b < t->nbuffers && status == 0; b++) {
        const struct store *s = store_of(STARPU_TASK_GET_HANDLE(t, b));
        status = s != NULL ? store_status(s) : 0;
    }
    return status;
}

/* Fails the request if the info that the task reads is a failure, which another process may have
 * met. A zero pivot after which the factorization continues is only noted in the request. A task
 * that writes the info and is skipped passes the failure on. */
static void read_info(const struct starpu_task *t, void *buffers[], struct task_args *args)
{
    int b = args->info_buffer - 1;
    if (b < 0)
        return;
    startile_tile_status *info = (startile_tile_status *)STARPU_VARIABLE_GET_PTR(buffers[b]);
    /* the info belongs to the task's own factorization, or to the one before a later task */
    if (args->continues_on_zero_pivot || args->ctx.factorization > 0)
        request_note_zero_pivot(args->ctx.request, info->info,
                                args->ctx.factorization - !args->continues_on_zero_pivot);
    else
        request_fail(args->ctx.request, info->info);
    if ((STARPU_TASK_GET_MODE(t, b) & STARPU_W) == 0)
        return;
    args->info = info;
    if (request_skips(args->ctx.request, args->ctx.factorization))
        info->info = atomic_load(&args->ctx.request->outcome);
}

/* Runs the kernel of a task, unless the request has failed and the task may be skipped. Records a
 * failure in the request. */
static void run(const startile_kernels *const table[4], startile_exec *x, struct starpu_task *t,
                void *buffers[])
{
    struct task_args *args = t->cl_arg;
    request_fail(args->ctx.request, file_status(t));
    read_info(t, buffers, args);
    const atomic_bool *superfluous = args->ctx.superfluous;
    if (request_skips(args->ctx.request, args->ctx.factorization) ||
        (superfluous != NULL && atomic_load(superfluous))) {
        if (args->runs_always)
            request_fail(args->ctx.request, args->run(table[args->dtype], x, buffers, args));
        /* keeps the time of a skipped task out of the performance model */
        t->failed = 1;
        return;
    }
    request_fail(args->ctx.request, args->run(table[args->dtype], x, buffers, args));
    request_fail(args->ctx.request, inject_flip(table[args->dtype], x, t, buffers));
}

/* A kernel computes in the default floating-point environment in every thread: a worker of a StarPU
 * that the program has started, or the thread of a blocking call. */
void operation_run_on_cpu(struct starpu_task *t, void *buffers[])
{
    struct floating_point caller = use_default_floating_point();
    run(startile_cpu_kernels, NULL, t, buffers);
    restore_floating_point(&caller);
}

static void run_on_cpu(void *buffers[], void *args)
{
    (void)args;
    operation_run_on_cpu(starpu_task_get_current(), buffers);
}
#endif

#ifdef STARTILE_HAVE_CUDA
/* Runs critical tasks on the high-priority stream, because updates of other workers may occupy the
 * GPU. */
static void run_by_priority(const startile_kernels *const table[4], startile_exec *x,
                            struct starpu_task *t, void *buffers[])
{
    const struct task_args *args = t->cl_arg;
    if (x != NULL)
        startile_exec_set_products(x, (startile_products)atomic_load(&args->ctx.request->products));
    if (args->critical && startile_exec_use_priority_stream(x) == 0) {
        run(table, x, t, buffers);
        request_fail(args->ctx.request, startile_exec_use_default_stream(x));
    } else {
        run(table, x, t, buffers);
    }
}

static void run_on_worker(const startile_kernels *const table[4], void *buffers[])
{
    run_by_priority(table, runtime_exec_of_this_worker(), starpu_task_get_current(), buffers);
}

static void run_on_cuda(void *buffers[], void *args)
{
    (void)args;
    run_on_worker(startile_cuda_kernels, buffers);
}

static const startile_kernels *const *selected_kernels(void)
{
    startile_implementation selected = runtime_implementation();
    return selected == STARTILE_IMPLEMENTATION_OWN      ? startile_cuda_own_kernels
           : selected == STARTILE_IMPLEMENTATION_VENDOR ? startile_cuda_vendor_kernels
                                                        : startile_cuda_kernels;
}

/* The first of several implementations. StarPU's policy `random` starts it also if another one is
 * selected (StarPU quirk 47). */
static void run_selected_on_cuda(void *buffers[], void *args)
{
    (void)args;
    run_on_worker(selected_kernels(), buffers);
}

static void run_own_on_cuda(void *buffers[], void *args)
{
    (void)args;
    run_on_worker(startile_cuda_own_kernels, buffers);
}

static void run_vendor_on_cuda(void *buffers[], void *args)
{
    (void)args;
    run_on_worker(startile_cuda_vendor_kernels, buffers);
}
#endif

#ifdef STARTILE_HAVE_CUDA
void operation_run_on_cuda(struct starpu_task *t, startile_exec *x, void *buffers[])
{
    bool has_vendor_kernels = t->cl->cuda_funcs[0] == run_selected_on_cuda;
    run_by_priority(has_vendor_kernels ? selected_kernels() : startile_cuda_kernels, x, t, buffers);
}
#endif

#ifdef STARTILE_CUDA_TASKS
/* Returns whether the CUDA implementation is selected; true on CPU workers. Policies without models
 * use the first selected one. For STARTILE_IMPLEMENTATION_AUTO the first one is the mixture of own
 * and vendor kernels that was measured to be the fastest. With the option reproducible, all
 * policies use the first one. */
static int is_selected(unsigned worker, struct starpu_task *t, unsigned implementation)
{
    (void)t;
    startile_implementation pinned = runtime_implementation();
    bool is_free = pinned == STARTILE_IMPLEMENTATION_AUTO && !runtime_is_reproducible();
    return starpu_worker_get_type((int)worker) != STARPU_CUDA_WORKER || is_free ||
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

/* Returns the time of the task in microseconds by the calibrated model, or NaN. */
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

/* Defines the performance model: the calibrated one, or StarPU's history (StarPU quirk 23). If
 * StarPU's file cannot be used, the tasks have no expected time. */
static void define_model(struct operation *op, int type)
{
    struct starpu_perfmodel *model = &op->model[type];
    op->calibrated[type] = model_of(op->model_name[type]);
    bool is_calibrated = op->calibrated[type] != NULL;
#ifdef STARTILE_SIMULATION
    if (op->calibrated[type] == NULL)
        op->calibrated[type] = stand_in_of(op->name, (startile_dtype)type);
    is_calibrated =
        true; /* a simulation ends the program at a task without a time (StarPU quirk 26) */
#endif
    bool learns = !is_calibrated && learned_model_is_usable(op->model_name[type]);
    model->type = learns ? STARPU_HISTORY_BASED : STARPU_PER_ARCH;
    model->arch_cost_function = learns ? NULL : calibrated_time;
    model->symbol = op->model_name[type];
    model->footprint = footprint;
    model->size_base = size;
}

#ifdef STARTILE_CUDA_TASKS
/* Lets GPUs' workers run the CPU kernel, and StarPU transfer the data to main memory for it. */
static void define_for_host(struct starpu_codelet *cl)
{
    static int nodes[MOST_TILES + 4];
    for (int b = 0; b < MOST_TILES + 4; b++)
        nodes[b] = STARPU_SPECIFIC_NODE_CPU;
    cl->cuda_funcs[0] = run_on_cpu;
    cl->cuda_flags[0] = 0;
    cl->specific_nodes = 1;
    cl->dyn_nodes = nodes;
}
#endif

/* Defines one codelet and one model for each type, because StarPU's models do not depend on the
 * element size (StarPU quirk 23). */
static void define(struct operation *op)
{
    static const char letters[] = "sdcz";
    for (int t = 0; t < 4; t++) {
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
            cl->cuda_funcs[STARTILE_IMPLEMENTATION_AUTO] = run_selected_on_cuda;
            cl->cuda_funcs[STARTILE_IMPLEMENTATION_OWN] = run_own_on_cuda;
            cl->cuda_funcs[STARTILE_IMPLEMENTATION_VENDOR] = run_vendor_on_cuda;
            cl->cuda_flags[STARTILE_IMPLEMENTATION_OWN] =
                cl->cuda_flags[STARTILE_IMPLEMENTATION_VENDOR] = STARPU_CUDA_ASYNC;
            cl->can_execute = is_selected;
        }
        if (op->has_host_tasks)
            define_for_host(cl);
#endif
        cl->nbuffers = STARPU_VARIABLE_NBUFFERS; /* each task has its own access modes */
        cl->model = &op->model[t];
        energy_define(cl, &op->energy[t]);
        cl->color = op->color;
    }
}

/* Looks for the models once per start of the library, because each start may find other models. */
void operation_define(struct operation *op)
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
    operation_define(op);
    return op->calibrated[dtype];
}
