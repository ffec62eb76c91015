/*
 * cuBLAS's and cuSOLVER's routines on batches of matrices of one size.
 */
#include "batch_gpu.h"
#include "scalar.h"

#include <string.h>

/* −1 and 1 in each type, on the host, and aligned as cuDoubleComplex is */
static _Alignas(16) const float minus_s[2] = {-1, 0}, one_s[2] = {1, 0};
static _Alignas(16) const double minus_d[2] = {-1, 0}, one_d[2] = {1, 0};

static startile_dtype type_of(const struct gpu_batch *x)
{
    return x->data->batch->dtype;
}

static cublasFillMode_t fill_of(const struct gpu_batch *x)
{
    return x->data->batch->uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

/* -- Cholesky ------------------------------------------------------------------------------- */

static int run_potrf(const struct gpu_batch *x)
{
    cublasFillMode_t fill = fill_of(x);
    cusolverDnHandle_t solver = cuda_peer.solver;
    int n = x->n;
    void *a = x->each[0];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUSOLVER(cusolverDnSpotrfBatched, solver, fill, n, a, n, x->info, x->count);
    case STARTILE_D:
        return CUSOLVER(cusolverDnDpotrfBatched, solver, fill, n, a, n, x->info, x->count);
    case STARTILE_C:
        return CUSOLVER(cusolverDnCpotrfBatched, solver, fill, n, a, n, x->info, x->count);
    case STARTILE_Z:
        break;
    }
    return CUSOLVER(cusolverDnZpotrfBatched, solver, fill, n, a, n, x->info, x->count);
}

/* X := op(T)⁻¹ X, trans 'N' or 'C' */
static int solve_triangle(const struct gpu_batch *x, cublasOperation_t op)
{
    cublasHandle_t blas = cuda_peer.blas;
    cublasSideMode_t side = CUBLAS_SIDE_LEFT;
    cublasFillMode_t fill = fill_of(x);
    cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT;
    int n = x->n, k = x->k, count = x->count;
    void *a = x->each[0], *b = x->each[1];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUBLAS(cublasStrsmBatched, blas, side, fill, op, diag, n, k, one_s, a, n, b, n,
                      count);
    case STARTILE_D:
        return CUBLAS(cublasDtrsmBatched, blas, side, fill, op, diag, n, k, one_d, a, n, b, n,
                      count);
    case STARTILE_C:
        return CUBLAS(cublasCtrsmBatched, blas, side, fill, op, diag, n, k,
                      (const cuComplex *)one_s, a, n, b, n, count);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZtrsmBatched, blas, side, fill, op, diag, n, k,
                  (const cuDoubleComplex *)one_d, a, n, b, n, count);
}

static int run_trsm(const struct gpu_batch *x)
{
    return solve_triangle(x, CUBLAS_OP_N);
}

/* cuSOLVER's takes one right-hand side. */
static int solve_one(const struct gpu_batch *x)
{
    cublasFillMode_t fill = fill_of(x);
    cusolverDnHandle_t solver = cuda_peer.solver;
    int n = x->n, count = x->count;
    void *a = x->each[0], *b = x->each[1];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUSOLVER(cusolverDnSpotrsBatched, solver, fill, n, 1, a, n, b, n, x->info, count);
    case STARTILE_D:
        return CUSOLVER(cusolverDnDpotrsBatched, solver, fill, n, 1, a, n, b, n, x->info, count);
    case STARTILE_C:
        return CUSOLVER(cusolverDnCpotrsBatched, solver, fill, n, 1, a, n, b, n, x->info, count);
    case STARTILE_Z:
        break;
    }
    return CUSOLVER(cusolverDnZpotrsBatched, solver, fill, n, 1, a, n, b, n, x->info, count);
}

static int run_potrs(const struct gpu_batch *x)
{
    bool lower = fill_of(x) == CUBLAS_FILL_MODE_LOWER;
    if (x->k == 1)
        return solve_one(x);
    return solve_triangle(x, lower ? CUBLAS_OP_N : CUBLAS_OP_C) ||
           solve_triangle(x, lower ? CUBLAS_OP_C : CUBLAS_OP_N);
}

static int run_posv(const struct gpu_batch *x)
{
    return run_potrf(x) || run_potrs(x);
}

/* -- LU ------------------------------------------------------------------------------------- */

static int factor(const struct gpu_batch *x, int *ipiv)
{
    cublasHandle_t blas = cuda_peer.blas;
    int n = x->n;
    void *a = x->each[0];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUBLAS(cublasSgetrfBatched, blas, n, a, n, ipiv, x->info, x->count);
    case STARTILE_D:
        return CUBLAS(cublasDgetrfBatched, blas, n, a, n, ipiv, x->info, x->count);
    case STARTILE_C:
        return CUBLAS(cublasCgetrfBatched, blas, n, a, n, ipiv, x->info, x->count);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgetrfBatched, blas, n, a, n, ipiv, x->info, x->count);
}

static int run_getrf(const struct gpu_batch *x)
{
    return factor(x, x->ipiv);
}

static int run_nopiv(const struct gpu_batch *x)
{
    return factor(x, NULL);
}

static int run_getrs(const struct gpu_batch *x)
{
    cublasHandle_t blas = cuda_peer.blas;
    cublasOperation_t op = CUBLAS_OP_N;
    int n = x->n, k = x->k, count = x->count, info; /* of the arguments, on the host */
    void *a = x->each[0], *b = x->each[2];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUBLAS(cublasSgetrsBatched, blas, op, n, k, a, n, x->ipiv, b, n, &info, count);
    case STARTILE_D:
        return CUBLAS(cublasDgetrsBatched, blas, op, n, k, a, n, x->ipiv, b, n, &info, count);
    case STARTILE_C:
        return CUBLAS(cublasCgetrsBatched, blas, op, n, k, a, n, x->ipiv, b, n, &info, count);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgetrsBatched, blas, op, n, k, a, n, x->ipiv, b, n, &info, count);
}

static int run_gesv(const struct gpu_batch *x)
{
    return run_getrf(x) || run_getrs(x);
}

static int run_getri(const struct gpu_batch *x)
{
    cublasHandle_t blas = cuda_peer.blas;
    int n = x->n, count = x->count;
    void *a = x->each[0], *inverse = x->each_spare;
    switch (type_of(x)) {
    case STARTILE_S:
        return CUBLAS(cublasSgetriBatched, blas, n, a, n, x->ipiv, inverse, n, x->info, count);
    case STARTILE_D:
        return CUBLAS(cublasDgetriBatched, blas, n, a, n, x->ipiv, inverse, n, x->info, count);
    case STARTILE_C:
        return CUBLAS(cublasCgetriBatched, blas, n, a, n, x->ipiv, inverse, n, x->info, count);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgetriBatched, blas, n, a, n, x->ipiv, inverse, n, x->info, count);
}

/* -- QR ------------------------------------------------------------------------------------- */

static int run_geqrf(const struct gpu_batch *x)
{
    cublasHandle_t blas = cuda_peer.blas;
    int m = x->m, n = x->n, info; /* of the arguments, on the host */
    void *a = x->each[0], *tau = x->each[1];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUBLAS(cublasSgeqrfBatched, blas, m, n, a, m, tau, &info, x->count);
    case STARTILE_D:
        return CUBLAS(cublasDgeqrfBatched, blas, m, n, a, m, tau, &info, x->count);
    case STARTILE_C:
        return CUBLAS(cublasCgeqrfBatched, blas, m, n, a, m, tau, &info, x->count);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgeqrfBatched, blas, m, n, a, m, tau, &info, x->count);
}

static int run_gels(const struct gpu_batch *x)
{
    cublasHandle_t blas = cuda_peer.blas;
    cublasOperation_t op = CUBLAS_OP_N;
    int m = x->m, n = x->n, k = x->k, info; /* of the arguments, on the host */
    void *a = x->each[0], *b = x->each[1];
    switch (type_of(x)) {
    case STARTILE_S:
        return CUBLAS(cublasSgelsBatched, blas, op, m, n, k, a, m, b, m, &info, x->info, x->count);
    case STARTILE_D:
        return CUBLAS(cublasDgelsBatched, blas, op, m, n, k, a, m, b, m, &info, x->info, x->count);
    case STARTILE_C:
        return CUBLAS(cublasCgelsBatched, blas, op, m, n, k, a, m, b, m, &info, x->info, x->count);
    case STARTILE_Z:
        break;
    }
    return CUBLAS(cublasZgelsBatched, blas, op, m, n, k, a, m, b, m, &info, x->info, x->count);
}

/* -- products ------------------------------------------------------------------------------- */

static int run_gemm(const struct gpu_batch *x)
{
    bool single = dtype_is_single(type_of(x));
    const void *alpha = single ? (const void *)minus_s : (const void *)minus_d;
    const void *beta = single ? (const void *)one_s : (const void *)one_d;
    cudaDataType type = cuda_type(type_of(x));
    cublasComputeType_t compute = single ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F;
    cublasOperation_t op = CUBLAS_OP_N;
    int m = x->m, n = x->n, k = x->k;
    if (x->data->batch->layout == BATCH_STRIDED)
        return CUBLAS(cublasGemmStridedBatchedEx, cuda_peer.blas, op, op, m, n, k, alpha,
                      x->array[0], type, m, (long long)m * k, x->array[1], type, k,
                      (long long)k * n, beta, x->array[2], type, m, (long long)m * n, x->count,
                      compute, CUBLAS_GEMM_DEFAULT);
    return CUBLAS(cublasGemmBatchedEx, cuda_peer.blas, op, op, m, n, k, alpha,
                  (const void *const *)x->each[0], type, m, (const void *const *)x->each[1], type,
                  k, beta, x->each[2], type, m, x->count, compute, CUBLAS_GEMM_DEFAULT);
}

static bool is_square(const struct batch_case *c)
{
    return c->shape.m == c->shape.n;
}

static bool is_tall(const struct batch_case *c)
{
    return c->shape.m >= c->shape.n;
}

const struct gpu_routine gpu_matrix_routines[] = {
    {.name = "potrf_batch", .does = "cuSOLVER potrfBatched", .run = run_potrf},
    {.name = "potrs_batch",
     .does = "cuSOLVER potrsBatched, of more right-hand sides cuBLAS trsmBatched twice",
     .run = run_potrs},
    {.name = "posv_batch",
     .does = "cuSOLVER potrfBatched, potrsBatched, of more right-hand sides trsmBatched twice",
     .run = run_posv},
    {.name = "getrf_batch", .does = "cuBLAS getrfBatched", .has = is_square, .run = run_getrf},
    {.name = "getrf_nopiv_batch",
     .does = "cuBLAS getrfBatched, no pivoting",
     .has = is_square,
     .run = run_nopiv},
    {.name = "getrs_batch", .does = "cuBLAS getrsBatched", .run = run_getrs},
    {.name = "gesv_batch", .does = "cuBLAS getrfBatched, getrsBatched", .run = run_gesv},
    {.name = "getri_batch", .does = "cuBLAS getriBatched", .in_spare = true, .run = run_getri},
    {.name = "geqrf_batch", .does = "cuBLAS geqrfBatched", .run = run_geqrf},
    {.name = "gels_batch", .does = "cuBLAS gelsBatched", .has = is_tall, .run = run_gels},
    {.name = "gemm_batch", .does = "cuBLAS gemmStridedBatched, gemmBatched", .run = run_gemm},
    {.name = "trsm_batch", .does = "cuBLAS trsmBatched", .run = run_trsm},
    {.name = NULL},
};
