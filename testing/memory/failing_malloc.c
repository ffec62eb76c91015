#include "failing_malloc.h"

#include <errno.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long count, first_failure;
static atomic_bool all_fail, are_exempt;

void fail_allocation(long first, bool all)
{
    atomic_store(&first_failure, 0);
    atomic_store(&all_fail, all);
    atomic_store(&count, 0);
    atomic_store(&first_failure, first);
}

long allocations(void)
{
    return atomic_load(&count);
}

void exempt_allocations(bool exempt)
{
    atomic_store(&are_exempt, exempt);
}

/* Counts an allocation and returns whether it is to fail. */
static bool fails(void)
{
    if (atomic_load(&are_exempt))
        return false;
    long number = atomic_fetch_add(&count, 1) + 1, first = atomic_load(&first_failure);
    bool is_chosen = first > 0 && (atomic_load(&all_fail) ? number >= first : number == first);
    if (is_chosen)
        errno = ENOMEM;
    return is_chosen;
}

/* startile's objects call __wrap_NAME in place of NAME. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_starpu_malloc_flags(void **memory, size_t size, int flags);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : malloc(size);
}

void *__wrap_calloc(size_t number, size_t size)
{
    return fails() ? NULL : calloc(number, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : strdup(text);
}

int __wrap_starpu_malloc_flags(void **memory, size_t size, int flags)
{
    return fails() ? -ENOMEM : starpu_malloc_flags(memory, size, flags);
}
