/*
 * How much of its device a task had.
 */
#include "placement.h"

#include <math.h>
#include <stdlib.h>

struct event {
    double time;
    int device;
    int64_t task;
    int change; /* +1: it begins, −1: it ends */
};

static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->device != y->device)
        return x->device - y->device;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->change - y->change;
}

/* Events of one device after the other; time runs slower by the number of tasks under way. */
static void sweep(const struct event *event, int64_t count, double *seconds)
{
    double time = 0;
    int running = 0;
    for (int64_t e = 0; e < count; e++) {
        if (running > 0)
            time += (event[e].time - event[e - 1].time) / running;
        running += event[e].change;
        seconds[event[e].task] -= event[e].change * time;
    }
}

void device_seconds(const startile_profile *profile, const int *device, double *seconds)
{
    struct event *event = malloc((size_t)(2 * profile->count + 1) * sizeof *event);
    int64_t events = 0;
    for (int64_t i = 0; i < profile->count; i++) {
        const startile_task_record *t = &profile->task[i];
        seconds[i] = 0;
        if (t->worker < 0)
            continue;
        /* those without a duration have no share either */
        if (event == NULL || !(t->end > t->start)) {
            seconds[i] = fmax(t->end - t->start, 0);
            continue;
        }
        event[events++] = (struct event){t->start, device[i], i, 1};
        event[events++] = (struct event){t->end, device[i], i, -1};
    }
    if (event != NULL)
        qsort(event, (size_t)events, sizeof *event, compare);
    sweep(event, events, seconds);
    free(event);
}
