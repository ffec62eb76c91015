/* Requests: count unfinished tasks and keep the first failure. */
#include "runtime/runtime.h"

#include "runtime/profile.h"

#include <limits.h>
#include <stdlib.h>

/* Slabs that no request uses. Page-locking memory takes a GPU's driver about a millisecond, the
 * time of a small factorization. */
static struct tile_status_slab *spare_slabs;
static pthread_mutex_t spare_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct tile_status_slab *new_slab(void)
{
    struct tile_status_slab *slab = malloc(sizeof *slab);
    startile_panel *statuses = startile_malloc(STATUSES_PER_SLAB * sizeof *statuses);
    if (slab == NULL || statuses == NULL) {
        startile_free(statuses, STATUSES_PER_SLAB * sizeof *statuses);
        free(slab);
        return NULL;
    }
    slab->statuses = statuses;
    return slab;
}

static struct tile_status_slab *take_slab(void)
{
    pthread_mutex_lock(&spare_mutex);
    struct tile_status_slab *slab = spare_slabs;
    if (slab != NULL)
        spare_slabs = slab->next;
    pthread_mutex_unlock(&spare_mutex);
    return slab != NULL ? slab : new_slab();
}

static void return_slab(struct tile_status_slab *slab)
{
    pthread_mutex_lock(&spare_mutex);
    slab->next = spare_slabs;
    spare_slabs = slab;
    pthread_mutex_unlock(&spare_mutex);
}

void request_free_spares(void)
{
    for (struct tile_status_slab *slab; spare_slabs != NULL; free(slab)) {
        slab = take_slab();
        startile_free(slab->statuses, STATUSES_PER_SLAB * sizeof *slab->statuses);
    }
}

static starpu_data_handle_t gate_of(startile_request *r)
{
    if (r->gate == NULL)
        register_order(&r->gate);
    return r->gate;
}

void open_gate(startile_request *r)
{
    gate_of(r);
    r->gate_mode = STARPU_RW;
}

void behind_gate(startile_request *r)
{
    r->gate_mode = r->gate != NULL ? STARPU_R : STARPU_NONE;
}

void past_gate(startile_request *r)
{
    r->gate_mode = STARPU_NONE;
}

void begin_factorization(startile_request *r)
{
    forget_handle(r->info);
    register_order(&r->info);
}

int startile_request_create(startile_request **request)
{
    if (request == NULL)
        return -1;
    *request = NULL;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    startile_request *r = calloc(1, sizeof *r);
    if (r == NULL)
        return STARTILE_ERROR_MEMORY;
    starpu_pthread_mutex_init(&r->mutex, NULL);
    starpu_pthread_cond_init(&r->finished, NULL);
    atomic_init(&r->zero_pivot_stage, INT_MAX);
    r->step = NO_STEP;
    r->gate_mode = STARPU_NONE;
    runtime_hold();
    register_order(&r->info);
    *request = r;
    return 0;
}

int startile_request_set_priority(startile_request *request, int priority)
{
    if (request == NULL)
        return -1;
    if (priority < -1000 || priority > 1000)
        return -2;
    request->priority = priority;
    return 0;
}

/* Bounds the memory of submitted tasks, one or two kilobytes each; this many keep any machine
 * busy. */
enum { MAX_UNFINISHED = 200000, RESUME_AT = MAX_UNFINISHED / 2 };

void request_begin_one(startile_request *r)
{
    if (atomic_fetch_add(&r->unfinished, 1) < MAX_UNFINISHED)
        return;
    starpu_pthread_mutex_lock(&r->mutex);
    while (atomic_load(&r->unfinished) > RESUME_AT)
        starpu_pthread_cond_wait(&r->finished, &r->mutex);
    starpu_pthread_mutex_unlock(&r->mutex);
}

/* Decrements under the mutex, so that a thread that sees 0 cannot free the request before this
 * function has unlocked it. */
void request_end_one(startile_request *r)
{
    starpu_pthread_mutex_lock(&r->mutex);
    long left = atomic_fetch_sub(&r->unfinished, 1) - 1;
    if (left == 0 || left == RESUME_AT)
        starpu_pthread_cond_broadcast(&r->finished);
    starpu_pthread_mutex_unlock(&r->mutex);
}

void request_fail(startile_request *r, int64_t code)
{
    long long none = 0;
    if (code != 0)
        atomic_compare_exchange_strong(&r->outcome, &none, code);
}

/* Keeps the zero pivot of the earliest submitted factorization. The factorizations of a request may
 * meet theirs in any order; the panels of one are in order. */
void request_note_zero_pivot(startile_request *r, int64_t info, int stage)
{
    if (info == 0)
        return;
    starpu_pthread_mutex_lock(&r->mutex);
    if (stage < atomic_load(&r->zero_pivot_stage)) {
        atomic_store(&r->zero_pivot, info);
        atomic_store(&r->zero_pivot_stage, stage);
    }
    starpu_pthread_mutex_unlock(&r->mutex);
}

void next_stage(startile_request *r)
{
    r->stage++;
}

void begin_step(startile_request *r, int64_t step)
{
    r->step = step;
}

void end_steps(startile_request *r)
{
    r->step = NO_STEP;
}

bool request_skips(startile_request *r, int stage)
{
    if (atomic_load(&r->cancelled))
        request_fail(r, STARTILE_ERROR_CANCELLED);
    return atomic_load(&r->outcome) != 0 || stage > atomic_load(&r->zero_pivot_stage);
}

static int64_t outcome(startile_request *r)
{
    long long failure = atomic_load(&r->outcome);
    return failure != 0 ? failure : atomic_load(&r->zero_pivot);
}

int64_t startile_wait(startile_request *request)
{
    if (request == NULL)
        return -1;
    starpu_pthread_mutex_lock(&request->mutex);
    while (atomic_load(&request->unfinished) > 0)
        starpu_pthread_cond_wait(&request->finished, &request->mutex);
    starpu_pthread_mutex_unlock(&request->mutex);
    return outcome(request);
}

int64_t startile_test(startile_request *request, int *done)
{
    if (request == NULL)
        return -1;
    if (done == NULL)
        return -2;
    starpu_pthread_mutex_lock(&request->mutex);
    *done = atomic_load(&request->unfinished) == 0;
    starpu_pthread_mutex_unlock(&request->mutex);
    return *done ? outcome(request) : 0;
}

int startile_cancel(startile_request *request)
{
    if (request == NULL)
        return -1;
    atomic_store(&request->cancelled, true);
    return 0;
}

void startile_request_destroy(startile_request *request)
{
    if (request == NULL)
        return;
    startile_wait(request);
    profile_forget(request->info);
    starpu_data_unregister(request->info);
    if (request->gate != NULL)
        forget_handle(request->gate);
    for (struct tile_status_slab *slab = request->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        return_slab(slab);
    }
    starpu_pthread_cond_destroy(&request->finished);
    starpu_pthread_mutex_destroy(&request->mutex);
    free(request);
    runtime_release();
}

startile_panel *request_tile_status(startile_request *r)
{
    if (r->slabs == NULL || r->slabs->used == STATUSES_PER_SLAB) {
        struct tile_status_slab *slab = take_slab();
        if (slab == NULL)
            return NULL;
        slab->next = r->slabs;
        slab->used = 0;
        r->slabs = slab;
    }
    startile_panel *status = &r->slabs->statuses[r->slabs->used++];
    *status = (startile_panel){0, 0};
    return status;
}

startile_request *request_start(void)
{
    startile_request *r = NULL;
    startile_request_create(&r);
    return r;
}

int64_t request_finish(startile_request *r, int result)
{
    /* without a request, the call has checked no further arguments */
    if (r == NULL)
        return !runtime_is_up() ? STARTILE_ERROR_STARPU : STARTILE_ERROR_MEMORY;
    int64_t code = startile_wait(r);
    startile_request_destroy(r);
    return result != 0 ? result : code;
}
