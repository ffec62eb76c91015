/*
 * Batches: how they are cut into chunks, and the way from a chunk to a kernel's operand. Private to
 * this folder.
 *
 * A chunk is one StarPU handle. Where its matrices follow each other at a regular distance it is
 * the matrix whose columns they are; where they lie scattered, see enum batch_kind.
 */
#ifndef STARTILE_CHUNKS_H
#define STARTILE_CHUNKS_H

#include "batch.h"
#include "runtime/runtime.h"
#include "startile_batch.h"

/* Which matrices make a chunk; batches that go into one call share it, or have an equal one. */
struct partition {
    atomic_int holders;
    int64_t count, chunks;
    int64_t *first; /* of each chunk; and count */
    int64_t *order; /* the caller's number of each matrix; NULL: as the caller has them */
};

enum batch_kind {
    BATCH_OWNED,
    BATCH_WRAPPED,  /* regular, in the caller's memory */
    BATCH_PACKED,   /* scattered in the caller's memory, and here as a copy that can be sent */
    BATCH_IN_PLACE, /* scattered, and used where they are: the handle carries order only */
    BATCH_CALLERS   /* the caller's handles */
};

/* What a task has to know of a chunk, as it lies where StarPU has it. */
struct layout {
    int count, m, n, ld; /* of every matrix; with sizes, the largest m and n of all */
    int64_t stride;
    bool scattered, varies;
};

struct chunk {
    struct layout layout;
    starpu_data_handle_t data;
    starpu_data_handle_t each;  /* their addresses, if scattered */
    starpu_data_handle_t sizes; /* if they vary: m, n and ld of each */
    bool written;
};

/* One matrix of those that lie scattered. */
struct member {
    char *a;
    int m, n, ld;
};

struct startile_batch {
    startile_dtype dtype;
    bool has_integers; /* int64_t instead of that */
    enum batch_kind kind;
    int device; /* of scattered ones in the memory of a GPU; or −1 */
    struct partition *partition;
    int64_t m, n;           /* of every matrix, or the largest */
    struct member *members; /* in the order of the cut; or NULL: regular, all alike */
    void **each;            /* the same for StarPU */
    int *sizes;
    char *memory; /* of what is packed */
    size_t bytes;
    struct chunk *chunk;
};

size_t batch_element_size(const startile_batch *b);
int64_t chunk_first(const startile_batch *b, int64_t q);
int64_t chunk_count(const startile_batch *b, int64_t q);

/* -- making (batch.c) ------------------------------------------------------------------------- */

/* 0, or −i for a wrong argument: dtype, count, m, n from position `at` on; per_task and like. */
int batch_check_shape(startile_dtype dtype, int64_t count, int64_t m, int64_t n, int at);
int batch_check_partition(int64_t count, int64_t per_task, const startile_batch *like, int at);
bool batch_is_ld(int64_t ld, int64_t m);
/* Elements from the first to the last of a matrix. */
int64_t batch_extent(int64_t m, int64_t n, int64_t ld);
size_t batch_size_of(startile_dtype dtype, bool has_integers);
/* Takes the cut over, which may be NULL. NULL without memory. */
startile_batch *batch_new(enum batch_kind kind, startile_dtype dtype, bool has_integers,
                          struct partition *partition, int64_t m, int64_t n);
void batch_free(startile_batch *b);
/* What a constructor returns: *out := b, unless that is NULL. */
int batch_begin(startile_batch **out, startile_batch *b);

/* -- scattered (batch_scattered.c) ------------------------------------------------------------- */

/* Where the caller's matrix number i is. */
struct source {
    void *const *each;
    char *a; /* with each = NULL */
    size_t step;
    const int64_t *m, *n, *ld; /* NULL: all alike */
    int64_t same_m, same_n, same_ld;
};

/* Takes the cut over. 0 or a startile_error. */
int batch_scatter(startile_batch **out, startile_dtype dtype, bool has_integers, int device,
                  struct partition *partition, const struct source *s, int64_t m, int64_t n);

/* -- how many go into a chunk (batch_share.c) ----------------------------------------------------
 */

struct elements {
    startile_dtype dtype;
    bool are_integers; /* int64_t instead of that */
};

/* What one matrix is to a task, or one of many on average. */
struct matrix_work {
    double m, n, operations, bytes;
    struct elements of;
};

struct matrix_work matrix_work_of(double m, double n, struct elements of);
/* The library's choice for so many. */
int64_t default_per_task(int64_t count, struct matrix_work one);
/* Microseconds of a task that factors so many by LU, from calibrated models (batch_getrf.c); NaN
 * where there are none. */
double getrf_batch_time(enum model_device device, struct matrix_work one, double count);

/* -- cuts (batch_cut.c) ----------------------------------------------------------------------- */

/* That of `like`, if it is not NULL; else of per_task matrices a chunk, or 0 for the library's
 * choice for m × n. NULL without memory. */
struct partition *partition_take(const startile_batch *like, int64_t count, int64_t m, int64_t n,
                                 struct elements of, int64_t per_task);
/* The same with the matrices sorted by size. */
struct partition *partition_by_size(int64_t count, const int64_t *m, const int64_t *n,
                                    struct elements of, int64_t per_task);
/* In chunks of those counts. */
struct partition *partition_from_counts(int64_t chunks, const int64_t *counts);
void partition_release(struct partition *c);
/* The caller's number of matrix i of the cut. */
int64_t partition_original_index(const struct partition *c, int64_t i);

/* -- handles (batch_home.c) -------------------------------------------------------------------- */

/* The node of the caller's memory, that of the GPU in *device or −1, or −1 where no worker can use
 * it. */
int memory_node_of(const void *p, int *device);
/* Gives each chunk its handle: regular ones at `a`, or with NULL where they are first written. */
void batch_register(startile_batch *b, char *a, int64_t ld, int64_t stride, int node);
/* 0 or STARTILE_ERROR_MEMORY */
int batch_register_members(startile_batch *b);
/* Waits, brings home, lets go. */
void batch_unregister(startile_batch *b);

/* -- tasks (batch_task.c) ---------------------------------------------------------------------- */

enum { MOST_OPERANDS = 4, HANDLES_OF_CHUNK = 3 };
struct batch_args {
    struct task_args task;
    char letter[4];
    startile_scalar alpha, beta;
    int operands;
    struct {
        struct layout layout;
        int buffer; /* the first of its buffers; −1: this operand is left out */
    } operand[MOST_OPERANDS];
    int written;
    starpu_data_handle_t returned[MOST_OPERANDS]; /* what is written and at home in main memory */
};

/* NULL: without memory. Tasks for chunks are not critical. */
struct starpu_task *batch_task(struct operation *op, startile_request *r, const startile_batch *A,
                               task_function run);
/* Chunk q of b, which is the task's next operand; b may be NULL. */
void batch_access(struct starpu_task *t, const startile_batch *b, int64_t q,
                  enum starpu_data_access_mode mode);
/* The multiply-adds of a matrix of operand A, m × n, beside that of operand B, k × l. */
typedef double batch_cost(double m, double n, double k, double l);
void batch_submit(struct starpu_task *t, const startile_batch *A, const startile_batch *B,
                  int64_t q, batch_cost *cost, int variant);

const startile_batch_kernels *batch_kernels(const startile_exec *x, startile_dtype dtype);
struct batch_args *batch_args_of(struct task_args *task);
/* How many matrices a task has. */
int batch_count(const struct batch_args *args);
startile_matrices batch_operand(const struct batch_args *args, void **buffers, int operand);
/* Where the integers or numbers of an operand of one a matrix begin; NULL where it is left out. */
void *batch_numbers(const struct batch_args *args, void **buffers, int operand);

#endif
