/* Functions of CUDA's driver, with which the library is not linked. */
#ifndef STARTILE_DRIVER_H
#define STARTILE_DRIVER_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <stddef.h>

/* Returns the function, or NULL if the driver does not have it. */
static inline void *driver_function(const char *name)
{
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion(name, &function, 4000, cudaEnableDefault, &found);
#else
    cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    return function;
}

#endif
