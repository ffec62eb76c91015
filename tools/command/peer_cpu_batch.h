/*
 * The CPU peer of batches: LAPACK and BLAS on one small problem, called by many threads at a time,
 * each with workspace of its own, after cpu_peer_set_threads(1). Leading dimensions are tight, info
 * is LAPACK's; potrf, potrs, posv, gemm and trsm are peer_cpu.h's.
 */
#ifndef PEER_CPU_BATCH_H
#define PEER_CPU_BATCH_H

#include "startile.h"

#include <stdbool.h>

struct peer_work {
    void *memory;
    int elements;
    int *ipiv; /* as LAPACK has it */
};

/* For problems of up to n columns and right-hand sides; whether there was memory */
bool peer_work_open(struct peer_work *work, startile_dtype dtype, int64_t n);
void peer_work_close(struct peer_work *work);

/* All that is below; after cpu_peer_load() */
bool cpu_peer_batch_load(void);

/* ipiv: min(m, n) integers, 1-based */
int64_t cpu_batch_getrf(startile_dtype dtype, int m, int n, void *a, int64_t *ipiv,
                        struct peer_work *work);
int64_t cpu_batch_getrs(startile_dtype dtype, int n, int nrhs, const void *a, const int64_t *ipiv,
                        void *b, struct peer_work *work);
int64_t cpu_batch_gesv(startile_dtype dtype, int n, int nrhs, void *a, int64_t *ipiv, void *b,
                       struct peer_work *work);
int64_t cpu_batch_getri(startile_dtype dtype, int n, void *a, const int64_t *ipiv,
                        struct peer_work *work);
int64_t cpu_batch_geqrf(startile_dtype dtype, int m, int n, void *a, void *tau,
                        struct peer_work *work);
/* C := Qᴴ C for m × n C and k reflectors */
int64_t cpu_batch_ormqr(startile_dtype dtype, int m, int n, int k, const void *a, const void *tau,
                        void *c, struct peer_work *work);
int64_t cpu_batch_gels(startile_dtype dtype, int m, int n, int nrhs, void *a, void *b,
                       struct peer_work *work);

/* Vectors without gaps. *result of the real type, but for dot, which is dotc for complex types */
void cpu_batch_nrm2(startile_dtype dtype, int n, const void *x, void *result);
void cpu_batch_asum(startile_dtype dtype, int n, const void *x, void *result);
void cpu_batch_dot(startile_dtype dtype, int n, const void *x, const void *y, void *result);
/* 1-based */
int64_t cpu_batch_iamax(startile_dtype dtype, int n, const void *x);
/* alpha is real */
void cpu_batch_scal(startile_dtype dtype, int n, double alpha, void *x);
void cpu_batch_axpy(startile_dtype dtype, int n, double alpha, const void *x, void *y);

#endif
