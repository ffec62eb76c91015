/*
 * Tasks that the calling thread runs itself, without StarPU's task graph.
 *
 * The submission of a task, the hand-overs to a worker and back, and the end of the request take 7
 * µs, and 100 µs more if the worker sleeps (perf_models/NOTES.md, "Calls on small matrices").
 * The thread of a blocking call would only wait meanwhile. It therefore runs the tasks on CPUs that
 * have no others of the call beside them: those whose operands are whole matrices of one tile, or
 * batches of one chunk. StarPU still orders them among other tasks, because the thread acquires
 * their data.
 */
#include "runtime/runtime.h"

#include "runtime/progress.h"
#include "runtime/trace/profile.h"
#include "runtime/trace/trace.h"

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

/* Number of tasks that run directly now. It is at most the number of CPU workers, because OpenBLAS
 * has buffers for so many threads only (set_up_cpu()). */
static atomic_uint running;

/* Returns whether the access is a plain one of data that lives in main memory. */
static bool is_simple_access(struct starpu_task *t, int b)
{
    int home_node = starpu_data_get_home_node(STARPU_TASK_GET_HANDLE(t, b));
    return (STARPU_TASK_GET_MODE(t, b) & ~(unsigned)STARPU_RW) == 0 &&
           (home_node < 0 || home_node == STARPU_MAIN_RAM);
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
           r->hold == NULL && runtime_where() == STARPU_CPU &&
           pthread_equal(r->caller, pthread_self()) && !trace_is_on() && !profile_is_on();
}

/* Releases the data of the first `count` buffers. */
static void release(struct starpu_task *t, int count)
{
    for (int b = count; b-- > 0;)
        if (first_of_data(t, b) == b)
            handle_release(STARPU_TASK_GET_HANDLE(t, b));
}

/* Acquires the data of the task. Returns false, and acquires nothing, if other tasks use it or it
 * does not live in main memory. */
static bool acquire(struct starpu_task *t, void *buffers[])
{
    if (t->nbuffers > MOST_BUFFERS)
        return false;
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        if (!is_simple_access(t, b) ||
            (first_of_data(t, b) == b && !handle_acquire_if_ready(handle, access_of_data(t, b)))) {
            release(t, b);
            return false;
        }
        buffers[b] = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
    }
    return true;
}

bool run_directly(struct starpu_task *t)
{
    void *buffers[MOST_BUFFERS];
    bool runs =
        atomic_fetch_add(&running, 1) < starpu_cpu_worker_get_count() && acquire(t, buffers);
    if (runs) {
        progress_submit(t->flops);
        operation_run_on_cpu(t, buffers);
        if (t->epilogue_callback_func != NULL)
            t->epilogue_callback_func(t->epilogue_callback_arg);
        release(t, t->nbuffers);
        progress_end(t->flops);
    }
    atomic_fetch_sub(&running, 1);
    return runs;
}
#endif
