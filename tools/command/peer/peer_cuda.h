/*
 * The GPU peer: cuSOLVER and cuBLAS on the first GPU, on memory of its own; and what is known of
 * the GPUs here. Without CUDA in the build there are no GPUs.
 *
 * Functions that return int return 0, or a failure that cuda_peer_reason() puts into words.
 */
#ifndef PEER_CUDA_H
#define PEER_CUDA_H

#include "startile.h"

#include <stdbool.h>
#include <stddef.h>

struct gpu {
    char name[256];
    size_t memory, available; /* bytes */
    int major, minor;         /* compute capability */
};

/* What cusolverMg has of the routines here. */
enum mg_routine { MG_NONE, MG_POTRF, MG_GETRF };

struct problem;
struct peer_data;
enum cuda_step { CUDA_PREPARE, CUDA_RUN };
typedef int cuda_function(const struct problem *p, const struct peer_data *x, enum cuda_step step);

/* Arrays of a problem, in main memory and on a GPU */
enum { GPU_ARRAYS = 5 };
struct gpu_arrays {
    int count;
    struct gpu_array {
        void *in;  /* content before a run; NULL: none */
        void *out; /* results; NULL: it is not written */
        size_t bytes;
        void *device;
    } array[GPU_ARRAYS];
};

#ifdef STARTILE_HAVE_CUDA

/* GPUs that CUDA sees; 0 without a driver. */
int cuda_count(void);
int cuda_describe(int device, struct gpu *gpu);
/* "CUDA runtime 13.0, driver 13.0, cuBLAS 13.0.2, cuSOLVER 12.0.3" */
void cuda_versions(char *text, size_t size);

/* Handles and a stream; one peer at a time. */
int cuda_peer_open(void);
void cuda_peer_close(void);
const char *cuda_peer_name(void);
const char *cuda_peer_reason(void);

/* Page-locks host memory for transfers. */
int cuda_peer_pin(void *memory, size_t bytes);
void cuda_peer_unpin(void *memory);
int cuda_peer_alloc(void **device_memory, size_t bytes);
void cuda_peer_free(void *device_memory);
/* Enqueue; cuda_peer_wait() waits. */
int cuda_peer_to_device(void *device_memory, const void *memory, size_t bytes);
int cuda_peer_to_host(void *memory, const void *device_memory, size_t bytes);
int cuda_peer_wait(void);
/* All arrays: memory on the GPU; page-locks, or undoes that; enqueue copies, of all contents or of
 * those that are overwritten, and of results. */
int gpu_arrays_open(struct gpu_arrays *g);
void gpu_arrays_close(struct gpu_arrays *g);
void gpu_arrays_pin(const struct gpu_arrays *g, bool on);
int gpu_arrays_load(const struct gpu_arrays *g, bool all);
int gpu_arrays_fetch(const struct gpu_arrays *g);
/* Some finite values everywhere. */
int cuda_peer_fill(void *device_memory, startile_dtype dtype, size_t count);

/* LAPACK's, of the last routine, after cuda_peer_wait() */
int cuda_peer_info(void);

/* peer_cuda_calls.c: routines on a problem's operands in GPU memory. CUDA_PREPARE allocates the
 * workspace, which is kept until cuda_peer_close(); CUDA_RUN enqueues the call. Where cuSOLVER has
 * no such routine, help of `startile bench` says what stands in. */
cuda_function cuda_potrf, cuda_potrs, cuda_posv, cuda_getrf, cuda_getrf_nopiv, cuda_getrs,
    cuda_gesv, cuda_getri, cuda_geqrf, cuda_gelqf, cuda_gels, cuda_ormqr, cuda_orgqr, cuda_gemm,
    cuda_herk, cuda_trsm;

/* cusolverMg (peer_cuda_mg.c), which has one matrix at a time, m × n in the leading dimension m:
 * its block columns lie on the first GPUs in turn. potrf is of the lower triangle. All return when
 * it is done. */
enum { CUDA_MG_BLOCK = 512, CUDA_MG_GPUS = 16 };
/* Memory for the matrix and the workspace; cuda_mg_close() also after a failure. */
int cuda_mg_open(enum mg_routine routine, int gpus, startile_dtype dtype, int64_t m, int64_t n);
void cuda_mg_close(void);
const char *cuda_mg_name(void);
int cuda_mg_to_devices(const void *a);
/* ipiv: min(m, n) of them where the routine has any */
int cuda_mg_to_host(void *a, int64_t *ipiv);
int cuda_mg_factor(void);
/* LAPACK's, of the last factorization */
int cuda_mg_info(void);

#else

static inline int cuda_count(void)
{
    return 0;
}

#endif
#endif
