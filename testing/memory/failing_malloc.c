#include "failing_malloc.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

/* A path, as a hash of the return addresses of CALLS calls, and its allocations in this run. Up to
 * four of the calls are this file's and the sanitizer's. */
enum { CALLS = 9 };
static struct path {
    uint64_t hash;
    long count;
} path[MOST_PATHS];
static int path_count;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all variables here */
static long count, first_failure, chosen_occurrence;
static int chosen_path = -1;
static bool failed, are_exempt;

/* Begins a run. */
static void begin(long first, int chosen, long occurrence)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < path_count; i++)
        path[i].count = 0;
    count = 0, failed = false;
    first_failure = first, chosen_path = chosen, chosen_occurrence = occurrence;
    pthread_mutex_unlock(&mutex);
}

void fail_allocations_from(long first)
{
    begin(first, -1, 0);
}

void fail_path(int chosen, long occurrence)
{
    begin(0, chosen, occurrence);
}

#define LOCKED(type, name, parameters, expression)                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        pthread_mutex_lock(&mutex);                                                                \
        type value = expression;                                                                   \
        pthread_mutex_unlock(&mutex);                                                              \
        return value;                                                                              \
    }
LOCKED(long, allocations, (void), count)
LOCKED(bool, has_failed, (void), failed)
LOCKED(int, paths, (void), path_count)
LOCKED(long, occurrences, (int i), path[i].count)

void forget_paths(void)
{
    pthread_mutex_lock(&mutex);
    path_count = 0;
    pthread_mutex_unlock(&mutex);
}

void exempt_allocations(bool exempt)
{
    pthread_mutex_lock(&mutex);
    are_exempt = exempt;
    pthread_mutex_unlock(&mutex);
}

/* Returns a hash of the calls that lead to this one. */
static uint64_t hash_of_calls(void)
{
    void *call[CALLS];
    uint64_t hash = 0;
    for (int i = 0, depth = backtrace(call, CALLS); i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)call[i]) * 0x9E3779B97F4A7C15;
    return hash;
}

/* Returns the index of the path, a new one for another hash; -1 without space. */
static int path_with(uint64_t hash)
{
    for (int i = 0; i < path_count; i++)
        if (path[i].hash == hash)
            return i;
    if (path_count == MOST_PATHS)
        return -1;
    path[path_count] = (struct path){hash, 0};
    return path_count++;
}

/* Counts an allocation and returns whether it is to fail. */
static bool fails(void)
{
    uint64_t hash = hash_of_calls();
    pthread_mutex_lock(&mutex);
    bool is_chosen = false;
    if (!are_exempt) {
        int i = path_with(hash);
        long occurrence = i >= 0 ? ++path[i].count : 0;
        count++;
        is_chosen = first_failure > 0
                        ? count >= first_failure
                        : i >= 0 && i == chosen_path && occurrence == chosen_occurrence;
        failed = failed || is_chosen;
    }
    pthread_mutex_unlock(&mutex);
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
