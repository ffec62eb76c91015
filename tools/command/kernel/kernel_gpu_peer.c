/*
 * The vendor's routines beside which kernels are measured.
 */
#include "cuda_typed.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

struct call {
    startile_dtype dtype;
    int m, n, k;
    void *p[OPERANDS];
};

static struct call call_of(const struct trial *t)
{
    struct call c = {
        t->shape.dtype, (int)t->shape.size.m, (int)t->shape.size.n, (int)t->shape.size.k, {NULL}};
    for (int i = 0; i < t->arrays; i++)
        c.p[i] = t->array[i].device;
    return c;
}

static void *piece_of(const struct array *a, int q)
{
    return (char *)a->device + (size_t)q * a->piece_bytes;
}

/* -- products ------------------------------------------------------------------------------- */

/* C_q := C_q − op(A_q) op(B) for pieces from `first` on */
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
                        cuda_scalar(dtype, 1), piece_of(c, q), type, c->m,
                        dtype_is_single(dtype) ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F,
                        CUBLAS_GEMM_DEFAULT);
    return failed;
}

static int run_gemm(struct trial *t)
{
    return multiply(t, &t->array[1], &t->array[2], t->shape.transa, t->shape.transb, 0);
}

static int run_herk(struct trial *t)
{
    const struct call c = call_of(t);
    return cuda_peer_herk(c.dtype, 'L', c.n, c.k, c.p[0], c.p[1]) ||
           multiply(t, &t->array[0], &t->array[1], 'N', 'C', 1);
}

static int run_trsm(struct trial *t)
{
    const struct call c = call_of(t);
    int failed = 0;
    for (int q = 0; q < t->shape.pieces && !failed; q++)
        failed =
            CUBLAS_TYPED(c.dtype, trsm, cuda_peer.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER,
                         cuda_operation(c.dtype, 'C'), CUBLAS_DIAG_NON_UNIT, c.m, c.n,
                         cuda_scalar(c.dtype, 1), c.p[0], c.n, piece_of(&t->array[1], q), c.m);
    return failed;
}

/* -- factorizations ------------------------------------------------------------------------- */

static int prepare_potrf(struct trial *t)
{
    return cuda_peer_prepare_potrf(t->shape.dtype, 'L', t->shape.size.n, t->array[0].device);
}

static int run_potrf(struct trial *t)
{
    return cuda_peer_potrf(t->shape.dtype, 'L', t->shape.size.n, t->array[0].device);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Workspace for potrf, too */
static int prepare_potrf_inverse(struct trial *t)
{
    const struct call c = call_of(t);
    size_t factor[2], inverse[2];
    cudaDataType type = cuda_type(c.dtype);
    return CUSOLVER(cusolverDnXpotrf_bufferSize, cuda_peer.solver, cuda_peer.parameters,
                    CUBLAS_FILL_MODE_LOWER, c.n, type, c.p[0], c.n, type, &factor[0], &factor[1]) ||
           CUSOLVER(cusolverDnXtrtri_bufferSize, cuda_peer.solver, CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_DIAG_NON_UNIT, c.n, type, c.p[0], c.n, &inverse[0], &inverse[1]) ||
           reserve_work(larger(factor[0], inverse[0]), larger(factor[1], inverse[1]));
}

static int run_potrf_inverse(struct trial *t)
{
    const struct call c = call_of(t);
    return run_potrf(t) ||
           CUDA(cudaMemcpyAsync(c.p[1], c.p[0], t->array[0].bytes, cudaMemcpyDeviceToDevice,
                                cuda_peer.stream)) ||
           CUSOLVER(cusolverDnXtrtri, cuda_peer.solver, CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_DIAG_NON_UNIT, c.n, cuda_type(c.dtype), c.p[1], c.n,
                    cuda_peer.device_work, cuda_peer.device_bytes, cuda_peer.host_work,
                    cuda_peer.host_bytes, cuda_peer.info + 1);
}

static int prepare_getrf(struct trial *t)
{
    const struct array *a = &t->array[0];
    return cuda_peer_prepare_getrf(t->shape.dtype, a->m, a->n, a->device);
}

/* Without an array of pivots there is no pivoting. */
static int run_getrf(struct trial *t)
{
    const struct array *a = &t->array[0];
    return cuda_peer_getrf(t->shape.dtype, a->m, a->n, a->device, t->array[1].device);
}

/* tau lies where the kernel's T does. */
static int prepare_geqrf(struct trial *t)
{
    const struct call c = call_of(t);
    return cuda_peer_prepare_geqrf(c.dtype, c.m, c.n, c.p[0], c.p[1]);
}

static int run_geqrf(struct trial *t)
{
    const struct call c = call_of(t);
    return cuda_peer_geqrf(c.dtype, c.m, c.n, c.p[0], c.p[1]);
}

/* tau is the diagonal of T. */
static int prepare_larfb(struct trial *t)
{
    const struct call c = call_of(t);
    const size_t size = dtype_size(c.dtype), k = (size_t)c.k;
    return cuda_peer_alloc(&t->peer_data, k * size) ||
           CUDA(cudaMemcpy2DAsync(t->peer_data, size, c.p[1], (k + 1) * size, size, k,
                                  cudaMemcpyDeviceToDevice, cuda_peer.stream)) ||
           cuda_peer_prepare_ormqr(c.dtype, c.m, c.n, c.k, c.p[0], t->peer_data, c.p[2]);
}

static int run_larfb(struct trial *t)
{
    const struct call c = call_of(t);
    return cuda_peer_ormqr(c.dtype, 'C', c.m, c.n, c.k, c.p[0], t->peer_data, c.p[2]);
}

/* -- moves ---------------------------------------------------------------------------------- */

/* cuSOLVER's interchanges are int. */
static int prepare_laswp(struct trial *t)
{
    const size_t k = (size_t)t->shape.size.k, bytes = k * sizeof(int);
    const int64_t *pivots = t->array[1].before;
    int *host = malloc(bytes);
    for (size_t j = 0; j < k && host; j++)
        host[j] = (int)pivots[j];
    int failed = library_check("malloc", host ? 0 : STARTILE_ERROR_MEMORY) ||
                 cuda_peer_alloc(&t->peer_data, bytes) ||
                 CUDA(cudaMemcpy(t->peer_data, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return failed;
}

static int run_laswp(struct trial *t)
{
    const struct call c = call_of(t);
    return CUSOLVER_TYPED(c.dtype, laswp, cuda_peer.solver, c.n, c.p[0], c.m, 1, c.k, t->peer_data,
                          1);
}

static int run_transpose(struct trial *t)
{
    const startile_dtype dtype = t->shape.dtype;
    const struct array *a = &t->array[0], *b = &t->array[1];
    return CUBLAS_TYPED(dtype, geam, cuda_peer.blas, cuda_operation(dtype, 'C'), CUBLAS_OP_N, b->m,
                        b->n, cuda_scalar(dtype, 1), a->device, a->m, cuda_scalar(dtype, 0),
                        b->device, b->m, b->device, b->m);
}

static const struct kernel_peer peers[] = {
    {"gemm", "cuBLAS gemm", true, run_gemm, NULL},
    {"gemm_group", "cuBLAS gemm in a loop", true, run_gemm, NULL},
    {"herk", "cuBLAS herk, syrk", true, run_herk, NULL},
    {"herk_group", "cuBLAS herk, gemm in a loop", true, run_herk, NULL},
    {"trmm", "cuBLAS trsm", false, run_trsm, NULL},
    {"trmm_group", "cuBLAS trsm in a loop", false, run_trsm, NULL},
    {"trsm", "cuBLAS trsm", true, run_trsm, NULL},
    {"potrf", "cuSOLVER potrf", true, run_potrf, prepare_potrf},
    {"potrf_inverse", "cuSOLVER potrf, trtri", false, run_potrf_inverse, prepare_potrf_inverse},
    {"getrf", "cuSOLVER getrf", true, run_getrf, prepare_getrf},
    {"getrf_nopiv", "cuSOLVER getrf", true, run_getrf, prepare_getrf},
    {"geqrf", "cuSOLVER geqrf, no T", false, run_geqrf, prepare_geqrf},
    {"larfb", "cuSOLVER ormqr, unmqr", true, run_larfb, prepare_larfb},
    {"laswp", "cuSOLVER laswp", true, run_laswp, prepare_laswp},
    {"transpose", "cuBLAS geam", true, run_transpose, NULL},
};

const struct kernel_peer *kernel_peer_of(const struct kernel *k)
{
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (!strcmp(peers[i].kernel, k->name))
            return &peers[i];
    return NULL;
}
