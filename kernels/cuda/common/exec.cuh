/*
 * What the CUDA kernels share: the execution context, checked calls and launches. Private to this
 * folder.
 */
#ifndef STARTILE_EXEC_CUH
#define STARTILE_EXEC_CUH

#include "kernels.h"
#include "startile.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

namespace startile_cuda
{

/* On the device, between the kernels of one factorization of a diagonal tile or panel. All but info
 * is zero between calls. */
struct tile_status {
    int info;              /* as in startile_panel; judge (trtri.cu) reports it */
    unsigned int finished; /* thread blocks of judge */
    int inverse_failed;    /* an inverse failed the norm check */
    int nan_pivot;         /* n − i for the first NaN pivot, at 0-based i; or 0 */
    int infinite_pivots;
    unsigned long long norm_t, norm_w; /* bits of doubles ≥ 0, which order as the doubles do */
};

} // namespace startile_cuda

/* The workspace is scratch: each kernel function may use all of it, since what it enqueues ends
 * before the next one's begins. Hence nothing in it outlives a kernel function. */
struct startile_exec {
    cudaStream_t stream;
    cudaStream_t priority_stream; /* of the highest priority, for what others wait for */
    cudaEvent_t order;
    cudaStream_t default_stream; /* while work is on urgent */
    int priority_depth;          /* nested use_priority_stream() */
    bool tensor_single;          /* products in single precision may run on tensor cores */
    int64_t splits;              /* launches of products that did */
    bool keeps_own;              /* small products are not left to cuBLAS */
    cublasHandle_t cublas;
    cusolverDnHandle_t cusolver;
    cusolverDnParams_t cusolver_params;
    void *cublas_workspace;
    int cluster_blocks; /* most thread blocks of a cluster; 0: none on this device */
    int capability;     /* 90 is 9.0 */
    int multiprocessors;
    int max_smem; /* bytes of shared memory that a block may ask for */
    startile_cuda::tile_status *status;
    void *workspace;
    size_t workspace_size;
    void *copy; /* more workspace, for kernel functions that call others */
    size_t copy_size;
    void *operands; /* factors of a product in another form, for the product alone */
    size_t operands_size;
    void *host_workspace;
    size_t host_workspace_size;
};

namespace startile_cuda
{

/* A failed call also leaves its code as the thread's last error, where others' launches would trip
 * over it; so it is taken away. */
inline int check(cudaError_t e)
{
    if (e == cudaSuccess)
        return 0;
    cudaGetLastError();
    return e == cudaErrorMemoryAllocation ? STARTILE_ERROR_MEMORY : STARTILE_ERROR_DEVICE;
}

inline int check(cublasStatus_t e)
{
    return e == CUBLAS_STATUS_SUCCESS        ? 0
           : e == CUBLAS_STATUS_ALLOC_FAILED ? STARTILE_ERROR_MEMORY
                                             : STARTILE_ERROR_DEVICE;
}

inline int check(cusolverStatus_t e)
{
    return e == CUSOLVER_STATUS_SUCCESS        ? 0
           : e == CUSOLVER_STATUS_ALLOC_FAILED ? STARTILE_ERROR_MEMORY
                                               : STARTILE_ERROR_DEVICE;
}

/* Make the workspaces at least this large. Growing waits for the stream, which may be using them.
 * They never shrink. */
int reserve(startile_exec *x, size_t bytes);
int reserve_copy(startile_exec *x, size_t bytes);
int reserve_operands(startile_exec *x, size_t bytes);
int reserve_host(startile_exec *x, size_t bytes);

/* Work of a function moves to x->urgent, after all work before, and back: later work waits for it.
 * In between, x->stream, cuBLAS and cuSOLVER mean that stream. Calls nest. */
int use_priority_stream(startile_exec *x);
int use_default_stream(startile_exec *x);

/* The workspace as an array of count elements. */
template <typename T>
int workspace(startile_exec *x, size_t count, T **array)
{
    int error = reserve(x, count * sizeof(T));
    *array = static_cast<T *>(x->workspace);
    return error;
}

/* With what a kernel declares itself, more than 48 KiB of shared memory have to be asked for; no
 * device has less than 99. The most is asked for: other workers launch the kernel at the same time,
 * maybe with more. */
template <typename Kernel>
int allow_smem(const startile_exec *x, Kernel kernel, size_t shared)
{
    constexpr size_t always_allowed = size_t(24) << 10;
    if (shared <= always_allowed)
        return 0;
    cudaFuncAttributes now;
    if (int error = check(cudaFuncGetAttributes(&now, kernel)))
        return error;
    if (size_t(now.maxDynamicSharedSizeBytes) >= shared)
        return 0;
    return check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      x->max_smem - static_cast<int>(now.sharedSizeBytes)));
}

/* shared: bytes of dynamic shared memory for each block */
template <typename... Parameters, typename... Arguments>
int launch_with_smem(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     size_t shared, const Arguments &...arguments)
{
    if (int error = allow_smem(x, kernel, shared))
        return error;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = x->stream;
    return check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <typename... Parameters, typename... Arguments>
int launch(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
           const Arguments &...arguments)
{
    return launch_with_smem(x, kernel, grid, block, 0, arguments...);
}

/* For a kernel that calls wait_for_previous_kernel: it is set up while the one before runs out. */
template <typename... Parameters, typename... Arguments>
int launch_dependent_with_smem(startile_exec *x, void (*kernel)(Parameters...), dim3 grid,
                               dim3 block, size_t shared, const Arguments &...arguments)
{
    if (int error = allow_smem(x, kernel, shared))
        return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = x->stream;
    config.attrs = &attribute;
    config.numAttrs = x->cluster_blocks > 0 ? 1 : 0;
    return check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <typename... Parameters, typename... Arguments>
int launch_dependent(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     const Arguments &...arguments)
{
    return launch_dependent_with_smem(x, kernel, grid, block, 0, arguments...);
}

/* The same in thread block clusters. shared: bytes of dynamic shared memory for each block;
 * max_smem: the most that any launch of the kernel takes. */
template <typename... Parameters, typename... Arguments>
int launch_clusters(startile_exec *x, void (*kernel)(Parameters...), unsigned int grid,
                    unsigned int blocks_of_cluster, unsigned int threads, int shared, int max_smem,
                    Arguments... arguments)
{
    if (int error =
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)))
        return error;
    if (int error = check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_smem)))
        return error;
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {blocks_of_cluster, 1, 1};
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = x->stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    return check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

inline unsigned int ceil_div(int64_t a, int64_t b)
{
    return static_cast<unsigned int>((a + b - 1) / b);
}

} // namespace startile_cuda

#endif
