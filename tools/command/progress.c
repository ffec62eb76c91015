/*
 * Progress bar on a terminal, drawn by a thread of its own while StarPU works.
 */
#include "progress.h"

#include "measure.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40, INTERVAL = 100000 /* microseconds */ };
static const double delay = 2; /* seconds before the bar appears */

static struct {
    pthread_t thread;
    bool running;
    atomic_bool stop;
    const char *what; /* text before the bar */
} bar;

static void draw(double fraction, double seconds)
{
    int filled = (int)(fraction * WIDTH);
    fprintf(stderr, "\r%s [", bar.what);
    for (int i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : ' ', stderr);
    fprintf(stderr, "] %3.0f %% %4.0f s", 100 * fraction, seconds);
    fflush(stderr);
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

/* Thread of the bar: draws it until progress_stop(). */
static void *draw_until_stopped(void *unused)
{
    double start = now_seconds();
    struct progress_count count = {0, 0, 0};
    bool drawn = false;
    while (usleep(INTERVAL), !atomic_load(&bar.stop)) {
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
    atomic_store(&bar.stop, false);
    bar.running =
        isatty(STDERR_FILENO) && !pthread_create(&bar.thread, NULL, draw_until_stopped, NULL);
}

void progress_stop(void)
{
    if (!bar.running)
        return;
    atomic_store(&bar.stop, true);
    pthread_join(bar.thread, NULL);
    bar.running = false;
}
