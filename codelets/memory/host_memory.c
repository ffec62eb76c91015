/* Page-locked host memory. */
#include "memory/host_memory.h"

#include "data/matrix.h"
#include "data/pointer.h"
#include "library/library.h"
#include "library/runtime.h"

#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

/* Clears the error of a CUDA call for the caller's next one. */
static void clear_cuda_error(void)
{
#ifdef STARTILE_HAVE_CUDA
    cudaGetLastError();
#endif
}

void *startile_malloc(size_t bytes)
{
    void *memory = NULL;
    if (!runtime_is_up() || starpu_malloc_flags(&memory, bytes, STARPU_MALLOC_PINNED) != 0)
        return NULL;
    return memory;
}

void startile_free(void *memory, size_t bytes)
{
    if (memory != NULL && !library_unusable_after_fork())
        starpu_free_flags(memory, bytes, STARPU_MALLOC_PINNED);
}

int64_t startile_pin(void *memory, size_t bytes)
{
    if (memory == NULL)
        return -1;
    if (bytes == 0)
        return -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    if (!runtime_has_cuda() || starpu_memory_pin(memory, bytes) == 0)
        return 0;
    clear_cuda_error();
    return STARTILE_ERROR_MEMORY;
}

int64_t startile_unpin(void *memory, size_t bytes)
{
    if (memory == NULL)
        return -1;
    if (bytes == 0)
        return -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    if (!runtime_has_cuda() || starpu_memory_unpin(memory, bytes) == 0)
        return 0;
    clear_cuda_error();
    return STARTILE_ERROR_MEMORY;
}

/* Returns the array of a wrapped matrix, or NULL if it is not contiguous or not in main memory. */
static void *contiguous_array(const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    if (A->kind != MATRIX_WRAPPED || A->is_view || A->grid != NULL ||
        A->home_node != STARPU_MAIN_RAM || s->mt == 0 || s->nt == 0)
        return NULL;
    const struct starpu_matrix_interface *tile =
        starpu_data_get_interface_on_node(A->tiles[0], STARPU_MAIN_RAM);
    return s->n == 1 || tile->ld == (size_t)s->m ? (void *)tile->ptr : NULL;
}

/* Returns the bytes of the matrix, which has no grid. */
static size_t array_bytes(const startile_matrix *A)
{
    return (size_t)bytes_of(&A->shape, NULL);
}

/* Returns whether the library uses the calling thread's current GPU. Otherwise page-locking would
 * create a context on that GPU. */
static bool uses_current_gpu(void)
{
    int device = -1;
#ifdef STARTILE_HAVE_CUDA
    if (cudaGetDevice(&device) != cudaSuccess)
        clear_cuda_error();
#endif
    return device >= 0 && node_of_device(device) >= 0;
}

/* Locking and unlocking take less time than they save in transfers: one H100, 2 MB to the GPU and
 * back, pageable 0.53 ms; page-locked 0.13, and 0.25 for locking and unlocking; 128 MB 32, 5 and
 * 8.4 ms (perf_models/NOTES.md, "Matrices in main memory"). The least size is an estimate. */
void page_lock(startile_matrix *A)
{
    enum { LEAST = 1 << 20 };
    bool may_gain = A != NULL && runtime_has_cuda() && array_bytes(A) >= LEAST;
    void *a = may_gain ? contiguous_array(A) : NULL;
    if (a != NULL && uses_current_gpu() && place_of(a).is_pageable &&
        startile_pin(a, array_bytes(A)) == 0)
        A->page_locked = a;
}

void page_unlock(startile_matrix *A)
{
    if (A->page_locked != NULL)
        startile_unpin(A->page_locked, array_bytes(A));
}
