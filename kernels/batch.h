/*
 * Interface between codelets and kernels for batches: one function per operation on many small
 * matrices or vectors. All types and devices have the same signatures. Each type and device has one
 * table of functions.
 *
 * As in kernels.h, matrices are column-major and flags are LAPACK's capital letters. The caller has
 * checked flags and shapes. Every dimension and the number of matrices may be 0. CPU kernels
 * compute before they return. CUDA kernels enqueue on the stream of their startile_exec and return
 * at once. The result is 0 or a startile_error. A matrix that contains NaN, or is singular or
 * indefinite, changes no bit of the other matrices' results.
 */
#ifndef STARTILE_BATCH_KERNELS_H
#define STARTILE_BATCH_KERNELS_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The matrices of a batch, numbered from 0. The matrices and the arrays `each` and `sizes` are in
 * the memory of the device that runs the kernel. A vector of length n and increment ld is a matrix
 * of one row. */
typedef struct {
    void *a;           /* first matrix; not used unless each is NULL */
    int64_t stride;    /* elements from one matrix to the next; 0: one matrix, which is only read,
                          serves the whole batch */
    void *const *each; /* addresses of the matrices, or NULL */
    int m, n, ld;      /* dimensions of every matrix; with sizes, the largest m and the largest n */
    const int *sizes;  /* m, n, ld of matrix q begin at sizes[3 q]; NULL: m, n, ld hold for all */
} startile_matrices;

/* Table of the batch kernels of one type and device. Arguments that several kernels share: `count`
 * is the number of matrices of each operand. info[q] is LAPACK's info of matrix q; the kernel
 * writes info[0 … count − 1]. `factor_info` is the info array of an earlier factorization, or NULL.
 * If factor_info[q] ≠ 0, the kernel skips matrix q and leaves its right-hand sides unchanged. */
typedef struct startile_batch_kernels {
#define BATCH_KERNEL(name, parameters) int(*name) parameters;
#include "batch_list.h"
} startile_batch_kernels;

/* Tables of functions, indexed by startile_dtype */
extern const startile_batch_kernels *const startile_cpu_batch_kernels[4];
extern const startile_batch_kernels *const startile_cuda_batch_kernels[4];

#ifdef __cplusplus
}
#endif
#endif
