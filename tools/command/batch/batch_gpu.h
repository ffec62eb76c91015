/*
 * A batch in GPU memory, as cuBLAS takes it.
 */
#ifndef BATCH_GPU_H
#define BATCH_GPU_H

#include "batch.h"

struct gpu_batch {
    const struct batch_data *data;
    startile_dtype dtype;
    int m, n, k, count;
    void *array[OPERANDS];
    void **each[OPERANDS]; /* addresses of the matrices of an array of elements */
    int *ipiv, *info;      /* of all problems */
    int *host_ipiv;
    void *spare; /* results of getri, which does not work in place; or NULL */
    void **each_spare;
};

/* Functions that return int return 0, or −1 with cuda_peer_reason(). */
struct gpu_routine {
    const char *name, *does;
    char needs;                            /* 0: any shape; 'n': square matrices; 't': m >= n */
    int (*run)(const struct gpu_batch *x); /* enqueues */
};

/* batch_gpu_calls.c; ends with a row without a name. */
extern const struct gpu_routine gpu_routines[];

#endif
