/*
 * Batches: their partition into chunks, and the way from a chunk to a kernel's operand. Private to
 * this folder.
 *
 * The data of a chunk is one StarPU handle. Matrices at a constant stride are the columns of the
 * chunk's matrix; enum batch_kind tells how scattered matrices are stored.
 */
#ifndef STARTILE_BATCH_PRIVATE_H
#define STARTILE_BATCH_PRIVATE_H

#include "batch.h"
#include "startile_batch.h"
#include "task/task.h"

/* The element type of a batch. */
struct elements {
    startile_dtype dtype;
    bool are_integers; /* elements are int64_t instead of dtype */
};

/* The storage of a batch's matrices as the caller describes it. The arrays are in the caller's
 * order. */
struct storage {
    struct elements of;
    int64_t count;
    int64_t m, n;       /* size of every matrix; the largest m and n if sizes differ */
    int64_t ld, stride; /* leading dimension and stride in elements; stride 0: all matrices are one
                           matrix */
    bool on_gpu;        /* the matrices are in the memory of a GPU */
    bool scattered;     /* the matrices are at the addresses `each`, not at a constant stride */
    char *a;            /* the first matrix, at a constant stride; NULL: memory of the library */
    void *const *each;
    /* sizes of each matrix; ms NULL: all m and ld; ns NULL: all n; only lds NULL: max(1, ms[i]) */
    const int64_t *ms, *ns, *lds;
};

/* The matrices of each chunk. The batches of one call share a partition or have equal ones. */
struct partition {
    atomic_int holders;
    int64_t count, chunks;
    int64_t *first; /* index of the first matrix of each chunk, then count */
    int64_t *order; /* the caller's index of each matrix; NULL: the caller's order */
};

enum batch_kind {
    BATCH_OWNED,    /* in memory of the library */
    BATCH_WRAPPED,  /* in the caller's memory at a constant stride */
    BATCH_PACKED,   /* scattered in the caller's memory, and copied into chunks */
    BATCH_IN_PLACE, /* scattered and used in place: the handle only orders tasks */
    BATCH_CALLERS   /* in the caller's handles */
};

/* The matrices of a chunk in StarPU's memory. */
struct layout {
    int count;      /* number of matrices */
    int m, n, ld;   /* size of every matrix; the largest m and n if sizes vary */
    int64_t stride; /* elements from one matrix to the next */
    bool scattered; /* the handle `each` of the chunk has the addresses */
    bool varies;    /* the handle `sizes` of the chunk has m, n and ld */
};

struct chunk {
    struct layout layout;
    starpu_data_handle_t data;
    starpu_data_handle_t each;  /* addresses, if scattered */
    starpu_data_handle_t sizes; /* m, n and ld of each, if they vary */
    bool written;               /* a task has written the chunk */
};

/* One scattered matrix. */
struct member {
    char *a;
    int m, n, ld;
};

struct startile_batch {
    struct elements of;
    enum batch_kind kind;
    int device; /* GPU that holds scattered matrices, or −1 */
    struct partition *partition;
    int64_t m, n;           /* size of every matrix, or the largest m and n */
    struct member *members; /* in the order of the partition; NULL: constant stride */
    void **each;            /* addresses of the members, for StarPU; or NULL */
    int *sizes;             /* m, n and ld of each member, for StarPU; or NULL */
    char *memory;           /* copies of packed matrices, `bytes` long */
    size_t bytes;
    struct chunk *chunk;
};

/* Return the index of the first matrix of chunk q in the order of the partition, and the number of
 * matrices in the chunk. */
int64_t chunk_first(const startile_batch *b, int64_t q);
int64_t chunk_count(const startile_batch *b, int64_t q);

/* -- making (batch.c) ----------------------------------------------------------------------- */

/* Return 0, or −i for wrong argument i. They check dtype, count, m, n from position `at` on, and
 * per_task and like. */
int batch_check_shape(startile_dtype dtype, int64_t count, int64_t m, int64_t n, int at);
int batch_check_partition(int64_t count, int64_t per_task, const startile_batch *like, int at);
/* Returns whether ld is a valid leading dimension of a matrix of m rows. */
bool batch_is_ld(int64_t ld, int64_t m);
/* Returns the number of elements from a matrix' first element to its last. */
int64_t batch_extent(int64_t m, int64_t n, int64_t ld);
/* Return m and n of matrix i in the caller's order. */
int64_t storage_rows(const struct storage *s, int64_t i);
int64_t storage_columns(const struct storage *s, int64_t i);
/* Returns the size of an element in bytes. */
size_t element_size(struct elements of);
/* Returns a new batch that owns the partition. Without memory releases the partition and returns
 * NULL; also returns NULL if `partition` is NULL. */
startile_batch *batch_new(enum batch_kind kind, const struct storage *s,
                          struct partition *partition);
/* Releases the partition and frees the descriptor; does not touch the handles. b may be NULL. */
void batch_free(startile_batch *b);
/* Ends a constructor: *out := b, which holds the library until startile_batch_destroy(). Returns 0,
 * or STARTILE_ERROR_MEMORY if b is NULL. */
int batch_finish(startile_batch **out, startile_batch *b);

/* -- sizes of chunks (batch_chunk_size.c) --------------------------------------------------- */

/* The work of one matrix, or the mean of many. */
struct matrix_work {
    double m, n, operations, bytes;
    struct elements of;
};

struct matrix_work matrix_work_of(double m, double n, struct elements of);
/* Returns the library's choice of the number of matrices in a chunk, for a batch of `count`
 * matrices, which are in the memory of a GPU if `on_gpu`. */
int64_t default_per_task(int64_t count, struct matrix_work one, bool on_gpu);
/* Returns the microseconds of a task that factors `count` matrices by LU, from calibrated models
 * (batch_getrf.c), or NaN without a model. */
double getrf_batch_time(enum model_device device, struct matrix_work one, double count);

/* -- partitions (batch_chunks.c) ------------------------------------------------------------ */

/* Returns the partition of `like`; if `like` is NULL, a new one with per_task matrices in a chunk
 * (0: the library's choice for m × n). Returns NULL without memory. */
struct partition *partition_take(const startile_batch *like, const struct storage *s,
                                 int64_t per_task);
/* Returns a partition with per_task matrices in a chunk (0: the library's choice), in which the
 * matrices are sorted by decreasing size. Returns NULL without memory. */
struct partition *partition_by_size(const struct storage *s, int64_t per_task);
/* Returns a partition into chunks of these counts. */
struct partition *partition_from_counts(int64_t chunks, const int64_t *counts);
void partition_release(struct partition *c);
/* Returns the caller's index of matrix i of the partition. */
int64_t partition_original_index(const struct partition *c, int64_t i);

/* -- handles (batch_handles.c) -------------------------------------------------------------- */

/* Returns the layout of a chunk of `count` matrices at a constant stride. */
struct layout layout_of(const struct storage *s, int64_t count);
/* Registers the chunks of matrices at a constant stride on memory node `node`. With s->a = NULL a
 * chunk is allocated when a task first writes it. */
void batch_register(startile_batch *b, const struct storage *s, int node);
/* Registers the chunks of scattered matrices. Returns 0 or STARTILE_ERROR_MEMORY. */
int batch_register_members(startile_batch *b);
/* Waits for the tasks, copies results to the caller's memory and unregisters the handles. Does
 * nothing if the handles are the caller's. */
void batch_unregister(startile_batch *b);

/* -- tasks (batch_task.c) ------------------------------------------------------------------- */

enum { MAX_OPERANDS = 4, HANDLES_OF_CHUNK = 3 };
struct batch_args {
    struct task_args task;
    char letter[4];
    startile_scalar alpha, beta;
    int operands;
    struct {
        struct layout layout;
        int buffer; /* index of its first buffer, or −1 if the operand is absent */
    } operand[MAX_OPERANDS];
    int returns;
    starpu_data_handle_t to_return[MAX_OPERANDS]; /* handles to copy back to main memory */
};

/* Returns a new task, or NULL without memory. Tasks of batches are not critical. */
struct starpu_task *batch_task(struct operation *op, startile_request *r, const startile_batch *A,
                               task_function run);
/* Adds chunk q of b as the next operand of the task; b may be NULL. */
void batch_access(struct starpu_task *t, const startile_batch *b, int64_t q,
                  enum starpu_data_access_mode mode);
/* Returns the multiply-adds for an m × n matrix of operand A with a k × l matrix of operand B. If B
 * is NULL, k × l is m × n. */
typedef double batch_cost(double m, double n, double k, double l);
/* Submits the task on chunk q. A, B: operands whose sizes give the number of operations by cost().
 * `variant` distinguishes flags of the operation that change its time, for performance models. */
void batch_submit(struct starpu_task *t, const startile_batch *A, const startile_batch *B,
                  int64_t q, batch_cost *cost, int variant);

/* Returns the CUDA kernels if x is not NULL, else the CPU kernels; NULL in a simulation. */
const startile_batch_kernels *batch_kernels(const startile_exec *x, startile_dtype dtype);
struct batch_args *batch_args_of(struct task_args *task);
/* Returns the number of matrices in a task. */
int batch_count(const struct batch_args *args);
/* For a blocking call: makes the task, which writes a chunk of infos, find the first info that is
 * not 0, if these are on a GPU; the request's info is then its 1-based index. (batch_failure.c) */
void batch_note_failure(struct starpu_task *t, const startile_batch *info);
/* At the end of a task of batch_note_failure(), finds the first info that is not 0; does nothing in
 * other tasks. Returns 0 or a startile_error. */
int batch_find_failure(const struct batch_args *b, startile_exec *x, const int64_t *info);
/* Returns operand number `operand`, in the order of batch_access(), for a kernel. */
startile_matrices batch_operand(const struct batch_args *args, void **buffers, int operand);
/* Returns the address of the numbers of an operand with one number per matrix, or NULL if it is
 * absent. */
void *batch_numbers(const struct batch_args *args, void **buffers, int operand);

#endif
