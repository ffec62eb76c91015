/*
 * Runs of the peer of `startile bench`: types and functions shared by the devices that it runs on.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench.h"

/* The peer's runs of a problem or a batch. arrays: the problem's operands, pivots and tau, or the
 * arrays of the batch */
struct peer_run {
    const struct bench_settings *settings;
    const struct problem *problem;
    struct gpu_arrays arrays;
    bool keep; /* true: the check needs the results */
    char *reason;
    size_t size;  /* bytes of `reason` */
    int64_t info; /* LAPACK's info of the last run, if the device has no info() */
    /* Members for a problem */
    int count; /* number of operands */
    struct random_matrix description[MAX_OPERANDS];
    int64_t *ipiv;           /* row interchanges: input or result */
    void *tau;               /* scalars of the reflectors: input or result */
    struct peer_data device; /* operands where the peer runs */
    /* Members for a batch */
    struct batch_data *batch;
    int threads; /* threads of the CPU peer */
    struct team *team;
};

/* A device that runs the peer's routine. Functions return 0; after a failure not 0, with the reason
 * in run->reason or else in reason(). */
struct peer_device {
    bool takes_in_place; /* true: the routine runs on the operands in main memory, so timed runs
                            copy nothing */
    /* Allocates memory and workspace. */
    int (*open)(struct peer_run *run);
    /* Frees them; also after a failed open(). */
    void (*close)(struct peer_run *run);
    /* Copies operands to the device: all, or only those that the routine overwrites. */
    int (*load)(struct peer_run *run, bool all);
    /* Runs or enqueues the routine. */
    int (*run)(struct peer_run *run);
    /* Copies the results to main memory; NULL: they are already there. */
    int (*fetch)(struct peer_run *run);
    /* Waits for enqueued copies and runs; NULL: the device enqueues nothing. */
    int (*wait)(void);
    /* Returns LAPACK's info of the last run; NULL: run->info has it. */
    int (*info)(void);
    const char *(*reason)(void);
};

/* Formats the reason of a failure. Returns −1. */
__attribute__((format(printf, 2, 3))) int peer_fail(struct peer_run *run, const char *format, ...);
/* Opens the device, runs and times the peer, and closes the device. Returns 0; after a failure not
 * 0, with the reason in the run. */
int time_peer(const struct peer_device *d, struct peer_run *run, struct reference *reference);

/* Returns the rate in GFlop/s of C −= A B for matrices of order n, stored one after the other at
 * `a`; NaN after a failure. */
double gemm_rate_of(startile_dtype dtype, int64_t n, char *a,
                    int (*gemm)(startile_dtype dtype, int64_t n, void *a, void *b, void *c));

/* peer_cuda_bench.c, and for batches batch/batch_gpu_peer.c */
#ifdef STARTILE_HAVE_CUDA
/* Return the device for the problem; NULL: the vendor has no such routine, or the build has no
 * CUDA. */
const struct peer_device *gpu_device(const struct bench_settings *s, const struct problem *p);
const struct peer_device *batch_gpu_device(const struct problem *p);
/* Stores the peer's name, and why it uses one GPU if the library uses several; "" without a
 * peer. */
void name_gpu_peer(const struct bench_settings *s, const struct problem *p, char *name,
                   size_t size);
/* Returns the names of the vendor's batched routines; "" without a peer. */
const char *batch_gpu_peer_name(const struct problem *p);
/* Returns the gemm rate of one GPU in GFlop/s; NaN after a failure. */
double gemm_rate_on_gpu(startile_dtype dtype);
#else
#define gpu_device(s, p) NULL
#define name_gpu_peer(s, p, name, size) ((name)[0] = '\0')
#define gemm_rate_on_gpu(dtype) NAN
#endif

#endif
