/*
 * Batches of `startile bench`.
 *
 * The arrays of a batch hold one matrix a problem, one behind the other without gaps, and for each
 * array there is its content before a run.
 */
#ifndef BATCH_H
#define BATCH_H

#include "bench_lapack.h"
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

/* -- runs ------------------------------------------------------------------------------------ */

struct batch_times {
    double median, least, most;
};

/* Times `repeats` runs after one that warms up. work() returns the seconds of what is timed, or
 * below 0 after a failure. */
bool batch_time(int repeats, double (*work)(void *argument), void *argument,
                struct batch_times *times);

/* batch_library.c: times the library's runs; leaves the results of the last one in d->now. */
bool batch_run_library(const struct bench_settings *s, struct batch_data *d, struct row *row);

/* batch_gpu.c. Functions that return int return 0, or −1 with batch_gpu_reason(). */
int batch_gpu_alloc(const struct batch_data *d, void **device);
void batch_gpu_free(void **device);
/* Copies all arrays as they were before the first run to `device`, and empties the L2 cache. */
int batch_gpu_restore(const struct batch_data *d, void *const *device);
/* Copies the arrays that the routine writes from `device` to d->now. */
int batch_gpu_fetch(struct batch_data *d, void *const *device);
const char *batch_gpu_reason(void);
/* batch_gpu_peer.c: the vendor's batched routine */
void batch_race_gpu(const struct bench_settings *s, struct batch_data *d, struct team *team,
                    struct row *row);

#endif
