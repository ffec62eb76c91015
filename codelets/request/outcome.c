/*
 * Handles that a request writes when its operations have ended.
 *
 * The program's tasks on such a handle must run after a task that writes it and is submitted by the
 * call that returns the handle. At that time the operations are unfinished, and their end is not an
 * access of any data. Two tasks without work solve this:
 *
 *     write:  writes the handle, and waits for `end`. It is submitted with the handle.
 *     end:    is submitted when the operations before it have ended. The value is then in the
 *             handle's memory, the only copy, because no task has accessed the handle before.
 */
#include "data/zero_init.h"
#include "library/library.h"
#include "request/request.h"
#include "request/state.h"
#include "trace/profile.h"

#include <stdlib.h>

struct outcome {
    struct outcome *next, *next_due;
    starpu_data_handle_t handle;
    int64_t value;
    struct starpu_task *end; /* not yet submitted, or NULL */
    struct stage *before;    /* the operations that the outcome waits for */
    struct stage after;      /* those that are submitted later */
};

static struct starpu_codelet nothing = {
    .where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_W}, .name = "startile_outcome"};

struct outcome *outcomes_due(startile_request *r)
{
    struct outcome *first = NULL, **last = &first;
    while (r->pending != NULL && atomic_load(&r->pending->before->unfinished) == 0) {
        struct outcome *o = r->pending;
        o->value = request_outcome(r);
        *last = o;
        last = &o->next_due;
        r->pending = o->next;
    }
    return first;
}

void outcomes_submit(struct outcome *due)
{
    while (due != NULL) {
        /* when `end` is submitted, another thread may free the outcome */
        struct outcome *next = due->next_due;
        struct starpu_task *end = due->end;
        due->end = NULL;
        (void)starpu_task_submit(end); /* a task without work needs no worker */
        due = next;
    }
}

void free_outcomes(startile_request *r)
{
    for (struct outcome *o = r->outcomes, *next; o != NULL; o = next) {
        next = o->next;
        profile_forget(o->handle);
        starpu_data_unregister(o->handle);
        free(o);
    }
    r->outcomes = r->newest_outcome = NULL;
    atomic_store(&r->whole, &r->first);
}

/* Appends the outcome of the operations submitted so far; returns those that are due. */
static struct outcome *append(startile_request *r, struct outcome *o)
{
    starpu_pthread_mutex_lock(&r->mutex);
    o->before = atomic_load(&r->whole);
    o->after.request = r;
    o->after.whole = &o->after;
    if (r->outcomes == NULL)
        r->outcomes = o;
    else
        r->newest_outcome->next = o;
    r->newest_outcome = o;
    if (r->pending == NULL)
        r->pending = o;
    atomic_store(&r->whole, &o->after);
    struct outcome *due = outcomes_due(r);
    starpu_pthread_mutex_unlock(&r->mutex);
    return due;
}

int64_t startile_request_outcome(startile_request *request, starpu_data_handle_t *outcome)
{
    if (request == NULL)
        return -1;
    if (outcome == NULL)
        return -2;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    struct outcome *o = calloc(1, sizeof *o);
    if (o == NULL)
        return STARTILE_ERROR_MEMORY;
    starpu_variable_data_register(&o->handle, STARPU_MAIN_RAM, (uintptr_t)&o->value,
                                  sizeof o->value);
    starpu_data_set_sequential_consistency_flag(o->handle, 1); /* StarPU quirk 10 */
    set_per_process(o->handle);
    struct starpu_task *write = starpu_task_create();
    o->end = starpu_task_create();
    write->cl = &nothing;
    write->handles[0] = o->handle;
    starpu_task_declare_deps_array(write, 1, &o->end);
    if (starpu_task_submit(write) != 0) {
        write->destroy = o->end->destroy = 0;
        starpu_task_destroy(write);
        starpu_task_destroy(o->end);
        starpu_data_unregister(o->handle);
        free(o);
        return STARTILE_ERROR_NO_WORKER;
    }
    *outcome = o->handle;
    outcomes_submit(append(request, o));
    return 0;
}
