/*
 * The GPU peer: cuSOLVER and cuBLAS on the first GPU, with GPU memory of their own. Also properties
 * of this machine's GPUs. A build without CUDA has no GPUs.
 *
 * Functions that return int, except counts and info, return 0; after a failure not 0, with the
 * reason in cuda_peer_reason().
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

/* Routines of cusolverMg that the peer uses; MG_NONE: none of them */
enum mg_routine { MG_NONE, MG_POTRF, MG_GETRF };

struct problem;
struct peer_data;
/* Step of a routine: CUDA_PREPARE allocates its workspace, CUDA_RUN enqueues it. */
enum cuda_step { CUDA_PREPARE, CUDA_RUN };
/* p: sizes and type; x: operands in GPU memory */
typedef int cuda_function(const struct problem *p, const struct peer_data *x, enum cuda_step step);

/* Arrays of a problem, in main memory and on a GPU */
enum { GPU_ARRAYS = 5 };
struct gpu_arrays {
    int count;
    struct gpu_array {
        void *in;  /* content before a run; NULL: none */
        void *out; /* destination of the results; NULL: the routine does not write the array */
        size_t bytes;
        void *device;
    } array[GPU_ARRAYS];
};

#ifdef STARTILE_HAVE_CUDA

/* Returns the number of GPUs that CUDA sees; 0 without a driver. */
int cuda_count(void);
/* Selects the device, and stores its properties. */
int cuda_describe(int device, struct gpu *gpu);
/* Stores a text such as "runtime 13.0, cuBLAS 13.0.2, cuSOLVER 12.0.3, driver for 13.0". */
void cuda_versions(char *text, size_t size);

/* Creates a stream and handles on the first GPU. One peer can be open at a time. */
int cuda_peer_open(void);
void cuda_peer_close(void);
/* Returns the name and version of cuSOLVER. */
const char *cuda_peer_name(void);
const char *cuda_peer_reason(void);

/* Page-locks host memory, for faster transfers. */
int cuda_peer_pin(void *memory, size_t bytes);
void cuda_peer_unpin(void *memory);
int cuda_peer_alloc(void **device_memory, size_t bytes);
void cuda_peer_free(void *device_memory);
/* Enqueue a copy. cuda_peer_wait() waits for it. */
int cuda_peer_to_device(void *device_memory, const void *memory, size_t bytes);
int cuda_peer_to_host(void *memory, const void *device_memory, size_t bytes);
int cuda_peer_wait(void);
/* Operate on all arrays. open() allocates GPU memory, which close() frees. pin() page-locks `in`
 * and `out`, or undoes that if not `on`. load() enqueues copies of `in` to the GPU, for all arrays
 * or only for those that have `out`. fetch() enqueues copies of the results to `out`. */
int gpu_arrays_open(struct gpu_arrays *g);
void gpu_arrays_close(struct gpu_arrays *g);
void gpu_arrays_pin(const struct gpu_arrays *g, bool on);
int gpu_arrays_load(const struct gpu_arrays *g, bool all);
int gpu_arrays_fetch(const struct gpu_arrays *g);
/* Fills `count` elements of GPU memory with finite values. */
int cuda_peer_fill(void *device_memory, startile_dtype dtype, size_t count);

/* Returns LAPACK's info of the last routine. Must be called after cuda_peer_wait(). */
int cuda_peer_info(void);

/* peer_cuda_calls.c: routines on a problem's operands in GPU memory. CUDA_PREPARE allocates the
 * workspace, which is kept until cuda_peer_close(); CUDA_RUN enqueues the call. `startile bench
 * --help` names the routines that stand in where cuSOLVER has none. */
cuda_function cuda_potrf, cuda_potrs, cuda_posv, cuda_potri, cuda_sytrf, cuda_sysv, cuda_getrf,
    cuda_getrf_nopiv, cuda_getrs, cuda_gesv, cuda_gesv_refined, cuda_getri, cuda_geqrf, cuda_gelqf,
    cuda_gels, cuda_ormqr, cuda_orgqr, cuda_gemm, cuda_herk, cuda_trsm;

/* cusolverMg (peer_cuda_mg.c). It holds one m × n matrix of leading dimension m, whose block
 * columns are on the first GPUs in turn. potrf takes the lower triangle. All functions are
 * synchronous. */
enum { CUDA_MG_BLOCK = 512, CUDA_MG_GPUS = 16 };
/* Allocates the matrix and the workspace. cuda_mg_close() must follow, even after a failure. */
int cuda_mg_open(enum mg_routine routine, int gpus, startile_dtype dtype, int64_t m, int64_t n);
void cuda_mg_close(void);
const char *cuda_mg_name(void);
int cuda_mg_to_devices(const void *a);
/* Copies the result to `a`, and for getrf min(m, n) pivots to ipiv. */
int cuda_mg_to_host(void *a, int64_t *ipiv);
int cuda_mg_factor(void);
/* Returns LAPACK's info of the last factorization. */
int cuda_mg_info(void);

#else

static inline int cuda_count(void)
{
    return 0;
}

#endif
#endif
