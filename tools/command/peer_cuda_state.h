/*
 * Handles, workspace and failures of the GPU peer, which its sources share.
 */
#ifndef PEER_CUDA_STATE_H
#define PEER_CUDA_STATE_H

#include "peer_cuda.h"

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
    void *spare; /* on the device, beside the workspace: a transposed matrix */
    int *info;   /* on the device: of the factorization, of the solve */
    char reason[160];
};
extern struct cuda_peer_state cuda_peer;

/* 0, or −1 with the reason kept. */
int cuda_check(const char *call, cudaError_t status);
int library_check(const char *call, int status);

#define CUDA(call) cuda_check(#call, call)
#define CUBLAS(function, ...) library_check(#function, (int)function(__VA_ARGS__))
#define CUSOLVER(function, ...) library_check(#function, (int)function(__VA_ARGS__))

cudaDataType cuda_type(startile_dtype dtype);
cublasOperation_t cuda_operation(startile_dtype dtype, char trans);
/* Returns −1, 0 or 1 in the type, on the host. */
const void *cuda_scalar(startile_dtype dtype, int value);
/* Replaces the workspace and the spare matrix. */
int reserve_work(size_t device_bytes, size_t host_bytes);

#endif
