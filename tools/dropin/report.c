/*
 * STARTILE_LAPACK_REPORT: a table at exit of what was called, appended to that file; "-" is the
 * standard error. Of many processes those that called something report, and the one that
 * STARTILE_LAPACK_REPORT_PID names in any case.
 */
#define _GNU_SOURCE
#include "dropin.h"
#include "scalar.h"

#include <errno.h>
#include <fcntl.h>
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

static bool is_wanted(void)
{
    return file_name() != NULL && *file_name() != '\0';
}

static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

/* A child of fork() has the mutex, too, but not the thread that may hold it. */
bool report_begin(void)
{
    return is_wanted() && pthread_atfork(lock, unlock, unlock) == 0;
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

static void print_table(FILE *out)
{
    bool is_empty = true;
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            is_empty = is_empty && rows[r][t][0].calls == 0 && rows[r][t][1].calls == 0;
    fprintf(out, "process %d, %s%s\n", (int)process, program_invocation_short_name,
            is_empty ? ": no calls of the routines that are here" : "");
    if (is_empty)
        return;
    fprintf(out, "%-8s %8s %9s %9s %11s %9s  %s\n", "routine", "calls", "smallest", "largest",
            "seconds", "GFlop/s", "where");
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            for (int on_startile = 0; on_startile < 2; on_startile++)
                print_row(out, (enum routine)r, (startile_dtype)t, on_startile);
}

/* In one piece, since other processes write there, too. */
static void write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        size -= (size_t)written;
    }
}

static void print_report(void)
{
    const char *name = file_name();
    char *text = NULL;
    size_t size = 0;
    if (process != getpid() || name == NULL)
        return;
    FILE *table = open_memstream(&text, &size);
    if (table == NULL)
        return;
    lock();
    print_table(table);
    unlock();
    bool is_stderr = strcmp(name, "-") == 0;
    int file =
        is_stderr ? STDERR_FILENO : open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fclose(table) == 0 && file >= 0)
        write_all(file, text, size);
    if (!is_stderr && file >= 0)
        close(file);
    free(text);
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
    lock();
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
    unlock();
}

/* The program that `startile run` has become; what it starts has other numbers. */
__attribute__((constructor)) static void promise_report(void)
{
    const char *pid = getenv("STARTILE_LAPACK_REPORT_PID");
    if (is_wanted() && pid != NULL && atol(pid) == (long)getpid())
        begin_process();
}
