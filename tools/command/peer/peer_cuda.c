/*
 * The GPU peer: its handles, memory and workspace. Compiled only with CUDA.
 */
#include "peer_cuda_state.h"

#include <stdio.h>
#include <stdlib.h>

struct cuda_peer_state cuda_peer;

/* -- failures ------------------------------------------------------------------------------- */

int cuda_check(const char *call, cudaError_t status)
{
    if (status == cudaSuccess)
        return 0;
    /* clears the error, which cudaGetLastError() would otherwise report after a later call */
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

/* -- GPUs and versions ---------------------------------------------------------------------- */

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

/* Creates a blocking stream, which is ordered with cudaMemcpy() and cudaMemset(). */
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

int gpu_arrays_open(struct gpu_arrays *g)
{
    int failed = 0;
    for (int i = 0; i < g->count && !failed; i++)
        failed = cuda_peer_alloc(&g->array[i].device, g->array[i].bytes);
    return failed;
}

void gpu_arrays_close(struct gpu_arrays *g)
{
    for (int i = 0; i < g->count; i++)
        cuda_peer_free(g->array[i].device);
}

/* Page-locks the arrays, or undoes that if not `on`. Skips arrays with in == out, which are small
 * and share pages with other data. */
void gpu_arrays_pin(const struct gpu_arrays *g, bool on)
{
    for (const struct gpu_array *a = g->array; a < g->array + g->count; a++) {
        void *const memory[] = {a->in, a->out};
        for (int i = 0; i < 2 && a->in != a->out; i++)
            if (memory[i] && on)
                (void)cuda_peer_pin(memory[i], a->bytes);
            else if (memory[i])
                cuda_peer_unpin(memory[i]);
    }
}

int gpu_arrays_load(const struct gpu_arrays *g, bool all)
{
    int failed = 0;
    for (const struct gpu_array *a = g->array; a < g->array + g->count && !failed; a++)
        if (a->in && (a->out || all))
            failed = cuda_peer_to_device(a->device, a->in, a->bytes);
    return failed;
}

int gpu_arrays_fetch(const struct gpu_arrays *g)
{
    int failed = 0;
    for (const struct gpu_array *a = g->array; a < g->array + g->count && !failed; a++)
        if (a->out)
            failed = cuda_peer_to_host(a->out, a->device, a->bytes);
    return failed;
}

/* Fills the memory with copies of one block of 2^20 elements, pseudorandom numbers in [−0.5, 0.5).
 */
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

int cuda_peer_info(void)
{
    int info[2] = {0, 0};
    if (CUDA(cudaMemcpy(info, cuda_peer.info, sizeof info, cudaMemcpyDeviceToHost)))
        return -1;
    return info[0] ? info[0] : info[1];
}

/* An enlarged GPU workspace loses its content; that of the host keeps it. */
int reserve_work(size_t device_bytes, size_t host_bytes)
{
    void *host = host_bytes > cuda_peer.host_bytes ? realloc(cuda_peer.host_work, host_bytes)
                                                   : cuda_peer.host_work;
    if (host_bytes > cuda_peer.host_bytes && !host)
        return library_check("realloc", 1);
    cuda_peer.host_work = host;
    cuda_peer.host_bytes = host_bytes > cuda_peer.host_bytes ? host_bytes : cuda_peer.host_bytes;
    if (device_bytes <= cuda_peer.device_bytes)
        return 0;
    cudaFree(cuda_peer.device_work);
    cuda_peer.device_work = NULL;
    cuda_peer.device_bytes = 0;
    if (CUDA(cudaMalloc(&cuda_peer.device_work, device_bytes)))
        return -1;
    cuda_peer.device_bytes = device_bytes;
    return 0;
}

/* -- arguments of the libraries ------------------------------------------------------------- */

cudaDataType cuda_type(startile_dtype dtype)
{
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    return types[dtype];
}

cublasComputeType_t cuda_compute(startile_dtype dtype)
{
    return dtype_is_single(dtype) ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F;
}

cublasOperation_t cuda_operation(startile_dtype dtype, char trans)
{
    return trans == 'N' ? CUBLAS_OP_N : dtype_is_complex(dtype) ? CUBLAS_OP_C : CUBLAS_OP_T;
}

const void *cuda_scalar(startile_dtype dtype, int value)
{
    static const _Alignas(16) float single[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    static const _Alignas(16) double full[3][2] = {{-1, 0}, {0, 0}, {1, 0}};
    return dtype_is_single(dtype) ? (const void *)single[value + 1] : (const void *)full[value + 1];
}
