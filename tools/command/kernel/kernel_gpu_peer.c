/*
 * The vendor's routines with which kernels are compared.
 */
#include "bench/bench.h"
#include "kernel.h"
#include "peer/peer_cuda_state.h"

#include <stdlib.h>
#include <string.h>

/* A trial as a problem and operands of `startile bench`, for the functions of peer_cuda_calls.c */
struct call {
    struct problem p;
    struct peer_data x;
};

/* Returns the call with the trial's arrays as operands, in order. */
static struct call call_of(const struct trial *t)
{
    struct call c = {.p = {.dtype = t->shape.dtype, .uplo = 'L', .size = t->shape.size}};
    for (int i = 0; i < t->arrays && i < MAX_OPERANDS; i++)
        c.x.matrix[i] = t->array[i].device;
    return c;
}

/* Returns the address of piece q. */
static void *piece_of(const struct array *a, int q)
{
    return (char *)a->device + (size_t)q * a->piece_bytes;
}

/* -- products ------------------------------------------------------------------------------- */

/* Enqueues C_q := C_q − op(A_q) op(B) for the pieces q >= first. */
static int multiply(const struct trial *t, const struct array *b, const struct array *c,
                    char transa, char transb, int first)
{
    const struct array *a = &t->array[0];
    const startile_dtype dtype = t->shape.dtype;
    const cudaDataType type = cuda_type(dtype);
    int failed = 0;
    for (int q = first; q < t->shape.pieces && !failed; q++)
        failed = CUBLAS(cublasGemmEx, cuda_peer.blas, cuda_operation(dtype, transa),
                        cuda_operation(dtype, transb), c->m, c->n, (int)t->shape.size.k,
                        cuda_scalar(dtype, -1), piece_of(a, q), type, a->m, b->device, type, b->m,
                        cuda_scalar(dtype, 1), piece_of(c, q), type, c->m, cuda_compute(dtype),
                        CUBLAS_GEMM_DEFAULT);
    return failed;
}

static int run_gemm(struct trial *t, enum cuda_step step)
{
    return step == CUDA_RUN &&
           multiply(t, &t->array[1], &t->array[2], t->shape.transa, t->shape.transb, 0);
}

/* Runs herk for the first piece, and gemm for the others of a group. */
static int run_herk(struct trial *t, enum cuda_step step)
{
    const struct call c = call_of(t);
    return cuda_herk(&c.p, &c.x, step) ||
           (step == CUDA_RUN && multiply(t, &t->array[0], &t->array[1], 'N', 'C', 1));
}

static int run_trsm(struct trial *t, enum cuda_step step)
{
    const startile_dtype dtype = t->shape.dtype;
    const struct array *l = &t->array[0], *b = &t->array[1];
    int failed = 0;
    for (int q = 0; q < t->shape.pieces && step == CUDA_RUN && !failed; q++)
        failed =
            CUBLAS_TYPED(dtype, trsm, cuda_peer.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER,
                         cuda_operation(dtype, 'C'), CUBLAS_DIAG_NON_UNIT, b->m, b->n,
                         cuda_scalar(dtype, 1), l->device, l->m, piece_of(b, q), b->m);
    return failed;
}

static int run_trsm_from_left(struct trial *t, enum cuda_step step)
{
    const startile_dtype dtype = t->shape.dtype;
    const struct array *l = &t->array[0], *b = &t->array[2];
    return step == CUDA_RUN &&
           CUBLAS_TYPED(dtype, trsm, cuda_peer.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER,
                        cuda_operation(dtype, 'N'), CUBLAS_DIAG_NON_UNIT, b->m, b->n,
                        cuda_scalar(dtype, 1), l->device, l->m, b->device, b->m);
}

/* -- factorizations ------------------------------------------------------------------------- */

static int run_potrf(struct trial *t, enum cuda_step step)
{
    const struct call c = call_of(t);
    return cuda_potrf(&c.p, &c.x, step);
}

/* Runs potrf, copies the factor to array 1, and inverts it there by trtri. */
static int run_potrf_inverse(struct trial *t, enum cuda_step step)
{
    const struct array *a = &t->array[0], *w = &t->array[1];
    const cudaDataType type = cuda_type(t->shape.dtype);
    const int64_t n = a->n;
    size_t device, host;
    if (run_potrf(t, step))
        return -1;
    if (step == CUDA_PREPARE)
        return CUSOLVER(cusolverDnXtrtri_bufferSize, cuda_peer.solver, CUBLAS_FILL_MODE_LOWER,
                        CUBLAS_DIAG_NON_UNIT, n, type, a->device, n, &device, &host) ||
               reserve_work(device, host);
    return CUDA(cudaMemcpyAsync(w->device, a->device, a->bytes, cudaMemcpyDeviceToDevice,
                                cuda_peer.stream)) ||
           CUSOLVER(cusolverDnXtrtri, cuda_peer.solver, CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_DIAG_NON_UNIT, n, type, w->device, n, cuda_peer.device_work,
                    cuda_peer.device_bytes, cuda_peer.host_work, cuda_peer.host_bytes,
                    cuda_peer.info + 1);
}

/* Runs getrf. getrf_nopiv has no array 1, so ipiv is NULL and cuSOLVER does not pivot. */
static int run_getrf(struct trial *t, enum cuda_step step)
{
    struct call c = call_of(t);
    c.x.ipiv = t->array[1].device;
    return cuda_getrf(&c.p, &c.x, step);
}

/* Runs geqrf, with tau in the array of the kernel's T. */
static int run_geqrf(struct trial *t, enum cuda_step step)
{
    struct call c = call_of(t);
    c.x.tau = t->array[1].device;
    return cuda_geqrf(&c.p, &c.x, step);
}

/* Allocates tau, and enqueues tau := diagonal of T. */
static int copy_tau(struct trial *t)
{
    const size_t size = dtype_size(t->shape.dtype), k = (size_t)t->shape.size.k;
    return cuda_peer_alloc(&t->peer_data, k * size) ||
           CUDA(cudaMemcpy2DAsync(t->peer_data, size, t->array[1].device, (k + 1) * size, size, k,
                                  cudaMemcpyDeviceToDevice, cuda_peer.stream));
}

/* Runs ormqr. Passes V's columns as n, because cuda_ormqr() applies min(m, n) reflectors. */
static int run_larfb(struct trial *t, enum cuda_step step)
{
    const struct array *v = &t->array[0], *c = &t->array[2];
    const struct problem p = {.dtype = t->shape.dtype, .size = {v->m, v->n, c->n}};
    if (step == CUDA_PREPARE && copy_tau(t))
        return -1;
    const struct peer_data x = {.matrix = {v->device, c->device}, .tau = t->peer_data};
    return cuda_ormqr(&p, &x, step);
}

/* -- moves ---------------------------------------------------------------------------------- */

/* Copies the interchanges to the GPU as int, which cuSOLVER takes. */
static int copy_pivots(struct trial *t)
{
    const size_t k = (size_t)t->shape.size.k, bytes = k * sizeof(int);
    const int64_t *pivots = t->array[1].integers;
    int *host = malloc(bytes);
    for (size_t j = 0; j < k && host; j++)
        host[j] = (int)pivots[j];
    int failed = library_check("malloc", host ? 0 : STARTILE_ERROR_MEMORY) ||
                 cuda_peer_alloc(&t->peer_data, bytes) ||
                 CUDA(cudaMemcpy(t->peer_data, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return failed;
}

static int run_laswp(struct trial *t, enum cuda_step step)
{
    const struct array *a = &t->array[0];
    if (step == CUDA_PREPARE)
        return copy_pivots(t);
    return CUSOLVER_TYPED(t->shape.dtype, laswp, cuda_peer.solver, a->n, a->device, a->m, 1,
                          (int)t->shape.size.k, t->peer_data, 1);
}

static int run_transpose(struct trial *t, enum cuda_step step)
{
    const startile_dtype dtype = t->shape.dtype;
    const struct array *a = &t->array[0], *b = &t->array[1];
    return step == CUDA_RUN &&
           CUBLAS_TYPED(dtype, geam, cuda_peer.blas, cuda_operation(dtype, 'C'), CUBLAS_OP_N, b->m,
                        b->n, cuda_scalar(dtype, 1), a->device, a->m, cuda_scalar(dtype, 0),
                        b->device, b->m, b->device, b->m);
}

static const struct kernel_peer peers[] = {
    {"gemm", "cuBLAS gemm", true, run_gemm},
    {"gemm_group", "cuBLAS gemm in a loop", true, run_gemm},
    {"herk", "cuBLAS herk, syrk", true, run_herk},
    {"herk_group", "cuBLAS herk, gemm in a loop", true, run_herk},
    {"trmm", "cuBLAS trsm", false, run_trsm},
    {"trmm_group", "cuBLAS trsm in a loop", false, run_trsm},
    {"trsm", "cuBLAS trsm", true, run_trsm},
    {"trsm_by_inverses", "cuBLAS trsm", true, run_trsm_from_left},
    {"potrf", "cuSOLVER potrf", true, run_potrf},
    {"potrf_inverse", "cuSOLVER potrf, trtri", true, run_potrf_inverse},
    {"getrf", "cuSOLVER getrf", true, run_getrf},
    {"getrf_nopiv", "cuSOLVER getrf", true, run_getrf},
    {"geqrf", "cuSOLVER geqrf, no T", true, run_geqrf},
    {"larfb", "cuSOLVER ormqr, unmqr", true, run_larfb},
    {"laswp", "cuSOLVER laswp", true, run_laswp},
    {"transpose", "cuBLAS geam", true, run_transpose},
};

const struct kernel_peer *kernel_peer_of(const struct kernel *k)
{
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (!strcmp(peers[i].kernel, k->name))
            return &peers[i];
    return NULL;
}
