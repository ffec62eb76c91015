/* cc 09-give-failed-allocations-back.c $(pkg-config --cflags --libs starpu-1.4)
 * STARPU_NCPU=1 STARPU_NCUDA=0 STARPU_LIMIT_CPU_MEM=512 ./a.out
 * Without the patch SIGALRM after ten seconds: the task waits for memory for ever.
 * With the patch exit status 0.
 *
 * For a second the process cannot allocate the 128 MiB that the task needs. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void nothing(void **buffers, void *arg)
{
    (void)buffers;
    (void)arg;
}

static size_t address_space(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%zu", &pages) != 1)
        exit(77);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(void)
{
    struct starpu_codelet write = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_W}};
    struct rlimit full, unlimited;
    if (starpu_init(NULL) != 0)
        return 77;
    starpu_data_handle_t data;
    starpu_vector_data_register(&data, -1, 0, 128 << 20, 1);

    getrlimit(RLIMIT_AS, &unlimited);
    full = unlimited;
    full.rlim_cur = address_space() + (8 << 20);
    setrlimit(RLIMIT_AS, &full);
    starpu_task_insert(&write, STARPU_W, data, 0);
    sleep(1);
    setrlimit(RLIMIT_AS, &unlimited);
    printf("bytes available: %ld of 512 MiB\n", (long)starpu_memory_get_available(STARPU_MAIN_RAM));

    alarm(10);
    starpu_task_wait_for_all();
    starpu_data_unregister(data);
    starpu_shutdown();
    return 0;
}
