/*
 * Placement of a run's tasks, from the library's records, and StarPU's profile of workers and buses
 * during the run.
 */
#include "placement.h"
#include "platform.h"
#include "startile_trace.h"

#include <math.h>
#include <starpu.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* -- StarPU's counters, which reading resets -------------------------------------------------- */

static enum kind kind_of(int worker)
{
    return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER ? GPU : CPU;
}

/* Returns the number of GPUs that have workers. */
static int gpu_count(void)
{
    bool seen[STARPU_MAXCUDADEVS] = {false};
    int count = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (kind_of(w) == GPU && !seen[starpu_worker_get_devid(w)]) {
            seen[starpu_worker_get_devid(w)] = true;
            count++;
        }
    return count;
}

/* Adds the time that workers waited for data. The workers of a GPU are one device, so that the time
 * of each counts only as its share of the device. */
static void read_workers(struct placement *p)
{
    int workers[KINDS] = {startile_cpu_workers(), startile_cuda_workers()};
    p->load[CPU].devices = workers[CPU];
    p->load[GPU].devices = gpu_count();
    for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
        struct starpu_profiling_worker_info info;
        enum kind k = kind_of(w);
        if (starpu_profiling_worker_get_info(w, &info) == 0)
            p->load[k].waiting += 1e-6 * starpu_timing_timespec_to_us(&info.waiting_time) *
                                  p->load[k].devices / workers[k];
    }
}

/* Adds bytes that StarPU moved from one kind of memory node to another. */
static void add_bytes(struct placement *p, enum starpu_node_kind from, enum starpu_node_kind to,
                      double bytes)
{
    if (from == STARPU_DISK_RAM)
        p->from_disk += bytes;
    else if (to == STARPU_DISK_RAM)
        p->to_disk += bytes;
    else if (from == STARPU_CUDA_RAM && to == STARPU_CUDA_RAM)
        p->between_gpus += bytes;
    else if (to == STARPU_CUDA_RAM)
        p->to_gpus += bytes;
    else if (from == STARPU_CUDA_RAM)
        p->from_gpus += bytes;
}

/* Adds the bytes of StarPU's transfers. */
static void read_buses(struct placement *p)
{
    for (int b = 0; b < starpu_bus_get_count(); b++) {
        struct starpu_profiling_bus_info info;
        if (starpu_bus_get_profiling_info(b, &info) == 0)
            add_bytes(p, starpu_node_get_kind((unsigned)starpu_bus_get_src(b)),
                      starpu_node_get_kind((unsigned)starpu_bus_get_dst(b)),
                      (double)info.transferred_bytes);
    }
}

/* -- tasks ---------------------------------------------------------------------------------- */

/* Returns the entry of the codelet, which is added if there is none; NULL without memory. */
static struct codelet_load *find_or_add_codelet(struct placement *p, const char *codelet)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->codelets[i].codelet, codelet) == 0)
            return &p->codelets[i];
    struct codelet_load *larger = realloc(p->codelets, (size_t)(p->count + 1) * sizeof *larger);
    if (larger == NULL)
        return NULL;
    p->codelets = larger;
    p->codelets[p->count] = (struct codelet_load){.codelet = codelet};
    return &p->codelets[p->count++];
}

/* Adds the tasks to their codelets and devices. seconds: device time of each task */
static int64_t add_tasks(const startile_profile *profile, const double *seconds,
                         struct placement *p)
{
    for (int64_t i = 0; i < profile->count; i++) {
        const startile_task_record *t = &profile->task[i];
        struct codelet_load *codelet_load =
            t->worker < 0 ? NULL : find_or_add_codelet(p, t->codelet);
        if (t->worker < 0)
            continue;
        if (codelet_load == NULL)
            return STARTILE_ERROR_MEMORY;
        codelet_load->tasks[t->on_cuda]++;
        codelet_load->seconds[t->on_cuda] += seconds[i];
        codelet_load->flops[t->on_cuda] += t->flops;
        p->load[t->on_cuda].busy += seconds[i];
        p->seconds = fmax(p->seconds, t->end);
    }
    return 0;
}

/* Compares two codelets for qsort(): those with the most seconds on all devices first. */
static int compare_codelets(const void *a, const void *b)
{
    const struct codelet_load *x = a, *y = b;
    double s = x->seconds[CPU] + x->seconds[GPU], t = y->seconds[CPU] + y->seconds[GPU];
    return (s < t) - (s > t);
}

/* Limits the waiting time to the idle time. StarPU counts the waiting time of each worker, even
 * while another worker of the same GPU runs a task. */
static void clip_waiting(struct placement *p)
{
    for (int k = 0; k < KINDS; k++) {
        double idle = fmax(p->load[k].devices * p->seconds - p->load[k].busy, 0);
        p->load[k].waiting = fmin(p->load[k].waiting, idle);
    }
}

/* Returns whether the library uses calibrated models, and stores their gpu_hold, or 1 if GPUs have
 * one worker each, so that their tasks do not overlap. Models that StarPU learned by itself do not
 * count: the tasks that it measured had slowed each other down. */
static bool has_calibrated_models(int gpus, double *gpu_hold)
{
    startile_models models;
    bool calibrated = startile_models_in_use(&models) == 0 && models.folder[0] != '\0';
    bool overlap = (int)starpu_cuda_worker_get_count() > gpus;
    *gpu_hold = calibrated && overlap ? platform_gpu_hold(models.folder) : 1;
    return calibrated;
}

/* Computes the load of codelets and devices, and the bounds, from the recorded tasks. */
static int64_t analyze(const startile_profile *profile, struct placement *p)
{
    size_t count = (size_t)profile->count + 1;
    double *seconds = malloc(count * sizeof *seconds);
    int *device = malloc(count * sizeof *device);
    int64_t status = seconds && device ? 0 : STARTILE_ERROR_MEMORY;
    bool calibrated = has_calibrated_models(p->load[GPU].devices, &p->gpu_hold);
    for (int64_t i = 0; i < profile->count && !status; i++) {
        int worker = profile->task[i].worker;
        /* a GPU is one device for all its workers; each CPU worker is a device. GPUs have numbers
         * above those of workers, −1 is a task that did not run */
        device[i] = worker < 0               ? -1
                    : kind_of(worker) == GPU ? STARPU_NMAXWORKERS + starpu_worker_get_devid(worker)
                                             : worker;
    }
    if (!status) {
        device_seconds(profile, device, seconds);
        status = add_tasks(profile, seconds, p);
    }
    if (!status) {
        clip_waiting(p);
        status = find_bounds(profile, seconds, p);
    }
    if (!calibrated)
        p->modelled = (struct bounds){NAN, NAN, NAN};
    if (p->count > 0)
        qsort(p->codelets, (size_t)p->count, sizeof *p->codelets, compare_codelets);
    free(seconds);
    free(device);
    return status;
}

int64_t placement_end(double run_seconds, struct placement *p)
{
    startile_profile *profile;
    struct placement found = {.run_seconds = run_seconds,
                              .volume = NAN,
                              .volume_ratio = NAN,
                              .volume_between = NAN,
                              .between_ratio = NAN};
    read_workers(&found);
    read_buses(&found);
    int64_t status = startile_profile_stop(&profile);
    if (!status)
        status = analyze(profile, &found);
    startile_profile_destroy(profile);
    if (status)
        placement_free(&found);
    else
        *p = found;
    return status;
}

void placement_free(struct placement *p)
{
    free(p->codelets);
    p->codelets = NULL;
    p->count = 0;
}
