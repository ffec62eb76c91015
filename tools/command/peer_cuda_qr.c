/*
 * QR of the GPU peer. cuSOLVER's routines for reflectors have 32-bit sizes and a name each type.
 */
#include "peer_cuda_state.h"
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

static cublasOperation_t operation(startile_dtype dtype, char trans)
{
    return trans == 'N' ? CUBLAS_OP_N : dtype_is_complex(dtype) ? CUBLAS_OP_C : CUBLAS_OP_T;
}

static int query_ormqr(startile_dtype dtype, int64_t m64, int64_t n64, int64_t k64, const void *a,
                       const void *tau, const void *c, size_t *bytes)
{
    cublasSideMode_t side = CUBLAS_SIDE_LEFT;
    cublasOperation_t op = operation(dtype, 'C');
    int m = (int)m64, n = (int)n64, k = (int)k64, count = 0, failed = -1;
    switch (dtype) {
    case STARTILE_S:
        failed = CUSOLVER(cusolverDnSormqr_bufferSize, cuda_peer.solver, side, op, m, n, k, a, m,
                          tau, c, m, &count);
        break;
    case STARTILE_D:
        failed = CUSOLVER(cusolverDnDormqr_bufferSize, cuda_peer.solver, side, op, m, n, k, a, m,
                          tau, c, m, &count);
        break;
    case STARTILE_C:
        failed = CUSOLVER(cusolverDnCunmqr_bufferSize, cuda_peer.solver, side, op, m, n, k, a, m,
                          tau, c, m, &count);
        break;
    case STARTILE_Z:
        failed = CUSOLVER(cusolverDnZunmqr_bufferSize, cuda_peer.solver, side, op, m, n, k, a, m,
                          tau, c, m, &count);
        break;
    }
    *bytes = (size_t)count * dtype_size(dtype);
    return failed;
}

static int query_orgqr(startile_dtype dtype, int64_t m64, int64_t n64, const void *a,
                       const void *tau, size_t *bytes)
{
    int m = (int)m64, n = (int)n64, count = 0, failed = -1;
    switch (dtype) {
    case STARTILE_S:
        failed =
            CUSOLVER(cusolverDnSorgqr_bufferSize, cuda_peer.solver, m, n, n, a, m, tau, &count);
        break;
    case STARTILE_D:
        failed =
            CUSOLVER(cusolverDnDorgqr_bufferSize, cuda_peer.solver, m, n, n, a, m, tau, &count);
        break;
    case STARTILE_C:
        failed =
            CUSOLVER(cusolverDnCungqr_bufferSize, cuda_peer.solver, m, n, n, a, m, tau, &count);
        break;
    case STARTILE_Z:
        failed =
            CUSOLVER(cusolverDnZungqr_bufferSize, cuda_peer.solver, m, n, n, a, m, tau, &count);
        break;
    }
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

int cuda_peer_ormqr(startile_dtype dtype, char trans, int64_t m64, int64_t n64, int64_t k64,
                    const void *a, const void *tau, void *c)
{
    cublasSideMode_t side = CUBLAS_SIDE_LEFT;
    cublasOperation_t op = operation(dtype, trans);
    void *work = cuda_peer.device_work;
    int m = (int)m64, n = (int)n64, k = (int)k64, *info = cuda_peer.info + 1;
    int size = (int)(cuda_peer.device_bytes / dtype_size(dtype));
    switch (dtype) {
    case STARTILE_S:
        return CUSOLVER(cusolverDnSormqr, cuda_peer.solver, side, op, m, n, k, a, m, tau, c, m,
                        work, size, info);
    case STARTILE_D:
        return CUSOLVER(cusolverDnDormqr, cuda_peer.solver, side, op, m, n, k, a, m, tau, c, m,
                        work, size, info);
    case STARTILE_C:
        return CUSOLVER(cusolverDnCunmqr, cuda_peer.solver, side, op, m, n, k, a, m, tau, c, m,
                        work, size, info);
    case STARTILE_Z:
        break;
    }
    return CUSOLVER(cusolverDnZunmqr, cuda_peer.solver, side, op, m, n, k, a, m, tau, c, m, work,
                    size, info);
}

int cuda_peer_orgqr(startile_dtype dtype, int64_t m64, int64_t n64, void *a, const void *tau)
{
    void *work = cuda_peer.device_work;
    int m = (int)m64, n = (int)n64, *info = cuda_peer.info + 1;
    int size = (int)(cuda_peer.device_bytes / dtype_size(dtype));
    switch (dtype) {
    case STARTILE_S:
        return CUSOLVER(cusolverDnSorgqr, cuda_peer.solver, m, n, n, a, m, tau, work, size, info);
    case STARTILE_D:
        return CUSOLVER(cusolverDnDorgqr, cuda_peer.solver, m, n, n, a, m, tau, work, size, info);
    case STARTILE_C:
        return CUSOLVER(cusolverDnCungqr, cuda_peer.solver, m, n, n, a, m, tau, work, size, info);
    case STARTILE_Z:
        break;
    }
    return CUSOLVER(cusolverDnZungqr, cuda_peer.solver, m, n, n, a, m, tau, work, size, info);
}

/* B := Aᴴ for m × n A */
static int transpose(startile_dtype dtype, int64_t m64, int64_t n64, const void *a, void *b)
{
    static const float one_s[2] = {1, 0}, zero_s[2] = {0, 0};
    static const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    cublasOperation_t op = operation(dtype, 'C'), none = CUBLAS_OP_N;
    int m = (int)m64, n = (int)n64;
    switch (dtype) {
    case STARTILE_S:
        return CUBLAS(cublasSgeam, cuda_peer.blas, op, none, n, m, one_s, a, m, zero_s, b, n, b, n);
    case STARTILE_D:
        return CUBLAS(cublasDgeam, cuda_peer.blas, op, none, n, m, one_d, a, m, zero_d, b, n, b, n);
    case STARTILE_C:
        return CUBLAS(cublasCgeam, cuda_peer.blas, op, none, n, m, (const cuComplex *)one_s, a, m,
                      (const cuComplex *)zero_s, b, n, b, n);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgeam, cuda_peer.blas, op, none, n, m, (const cuDoubleComplex *)one_d, a, m,
                  (const cuDoubleComplex *)zero_d, b, n, b, n);
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
