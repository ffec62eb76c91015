/*
 * The peer's runs of a problem of `startile bench`: what its devices share.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench.h"

/* The arrays are a problem's operands, pivots and tau, or those of a batch. */
struct race {
    const struct bench_settings *settings;
    const struct problem *problem;
    struct gpu_arrays arrays;
    bool keep; /* the check needs the results */
    char *reason;
    size_t size;
    int64_t info; /* of the last run, if the device has no info() */
    /* A problem */
    int count; /* operands */
    struct random_matrix describe[MAX_OPERANDS];
    int64_t *ipiv;           /* row interchanges: input or result */
    void *tau;               /* the same for reflectors */
    struct peer_data device; /* where the peer runs */
    /* A batch */
    struct batch_data *batch;
    int threads; /* of the CPU peer */
    struct team *team;
};

/* A device that runs the peer's routine. Functions return 0, or −1 with a reason in the race or in
 * reason(). */
struct peer_device {
    bool takes_in_place; /* operands in main memory are never copied in timed runs */
    /* Allocates memory and workspace. */
    int (*open)(struct race *race);
    /* Also after a failure. */
    void (*close)(struct race *race);
    /* Copies operands to the device: all, or those that the routine overwrites. */
    int (*load)(struct race *race, bool all);
    int (*run)(struct race *race);
    /* Copies the results to main memory; NULL: they are there. */
    int (*fetch)(struct race *race);
    /* Waits for the copies and runs that are enqueued; NULL: none are. */
    int (*wait)(void);
    /* Returns LAPACK's info of the last run. */
    int (*info)(void);
    const char *(*reason)(void);
};

__attribute__((format(printf, 2, 3))) int race_fail(struct race *race, const char *format, ...);
/* Runs and times the peer. Returns 0, or −1 with the reason in the race. */
int race_run(const struct peer_device *d, struct race *race, struct reference *reference);

/* Returns the rate in GFlop/s of C −= A B for matrices of order n, one after the other at a. */
double gemm_rate_of(startile_dtype dtype, int64_t n, char *a,
                    int (*gemm)(startile_dtype dtype, int64_t n, void *a, void *b, void *c));

/* peer_cuda_bench.c, and for batches batch/batch_gpu_peer.c */
#ifdef STARTILE_HAVE_CUDA
/* NULL: the vendor has no such routine. */
const struct peer_device *gpu_device(const struct bench_settings *s, const struct problem *p);
const struct peer_device *batch_gpu_device(const struct problem *p);
/* Writes the name of the peer, and why it is one GPU where the library is given several; "" for
 * none. */
void name_gpu_peer(const struct bench_settings *s, const struct problem *p, char *name,
                   size_t size);
const char *batch_gpu_peer(const struct problem *p);
/* Returns the rate of one GPU, or NaN. */
double gemm_rate_on_gpu(startile_dtype dtype);
#else
#define gpu_device(s, p) NULL
#define name_gpu_peer(s, p, name, size) ((name)[0] = '\0')
#define gemm_rate_on_gpu(dtype) NAN
#endif

#endif
