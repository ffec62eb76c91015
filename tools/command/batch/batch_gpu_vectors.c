/*
 * cuBLAS's routines on vectors, one call a vector.
 */
#include "batch_gpu.h"
#include "scalar.h"

static bool has_all(const struct batch_case *c)
{
    (void)c;
    return true;
}

static cudaDataType real_type(startile_dtype dtype)
{
    return dtype_is_single(dtype) ? CUDA_R_32F : CUDA_R_64F;
}

/* Of vector q in array i */
static void *at(const struct gpu_batch *x, int i, int64_t q)
{
    return (char *)x->array[i] + x->data->start[i][q] * batch_element_size(x->data->batch, i);
}

static int length(const struct gpu_batch *x, int64_t q)
{
    return (int)batch_shape_of(x->data->batch, q).n;
}

/* call() for all vectors, or as many as are taken for all. Results go to GPU memory, so that none
 * is waited for. */
static int loop(const struct gpu_batch *x, cublasPointerMode_t mode,
                int (*call)(const struct gpu_batch *x, int64_t q))
{
    int failed = CUBLAS(cublasSetPointerMode, cuda_peer.blas, mode);
    for (int64_t q = 0; q < x->count && q < MOST_GPU_CALLS && !failed; q++)
        failed = call(x, q);
    return failed;
}

static int call_nrm2(const struct gpu_batch *x, int64_t q)
{
    startile_dtype dtype = x->data->batch->dtype;
    return CUBLAS(cublasNrm2Ex, cuda_peer.blas, length(x, q), at(x, 0, q), cuda_type(dtype), 1,
                  at(x, 1, q), real_type(dtype), real_type(dtype));
}

static int call_asum(const struct gpu_batch *x, int64_t q)
{
    startile_dtype dtype = x->data->batch->dtype;
    return CUBLAS(cublasAsumEx, cuda_peer.blas, length(x, q), at(x, 0, q), cuda_type(dtype), 1,
                  at(x, 1, q), real_type(dtype), real_type(dtype));
}

static int call_dot(const struct gpu_batch *x, int64_t q)
{
    cudaDataType type = cuda_type(x->data->batch->dtype);
    return CUBLAS(cublasDotcEx, cuda_peer.blas, length(x, q), at(x, 0, q), type, 1, at(x, 1, q),
                  type, 1, at(x, 2, q), type, type);
}

/* The lower half of an integer of 64 bits, whose upper half is 0 before */
static int call_iamax(const struct gpu_batch *x, int64_t q)
{
    return CUBLAS(cublasIamaxEx, cuda_peer.blas, length(x, q), at(x, 0, q),
                  cuda_type(x->data->batch->dtype), 1, at(x, 1, q));
}

/* On the host, in each type, and aligned as cuDoubleComplex is */
static _Alignas(16) const float factor_s[2] = {(float)BATCH_FACTOR, 0};
static _Alignas(16) const double factor_d[2] = {BATCH_FACTOR, 0};

static const void *factor(startile_dtype dtype)
{
    return dtype_is_single(dtype) ? (const void *)factor_s : (const void *)factor_d;
}

static int call_scal(const struct gpu_batch *x, int64_t q)
{
    startile_dtype dtype = x->data->batch->dtype;
    cudaDataType type = cuda_type(dtype);
    return CUBLAS(cublasScalEx, cuda_peer.blas, length(x, q), factor(dtype), type, at(x, 0, q),
                  type, 1, type);
}

static int call_axpy(const struct gpu_batch *x, int64_t q)
{
    startile_dtype dtype = x->data->batch->dtype;
    cudaDataType type = cuda_type(dtype);
    return CUBLAS(cublasAxpyEx, cuda_peer.blas, length(x, q), factor(dtype), type, at(x, 0, q),
                  type, 1, at(x, 1, q), type, 1, type);
}

static int run_nrm2(const struct gpu_batch *x)
{
    return loop(x, CUBLAS_POINTER_MODE_DEVICE, call_nrm2);
}

static int run_asum(const struct gpu_batch *x)
{
    return loop(x, CUBLAS_POINTER_MODE_DEVICE, call_asum);
}

static int run_dot(const struct gpu_batch *x)
{
    return loop(x, CUBLAS_POINTER_MODE_DEVICE, call_dot);
}

static int run_iamax(const struct gpu_batch *x)
{
    return loop(x, CUBLAS_POINTER_MODE_DEVICE, call_iamax);
}

static int run_scal(const struct gpu_batch *x)
{
    return loop(x, CUBLAS_POINTER_MODE_HOST, call_scal);
}

static int run_axpy(const struct gpu_batch *x)
{
    return loop(x, CUBLAS_POINTER_MODE_HOST, call_axpy);
}

const struct gpu_routine gpu_vector_routines[] = {
    {.name = "nrm2_batch", .does = "cuBLAS nrm2 in a loop", .has = has_all, .run = run_nrm2},
    {.name = "asum_batch", .does = "cuBLAS asum in a loop", .has = has_all, .run = run_asum},
    {.name = "dot_batch", .does = "cuBLAS dotc in a loop", .has = has_all, .run = run_dot},
    {.name = "iamax_batch", .does = "cuBLAS iamax in a loop", .has = has_all, .run = run_iamax},
    {.name = "scal_batch", .does = "cuBLAS scal in a loop", .has = has_all, .run = run_scal},
    {.name = "axpy_batch", .does = "cuBLAS axpy in a loop", .has = has_all, .run = run_axpy},
    {.name = NULL},
};
