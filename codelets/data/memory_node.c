/* The memory nodes of GPUs and of the caller's memory. */
#include "data/pointer.h"

#include "library/runtime.h"

#include <starpu.h>

int node_of_device(int device)
{
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (starpu_worker_get_type(w) == STARPU_CUDA_WORKER && starpu_worker_get_devid(w) == device)
            return (int)starpu_worker_get_memory_node((unsigned)w);
    return -1;
}

int only_gpu_node(void)
{
    return runtime_gpus() == 1 ? (int)starpu_worker_get_memory_node(
                                     (unsigned)starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0))
                               : -1;
}

int memory_node_of(const void *p, int *device)
{
    *device = place_of(p).device;
    return *device < 0 ? STARPU_MAIN_RAM : node_of_device(*device);
}
