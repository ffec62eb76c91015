/*
 * A batch in GPU memory, in the form that cuBLAS takes.
 */
#ifndef BATCH_GPU_H
#define BATCH_GPU_H

#include "batch.h"

/* The batch on which the functions of batch_gpu_calls.c work, their argument x */
struct gpu_batch {
    const struct batch_data *data;
    startile_dtype dtype;
    int m, n, k, count;
    void *array[OPERANDS];
    void **pointers[OPERANDS]; /* in GPU memory: addresses of an array's matrices; only for arrays
                                  of the type ELEMENTS */
    int *ipiv, *info;          /* of all problems, in GPU memory */
    int *host_ipiv;            /* the pivots as int in main memory */
    void *spare;               /* results of getri, which does not work in place; or NULL */
    void **spare_pointers;
};

/* A batched routine of the vendor */
struct gpu_routine {
    const char *name, *description;
    char needs; /* 0: any shape; 'n': square matrices; 't': m >= n */
    /* Enqueues the routine. Returns 0; after a failure not 0, with the reason in
     * cuda_peer_reason(). */
    int (*run)(const struct gpu_batch *x);
};

/* Table of the routines (batch_gpu_calls.c); its last row has no name. */
extern const struct gpu_routine gpu_routines[];

#endif
