/*
 * Times that the performance models in use predict for this machine: child processes execute
 * `startile bench --simulate`, and this process reads their CSV rows.
 */
#include "predict.h"

#include "report.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZES = 2, ROUTINES = 3, ROWS = 3 * SIZES, MOST_FIELDS = 128, LINE = 2048 };
static const char *const routines[ROUTINES] = {"potrf", "getrf", "geqrf"};
static const int sizes[SIZES] = {4096, 16384};
static const char size_list[] = "4096,16384";

struct child {
    pid_t pid;
    FILE *rows; /* its CSV file, a pipe */
};

/* Executes the simulations of a routine, with CSV rows to a file descriptor and no other output. */
static void execute(const char *routine, const char *models, int gpus, int rows)
{
    char csv[32], count[16];
    const char *where = gpus > 0 ? "all" : "cpu";
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        return;
    snprintf(csv, sizeof csv, "/dev/fd/%d", rows);
    snprintf(count, sizeof count, "%d", gpus);
    execl("/proc/self/exe", "startile", "bench", routine, "--n", size_list, "--simulate", models,
          "--resident", "host", "--csv", csv, "--where", where, gpus > 0 ? "--gpus" : NULL, count,
          NULL);
}

/* Starts the simulations of a routine. child->rows is NULL after a failure. */
static void start(struct child *child, const char *routine, const char *models, int gpus)
{
    int ends[2];
    *child = (struct child){-1, NULL};
    if (pipe(ends))
        return;
    child->pid = fork();
    if (child->pid == 0) {
        execute(routine, models, gpus, ends[1]);
        _exit(EXIT_FAILURE);
    }
    close(ends[1]);
    child->rows = fdopen(ends[0], "r");
}

struct row {
    char where[8];
    int n;
    long mb, nb;
    double seconds; /* NaN: the simulation failed */
    char status[LINE / 2];
};

/* Stores the field of a row that has the given name. */
static void take_field(struct row *row, const char *name, const char *value)
{
    if (!strcmp(name, "where"))
        snprintf(row->where, sizeof row->where, "%s", value);
    else if (!strcmp(name, "n"))
        row->n = atoi(value);
    else if (!strcmp(name, "mb"))
        row->mb = atol(value);
    else if (!strcmp(name, "nb"))
        row->nb = atol(value);
    else if (!strcmp(name, "seconds"))
        row->seconds = atof(value);
    else if (!strcmp(name, "status"))
        snprintf(row->status, sizeof row->status, "%s", value);
}

/* Reads the rows of a routine. Returns their number. */
static int read_rows(FILE *csv, struct row row[ROWS])
{
    char names[LINE], line[LINE], *name[MOST_FIELDS], *field[MOST_FIELDS];
    int names_count = fgets(names, sizeof names, csv) ? report_split(names, name, MOST_FIELDS) : 0;
    int rows = 0;
    while (rows < ROWS && fgets(line, sizeof line, csv)) {
        int fields = report_split(line, field, MOST_FIELDS);
        row[rows] = (struct row){.seconds = NAN};
        for (int i = 0; i < fields && i < names_count; i++)
            take_field(&row[rows], name[i], field[i]);
        if (strcmp(row[rows].status, "simulated") != 0)
            row[rows].seconds = NAN; /* a time by models of which some are missing */
        rows++;
    }
    return rows;
}

/* Prints the fastest place of one size with its tiles, and the other places. */
static void print_size(const char *routine, int n, const struct row *row, int rows,
                       void (*print)(const char *line))
{
    char line[LINE];
    const struct row *best = NULL, *failed = NULL;
    for (const struct row *r = row; r < row + rows; r++) {
        if (r->n == n && r->seconds > 0 && (!best || r->seconds < best->seconds))
            best = r;
        if (r->n == n && isnan(r->seconds))
            failed = r;
    }
    size_t length = 0;
    if (best)
        length = (size_t)snprintf(line, sizeof line, "%s %5d  %-6s %9.4g s, tiles %ld x %ld",
                                  routine, n, best->where, best->seconds, best->mb, best->nb);
    else
        snprintf(line, sizeof line, "%s %5d  none: %s", routine, n,
                 !failed                                  ? "the simulation failed"
                 : !strncmp(failed->status, "error: ", 7) ? failed->status + 7
                                                          : failed->status);
    for (const struct row *r = row; r < row + rows && length; r++)
        if (r->n == n && r != best && r->seconds > 0)
            length += (size_t)snprintf(line + length, sizeof line - length, "; %s %.4g s", r->where,
                                       r->seconds);
    print(line);
}

void predict(const char *models, int gpus, void (*print)(const char *line))
{
    struct child child[ROUTINES];
    struct row row[ROWS];
    fflush(NULL);
    for (int i = 0; i < ROUTINES; i++)
        start(&child[i], routines[i], models, gpus);
    for (int i = 0; i < ROUTINES; i++) {
        int rows = child[i].rows ? read_rows(child[i].rows, row) : 0;
        for (int k = 0; k < SIZES; k++)
            print_size(routines[i], sizes[k], row, rows, print);
        if (child[i].rows)
            fclose(child[i].rows);
        if (child[i].pid > 0)
            waitpid(child[i].pid, NULL, 0);
    }
}
