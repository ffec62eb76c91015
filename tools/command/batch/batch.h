/*
 * Batches of `startile bench`.
 *
 * Each array of a batch holds one matrix per problem, one after the other without gaps. A second
 * copy of the array keeps the content before a run.
 */
#ifndef BATCH_H
#define BATCH_H

#include "bench/bench_lapack.h"
#include "bench/bench_peer.h"
#include "team.h"

/* -- batch_data.c ---------------------------------------------------------------------------- */

struct batch_data {
    const struct problem *batch;
    int arrays;
    size_t *start[OPERANDS]; /* start[i][q]: offset of problem q in array i, in elements; count + 1
                                entries */
    size_t bytes[OPERANDS];
    void *original[OPERANDS], *current[OPERANDS]; /* original: content before a run */
};

/* Returns problem q of the batch. */
struct problem batch_problem(const struct problem *batch, int64_t q);
/* Stores the operations of all problems, the bytes that these read and write, and their mean n.
 * *flops is NaN if the routine has no operations to count. */
void batch_totals(const struct problem *batch, double *flops, double *bytes, double *mean_n);
/* Returns the bytes that the arrays hold for one problem of the largest size. */
double batch_bytes_of_one(const struct problem *batch);
/* Allocates, generates and prepares the arrays. Returns the preparation's info, or
 * STARTILE_ERROR_MEMORY. */
int64_t batch_data_open(struct batch_data *d, const struct problem *batch, struct team *team);
void batch_data_close(struct batch_data *d);
/* Restores the arrays that the routine writes: current := original. */
void batch_data_restore(struct batch_data *d);
/* Calls a LAPACK routine on problem q of the arrays. Returns info. */
int64_t batch_call_lapack(const struct batch_data *d, void *const *arrays, int64_t q,
                          cpu_function *routine);
/* Returns the largest residual of all problems, or NaN if any is NaN. */
double batch_check(const struct batch_data *d, struct team *team);

/* Returns the arrays for copies to and from a GPU: inputs from d->original, results to
 * d->current. */
struct gpu_arrays batch_arrays(const struct batch_data *d);

/* -- runs ------------------------------------------------------------------------------------ */

/* batch_library.c: times the library's runs. Leaves the results of the last one in d->current.
 * Returns false after a failure, with the status in the row. */
bool batch_run_library(const struct bench_settings *s, struct batch_data *d, struct row *row);

/* batch_gpu_peer.c: arrays of a batch on a GPU. Functions that return int return 0; after a failure
 * not 0, with the reason in cuda_peer_reason(). */
#ifdef STARTILE_HAVE_CUDA
int batch_gpu_open(struct gpu_arrays *g);
void batch_gpu_close(struct gpu_arrays *g);
/* Enqueues copies of the arrays to the GPU, `all` or only those that the routine overwrites, and
 * then a read of other memory, which evicts the arrays from the L2 cache. */
int batch_gpu_load_and_flush_l2(const struct gpu_arrays *g, bool all);
#else
/* Without CUDA settings->resident_on_gpu is false. */
#define batch_gpu_open(g) -1
#define batch_gpu_close(g) (void)(g)
#define batch_gpu_load_and_flush_l2(g, all) -1
#define gpu_arrays_fetch(g) -1
#define cuda_peer_wait() -1
#define cuda_peer_reason() ""
#endif

#endif
