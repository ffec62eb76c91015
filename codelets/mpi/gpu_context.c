/* CUDA contexts of threads that call MPI. */
#include "mpi/mpi_grid.h"

#ifdef STARTILE_HAVE_CUDA

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <cuda.h>
#include <pthread.h>
#include <starpu.h>
#include <starpu_cuda.h>

/* Returns the process' first GPU if MPI takes addresses of GPU memory; else −1. */
static int gpu_for_mpi(void)
{
#ifdef MPIX_CUDA_AWARE_SUPPORT
    int worker = starpu_is_initialized() ? starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0) : -1;
    return worker >= 0 && MPIX_Query_cuda_support() ? starpu_worker_get_devid(worker) : -1;
#else
    return -1;
#endif
}

static CUresult (*get_current_context)(CUcontext *);

/* Finds the driver's function, because the library is not linked with the driver. */
static void find_driver(void)
{
    static const char name[] = "cuCtxGetCurrent";
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion(name, &function, 4000, cudaEnableDefault, &found);
#else
    cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    *(void **)&get_current_context = function;
}

/* Returns whether the calling thread has a context, or this is unknown. */
static bool has_context(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CUcontext context = NULL;
    pthread_once(&once, find_driver);
    return get_current_context == NULL || get_current_context(&context) != CUDA_SUCCESS ||
           context != NULL;
}

void ensure_gpu_context(void)
{
    int gpu = gpu_for_mpi();
    if (gpu >= 0 && !has_context())
        cudaSetDevice(gpu);
}

#else

void ensure_gpu_context(void)
{
}

#endif
