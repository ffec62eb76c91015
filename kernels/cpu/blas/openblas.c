/*
 * A static OpenBLAS. It is the threaded build, because the serial build does not lock its buffers
 * against several calling threads.
 */
#include "common/openblas.h"
#include "blas.h"
#include "common/blas_names.h"
#include "startile_types.h"

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
extern char *openblas_get_config(void);
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

/* Runs OpenBLAS' destructor before the first kernel, so that it does nothing at the end of the
 * program. There it would free the buffers and the table of kernels of threads that are in a
 * kernel, which then access invalid memory. */
static void disarm_destructor(void)
{
    gotoblas_quit();
    if (gotoblas_dynamic_init != NULL)
        gotoblas_dynamic_init();
}

int startile_blas_setup(int threads)
{
    /* one more: a worker may take address space for its part of the heap meanwhile */
    if (threads > 0 && !has_address_space((size_t)(threads + 1) * buffer_size))
        return STARTILE_ERROR_MEMORY;
    disarm_destructor();
    startile_openblas_choose_kernels((struct openblas_choice){
        openblas_get_corename, gotoblas_dynamic_quit, gotoblas_dynamic_init});
    make_buffers(threads);
    return 0;
}

void startile_blas_free(void)
{
    blas_shutdown();
}

void startile_blas_describe(char *text, int size)
{
    startile_name_openblas(openblas_get_config(), text, size);
}
