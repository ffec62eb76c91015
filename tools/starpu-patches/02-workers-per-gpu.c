/* cc 02-workers-per-gpu.c $(pkg-config --cflags --libs starpu-1.4)
 * ./a.out, on a machine with a GPU, with a StarPU configured with --enable-blocking-drivers
 * Without the patch exit status 1: one worker, and the message "Warning: reducing
 * STARPU_NWORKER_PER_CUDA to 1 because blocking drivers are enabled".
 * With the patch exit status 0: four workers. 77: no GPU. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    setenv("STARPU_NCUDA", "1", 1);
    setenv("STARPU_NWORKER_PER_CUDA", "4", 1);
    setenv("STARPU_CUDA_THREAD_PER_WORKER", "1", 1);
    if (starpu_init(NULL) != 0)
        return 77;
    unsigned workers = starpu_cuda_worker_get_count();
    starpu_shutdown();
    printf("workers of one GPU: %u, asked for 4\n", workers);
    return workers == 0 ? 77 : workers != 4;
}
