/*
 * The tables of all types, and the setup of OpenBLAS.
 *
 * A StarPU worker is one core, so OpenBLAS must not start threads inside it; yet the caller may use
 * OpenBLAS with all its threads elsewhere in the same process, and the number of threads is one
 * global of OpenBLAS. So the library links its own copy, with symbols that nobody else sees, which
 * is told that its user wants one thread. It is the threaded build all the same, since the serial
 * build does not lock its buffers against several calling threads.
 */
#include "kernels.h"
#include "openblas.h"
#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

extern const startile_kernels startile_cpu_skernels, startile_cpu_dkernels, startile_cpu_ckernels,
    startile_cpu_zkernels;

const startile_kernels *const startile_cpu_kernels[4] = {
    &startile_cpu_skernels, &startile_cpu_dkernels, &startile_cpu_ckernels, &startile_cpu_zkernels};

/* What OpenBLAS takes OPENBLAS_NUM_THREADS for: the linker puts this in its place (--wrap). Asked
 * when the library is loaded, so that no thread is ever started. To stop them afterwards could take
 * for ever: a thread begins with a buffer, which it asks for until there is memory. */
int __wrap_openblas_num_threads_env(void);
int __wrap_openblas_num_threads_env(void)
{
    return 1;
}

/* OpenBLAS' own, without a header. */
extern char *openblas_get_corename(void);
extern void *blas_memory_alloc(int procedure);
extern void blas_memory_free(void *buffer);
/* Not where it was built for one CPU only. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

/* A page more than OpenBLAS' buffers have on x86-64 and ARM: address space, of which it uses
 * little. */
static const size_t buffer_size = ((size_t)128 << 20) + 4096;

static bool has_room(size_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, size) == 0;
}

/* Each thread inside OpenBLAS has a buffer, for which it waits, and for ever where there is no
 * room. So they are made before, and OpenBLAS keeps them. */
static void make_buffers(int threads)
{
    if (threads <= 0)
        return;
    void *buffer = blas_memory_alloc(0);
    make_buffers(threads - 1);
    blas_memory_free(buffer);
}

int startile_cpu_setup(int threads)
{
    if (threads > 0 && !has_room((size_t)threads * buffer_size))
        return STARTILE_ERROR_MEMORY;
    startile_openblas_suit_cpu((struct openblas_choice){
        openblas_get_corename, gotoblas_dynamic_quit, gotoblas_dynamic_init});
    make_buffers(threads);
    return 0;
}
