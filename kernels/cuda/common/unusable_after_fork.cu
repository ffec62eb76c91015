/*
 * Detects GPUs that are unusable because the parent process had used them before fork(). In such a
 * process cudaGetDeviceCount still succeeds. StarPU 1.4 therefore tries to use the GPUs, and ends
 * the program (StarPU quirk 20).
 */
#include "kernels.h"

#include <cuda.h>
#include <dlfcn.h>

int startile_cuda_unusable_after_fork(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr)
        return 0;
    /* CUDA's runtime also calls cuInit; a second call does no harm. */
    auto *init = reinterpret_cast<decltype(&cuInit)>(dlsym(driver, "cuInit"));
    const int unusable = init != nullptr && init(0) == CUDA_ERROR_NOT_INITIALIZED;
    dlclose(driver);
    return unusable;
}
