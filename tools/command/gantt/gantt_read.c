/* Reads the tasks of a trace from StarPU's files. */
#define _GNU_SOURCE
#include "command.h"
#include "gantt.h"

#include <errno.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

/* -- tasks.rec: records of lines "Field: value", separated by blank lines --------------------- */

struct record {
    char name[TRACE_NAME];
    int rank, worker;  /* rank: of the process on a grid; −1: one process */
    double start, end; /* ms; negative: the task did not run */
};

/* NO_COLOR: none was read; STARPUS_COLOR: that of codelets that set no color */
enum { NO_COLOR = 0, STARPUS_COLOR = 0x009966 };

static const struct record no_record = {"?", -1, -1, -1, -1};

/* Stores the field that the line has, if any, in the record. */
static void read_field(struct record *r, const char *line)
{
    if (sscanf(line, "Name: %63[^\n]", r->name) == 1 ||
        sscanf(line, "WorkerId: %d", &r->worker) == 1 ||
        sscanf(line, "MPIRank: %d", &r->rank) == 1 ||
        sscanf(line, "StartTime: %lf", &r->start) == 1)
        return;
    (void)sscanf(line, "EndTime: %lf", &r->end);
}

/* Returns the array of `count` elements, reallocated to twice its capacity if it is full; NULL
 * without memory. The capacity is the smallest power of two >= count. */
static void *grow(void *array, int64_t count, size_t size)
{
    bool is_full = (count & (count - 1)) == 0;
    return is_full ? realloc(array, (size_t)(count == 0 ? 1 : 2 * count) * size) : array;
}

/* Returns the codelet's index, and adds the codelet if it is new; −1 without memory. */
static int find_codelet(struct trace_content *t, const char *name)
{
    for (int c = 0; c < t->codelets; c++)
        if (strcmp(t->codelet[c].name, name) == 0)
            return c;
    void *grown = grow(t->codelet, t->codelets, sizeof *t->codelet);
    if (grown == NULL)
        return -1;
    t->codelet = grown;
    t->codelet[t->codelets].color = NO_COLOR;
    snprintf(t->codelet[t->codelets].name, TRACE_NAME, "%s", name);
    return t->codelets++;
}

/* Returns the number of a worker among those of all processes; −1: there is no such worker. rank:
 * −1 or the process */
static int number_worker(int rank, int worker)
{
    rank = rank < 0 ? 0 : rank;
    bool is_valid = rank < STARPU_FXT_MAX_FILES && worker >= 0 && worker < STARPU_NMAXWORKERS;
    return is_valid ? rank * STARPU_NMAXWORKERS + worker : -1;
}

/* Adds the task if it ran. Returns false without memory. */
static bool add_task(struct trace_content *t, const struct record *r)
{
    int worker = number_worker(r->rank, r->worker);
    if (worker < 0 || r->start < 0 || r->end < r->start)
        return true;
    int codelet = find_codelet(t, r->name);
    void *grown = grow(t->task, t->count, sizeof *t->task);
    if (grown != NULL)
        t->task = grown;
    if (codelet < 0 || grown == NULL)
        return false;
    t->task[t->count++] = (struct trace_task){worker, codelet, r->start, r->end};
    t->workers = worker >= t->workers ? worker + 1 : t->workers;
    return true;
}

/* Reads all tasks that ran. Returns false without memory. */
static bool read_tasks(struct trace_content *t, FILE *in)
{
    struct record r = no_record;
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    while (good && getline(&line, &capacity, in) > 0)
        if (line[0] == '\n') {
            good = add_task(t, &r);
            r = no_record;
        } else {
            read_field(&r, line);
        }
    free(line);
    return good && add_task(t, &r);
}

/* -- paje.trace: names of workers, colors of codelets ------------------------------------------ */

/* Reads the color in a line that defines a state: three numbers in quotes at the line's end.
 * Returns the position of the color in the line, or NULL. */
static char *find_color(char *line, double part[3])
{
    char *quote = line[0] == '6' ? strrchr(line, '"') : NULL;
    while (quote != NULL && quote > line && *--quote != '"')
        continue;
    return quote != NULL && sscanf(quote, "\"%lf %lf %lf\"", &part[0], &part[1], &part[2]) == 3
               ? quote
               : NULL;
}

/* Scales a color from 0 … 255 to 0 … 1 in place, padded with blanks (StarPU quirk 30). Returns
 * whether the line changed. */
static bool scale_color(char *color, double part[3])
{
    char scaled[64];
    if (part[0] <= 1 && part[1] <= 1 && part[2] <= 1)
        return false;
    for (int i = 0; i < 3; i++)
        part[i] /= 255;
    size_t available = strcspn(color, "\n");
    int length = snprintf(scaled, sizeof scaled, "\"%.4f %.4f %.4f\"", part[0], part[1], part[2]);
    if (length < 0 || (size_t)length > available)
        return false;
    memset(color, ' ', available);
    memcpy(color, scaled, (size_t)length);
    return true;
}

/* Stores the color of the codelet that the line defines, unless it is the one that StarPU gives all
 * codelets without a color. */
static void take_color(struct trace_content *t, const char *line, const double part[3])
{
    char name[TRACE_NAME];
    unsigned color = 0;
    if (sscanf(line, "6 %63s WS", name) != 1)
        return;
    for (int i = 0; i < 3; i++)
        /* NaN: 0 */
        color = color << 8 | (unsigned)(part[i] >= 1 ? 255 : part[i] > 0 ? 255 * part[i] + 0.5 : 0);
    for (int c = 0; c < t->codelets; c++)
        if (strcmp(t->codelet[c].name, name) == 0 && color != STARPUS_COLOR)
            t->codelet[c].color = color;
}

/* Returns whether one of the first `count` codelets has the color. */
static bool is_taken(const struct trace_content *t, int count, unsigned color)
{
    for (int c = 0; c < count; c++)
        if (t->codelet[c].color == color)
            return true;
    return false;
}

/* Gives each codelet that has no color, or that of an earlier codelet, a color that no other has,
 * as long as there are such colors. */
static void choose_colors(struct trace_content *t)
{
    static const unsigned colors[] = {0xb07aa1, 0x8cd17d, 0x9c755f, 0xd37295, 0x499894, 0xb6992d,
                                      0xd4a6c8, 0x2f4b7c, 0xa05195, 0x8f1d21, 0x1f6f4a, 0xc9b8f0,
                                      0x79706e, 0x00c2d1, 0xd7b5a6, 0x6a3d9a, 0xb3de69, 0x5c4033,
                                      0xfabfd2, 0x3b8f00, 0x8a6d00, 0x86bcb6, 0xff4fa3, 0x5a5a8f};
    enum { COLORS = sizeof colors / sizeof *colors };
    int next = 0;
    for (int c = 0; c < t->codelets; c++) {
        unsigned *color = &t->codelet[c].color;
        if (*color != NO_COLOR && !is_taken(t, c, *color))
            continue;
        while (next < COLORS && is_taken(t, t->codelets, colors[next]))
            next++;
        *color = colors[next < COLORS ? next : c % COLORS];
    }
}

/* Stores the worker's name if the line creates a worker. Its fields are then 7, the time, "w" with
 * the worker's number, W, the parent and the name. On a grid "w" stands behind the process and
 * "_". */
static void take_worker(struct trace_content *t, const char *line)
{
    int rank = -1, worker = -1;
    char name[TRACE_NAME];
    bool is_worker = sscanf(line, "7 %*s w%d W %*s %63[^\n]", &worker, name) == 2 ||
                     sscanf(line, "7 %*s %d_w%d W %*s %63[^\n]", &rank, &worker, name) == 3;
    worker = number_worker(rank, worker);
    if (is_worker && worker >= 0 && worker < t->workers)
        /* the name without its quotes */
        snprintf(t->worker[worker], TRACE_NAME, "%.*s", (int)strcspn(name + (*name == '"'), "\""),
                 name + (*name == '"'));
}

/* Reads the names of workers and the colors of codelets. Corrects colors in the file (StarPU quirk
 * 30). */
static void read_names_and_fix_colors(struct trace_content *t, FILE *trace)
{
    char *line = NULL, *color;
    size_t capacity = 0;
    double part[3];
    for (ssize_t length; (length = getline(&line, &capacity, trace)) > 0;) {
        take_worker(t, line);
        if ((color = find_color(line, part)) == NULL)
            continue;
        if (scale_color(color, part)) {
            fseeko(trace, -length, SEEK_CUR);
            fwrite(line, 1, (size_t)length, trace);
            fseeko(trace, 0, SEEK_CUR);
        }
        take_color(t, line, part);
    }
    free(line);
}

/* --------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct trace_task *s = a, *t = b;
    if (s->worker != t->worker || s->codelet != t->codelet)
        return s->worker != t->worker ? s->worker - t->worker : s->codelet - t->codelet;
    return (s->start > t->start) - (s->start < t->start);
}

/* Reads both files. Returns false after a report. */
static bool read_files(struct trace_content *t, const char *folder, FILE *tasks, FILE *trace)
{
    bool good = read_tasks(t, tasks);
    if (good && t->count == 0) {
        report("gantt: %s: the trace has no task", folder);
        return false;
    }
    if (!good || !(t->worker = calloc((size_t)t->workers, sizeof *t->worker))) {
        report("gantt: no memory");
        return false;
    }
    for (int w = 0; w < t->workers; w++)
        snprintf(t->worker[w], TRACE_NAME, "worker %d", w);
    read_names_and_fix_colors(t, trace);
    choose_colors(t);
    qsort(t->task, (size_t)t->count, sizeof *t->task, compare);
    return true;
}

FILE *trace_open(const char *folder, const char *name, const char *mode)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    FILE *file = fopen(path, mode);
    free(path);
    return file;
}

bool trace_read(const char *folder, struct trace_content *t)
{
    *t = (struct trace_content){0};
    FILE *tasks = trace_open(folder, "tasks.rec", "r");
    FILE *trace = tasks ? trace_open(folder, "paje.trace", "r+") : NULL;
    bool good = trace && read_files(t, folder, tasks, trace);
    if (!trace)
        report("gantt: %s: no trace of StarPU: %s: %s", folder, tasks ? "paje.trace" : "tasks.rec",
               strerror(errno));
    if (tasks)
        fclose(tasks);
    if (trace)
        fclose(trace);
    return good;
}

void trace_free(struct trace_content *t)
{
    free(t->task);
    free(t->codelet);
    free(t->worker);
}
