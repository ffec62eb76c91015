/* Contexts in which the program's threads run tasks on GPUs themselves (direct.c). */
#include "task/direct_gpu.h"

#include "kernels.h"
#include "library/runtime.h"

#ifdef STARTILE_HAVE_CUDA

#include "library/driver.h"

#include <starpu_cuda.h>

struct direct_gpu {
    pthread_mutex_t mutex; /* held by the thread that uses the context */
    startile_exec *x;      /* NULL before the first use */
    cudaStream_t stream;
    bool failed;         /* a context could not be created */
    unsigned generation; /* runtime_generation() at the first use */
    CUcontext caller;    /* current one of the thread before it used this one; NULL: none, */
    int caller_device;   /* and the thread's device */
    enum cudaStreamCaptureMode caller_mode;
};
static struct direct_gpu gpus[STARPU_MAXCUDADEVS];

/* They restore the calling thread's CUDA context. cudaSetDevice() would make the primary context of
 * the device current, which need not be the context that the thread had. */
static CUresult (*get_current_context)(CUcontext *), (*set_current_context)(CUcontext);

static void initialize(void)
{
    *(void **)&get_current_context = driver_function("cuCtxGetCurrent");
    *(void **)&set_current_context = driver_function("cuCtxSetCurrent");
    for (int device = 0; device < STARPU_MAXCUDADEVS; device++)
        pthread_mutex_init(&gpus[device].mutex, NULL);
}

/* Returns the context of a device. */
static struct direct_gpu *gpu(int device)
{
    static pthread_once_t initialized = PTHREAD_ONCE_INIT;
    pthread_once(&initialized, initialize);
    return &gpus[device];
}

/* Creates the context on the current device. */
static bool create(struct direct_gpu *g, int device)
{
    if (g->failed)
        return false;
    if (cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking) == cudaSuccess) {
        g->x = runtime_new_exec(g->stream, device);
        if (g->x == NULL)
            cudaStreamDestroy(g->stream);
    }
    g->failed = g->x == NULL;
    if (g->failed)
        cudaGetLastError(); /* clears the error for the caller's next CUDA call */
    return !g->failed;
}

static void leave(struct direct_gpu *g)
{
    if (g->caller != NULL)
        set_current_context(g->caller);
    else
        cudaSetDevice(g->caller_device);
    cudaThreadExchangeStreamCaptureMode(&g->caller_mode);
}

/* Makes `device` the thread's current one. The thread may be capturing a stream of its own: in the
 * relaxed mode the kernels' launches and waits on other streams do not disturb that. */
static bool enter(struct direct_gpu *g, int device)
{
    g->caller_mode = cudaStreamCaptureModeRelaxed;
    if (get_current_context == NULL || set_current_context == NULL ||
        get_current_context(&g->caller) != CUDA_SUCCESS ||
        cudaGetDevice(&g->caller_device) != cudaSuccess ||
        cudaThreadExchangeStreamCaptureMode(&g->caller_mode) != cudaSuccess)
        return false;
    if (cudaSetDevice(device) == cudaSuccess)
        return true;
    cudaGetLastError(); /* clears the error for the caller's next CUDA call */
    leave(g);
    return false;
}

/* Forgets the context of an earlier start of the library. A context is left from it if the program
 * shut down StarPU before the library stopped, which then could not destroy the context. */
static void forget_earlier_context(struct direct_gpu *g)
{
    if (g->generation != runtime_generation()) {
        g->x = NULL;
        g->failed = false;
        g->generation = runtime_generation();
    }
}

startile_exec *direct_gpu_enter(int device)
{
    struct direct_gpu *g = gpu(device);
    if (pthread_mutex_trylock(&g->mutex) != 0)
        return NULL;
    forget_earlier_context(g);
    if (enter(g, device)) {
        if (g->x != NULL || create(g, device))
            return g->x;
        leave(g);
    }
    pthread_mutex_unlock(&g->mutex);
    return NULL;
}

int direct_gpu_leave(int device)
{
    struct direct_gpu *g = gpu(device);
    int status = cudaStreamSynchronize(g->stream) == cudaSuccess ? 0 : STARTILE_ERROR_DEVICE;
    leave(g);
    pthread_mutex_unlock(&g->mutex);
    return status;
}

void direct_gpu_stop(void)
{
    for (int device = 0; device < STARPU_MAXCUDADEVS; device++) {
        struct direct_gpu *g = gpu(device);
        pthread_mutex_lock(&g->mutex);
        if (g->x != NULL && enter(g, device)) {
            startile_exec_destroy(g->x);
            cudaStreamDestroy(g->stream);
            leave(g);
        }
        g->x = NULL;
        g->failed = false;
        pthread_mutex_unlock(&g->mutex);
    }
}

#endif
