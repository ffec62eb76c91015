/*
 * The vendor's routines that kernels are compared with and the other benches do not need.
 */
#include "kernel.h"
#include "peer_cuda_state.h"
#include "scalar.h"

/* Real numbers in each type, on the host, and aligned as cuDoubleComplex is */
struct number {
    _Alignas(16) float single[2];
    _Alignas(16) double full[2];
};

static struct number number(double x)
{
    return (struct number){.single = {(float)x, 0}, .full = {x, 0}};
}

static const void *as(startile_dtype dtype, const struct number *x)
{
    return dtype_is_single(dtype) ? (const void *)x->single : (const void *)x->full;
}

static cublasOperation_t operation(startile_dtype dtype, char trans)
{
    return trans == 'N'                              ? CUBLAS_OP_N
           : trans == 'C' && dtype_is_complex(dtype) ? CUBLAS_OP_C
                                                     : CUBLAS_OP_T;
}

int peer_gemm(const struct shape *s, int m, int n, const void *a, int lda, const void *b, int ldb,
              void *c)
{
    const struct number alpha = number(-1), beta = number(1);
    cudaDataType type = cuda_type(s->dtype);
    return CUBLAS(cublasGemmEx, cuda_peer.blas, operation(s->dtype, s->transa),
                  operation(s->dtype, s->transb), m, n, s->k, as(s->dtype, &alpha), a, type, lda, b,
                  type, ldb, as(s->dtype, &beta), c, type, m,
                  dtype_is_single(s->dtype) ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F,
                  CUBLAS_GEMM_DEFAULT);
}

int peer_syrk(startile_dtype dtype, int n, int k, const void *a, void *c)
{
    const struct number minus = number(-1), one = number(1);
    if (!dtype_is_complex(dtype))
        return cuda_peer_herk(dtype, 'L', n, k, a, c);
    if (dtype_is_single(dtype))
        return CUBLAS(cublasCsyrk, cuda_peer.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k,
                      as(dtype, &minus), a, n, as(dtype, &one), c, n);
    return CUBLAS(cublasZsyrk, cuda_peer.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, k,
                  as(dtype, &minus), a, n, as(dtype, &one), c, n);
}

int peer_trsm_right(startile_dtype dtype, int m, int n, const void *t, void *b)
{
    const struct number number_1 = number(1);
    const void *one = as(dtype, &number_1);
    cublasSideMode_t side = CUBLAS_SIDE_RIGHT;
    cublasFillMode_t fill = CUBLAS_FILL_MODE_LOWER;
    cublasOperation_t op = operation(dtype, 'C');
    cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT;
    switch (dtype) {
    case STARTILE_S:
        return CUBLAS(cublasStrsm, cuda_peer.blas, side, fill, op, diag, m, n, one, t, n, b, m);
    case STARTILE_D:
        return CUBLAS(cublasDtrsm, cuda_peer.blas, side, fill, op, diag, m, n, one, t, n, b, m);
    case STARTILE_C:
        return CUBLAS(cublasCtrsm, cuda_peer.blas, side, fill, op, diag, m, n, one, t, n, b, m);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZtrsm, cuda_peer.blas, side, fill, op, diag, m, n, one, t, n, b, m);
}

int peer_geam(startile_dtype dtype, char trans, int m, int n, double alpha, const void *a,
              double beta, void *b)
{
    const struct number of_a = number(alpha), of_b = number(beta);
    const void *s = as(dtype, &of_a), *r = as(dtype, &of_b);
    cublasOperation_t op = operation(dtype, trans), none = CUBLAS_OP_N;
    int lda = trans == 'N' ? m : n;
    switch (dtype) {
    case STARTILE_S:
        return CUBLAS(cublasSgeam, cuda_peer.blas, op, none, m, n, s, a, lda, r, b, m, b, m);
    case STARTILE_D:
        return CUBLAS(cublasDgeam, cuda_peer.blas, op, none, m, n, s, a, lda, r, b, m, b, m);
    case STARTILE_C:
        return CUBLAS(cublasCgeam, cuda_peer.blas, op, none, m, n, s, a, lda, r, b, m, b, m);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgeam, cuda_peer.blas, op, none, m, n, s, a, lda, r, b, m, b, m);
}

int peer_nrm2(startile_dtype dtype, int64_t n, const void *x, double *norm)
{
    cudaDataType type = cuda_type(dtype);
    cudaDataType real = dtype_is_single(dtype) ? CUDA_R_32F : CUDA_R_64F;
    int failed = CUBLAS(cublasSetPointerMode, cuda_peer.blas, CUBLAS_POINTER_MODE_DEVICE) ||
                 CUBLAS(cublasNrm2Ex_64, cuda_peer.blas, n, x, type, 1, norm, real, real);
    return CUBLAS(cublasSetPointerMode, cuda_peer.blas, CUBLAS_POINTER_MODE_HOST) || failed;
}

int peer_laswp(startile_dtype dtype, int m, int n, int k, const int *ipiv, void *a)
{
    switch (dtype) {
    case STARTILE_S:
        return CUSOLVER(cusolverDnSlaswp, cuda_peer.solver, n, a, m, 1, k, ipiv, 1);
    case STARTILE_D:
        return CUSOLVER(cusolverDnDlaswp, cuda_peer.solver, n, a, m, 1, k, ipiv, 1);
    case STARTILE_C:
        return CUSOLVER(cusolverDnClaswp, cuda_peer.solver, n, a, m, 1, k, ipiv, 1);
    case STARTILE_Z:
        break;
    }
    return CUSOLVER(cusolverDnZlaswp, cuda_peer.solver, n, a, m, 1, k, ipiv, 1);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* For potrf, too */
int peer_prepare_inverse(startile_dtype dtype, int n, const void *a)
{
    size_t factor[2], inverse[2];
    cudaDataType type = cuda_type(dtype);
    return CUSOLVER(cusolverDnXpotrf_bufferSize, cuda_peer.solver, cuda_peer.parameters,
                    CUBLAS_FILL_MODE_LOWER, n, type, a, n, type, &factor[0], &factor[1]) ||
           CUSOLVER(cusolverDnXtrtri_bufferSize, cuda_peer.solver, CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_DIAG_NON_UNIT, n, type, (void *)a, n, &inverse[0], &inverse[1]) ||
           reserve_work(larger(factor[0], inverse[0]), larger(factor[1], inverse[1]));
}

int peer_inverse(startile_dtype dtype, int n, void *w)
{
    return CUSOLVER(cusolverDnXtrtri, cuda_peer.solver, CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_DIAG_NON_UNIT, n, cuda_type(dtype), w, n, cuda_peer.device_work,
                    cuda_peer.device_bytes, cuda_peer.host_work, cuda_peer.host_bytes,
                    cuda_peer.info + 1);
}
