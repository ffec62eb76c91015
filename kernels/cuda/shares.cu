/*
 * Shares of a device. The panel of LU is a chain of many short kernels, of which each would wait
 * for the thread blocks of some large product to end before it finds a multiprocessor, however high
 * its stream's priority. So a few multiprocessors are set aside for panels, and updates keep to the
 * others: two green contexts (CUDA 12.4) with a stream each. perf_models/NOTES.md has what that
 * gains. Where they cannot be had, all kernels share the whole device.
 */
#include "exec.cuh"

#include <cstdlib>
#include <cuda.h>

namespace startile_cuda
{

/* Of the driver, looked up at run time: it may be older, and nothing else here links it. */
struct green_api {
    decltype(&cuDeviceGetDevResource) get_resource;
    decltype(&cuDevSmResourceSplitByCount) split;
    decltype(&cuDevResourceGenerateDesc) describe;
    decltype(&cuGreenCtxCreate) create;
    decltype(&cuGreenCtxDestroy) destroy;
    decltype(&cuGreenCtxStreamCreate) create_stream;
};

template <typename Function>
static bool look_up(const char *name, Function *function)
{
    cudaDriverEntryPointQueryResult found;
    void *p = nullptr;
    bool ok = cudaGetDriverEntryPointByVersion(name, &p, 12050, cudaEnableDefault, &found) ==
                  cudaSuccess &&
              found == cudaDriverEntryPointSuccess && p != nullptr;
    cudaGetLastError();
    *function = reinterpret_cast<Function>(p);
    return ok;
}

static bool look_up(green_api *api)
{
    return look_up("cuDeviceGetDevResource", &api->get_resource) &&
           look_up("cuDevSmResourceSplitByCount", &api->split) &&
           look_up("cuDevResourceGenerateDesc", &api->describe) &&
           look_up("cuGreenCtxCreate", &api->create) &&
           look_up("cuGreenCtxDestroy", &api->destroy) &&
           look_up("cuGreenCtxStreamCreate", &api->create_stream);
}

/* As many as the largest thread block cluster of a panel has blocks. */
constexpr unsigned int panel_multiprocessors = 16;

static bool create_stream(const green_api &api, int device, CUdevResource *multiprocessors,
                          int priority, share *s)
{
    CUdevResourceDesc description;
    CUgreenCtx context;
    CUstream stream;
    if (api.describe(&description, multiprocessors, 1) != CUDA_SUCCESS ||
        api.create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS)
        return false;
    s->context = context;
    if (api.create_stream(&stream, context, CU_STREAM_NON_BLOCKING, priority) != CUDA_SUCCESS)
        return false;
    s->stream = stream;
    return true;
}

static bool create_streams(startile_exec *x, const green_api &api)
{
    int device, lowest, highest;
    unsigned int groups = 1, count = panel_multiprocessors;
    if (const char *text = std::getenv("STARTILE_PANEL_SMS"))
        count = std::atoi(text);
    CUdevResource all, few, others;
    if (count == 0 || cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetStreamPriorityRange(&lowest, &highest) != cudaSuccess)
        return false;
    return api.get_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS &&
           api.split(&few, &groups, &all, &others, 0, count) == CUDA_SUCCESS &&
           create_stream(api, device, &few, highest, &x->shares[STARTILE_PANEL]) &&
           create_stream(api, device, &others, lowest, &x->shares[STARTILE_UPDATE]);
}

static int create_handle(share *s)
{
    if (int error = check(cublasCreate(&s->cublas)))
        return error;
    /* In this order: setting the stream takes a workspace away again. */
    if (int error = check(cublasSetStream(s->cublas, s->stream)))
        return error;
    if (int error = check(cublasSetPointerMode(s->cublas, CUBLAS_POINTER_MODE_HOST)))
        return error;
    if (int error = check(cudaMalloc(&s->cublas_workspace, cublas_workspace_size)))
        return error;
    return check(cublasSetWorkspace(s->cublas, s->cublas_workspace, cublas_workspace_size));
}

static void destroy_share(share *s)
{
    green_api api;
    if (s->cublas)
        cublasDestroy(s->cublas);
    check(cudaFree(s->cublas_workspace));
    if (s->context != nullptr && s->stream)
        check(cudaStreamDestroy(s->stream));
    if (s->context != nullptr && look_up(&api))
        api.destroy(static_cast<CUgreenCtx>(s->context));
    *s = share();
}

int create_shares(startile_exec *x)
{
    green_api api;
    x->shares[STARTILE_WHOLE].stream = x->stream;
    if (int error = create_handle(&x->shares[STARTILE_WHOLE]))
        return error;
    x->cublas = x->shares[STARTILE_WHOLE].cublas;
    if (int error = check(cudaEventCreateWithFlags(&x->turn, cudaEventDisableTiming)))
        return error;
    x->has_shares = look_up(&api) && create_streams(x, api);
    for (int s = STARTILE_PANEL; s <= STARTILE_UPDATE; s++) {
        if (x->has_shares)
            if (int error = create_handle(&x->shares[s]))
                return error;
        if (!x->has_shares)
            destroy_share(&x->shares[s]);
    }
    return 0;
}

void destroy_shares(startile_exec *x)
{
    for (share &s : x->shares)
        destroy_share(&s);
    if (x->turn)
        cudaEventDestroy(x->turn);
}

/* From one share's stream to another's: what is enqueued there comes after what was enqueued here.
 */
static int go_to(startile_exec *x, startile_share to)
{
    const share &next = x->shares[to];
    if (next.stream == x->stream)
        return 0;
    if (int error = check(cudaEventRecord(x->turn, x->stream)))
        return error;
    if (int error = check(cudaStreamWaitEvent(next.stream, x->turn, 0)))
        return error;
    x->stream = next.stream;
    x->cublas = next.cublas;
    return check(cusolverDnSetStream(x->cusolver, x->stream));
}

} // namespace startile_cuda

int startile_exec_use(startile_exec *x, startile_share share)
{
    return startile_cuda::go_to(x, x->has_shares ? share : STARTILE_WHOLE);
}
