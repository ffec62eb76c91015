/* Dependencies between numbered tasks that follow from their accesses to handles. Private to
 * codelets/. */
#ifndef STARTILE_DEPENDENCIES_H
#define STARTILE_DEPENDENCIES_H

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

struct list {
    int64_t *item, count, capacity;
};

/* The accesses so far. Initially all zero. */
struct access_history {
    void *tree; /* tree of tsearch() with the last accesses to each handle */
    struct list dependencies;
    bool out_of_memory; /* dependencies may be missing */
};

/* Appends the dependencies of one access of the task. */
void history_add(struct access_history *history, int64_t task, starpu_data_handle_t handle,
                 enum starpu_data_access_mode mode);
void history_forget(struct access_history *history, starpu_data_handle_t handle);
/* Returns the dependencies, which the caller frees, and frees the rest of the history. */
int64_t *history_end(struct access_history *history);

#endif
