/*
 * A progress bar on a terminal, drawn by a thread of its own while StarPU works.
 */
#include "progress.h"

#include "measure.h"

#include <pthread.h>
#include <starpu.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40 };
static const double delay = 2, interval = 0.1; /* seconds */

static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t stopped;
    bool running, stop;
    const char *what;
} bar = {.mutex = PTHREAD_MUTEX_INITIALIZER, .stopped = PTHREAD_COND_INITIALIZER};

static void draw(double fraction, double seconds)
{
    int filled = (int)(fraction * WIDTH);
    fprintf(stderr, "\r%s [", bar.what);
    for (int i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : ' ', stderr);
    fprintf(stderr, "] %3.0f %% %4.0f s", 100 * fraction, seconds);
    fflush(stderr);
}

/* Waits without the lock for one interval, or until told to stop; returns whether to go on. */
static bool next_interval(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(interval * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&bar.mutex);
    while (!bar.stop && !pthread_cond_timedwait(&bar.stopped, &bar.mutex, &until))
        continue;
    bool go_on = !bar.stop;
    pthread_mutex_unlock(&bar.mutex);
    return go_on;
}

double progress_fraction(struct progress_count *count, int unfinished)
{
    if (unfinished < count->unfinished)
        count->finished += count->unfinished - unfinished;
    count->unfinished = unfinished;
    double total = count->finished + unfinished;
    double fraction = total > 0 ? count->finished / total : 0;
    count->shown = fraction > count->shown ? fraction : count->shown;
    return count->shown;
}

static void *run(void *unused)
{
    double start = now_seconds();
    struct progress_count count = {0, 0, 0};
    bool drawn = false;
    while (next_interval()) {
        double fraction = progress_fraction(&count, starpu_task_nsubmitted());
        double seconds = now_seconds() - start;
        if (seconds < delay || count.finished + count.unfinished == 0)
            continue;
        draw(fraction, seconds);
        drawn = true;
    }
    if (drawn)
        fputs("\r\033[K", stderr);
    return unused;
}

void progress_start(const char *what)
{
    bar.what = what;
    bar.stop = false;
    bar.running = isatty(STDERR_FILENO) && !pthread_create(&bar.thread, NULL, run, NULL);
}

void progress_stop(void)
{
    if (!bar.running)
        return;
    pthread_mutex_lock(&bar.mutex);
    bar.stop = true;
    pthread_cond_signal(&bar.stopped);
    pthread_mutex_unlock(&bar.mutex);
    pthread_join(bar.thread, NULL);
    bar.running = false;
}
