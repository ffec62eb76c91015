/*
 * cuBLAS's and cuSOLVER's routines on batches of matrices of one size.
 */
#include "batch_gpu.h"
#include "peer/peer_cuda_state.h"

static cublasFillMode_t fill_of(const struct gpu_batch *x)
{
    return x->data->batch->uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

/* Returns the addresses as `void *`, which converts to the pointers of each type. */
static void *pointers_to(const struct gpu_batch *x, int array)
{
    return (void *)x->pointers[array];
}

/* -- Cholesky ------------------------------------------------------------------------------- */

static int run_potrf(const struct gpu_batch *x)
{
    return CUSOLVER_TYPED(x->dtype, potrfBatched, cuda_peer.solver, fill_of(x), x->n,
                          pointers_to(x, 0), x->n, x->info, x->count);
}

/* Enqueues X := op(T)⁻¹ X for the triangles T of array 0 and the matrices X of array 1. */
static int solve_triangle(const struct gpu_batch *x, cublasOperation_t op)
{
    return CUBLAS_TYPED(x->dtype, trsmBatched, cuda_peer.blas, CUBLAS_SIDE_LEFT, fill_of(x), op,
                        CUBLAS_DIAG_NON_UNIT, x->n, x->k, cuda_scalar(x->dtype, 1),
                        pointers_to(x, 0), x->n, pointers_to(x, 1), x->n, x->count);
}

static int run_trsm(const struct gpu_batch *x)
{
    return solve_triangle(x, CUBLAS_OP_N);
}

/* Solves with both triangles if there are several right-hand sides: cuSOLVER's potrsBatched takes
 * only one. */
static int run_potrs(const struct gpu_batch *x)
{
    bool lower = x->data->batch->uplo == 'L';
    if (x->k == 1)
        return CUSOLVER_TYPED(x->dtype, potrsBatched, cuda_peer.solver, fill_of(x), x->n, 1,
                              pointers_to(x, 0), x->n, pointers_to(x, 1), x->n, x->info, x->count);
    return solve_triangle(x, lower ? CUBLAS_OP_N : CUBLAS_OP_C) ||
           solve_triangle(x, lower ? CUBLAS_OP_C : CUBLAS_OP_N);
}

static int run_posv(const struct gpu_batch *x)
{
    return run_potrf(x) || run_potrs(x);
}

/* -- LU ------------------------------------------------------------------------------------- */

static int run_getrf(const struct gpu_batch *x)
{
    return CUBLAS_TYPED(x->dtype, getrfBatched, cuda_peer.blas, x->n, pointers_to(x, 0), x->n,
                        x->ipiv, x->info, x->count);
}

static int run_nopiv(const struct gpu_batch *x)
{
    return CUBLAS_TYPED(x->dtype, getrfBatched, cuda_peer.blas, x->n, pointers_to(x, 0), x->n, NULL,
                        x->info, x->count);
}

static int run_getrs(const struct gpu_batch *x)
{
    int info; /* info of the arguments, in main memory */
    return CUBLAS_TYPED(x->dtype, getrsBatched, cuda_peer.blas, CUBLAS_OP_N, x->n, x->k,
                        pointers_to(x, 0), x->n, x->ipiv, pointers_to(x, 2), x->n, &info, x->count);
}

static int run_gesv(const struct gpu_batch *x)
{
    return run_getrf(x) || run_getrs(x);
}

static int run_getri(const struct gpu_batch *x)
{
    return CUBLAS_TYPED(x->dtype, getriBatched, cuda_peer.blas, x->n, pointers_to(x, 0), x->n,
                        x->ipiv, (void *)x->spare_pointers, x->n, x->info, x->count);
}

/* -- QR ------------------------------------------------------------------------------------- */

static int run_geqrf(const struct gpu_batch *x)
{
    int info; /* info of the arguments, in main memory */
    return CUBLAS_TYPED(x->dtype, geqrfBatched, cuda_peer.blas, x->m, x->n, pointers_to(x, 0), x->m,
                        pointers_to(x, 1), &info, x->count);
}

static int run_gels(const struct gpu_batch *x)
{
    int info; /* info of the arguments, in main memory */
    return CUBLAS_TYPED(x->dtype, gelsBatched, cuda_peer.blas, CUBLAS_OP_N, x->m, x->n, x->k,
                        pointers_to(x, 0), x->m, pointers_to(x, 1), x->m, &info, x->info, x->count);
}

/* -- products ------------------------------------------------------------------------------- */

static int run_gemm(const struct gpu_batch *x)
{
    const void *alpha = cuda_scalar(x->dtype, -1), *beta = cuda_scalar(x->dtype, 1);
    cudaDataType type = cuda_type(x->dtype);
    cublasComputeType_t compute = cuda_compute(x->dtype);
    cublasOperation_t op = CUBLAS_OP_N;
    int m = x->m, n = x->n, k = x->k;
    if (x->data->batch->layout == BATCH_STRIDED)
        return CUBLAS(cublasGemmStridedBatchedEx, cuda_peer.blas, op, op, m, n, k, alpha,
                      x->array[0], type, m, (long long)m * k, x->array[1], type, k,
                      (long long)k * n, beta, x->array[2], type, m, (long long)m * n, x->count,
                      compute, CUBLAS_GEMM_DEFAULT);
    return CUBLAS(cublasGemmBatchedEx, cuda_peer.blas, op, op, m, n, k, alpha,
                  (const void *const *)x->pointers[0], type, m, (const void *const *)x->pointers[1],
                  type, k, beta, x->pointers[2], type, m, x->count, compute, CUBLAS_GEMM_DEFAULT);
}

const struct gpu_routine gpu_routines[] = {
    {"potrf", "cuSOLVER potrfBatched", 0, run_potrf},
    {"potrs", "cuSOLVER potrsBatched, of more right-hand sides cuBLAS trsmBatched twice", 0,
     run_potrs},
    {"posv", "cuSOLVER potrfBatched, potrsBatched, of more right-hand sides trsmBatched twice", 0,
     run_posv},
    {"getrf", "cuBLAS getrfBatched", 'n', run_getrf},
    {"getrf_nopiv", "cuBLAS getrfBatched, no pivoting", 'n', run_nopiv},
    {"getrs", "cuBLAS getrsBatched", 0, run_getrs},
    {"gesv", "cuBLAS getrfBatched, getrsBatched", 0, run_gesv},
    {"getri", "cuBLAS getriBatched", 0, run_getri},
    {"geqrf", "cuBLAS geqrfBatched", 0, run_geqrf},
    {"gels", "cuBLAS gelsBatched", 't', run_gels},
    {"gemm", "cuBLAS gemmStridedBatched, gemmBatched", 0, run_gemm},
    {"trsm", "cuBLAS trsmBatched", 0, run_trsm},
    {0},
};
