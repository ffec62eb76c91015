/* cc 04-spin-before-sleeping.c $(pkg-config --cflags --libs starpu-1.4)
 * STARPU_NCPU=2 STARPU_NCUDA=0 ./a.out, with a StarPU configured with --enable-blocking-drivers
 * Without the patch exit status 1: a worker spins in a second without tasks (so do both in a StarPU
 * without blocking drivers), and each task of a chain waits for the wake-up of a worker.
 * With the patch exit status 0: the process takes less than 0.1 s of CPU time in that second. */
#include <starpu.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void nothing(void **buffers, void *arg)
{
    (void)buffers;
    (void)arg;
}

static struct starpu_codelet codelet = {.cpu_funcs = {nothing}};

static double chain_of_tasks(int tasks)
{
    double start = starpu_timing_now();
    for (int i = 0; i < tasks; i++) {
        starpu_task_insert(&codelet, 0);
        starpu_task_wait_for_all();
    }
    return (starpu_timing_now() - start) / tasks;
}

int main(void)
{
    if (starpu_init(NULL) != 0)
        return 77;
    chain_of_tasks(100);
    printf("a task of a chain: %.1f us\n", chain_of_tasks(10000));
    usleep(100000);
    clock_t start = clock();
    sleep(1);
    double taken = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("CPU time of a second without a task: %.3f s\n", taken);
    starpu_shutdown();
    return taken > 0.1;
}
