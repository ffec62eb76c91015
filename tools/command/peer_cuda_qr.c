/*
 * QR of the GPU peer. cuSOLVER's routines for reflectors have 32-bit sizes and a name each type.
 */
#include "cuda_typed.h"
#include "scalar.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* -- workspaces ----------------------------------------------------------------------------- */

static int query_geqrf(startile_dtype dtype, int64_t m, int64_t n, const void *a, const void *tau,
                       size_t *device_bytes, size_t *host_bytes)
{
    return CUSOLVER(cusolverDnXgeqrf_bufferSize, cuda_peer.solver, cuda_peer.parameters, m, n,
                    cuda_type(dtype), a, m, cuda_type(dtype), tau, cuda_type(dtype), device_bytes,
                    host_bytes);
}

static int query_ormqr(startile_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                       const void *tau, const void *c, size_t *bytes)
{
    int count = 0;
    int failed = BY_TYPE(dtype, CUSOLVER, cusolverDnSormqr_bufferSize, cusolverDnDormqr_bufferSize,
                         cusolverDnCunmqr_bufferSize, cusolverDnZunmqr_bufferSize, cuda_peer.solver,
                         CUBLAS_SIDE_LEFT, cuda_operation(dtype, 'C'), (int)m, (int)n, (int)k, a,
                         (int)m, tau, c, (int)m, &count);
    *bytes = (size_t)count * dtype_size(dtype);
    return failed;
}

static int query_orgqr(startile_dtype dtype, int64_t m, int64_t n, const void *a, const void *tau,
                       size_t *bytes)
{
    int count = 0;
    int failed = BY_TYPE(dtype, CUSOLVER, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize,
                         cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize, cuda_peer.solver,
                         (int)m, (int)n, (int)n, a, (int)m, tau, &count);
    *bytes = (size_t)count * dtype_size(dtype);
    return failed;
}

int cuda_peer_prepare_geqrf(startile_dtype dtype, int64_t m, int64_t n, const void *a,
                            const void *tau)
{
    size_t device_bytes, host_bytes;
    return query_geqrf(dtype, m, n, a, tau, &device_bytes, &host_bytes) ||
           reserve_work(device_bytes, host_bytes);
}

int cuda_peer_prepare_ormqr(startile_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                            const void *tau, const void *c)
{
    size_t bytes;
    return query_ormqr(dtype, m, n, k, a, tau, c, &bytes) || reserve_work(bytes, 0);
}

int cuda_peer_prepare_orgqr(startile_dtype dtype, int64_t m, int64_t n, const void *a,
                            const void *tau)
{
    size_t bytes;
    return query_orgqr(dtype, m, n, a, tau, &bytes) || reserve_work(bytes, 0);
}

static int reserve_spare(startile_dtype dtype, int64_t m, int64_t n)
{
    return CUDA(cudaMalloc(&cuda_peer.spare, (size_t)m * (size_t)n * dtype_size(dtype)));
}

int cuda_peer_prepare_gelqf(startile_dtype dtype, int64_t m, int64_t n, const void *a,
                            const void *tau)
{
    return cuda_peer_prepare_geqrf(dtype, n, m, a, tau) || reserve_spare(dtype, m, n);
}

int cuda_peer_prepare_gels(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, const void *a,
                           const void *tau, const void *b)
{
    size_t factor, host, apply;
    int64_t rows = m < n ? n : m, columns = m < n ? m : n;
    return query_geqrf(dtype, rows, columns, a, tau, &factor, &host) ||
           query_ormqr(dtype, rows, nrhs, columns, a, tau, b, &apply) ||
           reserve_work(larger(factor, apply), host) || (m < n && reserve_spare(dtype, m, n));
}

/* -- calls ---------------------------------------------------------------------------------- */

int cuda_peer_geqrf(startile_dtype dtype, int64_t m, int64_t n, void *a, void *tau)
{
    cudaDataType type = cuda_type(dtype);
    return CUSOLVER(cusolverDnXgeqrf, cuda_peer.solver, cuda_peer.parameters, m, n, type, a, m,
                    type, tau, type, cuda_peer.device_work, cuda_peer.device_bytes,
                    cuda_peer.host_work, cuda_peer.host_bytes, cuda_peer.info);
}

/* Elements of the workspace. */
static int work_size(startile_dtype dtype)
{
    return (int)(cuda_peer.device_bytes / dtype_size(dtype));
}

int cuda_peer_ormqr(startile_dtype dtype, char trans, int64_t m, int64_t n, int64_t k,
                    const void *a, const void *tau, void *c)
{
    return BY_TYPE(dtype, CUSOLVER, cusolverDnSormqr, cusolverDnDormqr, cusolverDnCunmqr,
                   cusolverDnZunmqr, cuda_peer.solver, CUBLAS_SIDE_LEFT,
                   cuda_operation(dtype, trans), (int)m, (int)n, (int)k, a, (int)m, tau, c, (int)m,
                   cuda_peer.device_work, work_size(dtype), cuda_peer.info + 1);
}

int cuda_peer_orgqr(startile_dtype dtype, int64_t m, int64_t n, void *a, const void *tau)
{
    return BY_TYPE(dtype, CUSOLVER, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr,
                   cusolverDnZungqr, cuda_peer.solver, (int)m, (int)n, (int)n, a, (int)m, tau,
                   cuda_peer.device_work, work_size(dtype), cuda_peer.info + 1);
}

/* B := Aᴴ for m × n A */
static int transpose(startile_dtype dtype, int64_t m, int64_t n, const void *a, void *b)
{
    return CUBLAS_TYPED(dtype, geam, cuda_peer.blas, cuda_operation(dtype, 'C'), CUBLAS_OP_N,
                        (int)n, (int)m, cuda_scalar(dtype, 1), a, (int)m, cuda_scalar(dtype, 0), b,
                        (int)n, b, (int)n);
}

int cuda_peer_gelqf(startile_dtype dtype, int64_t m, int64_t n, void *a, void *tau)
{
    return transpose(dtype, m, n, a, cuda_peer.spare) ||
           cuda_peer_geqrf(dtype, n, m, cuda_peer.spare, tau) ||
           transpose(dtype, n, m, cuda_peer.spare, a);
}

static int least_squares(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, void *a,
                         void *tau, void *b)
{
    return cuda_peer_geqrf(dtype, m, n, a, tau) ||
           cuda_peer_ormqr(dtype, 'C', m, nrhs, n, a, tau, b) ||
           cuda_peer_trsm(dtype, 'U', 'N', n, nrhs, a, m, b, m);
}

/* With Aᴴ = Q R: Rᴴ Y = B in B's first m rows, zeros below, X = Q Y. */
static int least_norm(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, const void *a,
                      void *tau, void *b)
{
    void *t = cuda_peer.spare;
    size_t size = dtype_size(dtype);
    return transpose(dtype, m, n, a, t) || cuda_peer_geqrf(dtype, n, m, t, tau) ||
           cuda_peer_trsm(dtype, 'U', 'C', m, nrhs, t, n, b, n) ||
           CUDA(cudaMemset2DAsync((char *)b + (size_t)m * size, (size_t)n * size, 0,
                                  (size_t)(n - m) * size, (size_t)nrhs, cuda_peer.stream)) ||
           cuda_peer_ormqr(dtype, 'N', n, nrhs, m, t, tau, b);
}

int cuda_peer_gels(startile_dtype dtype, int64_t m, int64_t n, int64_t nrhs, void *a, void *tau,
                   void *b)
{
    return m < n ? least_norm(dtype, m, n, nrhs, a, tau, b)
                 : least_squares(dtype, m, n, nrhs, a, tau, b);
}
