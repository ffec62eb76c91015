/* What each task of a profile waits for: it follows from the order of submission and the accesses
 * to handles, as StarPU finds it, too. */
#define _GNU_SOURCE /* tdestroy() */
#include "runtime/dependencies.h"

#include <search.h>
#include <stdlib.h>

/* Who used a handle last. */
struct usage {
    starpu_data_handle_t handle;
    int64_t writer;
    struct list readers; /* since then */
};

static void append(struct usages *all, struct list *l, int64_t item)
{
    if (l->count == l->capacity) {
        int64_t capacity = 2 * l->capacity + 8;
        int64_t *larger = realloc(l->item, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            all->out_of_memory = true;
            return;
        }
        l->item = larger;
        l->capacity = capacity;
    }
    l->item[l->count++] = item;
}

static int compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct usage *)a)->handle;
    uintptr_t y = (uintptr_t)((const struct usage *)b)->handle;
    return (x > y) - (x < y);
}

static void free_usage(void *usage)
{
    free(((struct usage *)usage)->readers.item);
    free(usage);
}

static struct usage *usage_of(struct usages *all, starpu_data_handle_t handle)
{
    struct usage key = {.handle = handle}, **found = tfind(&key, &all->tree, compare);
    if (found != NULL)
        return *found;
    struct usage *made = malloc(sizeof *made);
    if (made != NULL) {
        *made = (struct usage){.handle = handle, .writer = -1};
        found = tsearch(made, &all->tree, compare);
    }
    if (found == NULL) {
        all->out_of_memory = true;
        free(made);
    }
    return found == NULL ? NULL : *found;
}

static void depend(struct usages *all, int64_t task, int64_t on)
{
    if (on >= 0 && on != task)
        append(all, &all->dependencies, on);
}

void usages_note(struct usages *all, int64_t task, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode)
{
    struct usage *u = usage_of(all, handle);
    if (u == NULL)
        return;
    if ((mode & STARPU_W) == 0) {
        depend(all, task, u->writer);
        append(all, &u->readers, task);
        return;
    }
    if (u->readers.count == 0)
        depend(all, task, u->writer);
    for (int64_t r = 0; r < u->readers.count; r++)
        depend(all, task, u->readers.item[r]);
    u->readers.count = 0;
    u->writer = task;
}

void usages_forget(struct usages *all, starpu_data_handle_t handle)
{
    struct usage key = {.handle = handle}, **found = tfind(&key, &all->tree, compare);
    if (found == NULL)
        return;
    struct usage *u = *found;
    tdelete(u, &all->tree, compare);
    free_usage(u);
}

int64_t *usages_end(struct usages *all)
{
    int64_t *dependencies = all->dependencies.item;
    tdestroy(all->tree, free_usage);
    *all = (struct usages){.tree = NULL};
    return dependencies;
}
