/*
 * What the parts of the GPU peer of batches share.
 */
#ifndef BATCH_GPU_H
#define BATCH_GPU_H

#include "batch.h"
#include "peer_cuda_state.h"

/* In GPU memory, as cuBLAS takes it */
struct gpu_batch {
    const struct batch_data *data;
    int m, n, k, count;
    void *array[BATCH_ARRAYS];
    void **each[BATCH_ARRAYS]; /* where each matrix of an array of elements begins */
    int *ipiv, *info;          /* of all problems */
    void *spare;               /* results of what does not work in place, for array 0, or NULL */
    void **each_spare;
};

/* Functions that return int return 0, or −1 with cuda_peer_reason(). */
struct gpu_routine {
    const char *name, *does;
    bool (*has)(const struct batch_case *c); /* NULL: all of one size */
    bool in_spare;                           /* its result is there */
    int (*run)(const struct gpu_batch *x);   /* enqueues */
};

/* Each ends with an entry without a name. */
extern const struct gpu_routine gpu_matrix_routines[], gpu_vector_routines[];

/* A loop of calls ends there, and its time is taken for a part. */
enum { MOST_GPU_CALLS = 10000 };

#endif
