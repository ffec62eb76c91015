/*
 * Setup of the library's own OpenBLAS.
 *
 * A StarPU worker is one core, so OpenBLAS must not start threads in it. The caller may use
 * OpenBLAS with all its threads elsewhere in the process, and the number of threads is a global
 * variable of OpenBLAS. Therefore the library links its own copy of OpenBLAS with hidden symbols,
 * set to one thread. The copy is the threaded build, because the serial build does not lock its
 * buffers against several calling threads.
 */
#include "kernels.h"
#include "openblas.h"
#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* Replaces OpenBLAS' function that reads OPENBLAS_NUM_THREADS (linker option --wrap). OpenBLAS
 * calls this function when the library is loaded, and with the result 1 starts no thread. Stopping
 * OpenBLAS' threads later could hang: a new thread of OpenBLAS allocates a buffer first and retries
 * until memory is available. */
int __wrap_openblas_num_threads_env(void);
int __wrap_openblas_num_threads_env(void)
{
    return 1;
}

/* Functions of OpenBLAS that no header declares. */
extern char *openblas_get_corename(void);
extern void *blas_memory_alloc(int procedure);
extern void blas_memory_free(void *buffer);
extern void gotoblas_quit(void);
extern void blas_shutdown(void);
/* These two are absent in an OpenBLAS that was built for one CPU type. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

/* Address space of one OpenBLAS buffer on x86-64 and ARM plus one page, in bytes. OpenBLAS uses
 * only a small part of that memory. */
static const size_t buffer_size = ((size_t)128 << 20) + 4096;

/* Returns whether `size` more bytes of address space can be mapped. */
static bool has_address_space(size_t size)
{
    void *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapping != MAP_FAILED && munmap(mapping, size) == 0;
}

/* Allocates one OpenBLAS buffer per thread, which OpenBLAS keeps for later calls. Without this, a
 * thread would allocate its buffer when it first calls OpenBLAS, and would wait for ever if memory
 * is exhausted. The recursion holds each buffer until all are allocated. */
static void make_buffers(int threads)
{
    if (threads <= 0)
        return;
    void *buffer = blas_memory_alloc(0);
    make_buffers(threads - 1);
    blas_memory_free(buffer);
}

/* -- OpenBLAS' destructor ---------------------------------------------------------------------- */

static bool may_run_kernels, has_run_kernels;

/* Runs OpenBLAS' destructor before the first kernel, so that it does nothing at the end of the
 * program. There it would free the buffers and the table of kernels of threads that are in a
 * kernel, which then access invalid memory. */
static void disarm_destructor(void)
{
    gotoblas_quit();
    if (gotoblas_dynamic_init != NULL)
        gotoblas_dynamic_init();
}

/* Frees the buffers when the library is unloaded, unless a thread may be in a kernel. */
__attribute__((destructor)) static void free_buffers(void)
{
    if (has_run_kernels && !may_run_kernels)
        blas_shutdown();
}

/* -- setup ------------------------------------------------------------------------------------- */

int startile_cpu_setup(int threads)
{
    /* one more: a worker may take address space for its part of the heap meanwhile */
    if (threads > 0 && !has_address_space((size_t)(threads + 1) * buffer_size))
        return STARTILE_ERROR_MEMORY;
    disarm_destructor();
    startile_openblas_choose_kernels((struct openblas_choice){
        openblas_get_corename, gotoblas_dynamic_quit, gotoblas_dynamic_init});
    make_buffers(threads);
    may_run_kernels = has_run_kernels = true;
    return 0;
}

void startile_cpu_stop(void)
{
    may_run_kernels = false;
}
