/*
 * Progress bar on a terminal, drawn by the library's progress callback.
 */
#include "progress.h"

#include "measure.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40 };
static const double delay = 2; /* seconds before the bar appears */

static struct {
    const char *what; /* text before the bar */
    double start;
    struct progress_count count;
    bool is_drawn;
    atomic_bool is_ended; /* read by the threads that run tasks */
} bar;

static void draw(double fraction, double seconds)
{
    int filled = (int)(fraction * WIDTH);
    fprintf(stderr, "\r%s [", bar.what);
    for (int i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : ' ', stderr);
    fprintf(stderr, "] %3.0f %% %6.0f s left", 100 * fraction, seconds);
    fflush(stderr);
}

double progress_fraction(struct progress_count *count, double done, double total)
{
    if (done < count->done)
        count->before += count->total;
    count->done = done;
    count->total = total;
    double fraction = (count->before + done) / (count->before + total);
    count->shown = fraction > count->shown ? fraction : count->shown;
    return count->shown;
}

/* The library's callback. */
static void show(void *unused, double done, double total, double seconds)
{
    (void)unused;
    double fraction = progress_fraction(&bar.count, done, total);
    if (bar.is_ended || now_seconds() - bar.start < delay)
        return;
    draw(fraction, seconds);
    bar.is_drawn = true;
}

void progress_bar_begin(const char *what, startile_options *o)
{
    bar.what = what;
    bar.start = now_seconds();
    bar.count = (struct progress_count){0, 0, 0, 0};
    bar.is_drawn = false;
    bar.is_ended = false;
    o->progress = isatty(STDERR_FILENO) ? show : NULL;
}

void progress_bar_end(void)
{
    if (bar.is_drawn)
        fputs("\r\033[K", stderr);
    bar.is_drawn = false;
    bar.is_ended = true;
}
