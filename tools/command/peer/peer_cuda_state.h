/*
 * Handles, workspace and failure reason of the GPU peer, shared by its source files.
 */
#ifndef PEER_CUDA_STATE_H
#define PEER_CUDA_STATE_H

#include "peer_cuda.h"
#include "scalar.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

struct cuda_peer_state {
    cudaStream_t stream;
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    cusolverDnParams_t parameters;
    void *device_work, *host_work;
    size_t device_bytes, host_bytes;
    void *spare;      /* a transposed matrix in GPU memory, which is not part of the workspace */
    int *info;        /* in GPU memory: info of the factorization, and of the solve */
    char reason[160]; /* of the last failure */
};
extern struct cuda_peer_state cuda_peer;

/* Return 0 if `status` is a success; otherwise store the reason and return −1. */
int cuda_check(const char *call, cudaError_t status);
int library_check(const char *call, int status);

#define CUDA(call) cuda_check(#call, call)
#define CUBLAS(function, ...) library_check(#function, (int)function(__VA_ARGS__))
#define CUSOLVER(function, ...) library_check(#function, (int)function(__VA_ARGS__))

/* The vendor's routines by type: CUBLAS_TYPED(STARTILE_D, trsm, …) calls cublasDtrsm(…). Pointers
 * to elements are passed as void *. */
#define BY_TYPE(dtype, check, S, D, C, Z, ...)                                                     \
    ((dtype) == STARTILE_S   ? check(S, __VA_ARGS__)                                               \
     : (dtype) == STARTILE_D ? check(D, __VA_ARGS__)                                               \
     : (dtype) == STARTILE_C ? check(C, __VA_ARGS__)                                               \
                             : check(Z, __VA_ARGS__))
#define CUBLAS_TYPED(dtype, name, ...)                                                             \
    BY_TYPE(dtype, CUBLAS, cublasS##name, cublasD##name, cublasC##name, cublasZ##name, __VA_ARGS__)
#define CUSOLVER_TYPED(dtype, name, ...)                                                           \
    BY_TYPE(dtype, CUSOLVER, cusolverDnS##name, cusolverDnD##name, cusolverDnC##name,              \
            cusolverDnZ##name, __VA_ARGS__)

/* An array whose read evicts all others from the L2 cache: opens and closes it, and enqueues a read
 * by cuBLAS's nrm2. (peer_cuda_flood.c) */
int cuda_flood_open(void);
void cuda_flood_close(void);
int cuda_flood_read(void);

cudaDataType cuda_type(startile_dtype dtype);
cublasComputeType_t cuda_compute(startile_dtype dtype);
cublasOperation_t cuda_operation(startile_dtype dtype, char trans);
/* Returns the address, in host memory, of −1, 0 or 1 in the type. */
const void *cuda_scalar(startile_dtype dtype, int value);
/* Enlarges the workspaces on GPU and host to at least these sizes. */
int reserve_work(size_t device_bytes, size_t host_bytes);

#endif
