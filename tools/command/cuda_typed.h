/*
 * Calls of the vendor's routines by type: CUBLAS_TYPED(STARTILE_D, trsm, …) calls cublasDtrsm(…).
 * Pointers to elements are passed as void *. Values are 0, or −1 with cuda_peer_reason().
 */
#ifndef CUDA_TYPED_H
#define CUDA_TYPED_H

#include "peer_cuda_state.h"
#include "scalar.h"

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

#endif
