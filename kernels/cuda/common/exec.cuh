/*
 * Execution context of the CUDA kernels, checked calls, and kernel launches. Private to
 * kernels/cuda.
 */
#ifndef STARTILE_EXEC_CUH
#define STARTILE_EXEC_CUH

#include "kernels.h"

#include <cuda_runtime.h>

/* Handles of cuBLAS and cuSOLVER, declared as in their headers. */
struct cublasContext;
struct cusolverDnContext;
struct cusolverDnParams;

namespace startile_cuda
{

/* Status in device memory, shared by the kernels that factor one diagonal tile or panel. All fields
 * except info are zero between calls. */
struct tile_status {
    int info; /* as in startile_tile_status; check_inverse (trtri.cu) copies it there */
    unsigned int finished; /* thread blocks of check_inverse_kernel that have finished */
    int inverse_failed;    /* of an inverse 1: only diagonal blocks may be used; 2: no part */
    int nan_pivot;         /* n − i for the first NaN pivot at 0-based i; 0: none */
    int infinite_pivots;   /* 1: an infinite pivot was replaced (potrf_vendor.cu) */
    int failed_matrix;     /* n − i for the first info ≠ 0 of n at 0-based i; 0: none */
    /* ‖T‖₁ and ‖W‖₁ as bits of doubles ≥ 0, which compare as the doubles do */
    unsigned long long norm_t, norm_w;
};

} // namespace startile_cuda

/* Context of one CUDA worker. A function of the kernel table may use all of `workspace`, because
 * the kernels that it enqueues end before those of the next function begin. No function reads data
 * that an earlier one has left in `workspace`. */
struct startile_exec {
    int device;                   /* the worker's GPU */
    startile_allocator allocator; /* source of the memory on the GPU */
    cudaStream_t stream;
    cudaStream_t priority_stream; /* stream of the highest priority */
    bool shares_priority_stream;  /* it belongs to another context */
    cudaEvent_t switch_event;     /* orders the work of two streams at a switch */
    cudaStream_t default_stream;  /* StarPU's stream, while x->stream is priority_stream */
    int priority_depth;           /* nesting depth of use_priority_stream() */
    startile_products products;   /* arithmetic of products in single precision */
    bool emulates_double; /* products in double precision may be emulated on INT8 tensor cores */
    int64_t splits; /* launches of split and emulated products, also those that the device left to
                       other kernels by the values of the factors */
    bool keeps_own; /* true: own kernels also compute the products for which cuBLAS is faster */
    cublasContext *cublas;
    cusolverDnContext *cusolver;
    cusolverDnParams *cusolver_params;
    void *cublas_workspace;
    int cluster_blocks; /* maximal number of thread blocks in a cluster; 0: no clusters */
    int capability;     /* compute capability times 10 */
    int multiprocessors;
    int max_smem; /* bytes of shared memory that a block may request */
    startile_cuda::tile_status *status;
    void *workspace;
    size_t workspace_size;
    void *copy; /* second workspace, for functions of the kernel table that call other ones */
    size_t copy_size;
    void *operands; /* third workspace, for operands of a product in another number format */
    size_t operands_size;
    void *host_workspace;
    size_t host_workspace_size;
    void *factor; /* fourth workspace, for T of a panel of QR and for tiles in double precision, in
                     functions that call others */
    size_t factor_size;
};

namespace startile_cuda
{

/* Converts a CUDA error to a startile_error. Clears the thread's last error, because otherwise a
 * later cudaGetLastError() would report it again. */
inline int check(cudaError_t e)
{
    if (e == cudaSuccess)
        return 0;
    cudaGetLastError();
    return e == cudaErrorMemoryAllocation ? STARTILE_ERROR_MEMORY : STARTILE_ERROR_DEVICE;
}

/* Grow the workspaces to at least `bytes`. Growing waits for the stream, which may be using the
 * workspace. Workspaces never shrink. Return 0 or a startile_error. */
int reserve(startile_exec *x, size_t bytes);
int reserve_copy(startile_exec *x, size_t bytes);
int reserve_operands(startile_exec *x, size_t bytes);
int reserve_factor(startile_exec *x, size_t bytes);
int reserve_host(startile_exec *x, size_t bytes);

/* Switch x->stream, cuBLAS and cuSOLVER to x->priority_stream and back. Work on either stream waits
 * for the work enqueued before the switch. Calls nest. */
int use_priority_stream(startile_exec *x);
int use_default_stream(startile_exec *x);

/* Sets *array to the workspace, as an array of `count` elements, and returns 0 or an error. */
template <typename T>
int workspace(startile_exec *x, size_t count, T **array)
{
    int error = reserve(x, count * sizeof(T));
    *array = static_cast<T *>(x->workspace);
    return error;
}

/* Returns the size rounded up to the alignment of cudaMalloc(). */
inline size_t aligned_size(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Arrays in one allocation */
struct workspace_layout {
    size_t bytes = 0; /* of all arrays */

    /* Adds an array of `count` elements of type E and returns its offset. */
    template <typename E>
    size_t place(size_t count)
    {
        const size_t offset = bytes;
        bytes += aligned_size(count * sizeof(E));
        return offset;
    }
};

/* Returns the array at an offset in the workspace. */
template <typename E>
E *in_workspace(const startile_exec *x, size_t offset)
{
    return reinterpret_cast<E *>(static_cast<char *>(x->workspace) + offset);
}

/* Allows launches of the kernel with `shared` bytes of dynamic shared memory. CUDA requires this
 * for more than 48 KiB of static and dynamic shared memory together; every supported device offers
 * at least 99 KiB. Does nothing for at most 24 KiB, or if the launches are allowed already.
 * Otherwise allows the maximum, because other workers may launch the same kernel at the same time
 * with more shared memory. */
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

/* Launches a kernel with `shared` bytes of dynamic shared memory per thread block and the first
 * `count` attributes. */
template <typename... Parameters, typename... Arguments>
int launch_with_attributes(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                           size_t shared, cudaLaunchAttribute *attributes, unsigned int count,
                           const Arguments &...arguments)
{
    if (int error = allow_smem(x, kernel, shared))
        return error;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = x->stream;
    config.attrs = attributes;
    config.numAttrs = count;
    return check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/* Launches a kernel with `shared` bytes of dynamic shared memory per thread block. */
template <typename... Parameters, typename... Arguments>
int launch_with_smem(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     size_t shared, const Arguments &...arguments)
{
    return launch_with_attributes(x, kernel, grid, block, shared, nullptr, 0, arguments...);
}

/* Launches a kernel without dynamic shared memory. */
template <typename... Parameters, typename... Arguments>
int launch(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
           const Arguments &...arguments)
{
    return launch_with_smem(x, kernel, grid, block, 0, arguments...);
}

/* Launches a kernel whose thread blocks wait for each other (cooperative launch); fails if they
 * cannot all run at the same time. `shared` as above. */
template <typename... Parameters, typename... Arguments>
int launch_together(startile_exec *x, void (*kernel)(Parameters...), unsigned int grid,
                    unsigned int threads, size_t shared, const Arguments &...arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    return launch_with_attributes(x, kernel, grid, threads, shared, &attribute, 1, arguments...);
}

/* Launches a kernel that calls wait_for_previous_kernel (programmatic dependent launch). The device
 * sets up its thread blocks while the previous kernel ends. Without clusters (cluster_blocks = 0)
 * it is an ordinary launch. shared: bytes of dynamic shared memory per thread block */
template <typename... Parameters, typename... Arguments>
int launch_dependent_with_smem(startile_exec *x, void (*kernel)(Parameters...), dim3 grid,
                               dim3 block, size_t shared, const Arguments &...arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return launch_with_attributes(x, kernel, grid, block, shared, &attribute,
                                  x->cluster_blocks > 0 ? 1 : 0, arguments...);
}

template <typename... Parameters, typename... Arguments>
int launch_dependent(startile_exec *x, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     const Arguments &...arguments)
{
    return launch_dependent_with_smem(x, kernel, grid, block, 0, arguments...);
}

/* Launches a kernel with thread block clusters. The kernel calls wait_for_previous_kernel. shared:
 * bytes of dynamic shared memory per thread block; max_smem: the largest `shared` of all launches
 * of this kernel */
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
