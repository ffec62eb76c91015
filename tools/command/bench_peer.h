/*
 * The peer's runs of a problem of `startile bench`: what its devices share.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench.h"

struct race {
    const struct bench_settings *settings;
    const struct problem *problem;
    int count;
    struct random_matrix describe[MAX_OPERANDS];
    void *in[MAX_OPERANDS];  /* the routine's operands */
    void *out[MAX_OPERANDS]; /* its results */
    int64_t *ipiv;           /* row interchanges: input or result */
    void *tau;               /* the same for reflectors */
    struct peer_data device; /* operands where the peer runs */
    int64_t info;            /* of the CPU peer */
    bool keep;               /* the check needs the results */
    char *reason;
    size_t size;
};

/* A device that runs the peer's routine. Functions return 0, or −1 with the reason in the race. */
struct peer_device {
    bool takes_in_place; /* operands in main memory are never copied in timed runs */
    /* Allocates memory and workspace. */
    int (*open)(struct race *race);
    /* Also after a failure. */
    void (*close)(struct race *race);
    /* Copies operands to the device: all, or those that the routine overwrites. */
    int (*load)(struct race *race, bool all);
    int (*run)(struct race *race);
    /* Copies the results to main memory. */
    int (*fetch)(struct race *race);
    /* Waits for the copies and runs that are enqueued. */
    int (*wait)(struct race *race);
    /* Returns LAPACK's info of the last run. */
    int64_t (*info)(struct race *race);
};

__attribute__((format(printf, 2, 3))) int race_fail(struct race *race, const char *format, ...);
size_t race_ipiv_bytes(const struct race *race, size_t size);
size_t race_tau_bytes(const struct race *race);

/* Returns the rate in GFlop/s of C −= A B for matrices of order n, one after the other at a. */
double gemm_rate_of(startile_dtype dtype, int64_t n, char *a,
                    int (*gemm)(startile_dtype dtype, int64_t n, void *a, void *b, void *c));

/* bench_peer_gpu.c. NULL: this build has none. */
const struct peer_device *gpu_device(const struct bench_settings *s, const struct problem *p);
/* Returns the rate of one GPU, or NaN. */
double gemm_rate_on_gpu(startile_dtype dtype);
/* Writes the name of the peer on GPUs, and why it is one GPU where the library is given several. */
void name_gpu_peer(const struct bench_settings *s, const struct problem *p, char *name,
                   size_t size);

#endif
