/* Dependencies of the tasks of a profile. They follow from the order of submission and the accesses
 * to handles, as in StarPU. */
#define _GNU_SOURCE /* tdestroy() */
#include "trace/dependencies.h"

#include <search.h>
#include <stdlib.h>

/* The last accesses to a handle. */
struct handle_accesses {
    starpu_data_handle_t handle;
    int64_t writer;
    struct list readers; /* tasks since the last writer */
};

/* Appends an item to a list of the history; without memory sets out_of_memory. */
static void append(struct access_history *history, struct list *l, int64_t item)
{
    if (l->count == l->capacity) {
        int64_t capacity = 2 * l->capacity + 8;
        int64_t *larger = realloc(l->item, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            history->out_of_memory = true;
            return;
        }
        l->item = larger;
        l->capacity = capacity;
    }
    l->item[l->count++] = item;
}

static int compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct handle_accesses *)a)->handle;
    uintptr_t y = (uintptr_t)((const struct handle_accesses *)b)->handle;
    return (x > y) - (x < y);
}

static void free_accesses(void *handle_accesses)
{
    free(((struct handle_accesses *)handle_accesses)->readers.item);
    free(handle_accesses);
}

/* Returns the accesses to the handle, adding it to the history at its first use; NULL without
 * memory. */
static struct handle_accesses *accesses_of(struct access_history *history,
                                           starpu_data_handle_t handle)
{
    struct handle_accesses key = {.handle = handle}, **found = tfind(&key, &history->tree, compare);
    if (found != NULL)
        return *found;
    struct handle_accesses *new_accesses = malloc(sizeof *new_accesses);
    if (new_accesses != NULL) {
        *new_accesses = (struct handle_accesses){.handle = handle, .writer = -1};
        found = tsearch(new_accesses, &history->tree, compare);
    }
    if (found == NULL) {
        history->out_of_memory = true;
        free(new_accesses);
    }
    return found == NULL ? NULL : *found;
}

/* Records that the task depends on task `on`, unless that is −1 or the task itself. */
static void depend(struct access_history *history, int64_t task, int64_t on)
{
    if (on >= 0 && on != task)
        append(history, &history->dependencies, on);
}

void history_add(struct access_history *history, int64_t task, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode)
{
    struct handle_accesses *u = accesses_of(history, handle);
    if (u == NULL)
        return;
    if ((mode & STARPU_W) == 0) {
        depend(history, task, u->writer);
        append(history, &u->readers, task);
        return;
    }
    if (u->readers.count == 0)
        depend(history, task, u->writer);
    for (int64_t r = 0; r < u->readers.count; r++)
        depend(history, task, u->readers.item[r]);
    u->readers.count = 0;
    u->writer = task;
}

void history_forget(struct access_history *history, starpu_data_handle_t handle)
{
    struct handle_accesses key = {.handle = handle}, **found = tfind(&key, &history->tree, compare);
    if (found == NULL)
        return;
    struct handle_accesses *u = *found;
    tdelete(u, &history->tree, compare);
    free_accesses(u);
}

int64_t *history_end(struct access_history *history)
{
    int64_t *dependencies = history->dependencies.item;
    tdestroy(history->tree, free_accesses);
    *history = (struct access_history){.tree = NULL};
    return dependencies;
}
