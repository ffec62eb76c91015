/* Builds and submits the StarPU task of an insert function. */
#include "data/handle.h"
#include "grid/exchange.h"
#include "library/runtime.h"
#include "library/thread_state.h"
#include "memory/memories.h"
#include "request/progress.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"
#include "trace/profile.h"
#include "trace/trace.h"

#include <stdlib.h>

/* Distance between the task priorities of requests with consecutive priorities. Larger than the
 * range of priorities within a factorization of a hundred thousand block columns. */
enum { PRIORITY_STEP = 1 << 20 };

/* Callback after the task's kernel, before the tasks that depend on it: records its info > 0 in the
 * request and in the info that the task writes. */
static void note_info(void *arg)
{
    struct task_args *args = arg;
    int64_t info = args->tile_status->info > 0 ? args->panel_row + args->tile_status->info : 0;
    if (args->continues_on_zero_pivot)
        request_note_zero_pivot(args->ctx.request, info, args->ctx.factorization);
    else
        request_fail(args->ctx.request, info);
    if (args->info != NULL && args->info->info == 0)
        args->info->info = info;
}

/* Callback at the end of the task. `arg` is the task's stage. */
static void note_end(void *arg)
{
    struct starpu_task *t = starpu_task_get_current();
    const struct task_args *args = t->cl_arg;
    profile_note_end(t, args->record);
    progress_end(t->flops);
    stage_end_one(arg);
}

/* Frees a task that StarPU does not run. */
static void destroy_task(struct starpu_task *t)
{
    t->destroy = 0;
    starpu_task_destroy(t);
}

struct starpu_task *task_new(struct operation *op, context ctx, int64_t priority,
                             startile_dtype dtype, task_function run, size_t args_size)
{
    startile_request *r = ctx.request;
    struct task_args *args = calloc(1, args_size);
    if (args == NULL) {
        request_fail(r, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    operation_define(op);
    struct starpu_task *t = starpu_task_create();
    args->ctx = ctx;
    args->dtype = dtype;
    args->run = run;
    args->record = NO_RECORD;
    args->critical = priority >= CRITICAL;
    args->model = op->calibrated[dtype];
    t->cl = &op->codelet[dtype];
    t->name = op->codelet_name[dtype];
    t->cl_arg = args;
    t->cl_arg_size = args_size;
    t->cl_arg_free = 1;
    t->nbuffers = 0;
    t->where = (int32_t)runtime_where_of(dtype, INT64_MAX);
    t->workerids = runtime_workers(priority >= CRITICAL, (uint32_t)t->where);
    t->workerids_len = WORKER_WORDS;
    t->priority = (int)(r->priority * (int64_t)PRIORITY_STEP + priority);
    t->callback_func = note_end;
    return t;
}

bool task_reserve(struct starpu_task *t, int64_t accesses)
{
    accesses += 2; /* two more handles, the gate's and the info's */
    if (accesses <= STARPU_NMAXBUFS)
        return true;
    /* StarPU frees these arrays with the task */
    t->dyn_handles = calloc((size_t)accesses, sizeof *t->dyn_handles);
    t->dyn_modes = calloc((size_t)accesses, sizeof *t->dyn_modes);
    if (t->dyn_handles != NULL && t->dyn_modes != NULL)
        return true;
    struct task_args *args = t->cl_arg;
    request_fail(args->ctx.request, STARTILE_ERROR_MEMORY);
    destroy_task(t);
    return false;
}

void task_access(struct starpu_task *t, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode)
{
    /* task_submit() finds unusable handles when the task is complete */
    if (handle != NULL && (mode & STARPU_R) != 0)
        handle_zero_before_read(handle);
    STARPU_TASK_SET_HANDLE(t, handle, t->nbuffers);
    STARPU_TASK_SET_MODE(t, mode, t->nbuffers);
    t->nbuffers++;
}

void task_info(struct starpu_task *t, enum starpu_data_access_mode mode)
{
    struct task_args *args = t->cl_arg;
    args->info_mode = mode;
}

/* Adds the access that task_info() has asked for. */
static void add_info(struct starpu_task *t)
{
    struct task_args *args = t->cl_arg;
    if (args->info_mode == 0 || args->info_buffer != 0)
        return;
    if ((args->info_mode & STARPU_W) != 0)
        args->ctx.request->info_is_shared = false;
    args->info_buffer = t->nbuffers + 1;
    task_access(t, request_info(args->ctx.request), args->info_mode);
}

void task_at_first_owner(struct starpu_task *t, startile_grid *grid)
{
    struct task_args *args = t->cl_arg;
    args->grid = grid;
    args->rank = -1;
}

void task_on_gpus(struct starpu_task *t)
{
    t->where = STARPU_CUDA;
    t->workerids = runtime_workers(false, STARPU_CUDA);
}

void task_on_cpu(struct starpu_task *t)
{
    t->where = STARPU_CPU;
    t->workerids = NULL;
    t->workerids_len = 0;
}

void task_on_host(struct starpu_task *t)
{
    if (starpu_cpu_worker_get_count() > 0)
        task_on_cpu(t);
    else
        task_on_gpus(t);
}

/* Returns whether the task has a tile without a handle, or a tile of the caller without a value or
 * implicit dependences. */
static bool has_unusable_tile(const struct starpu_task *t)
{
    for (int b = 0; b < t->nbuffers; b++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, b);
        if (handle == NULL || !handle_orders_tasks(handle))
            return true;
    }
    return false;
}

/* Sets what identifies the work for the performance models: its footprint, and the bytes of its
 * operands. */
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

/* Disables the early fetch for tasks that write a tile of more than MIN_BYTES without reading it,
 * if all tasks run on GPUs (StarPU quirk 3). StarPU fetches early only for tasks that one GPU alone
 * can run, so the task also allows CPUs; its list of workers still has only the GPU's. Critical
 * tasks keep the early fetch, because their panels need it. */
static void disable_early_fetch(struct starpu_task *t)
{
    enum {
        MIN_BYTES = 16 << 10
    }; /* one grain of StarPU's allocator (StarPU quirk 2), which always fits */
    const struct task_args *args = t->cl_arg;
    if (args->critical || t->where != STARPU_CUDA)
        return;
    for (int b = 0; b < t->nbuffers; b++)
        if ((STARPU_TASK_GET_MODE(t, b) & STARPU_R) == 0 &&
            starpu_data_get_size(STARPU_TASK_GET_HANDLE(t, b)) > MIN_BYTES)
            t->where |= STARPU_CPU;
}

/* Runs the task in this thread if that is possible; returns whether it ran. Without a handle of the
 * request's info no other task has written it, and the request's outcome suffices. */
static bool ran_directly(struct starpu_task *t)
{
    const struct task_args *args = t->cl_arg;
    if (args->ctx.request->info != NULL)
        add_info(t);
    return !has_unusable_tile(t) && task_exclude_small_memories(t) && run_directly(t);
}

/* Submits the task to StarPU. */
static void submit(struct starpu_task *t, struct work w, struct stage *stage)
{
    struct task_args *args = t->cl_arg;
    startile_request *r = args->ctx.request;
    if (args->ctx.gate != NO_GATE)
        task_access(t, r->gate, args->ctx.gate == OPENS_GATE ? STARPU_RW : STARPU_R);
    if (args->grid != NULL && args->info_mode == 0 && !args->ctx.is_factoring && r->info != NULL &&
        has_owner(args->grid, r->info))
        task_info(t, STARPU_R); /* an earlier task may have failed in another process */
    add_info(t);
    describe(args, w);
    t->callback_arg = stage;
    /* only on a grid; there a task has few data */
    starpu_data_handle_t written[args->grid != NULL ? t->nbuffers + 1 : 1];
    struct exchange messages = {.written = written};
    /* another process runs the task */
    if (args->grid != NULL && !exchange_before(t, &messages)) {
        exchange_after(&messages);
        destroy_task(t);
        stage_end_one(stage);
        return;
    }
    int refused = has_unusable_tile(t)              ? STARTILE_ERROR_TILE
                  : !task_exclude_small_memories(t) ? STARTILE_ERROR_MEMORY
                                                    : 0;
    if (refused == 0)
        disable_early_fetch(t);
    unsigned char *in_order = NULL;
    if (refused == 0 && r->hold != NULL && (in_order = hold_order(t, r->hold)) == NULL)
        refused = STARTILE_ERROR_MEMORY;
    int64_t record = refused == 0 ? profile_note_submit(t, args->ctx.step) : NO_RECORD;
    args->record = record;
    progress_submit(w.flops);
    locale_t locale = use_c_locale(); /* StarPU may read a model (StarPU quirk 60) */
    if (refused == 0 && trace_submit(t, args->ctx.step) != 0)
        refused = STARTILE_ERROR_NO_WORKER;
    uselocale(locale);
    free(in_order);
    exchange_after(&messages);
    if (refused != 0) {
        profile_note_end(NULL, record);
        progress_end(w.flops);
        destroy_task(t);
        request_fail(r, refused);
        stage_end_one(stage);
    }
}

void task_submit(struct starpu_task *t, struct work w)
{
    struct task_args *args = t->cl_arg;
    if (args->tile_status != NULL && !args->ctx.is_duplicate) {
        t->epilogue_callback_func = note_info;
        t->epilogue_callback_arg = args;
    }
    t->flops = w.flops;
    struct stage *stage = stage_begin_one(args->ctx);
    if (!may_run_directly(t) || !ran_directly(t)) {
        submit(t, w, stage);
        return;
    }
    destroy_task(t);
    stage_end_one(stage);
}

struct buffer matrix_buffer(const void *interface)
{
    return (struct buffer){
        (void *)STARPU_MATRIX_GET_PTR(interface), (int)STARPU_MATRIX_GET_LD(interface),
        (int)STARPU_MATRIX_GET_NX(interface), (int)STARPU_MATRIX_GET_NY(interface)};
}
