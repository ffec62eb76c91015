/* Setup of BLAS for the CPU kernels. */
#include "blas/blas.h"
#include "kernels.h"

#include <stdbool.h>

static bool may_run_kernels, has_run_kernels;

int startile_cpu_setup(int threads)
{
    int status = startile_blas_setup(threads);
    if (status == 0)
        may_run_kernels = has_run_kernels = true;
    return status;
}

void startile_cpu_stop(void)
{
    may_run_kernels = false;
}

void startile_cpu_describe(char *text, int size)
{
    startile_blas_describe(text, size);
}

/* Frees BLAS' memory when the library is unloaded, unless a thread may be in a kernel. */
__attribute__((destructor)) static void free_blas(void)
{
    if (has_run_kernels && !may_run_kernels)
        startile_blas_free();
}
