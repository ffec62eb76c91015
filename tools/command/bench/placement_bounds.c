/*
 * Device time of each task of a run, and two lower bounds on the time of the tasks: the longest
 * chain of dependent tasks, and the work spread evenly over the devices. Each bound is computed by
 * measured times and by the models' times.
 */
#include "placement.h"
#include "startile_trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* -- time of devices -------------------------------------------------------------------------- */

struct event {
    double time;
    int device;
    int64_t task;
    int change; /* +1: the task begins, −1: the task ends */
};

/* Compares two events for qsort(): by device and time; at the same time a task ends before another
 * begins. */
static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->device != y->device)
        return x->device - y->device;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->change - y->change;
}

/* Computes the tasks' device times from events that are sorted by device and time. `time` advances
 * at rate 1/k while k tasks run. seconds: zeros for these tasks; a task subtracts `time` at its
 * begin and adds it at its end. No task runs between the events of two devices. */
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
        /* a task without duration gets 0; without memory for the events a task gets its duration */
        if (event == NULL || !(t->end > t->start)) {
            seconds[i] = fmax(t->end - t->start, 0);
            continue;
        }
        event[events++] = (struct event){t->start, device[i], i, 1};
        event[events++] = (struct event){t->end, device[i], i, -1};
    }
    if (event != NULL)
        qsort(event, (size_t)events, sizeof *event, compare_events);
    sweep(event, events, seconds);
    free(event);
}

/* -- groups ----------------------------------------------------------------------------------- */

enum source { MEASURED, MODELLED };

/* Tasks of one codelet and shape. mean: mean seconds by kind of device; infinite: unknown. work:
 * mean device-seconds, less than `mean` if other tasks can run on the GPU at the same time */
struct group {
    const startile_task_record *first;
    double tasks;
    double mean[KINDS], work[KINDS];
};

/* Compares the records to which two elements point, for qsort(): by codelet and shape. */
static int compare_tasks(const void *a, const void *b)
{
    const startile_task_record *x = *(startile_task_record *const *)a,
                               *y = *(startile_task_record *const *)b;
    int order = strcmp(x->codelet, y->codelet);
    return order != 0 ? order : (x->shape > y->shape) - (x->shape < y->shape);
}

/* Number and seconds of a group's tasks by kind of device: measured, and predicted by the model */
struct sums {
    double tasks[KINDS], seconds[KINDS];
    double expected_tasks[KINDS], expected[KINDS];
};

/* Adds the task's measured time, and its predictions where the model has them. */
static void add_task(struct sums *s, const startile_task_record *t, double seconds)
{
    const double expected[KINDS] = {t->cpu_seconds, t->cuda_seconds};
    s->tasks[t->on_cuda] += 1;
    s->seconds[t->on_cuda] += seconds;
    for (int k = 0; k < KINDS; k++)
        if (!isnan(expected[k])) {
            s->expected_tasks[k] += 1;
            s->expected[k] += expected[k];
        }
}

/* Returns the mean seconds of the group's tasks on device kind k: measured if `source` is MEASURED
 * and tasks ran there, otherwise predicted by the performance model; INFINITY if unknown or without
 * devices. */
static double mean_seconds(const struct sums *s, const struct device_load *load, enum source source,
                           int k)
{
    if (load[k].devices == 0)
        return INFINITY;
    return source == MEASURED && s->tasks[k] > 0 ? s->seconds[k] / s->tasks[k]
           : s->expected_tasks[k] > 0            ? s->expected[k] / s->expected_tasks[k]
                                                 : INFINITY;
}

/* Groups the tasks that ran by codelet and shape. group_of[i]: index of task i's group; ran:
 * workspace, one element per task. Returns the number of groups. */
static int64_t find_groups(const startile_profile *profile, const double *seconds,
                           const struct device_load *load, enum source source,
                           const startile_task_record **ran, struct group *group, int64_t *group_of)
{
    int64_t count = 0, groups = 0;
    for (int64_t i = 0; i < profile->count; i++)
        if (profile->task[i].worker >= 0)
            ran[count++] = &profile->task[i];
    qsort(ran, (size_t)count, sizeof *ran, compare_tasks);
    for (int64_t i = 0, next; i < count; i = next) {
        struct sums sums = {{0}, {0}, {0}, {0}};
        for (next = i; next < count && compare_tasks(&ran[i], &ran[next]) == 0; next++) {
            int64_t task = ran[next] - profile->task;
            add_task(&sums, ran[next], seconds[task]);
            group_of[task] = groups;
        }
        double cpu = mean_seconds(&sums, load, source, CPU),
               gpu = mean_seconds(&sums, load, source, GPU);
        group[groups++] = (struct group){ran[i], (double)(next - i), {cpu, gpu}, {cpu, gpu}};
    }
    return groups;
}

/* Multiplies the work on a GPU by the share of the GPU that a task uses, as the simulation does
 * (models/simulation.h), with the rates relative to the fastest group's. */
static void apply_shares(struct group *group, int64_t groups, double hold)
{
    double fastest = 0;
    for (int64_t i = 0; i < groups; i++)
        if (group[i].mean[GPU] > 0)
            fastest = fmax(fastest, group[i].first->flops / group[i].mean[GPU]);
    for (int64_t i = 0; i < groups; i++)
        if (group[i].mean[GPU] > 0 && !isinf(group[i].mean[GPU]) && fastest > 0) {
            double rate = group[i].first->flops / group[i].mean[GPU] / fastest;
            group[i].work[GPU] *= rate + hold * (1 - rate);
        }
}

/* -- critical path -------------------------------------------------------------------------- */

/* Returns the seconds on the critical path of a task that took `seconds` of its device. MEASURED:
 * these, or the group's mean on the other kind of device if that is less; MODELLED: the least
 * predicted mean. */
static double seconds_on_path(const startile_task_record *t, double seconds, const struct group *g,
                              enum source source)
{
    return source == MODELLED ? fmin(g->mean[CPU], g->mean[GPU])
                              : fmin(seconds, g->mean[!t->on_cuda]);
}

/* Returns the seconds of the longest chain of dependent tasks. A task's predecessors come before it
 * in the profile. finish: workspace, one element per task */
static double critical_path(const startile_profile *profile, const double *device_seconds,
                            enum source source, const struct group *group, const int64_t *group_of,
                            double *finish)
{
    double longest = 0;
    for (int64_t i = 0; i < profile->count; i++) {
        const startile_task_record *t = &profile->task[i];
        const int64_t *predecessors = &profile->dependency[t->first_dependency];
        double start = 0, seconds = 0;
        for (int64_t d = 0; d < t->dependencies; d++)
            start = fmax(start, finish[predecessors[d]]);
        if (t->worker >= 0)
            seconds = seconds_on_path(t, device_seconds[i], &group[group_of[i]], source);
        finish[i] = start + seconds;
        longest = fmax(longest, finish[i]);
    }
    return longest;
}

/* -- area ----------------------------------------------------------------------------------- */

/* Returns the speedup of a GPU over a CPU worker; 0: the time on a GPU is unknown. */
static double speedup(const struct group *g)
{
    return isinf(g->work[GPU]) ? 0 : g->work[CPU] / g->work[GPU];
}

/* Compares two groups for qsort(): the largest speedup first. */
static int compare_speedups(const void *a, const void *b)
{
    double x = speedup(a), y = speedup(b);
    return (x < y) - (x > y);
}

/* Returns the least T for which, on both kinds of devices, the sum of tasks · work is at most
 * devices · T. Tasks may be divided. The GPUs take the groups with the largest speedup, until both
 * kinds end together. */
static double area_bound(struct group *group, int64_t groups, const struct device_load *load)
{
    double on_cpu = 0, on_gpu = 0, cpus = load[CPU].devices, gpus = load[GPU].devices;
    qsort(group, (size_t)groups, sizeof *group, compare_speedups);
    for (int64_t i = 0; i < groups; i++)
        on_cpu += isinf(group[i].work[CPU]) ? 0 : group[i].tasks * group[i].work[CPU];
    for (int64_t i = 0; i < groups; i++) {
        const struct group *x = &group[i];
        double gpu_seconds = x->tasks * x->work[GPU], cpu_seconds = x->tasks * x->work[CPU];
        if (isinf(x->work[CPU])) {
            on_gpu += gpu_seconds;
            continue;
        }
        if (isinf(x->work[GPU])) /* speedup 0: no later group runs on GPUs */
            break;
        /* p: the fraction of the group on GPUs that makes (on_cpu − p · cpu_seconds)/cpus = (on_gpu
         * + p · gpu_seconds)/gpus */
        double p = (gpus * on_cpu - cpus * on_gpu) / (gpus * cpu_seconds + cpus * gpu_seconds);
        p = fmin(fmax(p, 0), 1);
        on_cpu -= p * cpu_seconds;
        on_gpu += p * gpu_seconds;
    }
    return fmax(cpus > 0 ? on_cpu / cpus : 0, gpus > 0 ? on_gpu / gpus : 0);
}

int64_t find_bounds(const startile_profile *profile, const double *seconds, struct placement *p)
{
    size_t count = (size_t)profile->count + 1;
    struct bounds *const bounds[] = {[MEASURED] = &p->measured, [MODELLED] = &p->modelled};
    const startile_task_record **ran = malloc(count * sizeof *ran);
    struct group *group = malloc(count * sizeof *group);
    int64_t *group_of = malloc(count * sizeof *group_of);
    double *finish = malloc(count * sizeof *finish);
    bool good = ran && group && group_of && finish;
    for (enum source s = MEASURED; good && s <= MODELLED; s++) {
        int64_t groups = find_groups(profile, seconds, p->load, s, ran, group, group_of);
        if (s == MODELLED)
            apply_shares(group, groups, p->gpu_hold);
        double path = critical_path(profile, seconds, s, group, group_of, finish);
        double work = area_bound(group, groups, p->load), longest = fmax(path, work);
        *bounds[s] =
            isinf(longest) ? (struct bounds){NAN, NAN, NAN} : (struct bounds){path, work, longest};
    }
    free(ran);
    free(group);
    free(group_of);
    free(finish);
    return good ? 0 : STARTILE_ERROR_MEMORY;
}
