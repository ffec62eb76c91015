/*
 * What the codelets share: the running library, requests, matrices, and the way from an insert
 * function to a StarPU task. Private to this folder.
 *
 * An operation is a struct operation: codelets and performance models for the four types. Its
 * insert function allocates a struct task_args (extended by what the kernel needs), names the tiles
 * with task_access(), and hands it to task_submit(). When the task runs, run_on_cpu() or
 * run_on_cuda() checks whether the request still wants it and calls args->run with the kernel table
 * of the device.
 */
#ifndef STARTILE_RUNTIME_H
#define STARTILE_RUNTIME_H

#include "codelets.h"
#include "kernels.h"
#include "models/model.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>

/* Tasks may be for GPUs: there are kernels for them, or none is needed since StarPU was built for
 * SimGrid, which lets a task's time pass instead of running it. */
#if defined STARTILE_HAVE_CUDA || defined STARTILE_SIMULATION
#define STARTILE_CUDA_TASKS
#endif

/* -- the running library (runtime.c) -------------------------------------------------------- */

bool runtime_is_up(void);
/* Counts what keeps the workers awake: matrices and requests. */
void runtime_hold(void);
void runtime_release(void);
bool runtime_has_cuda(void);
/* Kinds of workers that run the library's tasks. */
uint32_t runtime_where(void);
/* The most tiles of a block column that one task takes, where it may take several. */
int64_t runtime_tiles_at_a_time(void);
startile_exec *runtime_exec_of_this_worker(void);
startile_implementation runtime_implementation(void);
/* 1, 2, …: which start of the library this is. */
unsigned runtime_generation(void);

/* Starts StarPU; 0 or a startile_error. (start_starpu.c) */
int start_starpu(const startile_options *o);

/* When StarPU has started, and runtime_where() is known. (workers.c) */
void workers_divide(void);
/* The workers for critical tasks, or for others, as StarPU wants them: a bit for each. */
enum { WORKER_WORDS = (STARPU_NMAXWORKERS + 31) / 32 };
uint32_t *runtime_workers(bool is_critical);
/* GPUs with workers. */
int runtime_gpus(void);
/* GPUs that own tiles; 0: there are not several, or the scheduler places tasks by models. */
int runtime_owners(void);
/* Those of the GPU whose turn it is; any where none owns tiles. */
uint32_t *runtime_workers_of_owner(int64_t turn, bool is_critical);
/* Those of one GPU that take tasks which are not critical. */
uint32_t *runtime_workers_of_device(int device);

/* -- StarPU's files (home.c) ------------------------------------------------------------------ */

/* StarPU keeps its measurements of the machine in the home folder, and ends the program where it
 * cannot. Then STARPU_HOME is set, for good, to a folder for temporary files; false: not that
 * either. */
bool prepare_state_dir(void);

/* -- StarPU's handles (handle.c) -------------------------------------------------------------- */

/* All that the library registers orders tasks by their accesses. With home_node −1 elements are
 * zero until a task writes them. */
void register_matrix(starpu_data_handle_t *handle, int home_node, uintptr_t place, int64_t ld,
                     int64_t m, int64_t n, size_t element_size);
void register_temporary(starpu_data_handle_t *handle, int64_t m, int64_t n, size_t element_size);
void register_vector(starpu_data_handle_t *handle, void *first, int64_t count, size_t element_size);
/* Data without a value, which orders the tasks that access it. */
void register_order(starpu_data_handle_t *handle);
/* starpu_data_unregister_submit(), after which another handle may get this one's address */
void forget_handle(starpu_data_handle_t handle);
/* Whether StarPU orders the tasks on it by their accesses. */
bool handle_orders_tasks(starpu_data_handle_t handle);
/* Whether a task may read it: it was written, or a task that writes it was submitted. Not from
 * tasks and callbacks. */
bool handle_has_value(starpu_data_handle_t handle);

/* -- requests (request.c) ------------------------------------------------------------------- */

/* The records of a request's diagonal tiles come in page-locked slabs that live as long as it. */
enum { STATUSES_PER_SLAB = 64 };
struct tile_status_slab {
    struct tile_status_slab *next;
    int used;
    startile_panel *statuses;
};

enum { NO_STEP = -1 };
struct startile_request {
    atomic_llong outcome;        /* first failure: info > 0, or a startile_error */
    atomic_llong zero_pivot;     /* info > 0 of a factorization that goes on to its end, or 0 */
    atomic_int zero_pivot_stage; /* its stage; what is of a later one does nothing */
    int stage;                   /* of what is being submitted */
    int64_t step;                /* the same, see begin_step(); or NO_STEP */
    atomic_bool cancelled;
    atomic_long unfinished;       /* tasks and transfers */
    starpu_pthread_mutex_t mutex; /* StarPU's: a simulation's threads are SimGrid's own */
    starpu_pthread_cond_t finished;
    int priority;
    struct tile_status_slab *slabs;
    starpu_data_handle_t gate;              /* carries order between blocks; or NULL */
    enum starpu_data_access_mode gate_mode; /* of what is being submitted; STARPU_NONE: no access */
    starpu_data_handle_t info; /* written by every task that may set outcome > 0; it carries the
                                  order of tasks, the value is in outcome */
};

void request_begin_one(startile_request *r);
void request_end_one(startile_request *r);
/* Keeps the first zero pivot of a factorization that goes on. */
void request_note_zero_pivot(startile_request *r, int64_t info, int stage);
/* Whether work of that stage is to do nothing; it is then that a cancelled request fails. */
bool request_skips(startile_request *r, int stage);
startile_panel *request_tile_status(startile_request *r);
/* When the library stops. */
void request_free_spares(void);

/* -- matrices (matrix.c) -------------------------------------------------------------------- */

enum matrix_kind { MATRIX_OWNED, MATRIX_WRAPPED, MATRIX_CALLERS, MATRIX_ON_DISK };

struct startile_matrix {
    startile_shape shape;
    enum matrix_kind kind;
    starpu_data_handle_t *tiles; /* mt × nt, column-major */
    struct store *store;         /* of MATRIX_ON_DISK, else NULL */
    bool is_kept;                /* the store is a file of the caller's */
};

starpu_data_handle_t tile_handle(tile t);
/* NULL also for a tile of the caller's that was to be read and has no value. */
starpu_data_handle_t tile_handle_for(tile t, enum starpu_data_access_mode mode);
/* All its tiles are at home there. */
bool is_in_main_memory(const startile_matrix *A);
int64_t tile_rows(tile t);    /* as stored */
int64_t tile_columns(tile t); /* as stored */
/* Asks for data in main memory once the tasks so far allow it; r counts it as unfinished. */
void return_handle_to_host(startile_request *r, starpu_data_handle_t handle,
                           enum starpu_data_access_mode mode);

/* -- tasks (task.c) ------------------------------------------------------------------------- */

/* What a task does, for the performance models: equal work has one entry, whatever tiles it lies
 * in. */
struct work {
    int64_t m, n, k; /* as LAPACK's routine has them; 0: there is none such */
    int variant;     /* tells apart kinds of work of one operation on the same sizes */
    int64_t count;   /* so many times, in a batch; 0: it is none */
    double flops;
};

struct task_args;
typedef int (*task_function)(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *args);

/* First member of the arguments of every operation. */
struct task_args {
    startile_request *request;
    startile_dtype dtype;
    task_function run;
    int stage;                    /* of the request; see next_stage() */
    startile_panel *tile_status;  /* read for info when the task has ended; or NULL */
    int64_t panel_row;            /* rows of the matrix above that panel */
    int64_t record;               /* in a profile */
    bool continues_on_zero_pivot; /* info > 0 does not stop the factorization */
    bool critical;
    double owner_weight;       /* of the tile whose owner takes the task; see task_tile() */
    uint32_t footprint;        /* of the work */
    double bytes;              /* of the operands, about */
    const struct model *model; /* calibrated; or NULL */
};

struct operation {
    const char *name;        /* LAPACK's, without the type's letter */
    unsigned color;          /* in traces, as RGB */
    int order_only;          /* index + 1 of a buffer that carries order but no data, or 0 */
    bool has_vendor_kernels; /* cuBLAS' or cuSOLVER's kernels are another implementation on GPUs */
    atomic_uint defined;     /* by which start of the library: the rest is made at first use */
    char codelet_name[4][24];
    char model_name[4][40];
    struct starpu_codelet codelet[4];
    struct starpu_perfmodel model[4];
    struct starpu_perfmodel energy[4];
    const struct model *calibrated[4]; /* or NULL: StarPU learns by itself */
};

/* Calibrated, of this start of the library; or NULL. */
const struct model *operation_model(struct operation *op, startile_dtype dtype);
/* Makes the codelets at first use, the models once at each start of the library. */
void operation_define(struct operation *op);
struct starpu_task *task_new(struct operation *op, startile_request *r, int64_t priority,
                             startile_dtype dtype, task_function run, size_t args_size);
/* To be called before the first access of a task that may have more than STARPU_NMAXBUFS. Without
 * memory the task is destroyed, and false returned. */
bool task_reserve(struct starpu_task *t, int64_t accesses);
void task_access(struct starpu_task *t, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode);
/* The same for a tile of a matrix, whose owner may be the GPU that the task is for (owner.c). */
void task_tile(struct starpu_task *t, tile A, enum starpu_data_access_mode mode);
void task_submit(struct starpu_task *t, struct work w);
/* simulation.c, in the build for simulations only: `time`, or where it is NaN something else, after
 * taking note of it. */
double simulated_time(const struct starpu_task *t, enum model_device device, double time);

/* A tile, or a vector as one column, in the memory of the device that runs the task. */
struct buffer {
    void *p;
    int ld, m, n;
};
struct buffer matrix_buffer(const void *interface);

/* -- block columns (column.c) ---------------------------------------------------------------- */

/* Where a task finds the tiles of a column among its buffers. */
struct tile_column {
    int buffer, tiles;
    int skip; /* rows of the first tile above the column's */
    int64_t rows;
};

int64_t column_tiles(column c);
int64_t column_width(column c);
struct tile_column column_access(struct starpu_task *t, column c,
                                 enum starpu_data_access_mode mode);
/* Fills in at most s->tiles pieces and returns how many: what lies one below the other in memory
 * makes one. */
int tile_column_blocks(const struct tile_column *s, void **buffers, startile_dtype dtype,
                       startile_piece *blocks);
/* The rows of a stack from `row` on, as far as they are in one piece. */
startile_piece tile_column_from(const startile_piece *blocks, int64_t row, startile_dtype dtype);
int tile_column_width(const struct tile_column *s, void **buffers);

/* -- spans of tiles (span.c) ----------------------------------------------------------------- */

void tile_range_access(struct starpu_task *t, tile_range s, enum starpu_data_access_mode mode);
double tile_range_elements(tile_range s);

/* -- pivots (pivots.c) ----------------------------------------------------------------------- */

starpu_data_handle_t pivots_handle(const startile_pivots *P, int64_t k);
startile_pivots_of_panel pivots_buffer(const void *interface);

/* -- inverses of triangles (inverse.c) ------------------------------------------------------- */

struct inverse {
    starpu_data_handle_t handle;
    startile_panel *tile_status; /* says whether the inverse is good */
};

/* The value, a double, and one of scratch behind it. */
starpu_data_handle_t magnitude_handle(const magnitude *x);

/* Or NULL: where no device gains from it, or without memory. */
inverse *new_inverse(startile_dtype dtype, int64_t n, startile_panel *tile_status);

/* Without negative zeros: cuBLAS takes a beta of 0 − 0i for one that is not 0, and reads C. */
static inline startile_scalar to_scalar(startile_complex z)
{
    const double *part = (const double *)&z;
    return (startile_scalar){part[0] + 0.0, part[1] + 0.0};
}

static inline startile_complex stored_scalar(char op, startile_complex z)
{
    return op == 'C' ? __builtin_conj(z) : z;
}

/* Real operations in one complex operation of the same kind: a multiplication and an addition. */
static inline double flops_of(startile_dtype dtype, double multiply_adds)
{
    return (dtype >= STARTILE_C ? 8 : 2) * multiply_adds;
}

/* The multiply-adds of LU of an m × n matrix, the leading terms of LAPACK's own count; QR has twice
 * as many. */
static inline double panel_multiply_adds(double m, double n)
{
    double k = m < n ? m : n;
    return m * n * k - (m + n) * k * k / 2 + k * k * k / 3;
}

#endif
