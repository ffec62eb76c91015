#include "counted_malloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t used, peak;

size_t begin_peak(void)
{
    size_t now = atomic_load(&used);
    atomic_store(&peak, now);
    return now;
}

size_t peak_bytes(void)
{
    return atomic_load(&peak);
}

/* A sanitizer has a malloc() of its own, which must stay; nothing is counted then. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

/* The C library's functions under the names that glibc keeps for programs that replace malloc() */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void *count(void *memory)
{
    size_t bytes = malloc_usable_size(memory), now = atomic_fetch_add(&used, bytes) + bytes,
           most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
        ;
    return memory;
}

void *malloc(size_t size)
{
    return count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return count(__libc_calloc(number, size));
}

/* Old and new memory count together, as they do in a realloc() that copies. */
void *realloc(void *memory, size_t size)
{
    size_t before = malloc_usable_size(memory);
    void *larger = __libc_realloc(memory, size);
    if (larger == NULL && size > 0)
        return NULL;
    count(larger);
    atomic_fetch_sub(&used, before);
    return larger;
}

void free(void *memory)
{
    atomic_fetch_sub(&used, malloc_usable_size(memory));
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size)
{
    return count(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *aligned = memalign(alignment, size);
    if (aligned == NULL)
        return ENOMEM;
    *memory = aligned;
    return 0;
}

#endif
