/* Page-locked host memory. */
#include "runtime/pointer.h"
#include "runtime/runtime.h"

#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

void *startile_malloc(size_t bytes)
{
    void *memory = NULL;
    if (!runtime_is_up() || starpu_malloc_flags(&memory, bytes, STARPU_MALLOC_PINNED) != 0)
        return NULL;
    return memory;
}

void startile_free(void *memory, size_t bytes)
{
    if (memory != NULL)
        starpu_free_flags(memory, bytes, STARPU_MALLOC_PINNED);
}

int startile_pin(void *memory, size_t bytes)
{
    if (memory == NULL)
        return -1;
    if (bytes == 0)
        return -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    if (!runtime_has_cuda() || starpu_memory_pin(memory, bytes) == 0)
        return 0;
#ifdef STARTILE_HAVE_CUDA
    cudaGetLastError(); /* clears the error for the caller's next CUDA call */
#endif
    return STARTILE_ERROR_MEMORY;
}

int startile_unpin(void *memory, size_t bytes)
{
    if (memory == NULL)
        return -1;
    if (bytes == 0)
        return -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    return !runtime_has_cuda() || starpu_memory_unpin(memory, bytes) == 0 ? 0
                                                                          : STARTILE_ERROR_MEMORY;
}

/* Returns the array of a matrix, or NULL if it is not contiguous or not in main memory. */
static void *contiguous_array(const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    bool is_contiguous = A->kind == MATRIX_WRAPPED && A->grid == NULL &&
                         A->home_node == STARPU_MAIN_RAM && s->mt > 0 && s->nt > 0 &&
                         (s->n == 1 || starpu_matrix_get_local_ld(A->tiles[0]) == s->m);
    return is_contiguous ? starpu_data_handle_to_pointer(A->tiles[0], STARPU_MAIN_RAM) : NULL;
}

static size_t array_bytes(const startile_matrix *A)
{
    return (size_t)A->shape.m * (size_t)A->shape.n * startile_element_size[A->shape.dtype];
}

/* One H100, pageable arrays: 2 MB take 0.53 ms to the GPU and back, page-locked for that time 0.13
 * and 0.25 for the locking; 128 MB 32 ms, 5 and 8.4 (perf_models/NOTES.md, "Matrices in main
 * memory"). */
void page_lock(startile_matrix *A)
{
    enum { LEAST = 1 << 20 };
    bool may_gain = A != NULL && runtime_has_cuda() && array_bytes(A) >= LEAST;
    void *a = may_gain ? contiguous_array(A) : NULL;
    if (a != NULL && place_of(a).is_pageable && startile_pin(a, array_bytes(A)) == 0)
        A->page_locked = a;
}

void page_unlock(startile_matrix *A)
{
    if (A->page_locked != NULL)
        startile_unpin(A->page_locked, array_bytes(A));
}
