/*
 * Tasks that the calling thread runs itself, without StarPU's task graph.
 *
 * The submission of a task, the hand-overs to a worker and back, and the end of the request take 7
 * µs, and 100 µs more if the worker sleeps (perf_models/NOTES.md, "Calls on small matrices").
 * The thread of a blocking call would only wait meanwhile. It therefore runs the tasks beside which
 * no other task of the call could run: those whose operands are whole matrices of one tile, or
 * batches of one chunk. On a GPU it runs only tasks whose data are in the GPU's memory. StarPU
 * still orders them among other tasks, because the thread acquires their data.
 */
#include "data/handle.h"
#include "library/runtime.h"
#include "request/progress.h"
#include "request/request.h"
#include "request/state.h"
#include "task/direct_gpu.h"
#include "task/task.h"
#include "trace/profile.h"
#include "trace/trace.h"

#ifdef STARTILE_SIMULATION
bool may_run_directly(const struct starpu_task *t)
{
    (void)t;
    return false; /* a simulation runs no kernel */
}

bool run_directly(struct starpu_task *t)
{
    (void)t;
    return false;
}
#else
/* Largest number of buffers of a task that runs directly. */
enum { MOST_BUFFERS = STARPU_NMAXBUFS };

/* Number of tasks that run directly on CPUs now. It is at most the number of CPU workers, because
 * set_up_cpu() reserves OpenBLAS' buffers for that many threads besides the workers. */
static atomic_uint running;

/* Returns the memory node on which a task of node `node` uses the data. Variables are in main
 * memory for every node (register_variable()). */
static int node_of_access(starpu_data_handle_t handle, int node)
{
    bool is_variable = starpu_data_get_interface_id(handle) == STARPU_VARIABLE_INTERFACE_ID;
    return is_variable ? STARPU_MAIN_RAM : node;
}

/* Returns whether the access is a plain one of data that is on the node, or will be allocated in
 * main memory. */
static bool is_simple_access(struct starpu_task *t, int b, int node)
{
    starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
    int home_node = starpu_data_get_home_node(handle), at = node_of_access(handle, node);
    return (STARPU_TASK_GET_MODE(t, b) & ~(unsigned)STARPU_RW) == 0 &&
           (home_node == at ||
            (at == STARPU_MAIN_RAM ? home_node < 0 : handle_is_valid_on(handle, at)));
}

/* Returns the first buffer of the task with the data of buffer b. */
static int first_of_data(struct starpu_task *t, int b)
{
    int first = 0;
    while (STARPU_TASK_GET_HANDLE(t, first) != STARPU_TASK_GET_HANDLE(t, b))
        first++;
    return first;
}

/* Returns the accesses of all buffers with the data of buffer b. */
static enum starpu_data_access_mode access_of_data(struct starpu_task *t, int b)
{
    unsigned mode = 0;
    for (int other = b; other < t->nbuffers; other++)
        if (STARPU_TASK_GET_HANDLE(t, other) == STARPU_TASK_GET_HANDLE(t, b))
            mode |= STARPU_TASK_GET_MODE(t, other);
    return mode;
}

/* Traces and profiles show StarPU's tasks only. */
bool may_run_directly(const struct starpu_task *t)
{
    const struct task_args *args = t->cl_arg;
    const startile_request *r = args->ctx.request;
    return r->is_blocking && !args->is_on_part && args->grid == NULL && args->ctx.gate == NO_GATE &&
           r->hold == NULL && t->where != (STARPU_CPU | STARPU_CUDA) &&
           pthread_equal(r->caller, pthread_self()) && !trace_is_on() && !profile_is_on();
}

/* Releases the data of the first `count` buffers. */
static void release(struct starpu_task *t, int count, int node)
{
    for (int b = count; b-- > 0;) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        if (first_of_data(t, b) == b)
            handle_release(handle, node_of_access(handle, node));
    }
}

/* Acquires the data of the task. Returns false, and acquires nothing, if other tasks use it or it
 * is elsewhere. */
static bool acquire(struct starpu_task *t, int node, void *buffers[])
{
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        int at = node_of_access(handle, node);
        if (!is_simple_access(t, b, node) ||
            (first_of_data(t, b) == b &&
             !handle_acquire_if_ready(handle, at, access_of_data(t, b)))) {
            release(t, b, node);
            return false;
        }
        buffers[b] = starpu_data_get_interface_on_node(handle, (unsigned)at);
    }
    return true;
}

/* Ends a task that has run as StarPU would. */
static void end(struct starpu_task *t, int node)
{
    if (t->epilogue_callback_func != NULL)
        t->epilogue_callback_func(t->epilogue_callback_arg);
    release(t, t->nbuffers, node);
    progress_end(t->flops);
}

static bool run_on_cpu(struct starpu_task *t)
{
    void *buffers[MOST_BUFFERS];
    bool runs = atomic_fetch_add(&running, 1) < starpu_cpu_worker_get_count() &&
                acquire(t, STARPU_MAIN_RAM, buffers);
    if (runs) {
        progress_submit(t->flops);
        operation_run_on_cpu(t, buffers);
        end(t, STARPU_MAIN_RAM);
    }
    atomic_fetch_sub(&running, 1);
    return runs;
}

#ifdef STARTILE_HAVE_CUDA
/* Returns the memory node of a GPU that has all data of the task, or −1. */
static int gpu_with_data(struct starpu_task *t)
{
    for (int node = 0; node < (int)starpu_memory_nodes_get_count(); node++) {
        bool has_all = starpu_node_get_kind((unsigned)node) == STARPU_CUDA_RAM;
        for (int b = 0; b < t->nbuffers && has_all; b++)
            has_all = is_simple_access(t, b, node);
        if (has_all)
            return node;
    }
    return -1;
}

/* Runs a task on the GPU that has its data, and waits for it. */
static bool run_on_gpu(struct starpu_task *t)
{
    const struct task_args *args = t->cl_arg;
    void *buffers[MOST_BUFFERS];
    int node = (t->where & (int32_t)STARPU_CUDA) != 0 ? gpu_with_data(t) : -1, device;
    if (node < 0)
        return false;
    device = starpu_memory_node_get_devid((unsigned)node);
    startile_exec *x = direct_gpu_enter(device);
    if (x == NULL)
        return false;
    bool runs = acquire(t, node, buffers);
    if (runs) {
        progress_submit(t->flops);
        operation_run_on_cuda(t, x, buffers);
    }
    request_fail(args->ctx.request, direct_gpu_leave(device));
    if (runs)
        end(t, node);
    return runs;
}
#else
static bool run_on_gpu(struct starpu_task *t)
{
    (void)t;
    return false;
}
#endif

bool run_directly(struct starpu_task *t)
{
    bool is_on_cpu = t->where == STARPU_CPU;
    if (t->nbuffers > MOST_BUFFERS || (!is_on_cpu && t->cl->specific_nodes != 0))
        return false;
    return is_on_cpu ? run_on_cpu(t) : run_on_gpu(t);
}
#endif
