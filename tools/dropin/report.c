/*
 * STARTILE_LAPACK_REPORT: a table at exit of what was called, written to that file; "-" is the
 * standard error.
 */
#include "dropin.h"
#include "scalar.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
    long calls;
    double smallest, largest; /* sizes */
    double seconds, flops;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[ROUTINES][4][2];
static pid_t process; /* whose calls these are */
static bool on_gpus;

static const char *file_name(void)
{
    return getenv("STARTILE_LAPACK_REPORT");
}

bool report_is_wanted(void)
{
    return file_name() != NULL && *file_name() != '\0';
}

static void print_row(FILE *out, enum routine routine, startile_dtype dtype, bool on_startile)
{
    const struct row *r = &rows[routine][dtype][on_startile];
    char rate[16] = "-", name[16];
    if (r->calls == 0)
        return;
    snprintf(name, sizeof name, "%c%s", dtype_letter(dtype), routine_name(routine, dtype));
    if (r->flops > 0 && r->seconds > 0)
        snprintf(rate, sizeof rate, "%.4g", 1e-9 * r->flops / r->seconds);
    fprintf(out, "%-8s %8ld %9.0f %9.0f %11.4g %9s  %s\n", name, r->calls, r->smallest, r->largest,
            r->seconds, rate,
            !on_startile ? "machine's LAPACK"
            : on_gpus    ? "startile, GPU"
                         : "startile, CPU");
}

static void print_report(void)
{
    const char *name = file_name();
    if (process != getpid() || name == NULL)
        return;
    FILE *out = strcmp(name, "-") == 0 ? stderr : fopen(name, "w");
    if (out == NULL)
        return;
    fprintf(out, "%-8s %8s %9s %9s %11s %9s  %s\n", "routine", "calls", "smallest", "largest",
            "seconds", "GFlop/s", "where");
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            for (int on_startile = 0; on_startile < 2; on_startile++)
                print_row(out, (enum routine)r, (startile_dtype)t, on_startile);
    if (out == stderr)
        fflush(out);
    else
        fclose(out);
}

/* A child of fork() has calls of its own, and does not report its parent's. */
static void begin_process(void)
{
    static bool registered;
    process = getpid();
    memset(rows, 0, sizeof rows);
    if (!registered)
        atexit(print_report);
    registered = true;
}

void report_call(const struct problem *p, bool on_startile, double seconds)
{
    double size = round(cbrt(p->m * p->n * p->k));
    pthread_mutex_lock(&mutex);
    if (on_startile)
        on_gpus = startile_is_on_gpus();
    if (process != getpid())
        begin_process();
    struct row *r = &rows[p->routine][p->dtype][on_startile];
    r->smallest = r->calls == 0 || size < r->smallest ? size : r->smallest;
    r->largest = size > r->largest ? size : r->largest;
    r->calls++;
    r->seconds += seconds;
    r->flops += p->flops;
    pthread_mutex_unlock(&mutex);
}
