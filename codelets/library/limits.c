/* Limits of the process that StarPU does not check: without a file descriptor, memory or a thread
 * it ends the program (StarPU quirk 55). */
#include "library/error_text.h"
#include "library/start.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes that StarPU writes, rounded up; file descriptors that hwloc has open at once, rounded up;
 * bytes of StarPU's start besides the stacks of its threads, seen on two cores, rounded up. */
enum { FILE_BYTES = 1 << 17, DESCRIPTORS = 4, START_BYTES = 64 << 20 };

/* Smallest stack of a thread with which a worker and its kernels were seen to work, rounded up. */
enum { STACK_BYTES = 512 << 10 };

bool limits_allow_files(void)
{
    struct rlimit l;
    return getrlimit(RLIMIT_FSIZE, &l) != 0 || l.rlim_cur >= FILE_BYTES;
}

static bool allow_descriptors(void)
{
    int fd[DESCRIPTORS], count = 0;
    while (count < DESCRIPTORS && (fd[count] = open("/", O_RDONLY | O_CLOEXEC)) >= 0)
        count++;
    int why = errno;
    for (int i = 0; i < count; i++)
        close(fd[i]);
    errno = why;
    return count == DESCRIPTORS;
}

/* Returns the bytes of the buffer for FxT's events. */
static size_t trace_bytes(void)
{
    enum { MEBIBYTES = 64 };
    if (starpu_getenv_number_default("STARPU_FXT_TRACE", 0) == 0)
        return 0;
    return (size_t)starpu_getenv_number_default("STARPU_TRACE_BUFFER_SIZE", MEBIBYTES) << 20;
}

/* Returns whether threads get a stack that is large enough: RLIMIT_STACK when the program began. */
static bool have_stacks(void)
{
    pthread_attr_t attributes;
    size_t bytes = 0;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return bytes >= STACK_BYTES;
}

int limits_check(int cpu_workers, int gpu_workers)
{
    enum { STARTER = 1 }; /* thread of run_in_default_thread() */
    int others = gpu_workers + STARTER + (getenv("STARPU_WATCHDOG_TIMEOUT") != NULL);
    size_t bytes = START_BYTES + trace_bytes();
    if (!allow_descriptors())
        return explain(STARTILE_ERROR_DISK, "StarPU cannot start: %s", strerror(errno));
    if (!have_stacks())
        return STARTILE_ERROR_MEMORY;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return STARTILE_ERROR_MEMORY;
    bool is_enough = workers_are_allowed(cpu_workers, others);
    munmap(memory, bytes);
    return is_enough ? 0 : STARTILE_ERROR_MEMORY;
}
