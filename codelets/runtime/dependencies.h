/*
 * Dependencies between numbered tasks by their accesses to handles. Private to this folder.
 */
#ifndef STARTILE_USAGE_H
#define STARTILE_USAGE_H

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

struct list {
    int64_t *item, count, capacity;
};

/* All zero: nothing was used yet. */
struct access_history {
    void *tree; /* of search.h */
    struct list dependencies;
    bool out_of_memory; /* some may be missing */
};

/* Appends to the dependencies what an access of the task waits for. */
void history_add(struct access_history *history, int64_t task, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode);
void history_forget(struct access_history *history, starpu_data_handle_t handle);
/* Frees all but the dependencies, which are for free(). */
int64_t *history_end(struct access_history *history);

#endif
