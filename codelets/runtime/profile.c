/* Records of the tasks of a region: where and when they ran, and what they waited for. */
#include "runtime/profile.h"

#include "runtime/dependencies.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>

static struct {
    starpu_pthread_mutex_t mutex; /* StarPU's: a simulation's threads are its own */
    starpu_pthread_cond_t ended;
    atomic_bool on;
    int status_before; /* of StarPU's profiling */
    int64_t unfinished, capacity;
    startile_profile *profile;
    struct usages usages;
} taken = {.mutex = STARPU_PTHREAD_MUTEX_INITIALIZER, .ended = STARPU_PTHREAD_COND_INITIALIZER};

/* -- tasks ---------------------------------------------------------------------------------- */

/* NaN: there is none. */
static double fastest_implementation(struct starpu_task *t, unsigned worker)
{
    double best = NAN;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype((int)worker, STARPU_NMAX_SCHED_CTXS);
    for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
        if (starpu_worker_can_execute_task(worker, t, i)) {
            double seconds = 1e-6 * starpu_task_expected_length(t, arch, i);
            best = seconds > 0 ? fmin(best, seconds) : best;
        }
    return best;
}

/* Models that StarPU learns are asked only where a policy has a choice of devices: a new one begins
 * to calibrate then. Some workers of a GPU are for critical tasks, or for others, only. */
static double expected_seconds(struct starpu_task *t, enum starpu_worker_archtype type)
{
    double seconds = NAN;
    bool is_calibrated = t->cl->model->type == STARPU_PER_ARCH;
    if (!is_calibrated && runtime_where() != (STARPU_CPU | STARPU_CUDA))
        return NAN;
    for (unsigned w = 0; w < starpu_worker_get_count() && isnan(seconds); w++)
        if (starpu_worker_get_type((int)w) == type)
            seconds = fastest_implementation(t, w);
    return seconds;
}

static void find_coordinates(struct starpu_task *t, startile_task_record *record)
{
    int at[2];
    record->row = record->column = -1;
    for (int b = 0; b < t->nbuffers; b++)
        if ((STARPU_TASK_GET_MODE(t, b) & STARPU_W) &&
            starpu_data_get_coordinates_array(STARPU_TASK_GET_HANDLE(t, b), 2, at) == 2) {
            record->row = at[0];
            record->column = at[1];
            return;
        }
}

static bool make_room(void)
{
    startile_profile *p = taken.profile;
    if (p->count < taken.capacity)
        return true;
    int64_t capacity = 2 * taken.capacity + 1024;
    startile_task_record *larger = realloc(p->task, (size_t)capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    p->task = larger;
    taken.capacity = capacity;
    return true;
}

static int64_t add(struct starpu_task *t, startile_task_record record)
{
    if (!make_room()) {
        taken.usages.out_of_memory = true;
        return NO_RECORD;
    }
    int64_t number = taken.profile->count++;
    record.first_dependency = taken.usages.dependencies.count;
    for (int b = 0; b < t->nbuffers; b++)
        usages_note(&taken.usages, number, STARPU_TASK_GET_HANDLE(t, b),
                    STARPU_TASK_GET_MODE(t, b));
    record.dependencies = taken.usages.dependencies.count - record.first_dependency;
    taken.profile->task[number] = record;
    taken.unfinished++;
    return number;
}

int64_t profile_note_submit(struct starpu_task *t, int64_t step)
{
    if (!atomic_load(&taken.on))
        return NO_RECORD;
    startile_task_record record = {.codelet = t->cl->name,
                                   .step = step,
                                   .worker = -1,
                                   .flops = t->flops,
                                   .submitted = NAN,
                                   .start = NAN,
                                   .end = NAN};
    record.shape =
        t->cl->model->footprint ? t->cl->model->footprint(t) : starpu_task_data_footprint(t);
    find_coordinates(t, &record);
    record.cpu_seconds = expected_seconds(t, STARPU_CPU_WORKER);
    record.cuda_seconds = expected_seconds(t, STARPU_CUDA_WORKER);
    starpu_pthread_mutex_lock(&taken.mutex);
    int64_t number = taken.profile != NULL ? add(t, record) : NO_RECORD;
    starpu_pthread_mutex_unlock(&taken.mutex);
    return number;
}

void profile_forget(starpu_data_handle_t handle)
{
    if (!atomic_load(&taken.on))
        return;
    starpu_pthread_mutex_lock(&taken.mutex);
    usages_forget(&taken.usages, handle);
    starpu_pthread_mutex_unlock(&taken.mutex);
}

static double seconds_of(struct timespec t)
{
    return 1e-6 * starpu_timing_timespec_to_us(&t);
}

static double expected_joules(struct starpu_task *t, int worker)
{
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
    return starpu_task_expected_energy(t, arch, starpu_task_get_implementation(t));
}

void profile_note_end(struct starpu_task *t, int64_t number)
{
    if (number == NO_RECORD)
        return;
    starpu_pthread_mutex_lock(&taken.mutex);
    startile_task_record *record = &taken.profile->task[number];
    const struct starpu_profiling_task_info *info = t == NULL ? NULL : t->profiling_info;
    if (info != NULL) {
        record->worker = info->workerid;
        record->on_cuda = starpu_worker_get_type(info->workerid) == STARPU_CUDA_WORKER;
        record->joules = expected_joules(t, info->workerid);
        record->submitted = seconds_of(info->submit_time);
        record->start = seconds_of(info->start_time);
        record->end = seconds_of(info->end_time);
    }
    if (--taken.unfinished == 0)
        starpu_pthread_cond_broadcast(&taken.ended);
    starpu_pthread_mutex_unlock(&taken.mutex);
}

void forget_handle(starpu_data_handle_t handle)
{
    profile_forget(handle);
    starpu_data_unregister_submit(handle);
}

/* -- the caller's part ---------------------------------------------------------------------- */

int startile_profile_start(void)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int status = STARTILE_ERROR_MEMORY;
    starpu_pthread_mutex_lock(&taken.mutex);
    if (taken.profile != NULL) {
        status = STARTILE_ERROR_PROFILE;
    } else if ((taken.profile = calloc(1, sizeof *taken.profile)) != NULL) {
        taken.capacity = 0;
        taken.status_before = starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
        atomic_store(&taken.on, true);
        status = 0;
    }
    starpu_pthread_mutex_unlock(&taken.mutex);
    return status;
}

/* Times count from the first submission. */
static void set_origin(startile_profile *p)
{
    double origin = INFINITY;
    for (int64_t i = 0; i < p->count; i++)
        origin = fmin(origin, p->task[i].submitted);
    for (int64_t i = 0; i < p->count; i++) {
        p->task[i].submitted -= origin;
        p->task[i].start -= origin;
        p->task[i].end -= origin;
    }
}

/* With the mutex; NULL where there is no profile, or no memory for all of it: *status. */
static startile_profile *take(int *status)
{
    atomic_store(&taken.on, false);
    while (taken.unfinished > 0)
        starpu_pthread_cond_wait(&taken.ended, &taken.mutex);
    startile_profile *p = taken.profile;
    *status = p == NULL                    ? STARTILE_ERROR_PROFILE
              : taken.usages.out_of_memory ? STARTILE_ERROR_MEMORY
                                           : 0;
    int64_t *dependencies = usages_end(&taken.usages);
    taken.profile = NULL;
    if (p == NULL)
        return NULL;
    p->dependency = dependencies;
    if (starpu_is_initialized())
        starpu_profiling_status_set(taken.status_before);
    if (*status == 0)
        return p;
    startile_profile_destroy(p);
    return NULL;
}

int startile_profile_stop(startile_profile **profile)
{
    int status;
    if (profile == NULL)
        return -1;
    *profile = NULL;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    starpu_pthread_mutex_lock(&taken.mutex);
    *profile = take(&status);
    starpu_pthread_mutex_unlock(&taken.mutex);
    if (status == 0)
        set_origin(*profile);
    return status;
}

void profile_drop(void)
{
    int status;
    starpu_pthread_mutex_lock(&taken.mutex);
    startile_profile_destroy(take(&status));
    starpu_pthread_mutex_unlock(&taken.mutex);
}

void startile_profile_destroy(startile_profile *profile)
{
    if (profile == NULL)
        return;
    free(profile->task);
    free(profile->dependency);
    free(profile);
}
