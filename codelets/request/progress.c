/* Counts of the operations of submitted and finished tasks, for startile_options::progress. */
#include "request/progress.h"

#include "data/tiles.h"
#include "task/task.h"

#include <math.h>

/* Shortest time between two calls of the callback, in µs. */
static const double INTERVAL = 1e5;

static struct {
    startile_progress *report; /* or NULL */
    void *arg;
    pthread_mutex_t mutex;
    long unfinished;              /* tasks */
    int plans;                    /* factorizations that submit tasks */
    double done, submitted;       /* operations since `start` */
    double planned;               /* operations of tasks that are not submitted yet */
    double start, last;           /* times in µs: of the first task, of the last report */
    pthread_mutex_t report_mutex; /* orders the calls of the callback */
} progress = {.mutex = PTHREAD_MUTEX_INITIALIZER, .report_mutex = PTHREAD_MUTEX_INITIALIZER};

void progress_configure(const startile_options *o)
{
    progress.report = o->progress;
    progress.arg = o->progress_arg;
    progress.unfinished = progress.plans = 0;
}

/* Begins new counts if nothing is unfinished. Call it with the mutex locked. */
static void begin_if_idle(void)
{
    if (progress.unfinished > 0 || progress.plans > 0)
        return;
    progress.done = progress.submitted = progress.planned = 0;
    progress.start = progress.last = starpu_timing_now();
}

/* Calls the callback with the counts of this moment. */
static void report(void)
{
    pthread_mutex_lock(&progress.mutex);
    double now = starpu_timing_now(), done = progress.done,
           total = progress.submitted + progress.planned;
    double seconds = 1e-6 * (now - progress.start) * (total - done) / done;
    progress.last = now;
    pthread_mutex_unlock(&progress.mutex);
    if (done > 0)
        progress.report(progress.arg, done, total, fmax(0, seconds));
}

/* Calls the callback after another thread's call. */
static void report_in_turn(void)
{
    pthread_mutex_lock(&progress.report_mutex);
    report();
    pthread_mutex_unlock(&progress.report_mutex);
}

void announce_factorization(const startile_matrix *A, double share, int64_t finished_columns)
{
    const startile_shape *s = &A->shape;
    double m = (double)s->m, n = (double)s->n, finished = (double)finished_columns * (double)s->nb;
    double multiply_adds = panel_multiply_adds(m, n) - panel_multiply_adds(m, fmin(finished, n));
    if (progress.report == NULL)
        return;
    pthread_mutex_lock(&progress.mutex);
    begin_if_idle();
    progress.plans++;
    if (A->grid == NULL) /* on a grid this process submits a part of the tasks */
        progress.planned += flops_of(s->dtype, share * multiply_adds);
    pthread_mutex_unlock(&progress.mutex);
}

void end_announcement(void)
{
    if (progress.report == NULL)
        return;
    pthread_mutex_lock(&progress.mutex);
    if (--progress.plans == 0)
        progress.planned = 0;
    bool is_last = progress.plans == 0 && progress.unfinished == 0;
    pthread_mutex_unlock(&progress.mutex);
    if (is_last)
        report_in_turn();
}

void progress_submit(double flops)
{
    if (progress.report == NULL)
        return;
    pthread_mutex_lock(&progress.mutex);
    begin_if_idle();
    progress.unfinished++;
    progress.submitted += flops;
    progress.planned = fmax(0, progress.planned - flops);
    pthread_mutex_unlock(&progress.mutex);
}

void progress_end(double flops)
{
    if (progress.report == NULL)
        return;
    pthread_mutex_lock(&progress.mutex);
    progress.done += flops;
    progress.unfinished--;
    bool is_last = progress.unfinished == 0 && progress.plans == 0;
    bool is_due = starpu_timing_now() - progress.last >= INTERVAL;
    pthread_mutex_unlock(&progress.mutex);
    /* only the last report waits for another thread's */
    if (is_last) {
        report_in_turn();
    } else if (is_due && pthread_mutex_trylock(&progress.report_mutex) == 0) {
        report();
        pthread_mutex_unlock(&progress.report_mutex);
    }
}
