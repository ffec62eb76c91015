/* Requests: count unfinished tasks and keep the first failure. */
#include "request/request.h"

#include "data/handle.h"
#include "data/tiles.h"
#include "grid/grid.h"
#include "library/error_text.h"
#include "library/library.h"
#include "library/runtime.h"
#include "request/state.h"
#include "trace/profile.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

/* Slabs that no request uses. They are kept because page-locking memory takes about a millisecond,
 * as long as a small factorization. */
static struct tile_status_slab *spare_slabs;
static pthread_mutex_t spare_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct tile_status_slab *new_slab(void)
{
    struct tile_status_slab *slab = malloc(sizeof *slab);
    startile_tile_status *statuses = startile_malloc(STATUSES_PER_SLAB * sizeof *statuses);
    if (slab == NULL || statuses == NULL) {
        startile_free(statuses, STATUSES_PER_SLAB * sizeof *statuses);
        free(slab);
        return NULL;
    }
    slab->statuses = statuses;
    return slab;
}

/* Returns a spare slab or a new one; NULL without memory. */
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

/* Registers the info at its first use, because most small calls have no use for it. It is 0 until a
 * task writes it. Its memory lives as long as the request. */
starpu_data_handle_t request_info(startile_request *r)
{
    startile_tile_status *status = r->info == NULL ? request_tile_status(r) : NULL;
    if (status != NULL)
        register_variable(&r->info, status, sizeof *status);
    else if (r->info == NULL)
        request_fail(r, STARTILE_ERROR_MEMORY);
    return r->info;
}

/* Waits for the tasks on the info and unregisters it. */
static void unregister_info(startile_request *r)
{
    if (r->info == NULL)
        return;
    profile_forget(r->info);
    starpu_data_unregister(r->info);
    r->info = NULL;
    r->info_is_shared = false;
}

void request_leave_info(startile_request *r)
{
    if (r->info != NULL)
        release_handle(r->info);
    r->info = NULL;
    r->info_is_shared = false;
}

context begin_factorization(context ctx)
{
    request_leave_info(ctx.request);
    ctx.is_factoring = true;
    return ctx;
}

/* -- the life of a request ------------------------------------------------------------------- */

static void forget_failure_text(startile_request *r)
{
    free(r->failure_text);
    r->failure_text = NULL;
}

/* Returns the slabs to the spare ones and frees the request. */
static void free_request(startile_request *r)
{
    for (struct tile_status_slab *slab = r->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        return_slab(slab);
    }
    forget_failure_text(r);
    starpu_pthread_cond_destroy(&r->finished);
    starpu_pthread_mutex_destroy(&r->mutex);
    free(r);
}

int64_t startile_request_create(startile_request **request)
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
    atomic_init(&r->zero_pivot_factorization, INT_MAX);
    r->first.request = r;
    r->first.whole = &r->first;
    atomic_init(&r->whole, &r->first);
    atomic_init(&r->products, (int)runtime_products());
    r->verify = runtime_verify();
    runtime_hold();
    *request = r;
    return 0;
}

int64_t startile_request_set_priority(startile_request *request, int priority)
{
    if (request == NULL)
        return -1;
    if (priority < -1000 || priority > 1000)
        return -2;
    request->priority = priority;
    return 0;
}

/* Largest number of unfinished tasks of a request; a submission beyond it waits until RESUME_AT are
 * left. This limits the memory of submitted tasks, which take one or two kilobytes each. So many
 * tasks keep any machine busy. */
enum { MAX_UNFINISHED = 200000, RESUME_AT = MAX_UNFINISHED / 2 };

/* Counts the begin of one task, message or transfer in a stage `whole`. */
static void begin_one(struct stage *whole)
{
    startile_request *r = whole->request;
    atomic_fetch_add(&whole->unfinished, 1);
    /* decisions, which must not wait, submit the tasks of a hold */
    if (atomic_fetch_add(&r->unfinished, 1) < MAX_UNFINISHED || r->hold != NULL)
        return;
    starpu_pthread_mutex_lock(&r->mutex);
    while (atomic_load(&r->unfinished) > RESUME_AT)
        starpu_pthread_cond_wait(&r->finished, &r->mutex);
    starpu_pthread_mutex_unlock(&r->mutex);
}

struct stage *request_begin_one(startile_request *r)
{
    struct stage *whole = atomic_load(&r->whole);
    begin_one(whole);
    return whole;
}

struct stage *stage_begin_one(context ctx)
{
    struct stage *s = ctx.stage != NULL ? ctx.stage : atomic_load(&ctx.request->whole);
    if (s->whole != s)
        atomic_fetch_add(&s->unfinished, 1);
    begin_one(s->whole);
    return s;
}

/* Counts the end of one task, message or transfer. Call it with the mutex locked. Returns the
 * outcomes that are due. */
static struct outcome *end_one(struct stage *whole)
{
    startile_request *r = whole->request;
    atomic_fetch_sub(&whole->unfinished, 1);
    long remaining = atomic_fetch_sub(&r->unfinished, 1) - 1;
    if (remaining == 0 || remaining == RESUME_AT)
        starpu_pthread_cond_broadcast(&r->finished);
    return outcomes_due(r);
}

/* Decrements under the mutex, so that a thread that sees 0 cannot free the request before this
 * function has unlocked the mutex. */
void request_end_one(struct stage *whole)
{
    startile_request *r = whole->request;
    starpu_pthread_mutex_lock(&r->mutex);
    struct outcome *due = end_one(whole);
    starpu_pthread_mutex_unlock(&r->mutex);
    outcomes_submit(due);
}

void stage_end_one(struct stage *s)
{
    startile_request *r = s->request;
    starpu_pthread_mutex_lock(&r->mutex);
    if (s->whole != s && atomic_fetch_sub(&s->unfinished, 1) == 1)
        starpu_pthread_cond_broadcast(&r->finished);
    struct outcome *due = end_one(s->whole);
    starpu_pthread_mutex_unlock(&r->mutex);
    outcomes_submit(due);
}

void request_fail(startile_request *r, int64_t code)
{
    long long none = 0;
    if (code == 0)
        return;
    char *text = take_explanation(code);
    if (atomic_compare_exchange_strong(&r->outcome, &none, code))
        r->failure_text = text;
    else
        free(text);
}

/* Keeps the zero pivot of the factorization that was submitted first. The factorizations of a
 * request may report zero pivots in any order; the panels of one factorization report them in
 * order. */
void request_note_zero_pivot(startile_request *r, int64_t info, int factorization)
{
    if (info == 0)
        return;
    starpu_pthread_mutex_lock(&r->mutex);
    if (factorization < atomic_load(&r->zero_pivot_factorization)) {
        atomic_store(&r->zero_pivot, info);
        atomic_store(&r->zero_pivot_factorization, factorization);
    }
    starpu_pthread_mutex_unlock(&r->mutex);
}

bool request_skips(startile_request *r, int factorization)
{
    if (atomic_load(&r->cancelled))
        request_fail(r, STARTILE_ERROR_CANCELLED);
    /* a part fails with its operation; an attempt at a factorization does not fail with the zero
     * pivot of another factorization of the request */
    for (startile_request *whole = r->whole_operation; whole != NULL;
         whole = whole->whole_operation)
        request_fail(r, atomic_load(&whole->cancelled) ? STARTILE_ERROR_CANCELLED
                        : r->attempts != NULL          ? atomic_load(&whole->outcome)
                                                       : request_outcome(whole));
    return atomic_load(&r->outcome) != 0 ||
           factorization > atomic_load(&r->zero_pivot_factorization);
}

int64_t request_outcome(startile_request *r)
{
    long long failure = atomic_load(&r->outcome);
    return failure != 0 ? failure : atomic_load(&r->zero_pivot);
}

void request_use_grid(startile_request *r, startile_grid *grid)
{
    if (r->grid == NULL) {
        r->grid = grid;
        grid->users++;
    } else if (!have_same_processes(r->grid, grid)) {
        request_fail(r, STARTILE_ERROR_MISMATCH);
    }
}

void request_join_grid(startile_request *r, const startile_matrix *A)
{
    if (A->grid != NULL)
        request_use_grid(r, A->grid);
}

static void leave_grid(startile_request *r)
{
    if (r->grid != NULL)
        r->grid->users--;
    r->grid = NULL;
}

/* Argument `hash` of grid_agree() for a wait; other collective calls pass hashes. */
enum { WAIT = 0 };
/* The outcome becomes the least error code, else the least info > 0. The error is first, because
 * processes that have not failed may find an info in data that the failed or cancelled process has
 * not computed. */
int64_t request_agree(startile_request *r)
{
    if (r->grid == NULL)
        return request_outcome(r);
    int64_t mine = request_outcome(r), least[] = {mine > 0 ? mine : INT64_MAX, mine < 0 ? mine : 0};
    int failed = grid_agree(r->grid, WAIT, least);
    int64_t agreed = failed != 0 ? failed : least[1] != 0 ? least[1] : least[0];
    if (agreed == INT64_MAX) /* no process has failed; a task may fail meanwhile */
        return 0;
    atomic_store(&r->outcome, agreed);
    if (agreed != mine) /* the failure of another process */
        forget_failure_text(r);
    return agreed;
}

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Waits for the end of the request without sleeping, at most SPIN microseconds, or SPIN_FOR_GPU if
 * tasks may run on GPUs, as cudaStreamSynchronize() does: waking this thread takes as long as the
 * task of a small matrix (perf_models/NOTES.md, "Calls on small matrices"). */
static void spin_until_ended(startile_request *r)
{
    enum { SPIN = 20, SPIN_FOR_GPU = 2000 };
    double end = microseconds() + (runtime_has_cuda() ? SPIN_FOR_GPU : SPIN);
    while (atomic_load(&r->unfinished) > 0 && microseconds() < end)
        ;
}

static void wait_until_ended(startile_request *request)
{
    spin_until_ended(request);
    starpu_pthread_mutex_lock(&request->mutex);
    while (atomic_load(&request->unfinished) > 0)
        starpu_pthread_cond_wait(&request->finished, &request->mutex);
    starpu_pthread_mutex_unlock(&request->mutex);
    release_temporaries(context_of(request), NULL);
    free_stages(request);
    request_agree(request);
}

/* Returns the outcome of an ended request, and gives its message to the calling thread. */
static int64_t explained_outcome(startile_request *r)
{
    int64_t outcome = request_outcome(r);
    give_explanation(outcome, r->failure_text);
    return outcome;
}

int64_t startile_request_wait(startile_request *request)
{
    if (request == NULL)
        return -1;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    wait_until_ended(request);
    return explained_outcome(request);
}

int64_t startile_request_test(startile_request *request, int *done)
{
    if (request == NULL)
        return -1;
    if (done == NULL)
        return -2;
    *done = 1;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    starpu_pthread_mutex_lock(&request->mutex);
    *done = atomic_load(&request->unfinished) == 0;
    starpu_pthread_mutex_unlock(&request->mutex);
    return *done ? explained_outcome(request) : 0;
}

int64_t startile_request_cancel(startile_request *request)
{
    if (request == NULL)
        return -1;
    atomic_store(&request->cancelled, true);
    return 0;
}

int64_t startile_request_reset(startile_request *request)
{
    if (request == NULL)
        return -1;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    wait_until_ended(request);
    free_outcomes(request);
    unregister_info(request); /* a grid's processes have copies of it */
    forget_failure_text(request);
    atomic_store(&request->outcome, 0);
    atomic_store(&request->zero_pivot, 0);
    atomic_store(&request->zero_pivot_factorization, INT_MAX);
    atomic_store(&request->cancelled, false);
    request->corruption = (startile_corruption){0};
    leave_grid(request);
    return 0;
}

void startile_request_destroy(startile_request *request)
{
    if (request == NULL || library_unusable_after_fork())
        return;
    wait_until_ended(request);
    free_outcomes(request);
    unregister_info(request);
    if (request->gate != NULL)
        release_handle(request->gate);
    leave_grid(request);
    free_request(request);
    runtime_release();
}

startile_tile_status *request_tile_status(startile_request *r)
{
    if (r->slabs == NULL || r->slabs->used == STATUSES_PER_SLAB) {
        struct tile_status_slab *slab = take_slab();
        if (slab == NULL)
            return NULL;
        slab->next = r->slabs;
        slab->used = 0;
        r->slabs = slab;
    }
    startile_tile_status *status = &r->slabs->statuses[r->slabs->used++];
    *status = (startile_tile_status){0, 0};
    return status;
}

startile_request *request_start(void)
{
    startile_request *r = NULL;
    if (startile_request_create(&r) == 0) {
        r->is_blocking = true;
        r->caller = pthread_self();
    }
    return r;
}

int64_t request_finish(startile_request *r, int result)
{
    /* request_start() could not create the request */
    if (r == NULL)
        return !runtime_is_up() ? STARTILE_ERROR_STARPU : STARTILE_ERROR_MEMORY;
    int64_t code = startile_request_wait(r);
    keep_corruption(r);
    startile_request_destroy(r);
    return result != 0 ? result : code;
}
