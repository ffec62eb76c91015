/*
 * The GPU peer: cuSOLVER and cuBLAS on the first GPU, on memory of its own. Compiled only where
 * CUDA is.
 */
#include "cuda_typed.h"

#include "measure.h"
#include "scalar.h"

#include <stdio.h>
#include <stdlib.h>

struct cuda_peer_state cuda_peer;

/* -- failures ------------------------------------------------------------------------------- */

int cuda_check(const char *call, cudaError_t status)
{
    if (status == cudaSuccess)
        return 0;
    /* Else the next call that looks would report this one's failure. */
    (void)cudaGetLastError();
    snprintf(cuda_peer.reason, sizeof cuda_peer.reason, "%s: %s", call, cudaGetErrorString(status));
    return -1;
}

int library_check(const char *call, int status)
{
    if (status == 0)
        return 0;
    snprintf(cuda_peer.reason, sizeof cuda_peer.reason, "%s failed with status %d", call, status);
    return -1;
}

const char *cuda_peer_reason(void)
{
    return cuda_peer.reason;
}

/* -- what is here --------------------------------------------------------------------------- */

int cuda_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

int cuda_describe(int device, struct gpu *gpu)
{
    struct cudaDeviceProp properties;
    *gpu = (struct gpu){.memory = 0};
    if (cuda_check("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, device)))
        return -1;
    snprintf(gpu->name, sizeof gpu->name, "%s", properties.name);
    gpu->major = properties.major;
    gpu->minor = properties.minor;
    gpu->memory = properties.totalGlobalMem;
    return cuda_check("cudaSetDevice", cudaSetDevice(device)) ||
           cuda_check("cudaMemGetInfo", cudaMemGetInfo(&gpu->available, &gpu->memory));
}

void cuda_versions(char *text, size_t size)
{
    int runtime = 0, driver = 0, blas[3] = {0}, solver[3] = {0};
    (void)cudaRuntimeGetVersion(&runtime);
    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        (void)cudaGetLastError();
    for (int i = 0; i < 3; i++) {
        (void)cublasGetProperty((libraryPropertyType)i, &blas[i]);
        (void)cusolverGetProperty((libraryPropertyType)i, &solver[i]);
    }
    int used =
        snprintf(text, size, "runtime %d.%d, cuBLAS %d.%d.%d, cuSOLVER %d.%d.%d, ", runtime / 1000,
                 runtime % 1000 / 10, blas[0], blas[1], blas[2], solver[0], solver[1], solver[2]);
    if (driver)
        snprintf(text + used, size - (size_t)used, "driver for %d.%d", driver / 1000,
                 driver % 1000 / 10);
    else
        snprintf(text + used, size - (size_t)used, "no driver");
}

const char *cuda_peer_name(void)
{
    static char name[64];
    int version[3] = {0};
    for (int i = 0; i < 3; i++)
        (void)cusolverGetProperty((libraryPropertyType)i, &version[i]);
    snprintf(name, sizeof name, "cuSOLVER %d.%d.%d", version[0], version[1], version[2]);
    return name;
}

/* -- open, close, memory -------------------------------------------------------------------- */

/* The stream is a blocking one: it keeps order with cudaMemcpy() and cudaMemset(). */
int cuda_peer_open(void)
{
    return CUDA(cudaSetDevice(0)) || CUDA(cudaStreamCreate(&cuda_peer.stream)) ||
           CUBLAS(cublasCreate, &cuda_peer.blas) ||
           CUBLAS(cublasSetStream, cuda_peer.blas, cuda_peer.stream) ||
           CUSOLVER(cusolverDnCreate, &cuda_peer.solver) ||
           CUSOLVER(cusolverDnSetStream, cuda_peer.solver, cuda_peer.stream) ||
           CUSOLVER(cusolverDnCreateParams, &cuda_peer.parameters) ||
           CUDA(cudaMalloc((void **)&cuda_peer.info, 2 * sizeof *cuda_peer.info)) ||
           CUDA(cudaMemset(cuda_peer.info, 0, 2 * sizeof *cuda_peer.info));
}

static void free_work(void)
{
    cudaFree(cuda_peer.device_work);
    cudaFree(cuda_peer.spare);
    free(cuda_peer.host_work);
    cuda_peer.device_work = cuda_peer.spare = cuda_peer.host_work = NULL;
    cuda_peer.device_bytes = cuda_peer.host_bytes = 0;
}

void cuda_peer_close(void)
{
    free_work();
    cudaFree(cuda_peer.info);
    if (cuda_peer.parameters)
        cusolverDnDestroyParams(cuda_peer.parameters);
    if (cuda_peer.solver)
        cusolverDnDestroy(cuda_peer.solver);
    if (cuda_peer.blas)
        cublasDestroy(cuda_peer.blas);
    if (cuda_peer.stream)
        cudaStreamDestroy(cuda_peer.stream);
    (void)cudaGetLastError();
    cuda_peer.info = NULL;
    cuda_peer.parameters = NULL;
    cuda_peer.solver = NULL;
    cuda_peer.blas = NULL;
    cuda_peer.stream = NULL;
}

int cuda_peer_pin(void *memory, size_t bytes)
{
    return CUDA(cudaHostRegister(memory, bytes, cudaHostRegisterDefault));
}

void cuda_peer_unpin(void *memory)
{
    if (cudaHostUnregister(memory) != cudaSuccess)
        (void)cudaGetLastError();
}

int cuda_peer_alloc(void **device_memory, size_t bytes)
{
    *device_memory = NULL;
    return CUDA(cudaMalloc(device_memory, bytes));
}

void cuda_peer_free(void *device_memory)
{
    cudaFree(device_memory);
}

int cuda_peer_to_device(void *device_memory, const void *memory, size_t bytes)
{
    return CUDA(
        cudaMemcpyAsync(device_memory, memory, bytes, cudaMemcpyHostToDevice, cuda_peer.stream));
}

int cuda_peer_to_host(void *memory, const void *device_memory, size_t bytes)
{
    return CUDA(
        cudaMemcpyAsync(memory, device_memory, bytes, cudaMemcpyDeviceToHost, cuda_peer.stream));
}

int cuda_peer_wait(void)
{
    return CUDA(cudaStreamSynchronize(cuda_peer.stream));
}

/* The same megaelement over and over. */
int cuda_peer_fill(void *device_memory, startile_dtype dtype, size_t count)
{
    const size_t block = (size_t)1 << 20, size = dtype_size(dtype);
    char *pattern = malloc(block * size);
    int failed = pattern ? 0 : library_check("malloc", 1);
    for (size_t i = 0; pattern && i < block; i++)
        element_set(dtype, pattern, i, (double)((i * 7919) % 10007) / 10007 - 0.5);
    for (size_t i = 0; !failed && i < count; i += block) {
        size_t length = count - i < block ? count - i : block;
        failed = CUDA(cudaMemcpy((char *)device_memory + i * size, pattern, length * size,
                                 cudaMemcpyHostToDevice));
    }
    free(pattern);
    return failed;
}

/* -- calls ---------------------------------------------------------------------------------- */

cudaDataType cuda_type(startile_dtype dtype)
{
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    return types[dtype];
}

static cublasFillMode_t fill_mode(char uplo)
{
    return uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}

int reserve_work(size_t device_bytes, size_t host_bytes)
{
    free_work();
    if (device_bytes && CUDA(cudaMalloc(&cuda_peer.device_work, device_bytes)))
        return -1;
    cuda_peer.host_work = host_bytes ? malloc(host_bytes) : NULL;
    if (host_bytes && !cuda_peer.host_work)
        return library_check("malloc", 1);
    cuda_peer.device_bytes = device_bytes;
    cuda_peer.host_bytes = host_bytes;
    return 0;
}

int cuda_peer_prepare_potrf(startile_dtype dtype, char uplo, int64_t n, const void *a)
{
    size_t device_bytes, host_bytes;
    return CUSOLVER(cusolverDnXpotrf_bufferSize, cuda_peer.solver, cuda_peer.parameters,
                    fill_mode(uplo), n, cuda_type(dtype), a, n, cuda_type(dtype), &device_bytes,
                    &host_bytes) ||
           reserve_work(device_bytes, host_bytes);
}

int cuda_peer_prepare_getrf(startile_dtype dtype, int64_t m, int64_t n, const void *a)
{
    size_t device_bytes, host_bytes;
    return CUSOLVER(cusolverDnXgetrf_bufferSize, cuda_peer.solver, cuda_peer.parameters, m, n,
                    cuda_type(dtype), a, m, cuda_type(dtype), &device_bytes, &host_bytes) ||
           reserve_work(device_bytes, host_bytes);
}

/* Room for the inverse, and n ones behind it. */
int cuda_peer_prepare_getri(startile_dtype dtype, int64_t n)
{
    size_t size = dtype_size(dtype), square = (size_t)n * (size_t)n * size;
    char *ones = malloc((size_t)n * size);
    if (!ones)
        return library_check("malloc", 1);
    for (int64_t i = 0; i < n; i++)
        element_set(dtype, ones, (size_t)i, 1);
    int failed = reserve_work(square + (size_t)n * size, 0) ||
                 CUDA(cudaMemcpy((char *)cuda_peer.device_work + square, ones, (size_t)n * size,
                                 cudaMemcpyHostToDevice));
    free(ones);
    return failed;
}

int cuda_peer_potrf(startile_dtype dtype, char uplo, int64_t n, void *a)
{
    return CUSOLVER(cusolverDnXpotrf, cuda_peer.solver, cuda_peer.parameters, fill_mode(uplo), n,
                    cuda_type(dtype), a, n, cuda_type(dtype), cuda_peer.device_work,
                    cuda_peer.device_bytes, cuda_peer.host_work, cuda_peer.host_bytes,
                    cuda_peer.info);
}

int cuda_peer_potrs(startile_dtype dtype, char uplo, int64_t n, int64_t nrhs, const void *a,
                    void *b)
{
    return CUSOLVER(cusolverDnXpotrs, cuda_peer.solver, cuda_peer.parameters, fill_mode(uplo), n,
                    nrhs, cuda_type(dtype), a, n, cuda_type(dtype), b, n, cuda_peer.info + 1);
}

int cuda_peer_getrf(startile_dtype dtype, int64_t m, int64_t n, void *a, int64_t *ipiv)
{
    return CUSOLVER(cusolverDnXgetrf, cuda_peer.solver, cuda_peer.parameters, m, n,
                    cuda_type(dtype), a, m, ipiv, cuda_type(dtype), cuda_peer.device_work,
                    cuda_peer.device_bytes, cuda_peer.host_work, cuda_peer.host_bytes,
                    cuda_peer.info);
}

int cuda_peer_getrs(startile_dtype dtype, int64_t n, int64_t nrhs, const void *a,
                    const int64_t *ipiv, void *b)
{
    return CUSOLVER(cusolverDnXgetrs, cuda_peer.solver, cuda_peer.parameters, CUBLAS_OP_N, n, nrhs,
                    cuda_type(dtype), a, n, ipiv, cuda_type(dtype), b, n, cuda_peer.info + 1);
}

int cuda_peer_getri(startile_dtype dtype, int64_t n, void *a, const int64_t *ipiv)
{
    size_t size = dtype_size(dtype), square = (size_t)n * (size_t)n * size;
    char *x = cuda_peer.device_work;
    return CUDA(cudaMemsetAsync(x, 0, square, cuda_peer.stream)) ||
           CUDA(cudaMemcpy2DAsync(x, ((size_t)n + 1) * size, x + square, size, size, (size_t)n,
                                  cudaMemcpyDeviceToDevice, cuda_peer.stream)) ||
           cuda_peer_getrs(dtype, n, n, a, ipiv, x) ||
           CUDA(cudaMemcpyAsync(a, x, square, cudaMemcpyDeviceToDevice, cuda_peer.stream));
}

int cuda_peer_info(void)
{
    int info[2] = {0, 0};
    if (CUDA(cudaMemcpy(info, cuda_peer.info, sizeof info, cudaMemcpyDeviceToHost)))
        return -1;
    return info[0] ? info[0] : info[1];
}

/* -- products --------------------------------------------------------------------------------- */

const void *cuda_scalar(startile_dtype dtype, int value)
{
    static const _Alignas(16) float single[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    static const _Alignas(16) double full[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    return dtype_is_single(dtype) ? (const void *)single[value + 1] : (const void *)full[value + 1];
}

cublasOperation_t cuda_operation(startile_dtype dtype, char trans)
{
    return trans == 'N' ? CUBLAS_OP_N : dtype_is_complex(dtype) ? CUBLAS_OP_C : CUBLAS_OP_T;
}

int cuda_peer_gemm(startile_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                   const void *b, void *c)
{
    cudaDataType type = cuda_type(dtype);
    return CUBLAS(cublasGemmEx, cuda_peer.blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)m, (int)n, (int)k,
                  cuda_scalar(dtype, -1), a, type, (int)m, b, type, (int)k, cuda_scalar(dtype, 1),
                  c, type, (int)m, dtype_is_single(dtype) ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F,
                  CUBLAS_GEMM_DEFAULT);
}

int cuda_peer_herk(startile_dtype dtype, char uplo, int64_t n, int64_t k, const void *a, void *c)
{
    return BY_TYPE(dtype, CUBLAS, cublasSsyrk, cublasDsyrk, cublasCherk, cublasZherk,
                   cuda_peer.blas, fill_mode(uplo), CUBLAS_OP_N, (int)n, (int)k,
                   cuda_scalar(dtype, -1), a, (int)n, cuda_scalar(dtype, 1), c, (int)n);
}

int cuda_peer_trsm(startile_dtype dtype, char uplo, char trans, int64_t n, int64_t nrhs,
                   const void *a, int64_t lda, void *b, int64_t ldb)
{
    return CUBLAS_TYPED(dtype, trsm, cuda_peer.blas, CUBLAS_SIDE_LEFT, fill_mode(uplo),
                        trans == 'N' ? CUBLAS_OP_N : CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, (int)n,
                        (int)nrhs, cuda_scalar(dtype, 1), a, (int)lda, b, (int)ldb);
}
