/*
 * Address space under a limit (RLIMIT_AS, `ulimit -v`). A thread of OpenBLAS without a buffer
 * retries its allocation for ever. OpenBLAS starts its threads when it is loaded, but on a busy
 * machine they allocate their buffers at any later time. So startile must leave address space for
 * them.
 */
#define _GNU_SOURCE
#include "common.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Address space of a buffer of OpenBLAS, of a thread's stack and its part of the heap, and of the
 * libraries of startile without CUDA, in bytes. */
static const size_t buffer_size = (size_t)128 << 20, thread_size = (size_t)80 << 20,
                    libraries_size = (size_t)256 << 20;

/* Returns the number of cores that this process may use. OpenBLAS has as many threads. */
static size_t count_cores(void)
{
    cpu_set_t usable;
    int cores = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
    return cores > 0 ? (size_t)cores : 1;
}

static size_t count_workers(size_t cores)
{
    const char *value = getenv("STARPU_NCPU");
    int workers = value != NULL ? atoi(value) : 0;
    return workers > 0 ? (size_t)workers : cores;
}

bool has_address_space_for_startile(void)
{
    enum { BUFFERS_OF_WORKER = 2, LIBRARIES_WITH_OPENBLAS = 2 /* numpy's and scipy's */ };
    size_t cores = count_cores();
    size_t startile = count_workers(cores) * (BUFFERS_OF_WORKER * buffer_size + thread_size);
    size_t openblas = cores * LIBRARIES_WITH_OPENBLAS * buffer_size;
    size_t all = startile + openblas + libraries_size;
    void *mapping = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapping != MAP_FAILED && munmap(mapping, all) == 0;
}
