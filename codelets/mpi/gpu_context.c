/* CUDA contexts of threads that call MPI, and the start of MPI's CUDA support. */
#include "mpi/mpi_grid.h"

#ifdef STARTILE_HAVE_CUDA

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include "library/driver.h"

#include <pthread.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdatomic.h>

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

static void find_driver(void)
{
    *(void **)&get_current_context = driver_function("cuCtxGetCurrent");
}

/* Returns whether the calling thread has a context, or this is unknown. */
static bool may_have_context(void)
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
    if (gpu >= 0 && !may_have_context())
        cudaSetDevice(gpu);
}

/* Sends one byte of GPU memory to this process. */
static bool send_gpu_memory_to_self(void)
{
    MPI_Comm self;
    char *bytes = NULL;
    if (cudaMalloc((void **)&bytes, 2) != cudaSuccess)
        return false;
    bool sent = MPI_Comm_dup(MPI_COMM_SELF, &self) == MPI_SUCCESS;
    if (sent) {
        sent = MPI_Sendrecv(bytes, 1, MPI_CHAR, 0, 0, bytes + 1, 1, MPI_CHAR, 0, 0, self,
                            MPI_STATUS_IGNORE) == MPI_SUCCESS;
        MPI_Comm_free(&self);
    }
    cudaFree(bytes);
    return sent;
}

void start_gpu_messages(void)
{
    static _Atomic bool started;
    ensure_gpu_context();
    if (gpu_for_mpi() >= 0 && !atomic_load(&started))
        atomic_store(&started, send_gpu_memory_to_self());
}

#else

void ensure_gpu_context(void)
{
}

void start_gpu_messages(void)
{
}

#endif
