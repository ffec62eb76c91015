/*
 * Report of the calls. The environment variable STARTILE_LAPACK_REPORT is a file, or "-" for the
 * standard error, to which each process appends a table of its calls at exit. A process without
 * calls reports only if the value begins with the process' number, "PID:FILE"; `startile run` sets
 * the variable in this way.
 */
#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Line of the table: all calls of one routine with one type that startile has solved, or all that
 * the machine's library has solved */
struct row {
    long calls;
    double smallest, largest; /* sizes of problems */
    double seconds, flops;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[ROUTINES][4][2]; /* by routine, type, and whether startile solved it */
static const char *remark;              /* line below the table, or NULL */
static pid_t process;                   /* process that made the calls in `rows` */
static bool on_gpus;                    /* startile had GPU workers at its last call */

/* Reads STARTILE_LAPACK_REPORT, [PID:]FILE. Returns FILE, or NULL if the variable is not set.
 * Stores PID, the process that writes a report even without calls, or 0. Digits and ':' are a PID
 * only if FILE is "-" or an absolute path, because a relative FILE may begin with them. */
static const char *parse_variable(long *pid)
{
    const char *value = getenv("STARTILE_LAPACK_REPORT");
    char *end = NULL;
    *pid = value != NULL && *value >= '0' && *value <= '9' ? strtol(value, &end, 10) : 0;
    bool has_pid = *pid > 0 && end[0] == ':' && (end[1] == '/' || end[1] == '-');
    *pid = has_pid ? *pid : 0;
    return has_pid ? end + 1 : value;
}

static const char *report_file_name(void)
{
    long pid;
    return parse_variable(&pid);
}

static bool is_report_requested(void)
{
    return report_file_name() != NULL && *report_file_name() != '\0';
}

static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

/* Registers handlers that hold the mutex during fork(). A mutex that another thread holds during
 * fork() stays locked in the child. */
bool report_begin(void)
{
    return is_report_requested() && pthread_atfork(lock, unlock, unlock) == 0;
}

static void print_row(FILE *out, enum routine routine, startile_dtype dtype, bool on_startile)
{
    const struct row *r = &rows[routine][dtype][on_startile];
    char rate[16] = "-", name[16];
    if (r->calls == 0)
        return;
    symbol_name(name, routine, dtype);
    if (r->flops > 0 && r->seconds > 0)
        snprintf(rate, sizeof rate, "%.4g", 1e-9 * r->flops / r->seconds);
    fprintf(out, "%-8s %8ld %9.0f %9.0f %11.4g %9s  %s\n", name, r->calls, r->smallest, r->largest,
            r->seconds, rate,
            !on_startile ? DROPIN_MACHINE
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
            is_empty ? ": no calls of the routines in " DROPIN_NAME : "");
    if (is_empty)
        return;
    fprintf(out, "%-8s %8s %9s %9s %11s %9s  %s\n", "routine", "calls", "smallest", "largest",
            "seconds", "GFlop/s", "where");
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            for (int on_startile = 0; on_startile < 2; on_startile++)
                print_row(out, (enum routine)r, (startile_dtype)t, on_startile);
    if (remark != NULL)
        fprintf(out, "%s\n", remark);
}

/* Writes the text, if possible by a single write(), because other processes append to the file too.
 */
static void write_all(int descriptor, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(descriptor, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        size -= (size_t)written;
    }
}

/* Appends the table to the report's file. Called at exit. A child of fork() that has made no calls
 * prints nothing, because the calls in `rows` are its parent's. */
static void print_report(void)
{
    const char *name = report_file_name();
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

/* Clears the table, because a child of fork() does not report its parent's calls, and registers the
 * report at exit. */
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

void report_remark(const char *text)
{
    lock();
    remark = text;
    unlock();
}

/* Registers the report, when the library is loaded, of a program that `startile run` has started.
 * The program then reports even without calls; its child processes, which have other numbers, do
 * not. */
__attribute__((constructor)) static void register_report(void)
{
    long pid;
    if (parse_variable(&pid) != NULL && pid == (long)getpid())
        begin_process();
}
