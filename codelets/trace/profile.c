/* Records of the tasks of a region: worker, times and dependencies. */
#include "trace/profile.h"

#include "library/runtime.h"
#include "startile_trace.h"
#include "trace/dependencies.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    starpu_pthread_mutex_t mutex; /* StarPU's type (StarPU quirk 28) */
    starpu_pthread_cond_t ended;
    atomic_bool on;
    int status_before; /* StarPU's profiling status before the region */
    int64_t unfinished, capacity;
    startile_profile *profile;
    struct access_history access_history;
} recording = {.mutex = STARPU_PTHREAD_MUTEX_INITIALIZER, .ended = STARPU_PTHREAD_COND_INITIALIZER};

/* -- tasks ---------------------------------------------------------------------------------- */

/* Returns the expected seconds of the fastest implementation on the worker, or NaN. */
static double fastest_seconds(struct starpu_task *t, unsigned worker)
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

/* Returns the expected seconds on a kind of device, or NaN. If all tasks run on one kind of device,
 * models that StarPU learns are not queried (StarPU quirk 25). Tries workers until one has an
 * expected time, because some run only critical tasks and others run none of them. */
static double expected_seconds(struct starpu_task *t, enum starpu_worker_archtype type)
{
    double seconds = NAN;
    bool is_calibrated = t->cl->model->type == STARPU_PER_ARCH;
    if (!is_calibrated && runtime_where() != (STARPU_CPU | STARPU_CUDA))
        return NAN;
    for (unsigned w = 0; w < starpu_worker_get_count() && isnan(seconds); w++)
        if (starpu_worker_get_type((int)w) == type)
            seconds = fastest_seconds(t, w);
    return seconds;
}

/* Stores the coordinates of the first written data that has two; −1 if there is none. */
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

/* Makes space for one more record; returns false without memory. */
static bool reserve_record(void)
{
    startile_profile *p = recording.profile;
    if (p->count < recording.capacity)
        return true;
    int64_t capacity = 2 * recording.capacity + 1024;
    startile_task_record *larger = realloc(p->task, (size_t)capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    p->task = larger;
    recording.capacity = capacity;
    return true;
}

/* Adds a record of the task and its dependencies to the profile. Returns the record's index, or
 * NO_RECORD without memory. */
static int64_t add(struct starpu_task *t, startile_task_record record)
{
    if (!reserve_record()) {
        recording.access_history.out_of_memory = true;
        return NO_RECORD;
    }
    int64_t index = recording.profile->count++;
    record.first_dependency = recording.access_history.dependencies.count;
    for (int b = 0; b < t->nbuffers; b++)
        history_add(&recording.access_history, index, STARPU_TASK_GET_HANDLE(t, b),
                    STARPU_TASK_GET_MODE(t, b));
    record.dependencies = recording.access_history.dependencies.count - record.first_dependency;
    recording.profile->task[index] = record;
    recording.unfinished++;
    return index;
}

int64_t profile_note_submit(struct starpu_task *t, int64_t step)
{
    if (!atomic_load(&recording.on))
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
    starpu_pthread_mutex_lock(&recording.mutex);
    int64_t index = recording.profile != NULL ? add(t, record) : NO_RECORD;
    starpu_pthread_mutex_unlock(&recording.mutex);
    return index;
}

bool profile_is_on(void)
{
    return atomic_load(&recording.on);
}

void profile_forget(starpu_data_handle_t handle)
{
    if (!profile_is_on())
        return;
    starpu_pthread_mutex_lock(&recording.mutex);
    history_forget(&recording.access_history, handle);
    starpu_pthread_mutex_unlock(&recording.mutex);
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

void profile_note_end(struct starpu_task *t, int64_t index)
{
    if (index == NO_RECORD)
        return;
    starpu_pthread_mutex_lock(&recording.mutex);
    startile_task_record *record = &recording.profile->task[index];
    const struct starpu_profiling_task_info *info = t == NULL ? NULL : t->profiling_info;
    if (info != NULL) {
        record->worker = info->workerid;
        record->on_cuda = starpu_worker_get_type(info->workerid) == STARPU_CUDA_WORKER;
        record->joules = expected_joules(t, info->workerid);
        record->submitted = seconds_of(info->submit_time);
        record->start = seconds_of(info->start_time);
        record->end = seconds_of(info->end_time);
    }
    if (--recording.unfinished == 0)
        starpu_pthread_cond_broadcast(&recording.ended);
    starpu_pthread_mutex_unlock(&recording.mutex);
}

/* -- public functions ----------------------------------------------------------------------- */

int64_t startile_profile_start(void)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int status = STARTILE_ERROR_MEMORY;
    starpu_pthread_mutex_lock(&recording.mutex);
    if (recording.profile != NULL) {
        status = STARTILE_ERROR_PROFILE;
    } else if ((recording.profile = calloc(1, sizeof *recording.profile)) != NULL) {
        recording.capacity = 0;
        recording.status_before = starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
        atomic_store(&recording.on, true);
        status = 0;
    }
    starpu_pthread_mutex_unlock(&recording.mutex);
    return status;
}

/* Shifts the times so that the first submission is at 0. */
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

/* Ends the recording, waits for the recorded tasks and returns the profile. Call it with the mutex
 * locked. *status := 0, or an error if there is no recording or memory was short; returns NULL
 * then. */
static startile_profile *end_recording(int *status)
{
    atomic_store(&recording.on, false);
    while (recording.unfinished > 0)
        starpu_pthread_cond_wait(&recording.ended, &recording.mutex);
    startile_profile *p = recording.profile;
    *status = p == NULL                                ? STARTILE_ERROR_PROFILE
              : recording.access_history.out_of_memory ? STARTILE_ERROR_MEMORY
                                                       : 0;
    int64_t *dependencies = history_end(&recording.access_history);
    recording.profile = NULL;
    if (p == NULL)
        return NULL;
    p->dependency = dependencies;
    if (starpu_is_initialized())
        starpu_profiling_status_set(recording.status_before);
    if (*status == 0)
        return p;
    startile_profile_destroy(p);
    return NULL;
}

int64_t startile_profile_stop(startile_profile **profile)
{
    int status;
    if (profile == NULL)
        return -1;
    *profile = NULL;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    starpu_pthread_mutex_lock(&recording.mutex);
    *profile = end_recording(&status);
    starpu_pthread_mutex_unlock(&recording.mutex);
    if (status == 0)
        set_origin(*profile);
    return status;
}

void profile_drop(void)
{
    int status;
    starpu_pthread_mutex_lock(&recording.mutex);
    startile_profile_destroy(end_recording(&status));
    starpu_pthread_mutex_unlock(&recording.mutex);
}

void startile_profile_destroy(startile_profile *profile)
{
    if (profile == NULL)
        return;
    free(profile->task);
    free(profile->dependency);
    free(profile);
}
