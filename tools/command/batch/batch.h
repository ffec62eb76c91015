/*
 * Batches of `startile bench`.
 *
 * The arrays of a batch hold one matrix a problem, one behind the other without gaps, and for each
 * array there is its content before a run.
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
    size_t *start[OPERANDS]; /* of problem q, in elements; with one more entry at the end */
    size_t bytes[OPERANDS];
    void *original[OPERANDS], *now[OPERANDS]; /* original: before a run */
};

/* Returns problem q of the batch. */
struct problem batch_problem(const struct problem *batch, int64_t q);
/* Sums over all problems; flops NaN where there are none to count */
void batch_totals(const struct problem *batch, double *flops, double *bytes, double *mean_n);
/* Main memory for the arrays of one problem of the largest size */
double batch_bytes_of_one(const struct problem *batch);
/* Generates and prepares the arrays; returns info of the preparation or STARTILE_ERROR_MEMORY. */
int64_t batch_data_open(struct batch_data *d, const struct problem *batch, struct team *team);
void batch_data_close(struct batch_data *d);
/* now := original, where the routine writes */
void batch_data_restore(struct batch_data *d);
/* Calls a routine of LAPACK for problem q; returns info. */
int64_t batch_call_lapack(const struct batch_data *d, void *const *arrays, int64_t q,
                          cpu_function *routine);
/* The largest residual of all problems; NaN wins. */
double batch_check(const struct batch_data *d, struct team *team);

/* Describes the arrays for a GPU; written ones have their results in d->now. */
struct gpu_arrays batch_arrays(const struct batch_data *d);

/* -- runs ------------------------------------------------------------------------------------ */

/* batch_library.c: times the library's runs; leaves the results of the last one in d->now. */
bool batch_run_library(const struct bench_settings *s, struct batch_data *d, struct row *row);

/* batch_gpu_peer.c: a batch on a GPU. Functions that return int return 0, or −1 with
 * cuda_peer_reason(). */
#ifdef STARTILE_HAVE_CUDA
int batch_gpu_open(struct gpu_arrays *g);
void batch_gpu_close(struct gpu_arrays *g);
/* Enqueues copies of arrays to the GPU, all or those that are overwritten, and empties the L2
 * cache. */
int batch_gpu_load(const struct gpu_arrays *g, bool all);
#else
/* Without CUDA settings->resident_on_gpu is false. */
#define batch_gpu_open(g) -1
#define batch_gpu_close(g) (void)(g)
#define batch_gpu_load(g, all) -1
#define gpu_arrays_fetch(g) -1
#define cuda_peer_wait() -1
#define cuda_peer_reason() ""
#endif

#endif
