/* Page-locked host memory for the caller. */
#include "runtime/runtime.h"

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
    return !runtime_has_cuda() || starpu_memory_pin(memory, bytes) == 0 ? 0 : STARTILE_ERROR_MEMORY;
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
