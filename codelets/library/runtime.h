/*
 * The private header of codelets/: the running library, requests, matrices, and the way from an
 * insert function to a StarPU task. starpu_quirks.md lists StarPU's defects and traps by number;
 * comments say "StarPU quirk 3".
 *
 * An operation is a struct operation: codelets and performance models for the four types. Its
 * insert function allocates a struct task_args (extended by the kernel's arguments), adds the tiles
 * with task_tile() or task_access(), and calls task_submit(). When the task runs, run_on_cpu() or
 * run_on_cuda() calls args->run with the kernel table of the device. If the request has failed, it
 * skips this call unless args->runs_always.
 */
#ifndef STARTILE_RUNTIME_H
#define STARTILE_RUNTIME_H

#include "codelets.h"
#include "kernels.h"
#include "models/model.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>

/* Defined if tasks may run on GPUs. With a StarPU for SimGrid this needs no kernels, since StarPU
 * then only simulates their times. */
#if defined STARTILE_HAVE_CUDA || defined STARTILE_SIMULATION
#define STARTILE_CUDA_TASKS
#endif

/* -- the running library (runtime.c) -------------------------------------------------------- */

bool runtime_is_up(void);
/* Count the objects (matrices, pivots, batches, requests) that keep the workers awake. */
void runtime_hold(void);
void runtime_release(void);
/* Returns the kinds of workers that run the library's tasks (STARPU_CPU, STARPU_CUDA). */
uint32_t runtime_where(void);
/* Returns the largest number of tiles of a block column that one task updates. */
int64_t runtime_tiles_at_a_time(void);
startile_exec *runtime_exec_of_this_worker(void);
/* Returns a new context for `stream` on the thread's current GPU; NULL without memory, or if the
 * program has an allocator, which the workers' threads call. */
startile_exec *runtime_new_exec(void *stream);
startile_implementation runtime_implementation(void);
/* Returns the products of requests that do not choose others. */
startile_products runtime_products(void);
/* Returns whether files of matrices are mapped into main memory. */
bool runtime_maps_files(void);
/* Returns the level of the option `verify` of requests that do not choose another. */
int runtime_verify(void);
/* Returns whether the option emulated_double is set and the GPUs can emulate products. */
bool runtime_emulates_double(void);
/* Returns whether all GPUs can run solve_by_single (whole.h). */
bool runtime_can_solve_by_single(void);
/* Returns the number of starts of the library so far. */
unsigned runtime_generation(void);

#ifdef STARTILE_HAVE_CUDA
/* Returns the number of GPUs that CUDA sees. (start_starpu.c) */
int visible_gpus(void);
#endif
/* Starts StarPU. Returns 0 or a startile_error. (start_starpu.c) */
int start_starpu(const startile_options *o);

/* Assigns the workers to critical and other tasks. Call it when StarPU has started and
 * runtime_where() is known. (workers.c) */
void workers_assign(void);
/* Returns the workers that run critical tasks (is_critical), or the other tasks; one bit per
 * worker. */
enum { WORKER_WORDS = (STARPU_NMAXWORKERS + 31) / 32 };
uint32_t *runtime_workers(bool is_critical);
/* Returns the number of GPUs with workers. */
int runtime_gpus(void);
/* Returns the number of GPUs that own tiles: 0 with fewer than two GPUs, if tasks also run on CPUs,
 * or with a scheduler that uses models. */
int runtime_owners(void);
/* Returns the workers that run critical tasks (is_critical), or the other tasks, on GPU number
 * `owner_index` modulo runtime_owners(); on all devices if no GPU owns tiles. */
uint32_t *runtime_workers_of_owner(int64_t owner_index, bool is_critical);
/* Returns the workers of one GPU for tasks that are not critical. */
uint32_t *runtime_workers_of_device(int device);

/* -- StarPU's handles (handle.c) ------------------------------------------------------------ */

/* Register data whose tasks StarPU orders by their accesses. With home_node −1 the elements are
 * zero until a task writes them. */
void register_matrix(starpu_data_handle_t *handle, int home_node, uintptr_t address, int64_t ld,
                     int64_t m, int64_t n, size_t element_size);
void register_temporary(starpu_data_handle_t *handle, int64_t m, int64_t n, size_t element_size);
void register_vector(starpu_data_handle_t *handle, void *first, int64_t count, size_t element_size);
/* Registers a variable whose copies are all in main memory, even those of the GPUs' memory
 * nodes. */
void register_variable(starpu_data_handle_t *handle, void *memory, size_t size);
/* Registers data without a value, which only orders the tasks that access it. */
void register_order(starpu_data_handle_t *handle);
/* Unregisters the handle after the tasks submitted so far. */
void release_handle(starpu_data_handle_t handle);
/* Returns whether StarPU orders the tasks on the handle by their accesses. */
bool handle_orders_tasks(starpu_data_handle_t handle);
/* Returns whether a task may read the handle: its data has a value or starts as zeros, or a task
 * that writes it was submitted. Do not call it from tasks or callbacks. */
bool handle_has_value(starpu_data_handle_t handle);

/* Call it before a task reads the data. With a StarPU that may lose the zeros of data that no task
 * has written when it evicts them (StarPU quirk 52), submits a task that writes them. Does nothing
 * in a worker, whose callbacks read only what earlier tasks write. */
void handle_zero_before_read(starpu_data_handle_t handle);

/* Acquires the data on a node if no unfinished task accesses it: data of zero_init() without a
 * value is zero in main memory then. Returns whether it is acquired; release it with
 * handle_release(). Do not call it from tasks or callbacks. */
bool handle_acquire_if_ready(starpu_data_handle_t handle, int node,
                             enum starpu_data_access_mode mode);
void handle_release(starpu_data_handle_t handle, int node);
/* Waits for the tasks on the data and for its copy in main memory. starpu_data_acquire() waits for
 * the copy on the home node, which may be a GPU. Returns 0 or STARTILE_ERROR_STARPU; release it
 * with handle_release(handle, STARPU_MAIN_RAM). Do not call it from tasks or callbacks. */
int handle_acquire_in_main_memory(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
/* Returns whether a node has a valid copy of the data. */
bool handle_is_valid_on(starpu_data_handle_t handle, int node);

/* -- requests (request.c) ------------------------------------------------------------------- */

/* Page-locked status records of diagonal tiles and of the request's info; a request keeps its slabs
 * until it is destroyed. */
enum { STATUSES_PER_SLAB = 64 };
struct tile_status_slab {
    struct tile_status_slab *next;
    int used;
    startile_tile_status *statuses;
};

/* Tasks and messages between two calls of begin_step() or, for a stage with whole = itself, all
 * tasks, messages and transfers between two calls of startile_request_outcome(). */
struct stage {
    startile_request *request;
    struct stage *whole;
    atomic_long unfinished;          /* number of tasks and messages */
    int64_t bytes;                   /* size of the data that the stage receives or discards */
    int64_t most_before;             /* largest `bytes` of an earlier stage */
    starpu_data_handle_t *exchanged; /* data whose copies end_step() drops */
    int64_t exchanged_count, exchanged_capacity;
    struct stage *next;
};

struct startile_request {
    atomic_llong outcome;    /* first failure: info > 0 or a startile_error */
    char *failure_text;      /* its message, or NULL for that of startile_strerror() */
    atomic_llong zero_pivot; /* info > 0 of a factorization that continues after it, or 0 */
    atomic_int zero_pivot_factorization; /* index of zero_pivot's factorization, or INT_MAX */
    int factorizations;                  /* number of LU factorizations submitted so far */
    atomic_bool cancelled;
    atomic_long unfinished;       /* number of tasks, messages and transfers */
    starpu_pthread_mutex_t mutex; /* StarPU's type (StarPU quirk 28) */
    starpu_pthread_cond_t finished;
    bool is_blocking; /* of a blocking call, which runs in the thread `caller` */
    pthread_t caller;
    int priority;
    atomic_int products;               /* startile_products in single precision on GPUs */
    startile_request *whole_operation; /* its tasks are a part of an operation of this request, or
                                          NULL */
    hold *hold;                        /* tiles that its tasks use during a hold, or NULL */
    int verify;                        /* level of the option `verify` */
    startile_corruption corruption;    /* first corruption found; routine NULL: none */
    struct attempts *attempts;         /* attempts at an operation of which it is one, or NULL */
    struct tile_status_slab *slabs;
    temporary *temporaries;        /* the newest first */
    starpu_data_handle_t gate;     /* order-only handle of opens_gate(), or NULL */
    starpu_data_handle_t info;     /* a tile status: tasks that may set outcome > 0 write it; NULL
                                      before the first access, see request_info() */
    bool info_is_shared;           /* all processes of the grid have received the info */
    startile_grid *grid;           /* grid of its tasks' distributed matrices, or NULL */
    struct stage first;            /* the operations before the first outcome */
    _Atomic(struct stage *) whole; /* the operations after the newest outcome, or &first */
    /* outcomes: list of the outcomes since the last reset, the oldest first; pending: the oldest
     * one whose operations have not ended */
    struct outcome *outcomes, *pending, *newest_outcome;
    /* stages: list of the stages since the last wait, the oldest first; unfinished_stages: the
     * oldest one that may be unfinished */
    struct stage *stages, *unfinished_stages, *newest_stage;
};

/* Makes startile_wait() agree on the outcome with the grid's processes. The request keeps the first
 * grid; a later grid of other processes fails the request. */
void request_use_grid(startile_request *r, startile_grid *grid);
/* Count a task, message or transfer. request_begin_one() returns the stage to pass to
 * request_end_one(). */
struct stage *request_begin_one(startile_request *r);
void request_end_one(struct stage *whole);
/* Count a task or message in its stage and request. stage_begin_one() returns the stage.
 * (stage.c, request.c) */
struct stage *stage_begin_one(context ctx);
void stage_end_one(struct stage *s);
/* Makes end_step() drop the copies of the data, of which this process sends or receives one.
 * Without memory it fails the request. (stage.c) */
void stage_note_copies(context ctx, starpu_data_handle_t handle);
/* Adds the size of data that the stage receives or discards; s may be NULL. (stage.c) */
void stage_add_bytes(struct stage *s, starpu_data_handle_t handle);
/* Takes the outcomes whose operations have ended from the pending ones and sets their values. Call
 * it with the mutex locked, and outcomes_submit() with the result when it is unlocked; the tasks
 * that wait for these outcomes then start. (outcome.c) */
struct outcome *outcomes_due(startile_request *r);
void outcomes_submit(struct outcome *due);
/* Frees the outcomes of a request without unfinished tasks, after the tasks on their handles.
 * (outcome.c) */
void free_outcomes(startile_request *r);
/* Frees the stages of a request without unfinished tasks. (stage.c) */
void free_stages(startile_request *r);
/* Returns whether a task with this ctx.factorization must do nothing. Fails the request if it was
 * cancelled. */
bool request_skips(startile_request *r, int factorization);
startile_tile_status *request_tile_status(startile_request *r);
/* Returns the handle of the request's info. Without memory fails the request and returns NULL. */
starpu_data_handle_t request_info(startile_request *r);
/* Gives the task's accesses to held tiles the order of the hold. Returns an array that the caller
 * frees after the submission; NULL without memory. (hold.c) */
unsigned char *hold_order(struct starpu_task *t, const hold *h);
/* Frees the spare slabs when the library stops. */
void request_free_spares(void);
/* Makes the corruption that the request has found the last one of the calling thread. (verify.c) */
void keep_corruption(const startile_request *r);
/* Flips the bit that startile_inject_flip() has chosen, if the finished kernel is that of the
 * chosen task. Returns 0 or a startile_error. (inject.c) */
int inject_flip(const startile_kernels *K, startile_exec *x, struct starpu_task *t,
                void *buffers[]);

/* -- matrices (matrix.c) -------------------------------------------------------------------- */

enum matrix_kind { MATRIX_OWNED, MATRIX_WRAPPED, MATRIX_CALLERS, MATRIX_ON_DISK };

struct startile_matrix {
    temporary owned; /* used if a request owns the matrix */
    startile_shape shape;
    startile_grid *grid; /* the processes that own the tiles, or NULL: this process owns all */
    int64_t first_tag;   /* first tag of the tiles' messages on a grid */
    enum matrix_kind kind;
    int home_node;               /* memory node of a wrapped matrix' elements */
    bool is_view;                /* tiles and store are another matrix' */
    void *page_locked;           /* array that page_lock() locked, or NULL */
    bool registers_on_use;       /* tiles of a temporary are registered when they are used */
    starpu_data_handle_t *tiles; /* mt × nt handles, column-major; NULL: not used here yet */
    void *local; /* one array that the library allocated for the tiles of this process, or NULL */
    struct store *store;  /* the file of MATRIX_ON_DISK, else NULL */
    bool is_callers_file; /* the store is the caller's file, with this leading dimension */
    int64_t lda;
    struct journal *journal; /* of a matrix in the caller's file, or NULL */
    int journal_refusal;     /* why startile_matrix_journal() has failed, or 0 */
    char *refusal_text;      /* its message, or NULL */
};

/* Undoes page_lock(). (host_memory.c) */
void page_unlock(startile_matrix *A);
starpu_data_handle_t tile_handle(tile t);
/* Returns the tile's handle, or NULL if `mode` reads a tile of the caller that has no value. */
starpu_data_handle_t tile_handle_for(tile t, enum starpu_data_access_mode mode);
/* Returns whether the home node of all tiles is main memory. */
bool is_in_main_memory(const startile_matrix *A);
/* Returns whether the home node of all tiles is this GPU's memory node. */
bool is_in_gpu_memory(const startile_matrix *A, unsigned node);
int64_t tile_rows(tile t);    /* rows as stored */
int64_t tile_columns(tile t); /* columns as stored */
/* Submits a copy of the data to main memory, after the tasks submitted so far. Request r counts the
 * copy as unfinished. */
void return_handle_to_host(startile_request *r, starpu_data_handle_t handle,
                           enum starpu_data_access_mode mode);
/* Does the same for a tile of a matrix, whose home node takes the place of main memory. */
void return_to_home(startile_request *r, tile t, enum starpu_data_access_mode mode);

/* -- operations and tasks (operation.c, task.c) --------------------------------------------- */

/* Work of a task, for the performance models, which have one entry for all tasks with equal work.
 */
struct work {
    int64_t m, n, k; /* sizes of LAPACK's routine, 0 if it has no such size */
    int variant;     /* distinguishes work of one operation on the same sizes */
    int64_t count;   /* number of matrices in a batch, else 0 */
    double flops;
};

/* Largest number of a task's handles that no message brings, because each process has its own data
 */
enum { MOST_LOCAL = 2 };
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
    starpu_data_handle_t local[MOST_LOCAL]; /* data that each process has for itself, or NULL */
    int64_t exchanged_columns; /* number of columns for which the running task exchanges rows with
                                  other processes */
    uint32_t footprint;        /* hash of struct work */
    double bytes;              /* approximate size of the operands */
    const struct model *model; /* calibrated model, or NULL */
};

struct operation {
    const char *name;        /* LAPACK's name without the letter of the type */
    unsigned color;          /* RGB, for traces */
    bool has_vendor_kernels; /* cuBLAS' or cuSOLVER's kernels are a further CUDA implementation */
    atomic_uint defined;     /* runtime_generation() when the models were found; 0: no start yet */
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
/* Makes the process run the task that owns the task's first data with an owner, whatever tiles the
 * task has. Call it after task_tile(). */
void task_at_first_owner(struct starpu_task *t, startile_grid *grid);
/* Restricts a task to CPU workers, whatever other tasks run on. Call it after its accesses. */
void task_on_cpu(struct starpu_task *t);
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
/* In a build for simulations, returns `time` (µs) plus the time of the messages that the task
 * exchanges while it runs, or 1 if `time` is NaN. (simulation.c) */
double simulated_time(const struct starpu_task *t, enum model_device device, double time);
/* Returns the model of a similar operation for one that is not calibrated, in a build for
 * simulations, or NULL. (simulation.c) */
const struct model *stand_in_of(const char *operation, char type);

/* A tile, or a vector as one column, in the memory of the device that runs the task. */
struct buffer {
    void *p;
    int ld, m, n;
};
struct buffer matrix_buffer(const void *interface);

/* -- block columns (tile_column.c) ---------------------------------------------------------- */

/* The tiles of a block column among a task's buffers. */
struct tile_column {
    int buffer, tiles;
    int skip; /* rows of the first tile above the column */
    int64_t rows;
};

int64_t column_tiles(column c);
int64_t column_width(column c);
struct tile_column column_access(struct starpu_task *t, column c,
                                 enum starpu_data_access_mode mode);
/* Stores the blocks of the column, at most s->tiles, and returns their number. Tiles that are
 * adjacent in memory are one block. */
int tile_column_blocks(const struct tile_column *s, void **buffers, startile_dtype dtype,
                       startile_piece *blocks);
/* Returns the rows from `row` to the end of the block that contains `row`. */
startile_piece tile_column_from(const startile_piece *blocks, int64_t row, startile_dtype dtype);
int tile_column_width(const struct tile_column *s, void **buffers);
/* Describes the column's rows to the kernels. */
startile_rows rows_of_column(column c);

/* -- ranges of tiles (tile_range.c) --------------------------------------------------------- */

void tile_range_access(struct starpu_task *t, tile_range s, enum starpu_data_access_mode mode);
double tile_range_elements(tile_range s);

/* -- pivots (pivots.c) ---------------------------------------------------------------------- */

starpu_data_handle_t pivots_handle(const startile_pivots *P, int64_t k);
startile_pivots_of_panel pivots_buffer(const void *interface);
/* Copy the interchanges of panel k to `ipiv` (LAPACK's numbers) or from it; they wait for the tasks
 * on the panel. Return 0 or a startile_error. */
int pivots_read_panel(const startile_pivots *P, int64_t k, int64_t *ipiv);
int pivots_write_panel(startile_pivots *P, int64_t k, const int64_t *ipiv);

/* Interchanges of a panel in one process row. (row_pivots.c) */
struct row_pivots {
    temporary owned;
    starpu_data_handle_t handle;
    int row;      /* process row */
    bool is_copy; /* the handle is a temporary of the request, not the caller's pivots */
};

/* -- inverses of triangles (operations/inverse.c) ------------------------------------------- */

struct inverse {
    temporary owned; /* used after own_inverse() */
    starpu_data_handle_t handle;
    startile_tile_status *tile_status; /* use_inverse: which parts are accurate */
};

/* Returns the handle of two doubles: the value and scratch memory. */
starpu_data_handle_t magnitude_handle(const magnitude *x);
/* Adds the values to the task's data. Returns the index + 1 of their buffer, or 0 for NULL. */
int values_access(struct starpu_task *t, const values *v, enum starpu_data_access_mode mode);
/* Returns the address of number `first` of the values in a buffer; `buffer` is its index + 1, or 0
 * for NULL. */
double *values_in_buffer(void **buffers, int buffer, int64_t first);

/* Returns a new inverse; NULL if no device gains from an inverse, or without memory. */
inverse *new_inverse(startile_dtype dtype, int64_t n, startile_tile_status *tile_status);
/* Makes the inverse a temporary of the request; W may be NULL. */
void own_inverse(context ctx, inverse *W);

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
