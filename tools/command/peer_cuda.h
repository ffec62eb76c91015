/*
 * The GPU peer: cuSOLVER and cuBLAS on the first GPU, on memory of its own; and what is known of
 * the GPUs here. Without CUDA in the build there are no GPUs.
 *
 * Functions that return int return 0, or a failure that cuda_peer_reason() puts into words.
 */
#ifndef PEER_CUDA_H
#define PEER_CUDA_H

#include "startile.h"

#include <stddef.h>

struct gpu {
    char name[256];
    size_t memory, available; /* bytes */
    int major, minor;         /* compute capability */
};

/* What cusolverMg has of the routines here. */
enum mg_routine { MG_NONE, MG_POTRF, MG_GETRF };

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
/* Some finite values everywhere. */
int cuda_peer_fill(void *device_memory, startile_dtype dtype, size_t count);

/* Workspace for a routine; kept until cuda_peer_close(). */
int cuda_peer_prepare_potrf(startile_dtype dtype, char uplo, int64_t n, const void *a);
int cuda_peer_prepare_getrf(startile_dtype dtype, int64_t m, int64_t n, const void *a);
int cuda_peer_prepare_getri(startile_dtype dtype, int64_t n);
/* As cpu_peer_...(): enqueue. LAPACK's info comes from cuda_peer_info() after cuda_peer_wait(). */
int cuda_peer_potrf(startile_dtype dtype, char uplo, int64_t n, void *a);
int cuda_peer_potrs(startile_dtype dtype, char uplo, int64_t n, int64_t nrhs, const void *a,
                    void *b);
/* ipiv NULL: no pivoting */
int cuda_peer_getrf(startile_dtype dtype, int64_t m, int64_t n, void *a, int64_t *ipiv);
int cuda_peer_getrs(startile_dtype dtype, int64_t n, int64_t nrhs, const void *a,
                    const int64_t *ipiv, void *b);
/* From the factors. cuSOLVER has no such routine: getrs on the identity, copied over A. */
int cuda_peer_getri(startile_dtype dtype, int64_t n, void *a, const int64_t *ipiv);
int cuda_peer_gemm(startile_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                   const void *b, void *c);
int cuda_peer_herk(startile_dtype dtype, char uplo, int64_t n, int64_t k, const void *a, void *c);
/* B := op(A)⁻¹ B with a triangular A; trans 'N' or 'C' */
int cuda_peer_trsm(startile_dtype dtype, char uplo, char trans, int64_t n, int64_t nrhs,
                   const void *a, int64_t lda, void *b, int64_t ldb);
int cuda_peer_info(void);

/* QR, in peer_cuda_qr.c; tau is in GPU memory too. C := op(Q) C for m × n C and k reflectors, trans
 * 'N' or 'C', in the leading dimension m of all. */
int cuda_peer_prepare_geqrf(startile_dtype dtype, int64_t m, int64_t n, const void *a,
                            const void *tau);
int cuda_peer_prepare_ormqr(startile_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                            const void *tau, const void *c);
int cuda_peer_prepare_orgqr(startile_dtype dtype, int64_t m, int64_t n, const void *a,
                            const void *tau);
int cuda_peer_geqrf(startile_dtype dtype, int64_t m, int64_t n, void *a, void *tau);
int cuda_peer_ormqr(startile_dtype dtype, char trans, int64_t m, int64_t n, int64_t k,
                    const void *a, const void *tau, void *c);
int cuda_peer_orgqr(startile_dtype dtype, int64_t m, int64_t n, void *a, const void *tau);
/* cuSOLVER has no such routines. gelqf: Aᴴ, its geqrf, and back. gels: geqrf of A or Aᴴ, ormqr and
 * trsm. */
int cuda_peer_prepare_gelqf(startile_dtype dtype, int64_t m, int64_t n, const void *a,
                            const void *tau);
int cuda_peer_prepare_gels(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, const void *a,
                           const void *tau, const void *b);
int cuda_peer_gelqf(startile_dtype dtype, int64_t m, int64_t n, void *a, void *tau);
int cuda_peer_gels(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, void *a, void *tau,
                   void *b);

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
