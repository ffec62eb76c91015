/*
 * The counts of this process. The environment variable STARTILE_LAPACK_REPORT is a file, or "-" for
 * the standard error, to which each process appends a table of its calls at exit. A process without
 * calls reports only if the value begins with the process' number, "PID:FILE"; `startile run` sets
 * the variable in this way. Of processes of mpirun with such a value, the last one on each host
 * writes the sum.
 */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { MOST_ROWS = 1024 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct report_row rows[MOST_ROWS];
static struct report_table table = {.rows = rows};
static pid_t process; /* process that made the calls in `rows` */

const char report_not_in_startile[] = "not in startile";

/* -- the file ---------------------------------------------------------------------------------- */

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

/* The standard error when the process began to count. descriptor: a duplicate of it, or −1. The
 * program may close its standard error before it ends, and its descriptors may become those of
 * other files. */
static struct {
    int descriptor;
    struct stat status;
} first_stderr = {.descriptor = -1};

/* Keeps the standard error. The number of the duplicate is one that programs do not use. */
static void keep_stderr(void)
{
    enum { LEAST_NUMBER = 200 };
    if (fstat(STDERR_FILENO, &first_stderr.status) == 0)
        first_stderr.descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, LEAST_NUMBER);
}

/* Closes the duplicate in a child of fork(), which may outlive those that read the standard error.
 */
static void drop_stderr(void)
{
    if (first_stderr.descriptor >= 0)
        close(first_stderr.descriptor);
    first_stderr.descriptor = -1;
}

static bool is_first_stderr(int descriptor)
{
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 &&
           status.st_dev == first_stderr.status.st_dev &&
           status.st_ino == first_stderr.status.st_ino;
}

static void append_to_file(const char *name, const char *text)
{
    if (strcmp(name, "-") == 0) {
        bool is_kept = is_first_stderr(first_stderr.descriptor);
        if (is_kept || is_first_stderr(STDERR_FILENO))
            write_all(is_kept ? first_stderr.descriptor : STDERR_FILENO, text, strlen(text));
        return;
    }
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file >= 0) {
        write_all(file, text, strlen(text));
        close(file);
    }
}

/* Returns the text of this process' own table, to be freed by free(), or NULL. */
static char *own_table(void)
{
    char *text = NULL, title[300];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    snprintf(title, sizeof title, "process %d, %s", (int)process, program_invocation_short_name);
    report_print(out, title, &table);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Appends the table to the report's file. Called at exit. A child of fork() that has made no calls
 * prints nothing, because the calls in `rows` are its parent's. */
static void write_report(void)
{
    long pid;
    const char *name = parse_variable(&pid);
    char *text = NULL;
    if (process != getpid() || name == NULL || *name == '\0')
        return;
    pthread_mutex_lock(&mutex);
    if (pid != (long)process || !report_add_rank(&table, &text))
        text = own_table();
    pthread_mutex_unlock(&mutex);
    if (text != NULL)
        append_to_file(name, text);
    free(text);
}

/* -- the counts -------------------------------------------------------------------------------- */

static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static void unlock_in_child(void)
{
    drop_stderr();
    unlock();
}

/* Clears the table, because a child of fork() does not report its parent's calls. Registers the
 * report at exit, and handlers that hold the mutex during fork(): a mutex that another thread holds
 * during fork() stays locked in the child. */
static void begin_process(void)
{
    static bool is_registered;
    process = getpid();
    memset(rows, 0, sizeof rows);
    table.count = 0;
    if (!is_registered) {
        keep_stderr();
        atexit(write_report);
        pthread_atfork(lock, unlock, unlock_in_child);
    }
    is_registered = true;
}

/* Returns the row of such calls, or NULL if there is no place for it. */
static struct report_row *find_row(const char *name, const char *place, const char *reason)
{
    for (int i = 0; i < table.count; i++)
        if (strcmp(rows[i].name, name) == 0 && rows[i].place == place && rows[i].reason == reason)
            return &rows[i];
    if (table.count == MOST_ROWS)
        return NULL;
    rows[table.count] = (struct report_row){.name = name, .place = place, .reason = reason};
    return &rows[table.count++];
}

static void count(const struct report_call *c, double seconds)
{
    lock();
    if (process != getpid())
        begin_process();
    struct report_row *r = find_row(c->name, c->place, c->reason != NULL ? c->reason : "");
    if (r != NULL) {
        r->smallest = r->calls == 0 || c->size < r->smallest ? c->size : r->smallest;
        r->largest = r->calls == 0 || c->size > r->largest ? c->size : r->largest;
        r->calls++;
        r->seconds += seconds;
        r->flops += c->flops;
    }
    unlock();
}

/* The visible calls of this thread: at most one of a routine that startile does not have, and in it
 * one of a drop-in's symbol. frame: addresses of their spans by is_served, or NULL; served_seconds:
 * duration of the ended calls of the drop-ins' symbols in the former, which is not part of it. A
 * program's XERBLA may leave a routine by longjmp(). So a span is only compared, never read: a call
 * at the same or a higher address shows that it is gone, because stacks grow downwards. */
static _Thread_local struct {
    const struct report_span *frame[2];
    double served_seconds;
} calls;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

EXPORTED void startile_report_enter(struct report_span *span)
{
    for (int i = 0; i < 2; i++)
        if (calls.frame[i] != NULL && span >= calls.frame[i])
            calls.frame[i] = NULL;
    span->is_visible = calls.frame[true] == NULL && (span->is_served || calls.frame[false] == NULL);
    if (!span->is_visible)
        return;
    calls.frame[span->is_served] = span;
    if (!span->is_served)
        calls.served_seconds = 0;
    span->began = seconds_now();
}

EXPORTED void startile_report_leave(struct report_span *span, const struct report_call *call)
{
    if (!span->is_visible)
        return;
    double seconds = seconds_now() - span->began;
    calls.frame[span->is_served] = NULL;
    count(call, span->is_served ? seconds : seconds - calls.served_seconds);
    if (span->is_served)
        calls.served_seconds += seconds;
}

EXPORTED void startile_report_remark(const char *text)
{
    lock();
    table.remark = text;
    unlock();
}

/* Registers the report, when the library is loaded, of a program that `startile run` has started.
 * The program then reports even without calls; its child processes, which have other numbers, do
 * not. */
__attribute__((constructor)) static void register_report(void)
{
    long pid;
    if (parse_variable(&pid) != NULL && pid == (long)getpid()) {
        begin_process();
        report_announce_rank();
    }
}
