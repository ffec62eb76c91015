/* Creates and destroys the context of a CUDA worker, grows its workspaces, switches its stream. */
#include "common/cusolver.cuh"
#include "getrf/getrf.cuh"

#include <cstdlib>
#include <new>

/* Bytes of the cuBLAS workspace, as NVIDIA recommends for Hopper. Without this workspace cuBLAS
 * would allocate one, and the allocation would wait for the whole device. */
static constexpr size_t cublas_workspace_size = size_t(32) << 20;

/* Initial bytes of the workspace. Growing it waits for the device. Cholesky of a 2048 × 2048 tile
 * with its inverse takes 37.8 MiB in double, and 102 in single, which is factored in double; LU
 * without pivoting takes 75 and 171. */
static constexpr size_t first_workspace_size = size_t(40) << 20;

namespace startile_cuda
{

/* Allocates memory of the GPU. Returns 0 or a startile_error; *p is NULL then. */
static int allocate(startile_exec *x, void **p, size_t bytes)
{
    *p = nullptr;
    if (!x->allocator.allocate)
        return check(cudaMalloc(p, bytes));
    *p = x->allocator.allocate(bytes, x->device, x->stream, x->allocator.context);
    return *p ? 0 : STARTILE_ERROR_MEMORY;
}

/* Frees memory that no work uses any more. */
static int release(startile_exec *x, void *p, size_t bytes)
{
    if (!x->allocator.release)
        return check(cudaFree(p));
    if (p)
        x->allocator.release(p, bytes, x->device, x->stream, x->allocator.context);
    return 0;
}

/* Replaces the workspace *p of *size bytes by one of `bytes` bytes, unless the old one is at least
 * that large. */
static int grow(startile_exec *x, void **p, size_t *size, size_t bytes)
{
    if (bytes <= *size)
        return 0;
    if (int error = check(cudaStreamSynchronize(x->stream)))
        return error;
    /* frees the old workspace first, so that memory does not have to hold both */
    void *old = *p;
    const size_t old_size = *size;
    *p = nullptr;
    *size = 0;
    if (int error = release(x, old, old_size))
        return error;
    if (int error = allocate(x, p, bytes))
        return error;
    *size = bytes;
    return 0;
}

int reserve(startile_exec *x, size_t bytes)
{
    return grow(x, &x->workspace, &x->workspace_size, bytes);
}

int reserve_copy(startile_exec *x, size_t bytes)
{
    return grow(x, &x->copy, &x->copy_size, bytes);
}

int reserve_operands(startile_exec *x, size_t bytes)
{
    return grow(x, &x->operands, &x->operands_size, bytes);
}

int reserve_factor(startile_exec *x, size_t bytes)
{
    return grow(x, &x->factor, &x->factor_size, bytes);
}

int reserve_host(startile_exec *x, size_t bytes)
{
    if (bytes <= x->host_workspace_size)
        return 0;
    if (int error = check(cudaStreamSynchronize(x->stream)))
        return error;
    std::free(x->host_workspace);
    x->host_workspace = std::malloc(bytes);
    x->host_workspace_size = x->host_workspace ? bytes : 0;
    return x->host_workspace ? 0 : STARTILE_ERROR_MEMORY;
}

/* Switches x->stream, cuBLAS and cuSOLVER to `stream`. cublasSetStream resets cuBLAS's workspace,
 * so the workspace is set again. */
static int use_stream(startile_exec *x, cudaStream_t stream)
{
    x->stream = stream;
    if (int error = check(cublasSetStream(x->cublas, stream)))
        return error;
    if (int error = check(cusolverDnSetStream(x->cusolver, stream)))
        return error;
    return check(cublasSetWorkspace(x->cublas, x->cublas_workspace, cublas_workspace_size));
}

/* Switches to the stream `next`. Later work on `next` waits for all work that is on the previous
 * stream. */
static int continue_on(startile_exec *x, cudaStream_t next)
{
    if (int error = check(cudaEventRecord(x->switch_event, x->stream)))
        return error;
    if (int error = check(cudaStreamWaitEvent(next, x->switch_event)))
        return error;
    return use_stream(x, next);
}

int use_priority_stream(startile_exec *x)
{
    if (x->priority_depth == 0) {
        x->default_stream = x->stream;
        if (int error = continue_on(x, x->priority_stream)) {
            use_stream(x, x->default_stream);
            return error;
        }
    }
    x->priority_depth++;
    return 0;
}

/* Switches back to the default stream at the end of the outermost use. Does so even after an error,
 * because StarPU detects the end of a task on that stream. */
int use_default_stream(startile_exec *x)
{
    if (--x->priority_depth > 0)
        return 0;
    const int error = continue_on(x, x->default_stream);
    if (error != 0) {
        cudaStreamSynchronize(x->priority_stream);
        use_stream(x, x->default_stream);
    }
    return error;
}

/* Sets capability, multiprocessors and max_smem of the current device. */
static int query_device(startile_exec *x)
{
    const int device = x->device;
    int major, minor;
    if (int error =
            check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)))
        return error;
    if (int error =
            check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)))
        return error;
    x->capability = 10 * major + minor;
    if (int error = check(
            cudaDeviceGetAttribute(&x->multiprocessors, cudaDevAttrMultiProcessorCount, device)))
        return error;
    return check(
        cudaDeviceGetAttribute(&x->max_smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
}

/* Creates everything of a context except its stream. After an error the caller destroys the
 * context. */
static int create(startile_exec *x)
{
    if (int error = check(cudaGetDevice(&x->device)))
        return error;
    if (int error = query_device(x))
        return error;
    int least, greatest;
    if (int error = check(cudaDeviceGetStreamPriorityRange(&least, &greatest)))
        return error;
    if (int error = check(
            cudaStreamCreateWithPriority(&x->priority_stream, cudaStreamNonBlocking, greatest)))
        return error;
    if (int error = check(cudaEventCreateWithFlags(&x->switch_event, cudaEventDisableTiming)))
        return error;
    if (int error = check(cublasCreate(&x->cublas)))
        return error;
    if (int error = check(cublasSetPointerMode(x->cublas, CUBLAS_POINTER_MODE_HOST)))
        return error;
    if (int error = allocate(x, &x->cublas_workspace, cublas_workspace_size))
        return error;
    if (int error = check(cusolverDnCreate(&x->cusolver)))
        return error;
    if (int error = use_stream(x, x->stream))
        return error;
    if (int error = check(cusolverDnCreateParams(&x->cusolver_params)))
        return error;
    if (int error = set_cluster_blocks(x))
        return error;
    void *state = nullptr;
    if (int error = allocate(x, &state, sizeof *x->status))
        return error;
    x->status = static_cast<tile_status *>(state);
    if (int error = check(cudaMemsetAsync(state, 0, sizeof *x->status, x->stream)))
        return error;
    return reserve(x, first_workspace_size);
}

} // namespace startile_cuda

void startile_exec_set_products(startile_exec *x, startile_products products)
{
    x->products = products;
}

void startile_exec_emulate_double(startile_exec *x, int emulated)
{
    x->emulates_double = emulated != 0;
}

int64_t startile_exec_splits(const startile_exec *x)
{
    return x->splits;
}

void startile_exec_keep_own(startile_exec *x, int kept)
{
    x->keeps_own = kept != 0;
}

int startile_exec_use_priority_stream(startile_exec *x)
{
    return startile_cuda::use_priority_stream(x);
}

int startile_exec_use_default_stream(startile_exec *x)
{
    return startile_cuda::use_default_stream(x);
}

void startile_exec_share_priority_stream(startile_exec *x, const startile_exec *other)
{
    startile_cuda::check(cudaStreamDestroy(x->priority_stream));
    x->priority_stream = other->priority_stream;
    x->shares_priority_stream = true;
}

startile_exec *startile_exec_create(void *stream, const startile_allocator *allocator)
{
    startile_exec *x = new (std::nothrow) startile_exec();
    if (!x)
        return nullptr;
    x->stream = static_cast<cudaStream_t>(stream);
    if (allocator)
        x->allocator = *allocator;
    if (startile_cuda::create(x)) {
        startile_exec_destroy(x);
        return nullptr;
    }
    return x;
}

void startile_exec_destroy(startile_exec *x)
{
    if (!x)
        return;
    startile_cuda::check(cudaStreamSynchronize(x->stream));
    if (x->cusolver_params)
        cusolverDnDestroyParams(x->cusolver_params);
    if (x->cusolver)
        cusolverDnDestroy(x->cusolver);
    if (x->cublas)
        cublasDestroy(x->cublas);
    if (x->switch_event)
        startile_cuda::check(cudaEventDestroy(x->switch_event));
    if (x->priority_stream && !x->shares_priority_stream)
        startile_cuda::check(cudaStreamDestroy(x->priority_stream));
    startile_cuda::release(x, x->cublas_workspace, cublas_workspace_size);
    startile_cuda::release(x, x->status, sizeof *x->status);
    startile_cuda::release(x, x->workspace, x->workspace_size);
    startile_cuda::release(x, x->copy, x->copy_size);
    startile_cuda::release(x, x->operands, x->operands_size);
    startile_cuda::release(x, x->factor, x->factor_size);
    std::free(x->host_workspace);
    delete x;
}
