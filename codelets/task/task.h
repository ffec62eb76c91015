/*
 * From an insert function to a StarPU task.
 *
 * An operation is a struct operation: codelets and performance models for the four types. Its
 * insert function allocates a struct task_args (extended by the kernel's arguments), adds the tiles
 * with task_tile() or task_access(), and calls task_submit(). When the task runs, run_on_cpu() or
 * run_on_cuda() calls args->run with the kernel table of the device. If the request has failed, it
 * skips this call unless args->runs_always.
 */
#ifndef STARTILE_TASK_H
#define STARTILE_TASK_H

#include "data/view.h"
#include "kernels.h"
#include "models/model.h"
#include "request/context.h"

#include <starpu.h>
#include <stdatomic.h>

/* Work of a task, for the performance models, which have one entry for all tasks with equal work.
 */
struct work {
    int64_t m, n, k; /* sizes of LAPACK's routine, 0 if it has no such size */
    int variant;     /* distinguishes work of one operation on the same sizes */
    int64_t count;   /* number of matrices in a batch, else 0 */
    double flops;
};

struct task_args;
typedef int (*task_function)(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *args);

/* The first member of every operation's arguments. */
struct task_args {
    startile_dtype dtype;
    task_function run;
    context ctx;
    startile_tile_status *tile_status; /* holds info when the task has ended; or NULL */
    int64_t panel_row; /* number of the matrix' rows above the panel, or above the tile */
    int64_t record;    /* index of the task's record in a profile, or NO_RECORD */
    bool continues_on_zero_pivot; /* info > 0 does not stop the factorization */
    bool critical;
    bool is_on_part;  /* an operand is one of several tiles of a matrix or chunks of a batch */
    bool runs_always; /* the task runs even if the request has failed, because other processes wait
                         for it */
    uint64_t tiles;   /* bit b: buffer b is a tile of a matrix, for b < 64 */
    double owner_weight; /* weight of the tile whose owner runs the task, see task_tile() */
    startile_grid *grid; /* grid of the task's tiles, or NULL */
    int rank;            /* process in the grid that runs the task, or −1 */
    double rank_weight;  /* elements of the tile that decided `rank` */
    bool writes_tile;    /* whether the task writes that tile */
    enum starpu_data_access_mode info_mode; /* access to the request's info; 0: none */
    int info_buffer;            /* index + 1 of the request's info among the buffers, or 0 */
    startile_tile_status *info; /* set while the task runs: the info that it writes, or NULL */
    int64_t exchanged_columns;  /* number of columns for which the running task exchanges rows with
                                   other processes */
    uint32_t footprint;         /* hash of struct work */
    double bytes;               /* approximate size of the operands */
    const struct model *model;  /* calibrated model, or NULL */
};

struct operation {
    const char *name;        /* LAPACK's name without the letter of the type */
    unsigned color;          /* RGB, for traces */
    bool has_vendor_kernels; /* cuBLAS' or cuSOLVER's kernels are a further CUDA implementation */
    bool
        has_host_tasks; /* its tasks use task_on_host(), and have at most MOST_TILES + 4 accesses */
    atomic_uint defined; /* runtime_generation() when the models were found; 0: no start yet */
    char codelet_name[4][24];
    char model_name[4][40];
    struct starpu_codelet codelet[4];
    struct starpu_perfmodel model[4];
    struct starpu_perfmodel energy[4];
    const struct model *calibrated[4]; /* calibrated model of each type; NULL: StarPU learns it */
};

/* Returns the calibrated model that this start of the library has found for the operation, or
 * NULL. */
const struct model *operation_model(struct operation *op, startile_dtype dtype);
/* Creates the codelets at the first call, and finds the models once at each start of the
 * library. */
void operation_define(struct operation *op);
struct starpu_task *task_new(struct operation *op, context ctx, int64_t priority,
                             startile_dtype dtype, task_function run, size_t args_size);
/* Allocates space for the accesses if, with the gate and the info, they may exceed STARPU_NMAXBUFS
 * (StarPU quirk 12). Call it before the first access. Without memory it fails the request, destroys
 * the task and returns false. */
bool task_reserve(struct starpu_task *t, int64_t accesses);
void task_access(struct starpu_task *t, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode);
/* Adds an access to the request's info. The task fails its request if it reads a failure
 * (STARPU_R), and writes its own failure (STARPU_W). */
void task_info(struct starpu_task *t, enum starpu_data_access_mode mode);
/* Adds an access to a tile. The task runs on the GPU that owns its largest tile and, on a grid, in
 * the process that owns the largest tile that it writes (tile_owner.c). */
void task_tile(struct starpu_task *t, tile A, enum starpu_data_access_mode mode);
/* Lets the owner of the task's first data that has an owner run the task, whatever tiles the task
 * has. Call it after task_tile(). */
void task_at_first_owner(struct starpu_task *t, startile_grid *grid);
/* Restrict a task to CPU workers, or to GPUs, whatever other tasks run on. Call them after its
 * accesses. */
void task_on_cpu(struct starpu_task *t);
void task_on_gpus(struct starpu_task *t);
/* As task_on_cpu(), for small tasks of an operation with has_host_tasks: if there is no CPU worker,
 * a GPU's worker runs the CPU kernel on data in main memory. */
void task_on_host(struct starpu_task *t);
void task_submit(struct starpu_task *t, struct work w);
/* Runs the operation of a task by the CPU kernels in the calling thread. */
void operation_run_on_cpu(struct starpu_task *t, void *buffers[]);
/* Enqueues the operation of a task on a GPU. */
void operation_run_on_cuda(struct starpu_task *t, startile_exec *x, void *buffers[]);
/* Returns whether the task can run in the calling thread, which is that of a blocking call: no task
 * of the call could run at the same time. (direct.c) */
bool may_run_directly(const struct starpu_task *t);
/* Runs the operation of such a task in the calling thread if all its data is ready. Returns whether
 * it ran. (direct.c) */
bool run_directly(struct starpu_task *t);

/* Flips the bit that startile_inject_flip() has chosen, if the finished kernel is that of the
 * chosen task. Returns 0 or a startile_error. (inject.c) */
int inject_flip(const startile_kernels *K, startile_exec *x, struct starpu_task *t,
                void *buffers[]);

/* In a build for simulations, returns `time` (µs) plus the time of the messages that the task
 * exchanges while it runs, or 1 if `time` is NaN. (simulation.c) */
double simulated_time(const struct starpu_task *t, enum model_device device, double time);
/* Returns the model of a similar operation for one that is not calibrated, in a build for
 * simulations, or NULL. (simulation.c) */
const struct model *stand_in_of(const char *operation, startile_dtype dtype);

/* Converts z without negative zeros: cuBLAS treats a beta of 0 - 0i as nonzero and reads C. */
static inline startile_scalar to_scalar(startile_complex z)
{
    const double *part = (const double *)&z;
    return (startile_scalar){part[0] + 0.0, part[1] + 0.0};
}

static inline startile_complex stored_scalar(char op, startile_complex z)
{
    return op == 'C' ? __builtin_conj(z) : z;
}

/* Returns the number of real operations: 2 per multiply-add, or 8 for complex types. */
static inline double flops_of(startile_dtype dtype, double multiply_adds)
{
    return (dtype >= STARTILE_C ? 8 : 2) * multiply_adds;
}

/* Returns the multiply-adds of LU of an m × n matrix: the leading terms of LAPACK's count. QR has
 * twice as many. */
static inline double panel_multiply_adds(double m, double n)
{
    double k = m < n ? m : n;
    return m * n * k - (m + n) * k * k / 2 + k * k * k / 3;
}

#endif
