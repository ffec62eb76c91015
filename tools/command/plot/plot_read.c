/*
 * Reads the CSV files of `startile bench` for `startile plot`.
 */
#include "command.h"
#include "plot.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { NAME, PRECISION, M, N, PLACE, RATE, UNIT, PEER, RATIO, STATUS, COLUMNS };

/* Names of the columns that are read, of routines and batches, and of kernels. In files of routines
 * the rate is in GFlop/s; files of kernels have a column with the unit. */
static const struct {
    const char *name;
    enum column column;
} known[] = {{"routine", NAME}, {"kernel", NAME},  {"precision", PRECISION},  {"m", M},
             {"n", N},          {"where", PLACE},  {"implementation", PLACE}, {"gflop_s", RATE},
             {"rate", RATE},    {"unit", UNIT},    {"peer_name", PEER},       {"peer", PEER},
             {"ratio", RATIO},  {"status", STATUS}};

/* A file that is being read. at[c]: index of the column's field, or −1 */
struct table {
    const char *name;
    int file, line, fields, at[COLUMNS];
    FILE *stream;
    char *text;
    size_t capacity;
};

enum { MOST_FIELDS = 128 };

/* Reads the next line that is neither empty nor a comment. Returns false at the end of the file. */
static bool next_line(struct table *t)
{
    while (getline(&t->text, &t->capacity, t->stream) >= 0) {
        t->line++;
        if (!strchr("#\r\n", t->text[0]))
            return true;
    }
    return false;
}

/* Reads the names of the columns. */
static bool read_heading(struct table *t)
{
    char *field[MOST_FIELDS];
    for (int c = 0; c < COLUMNS; c++)
        t->at[c] = -1;
    if (!next_line(t)) {
        report("plot: %s: %s", t->name, ferror(t->stream) ? strerror(errno) : "the file is empty");
        return false;
    }
    t->fields = report_split(t->text, field, MOST_FIELDS);
    for (int f = 0; f < t->fields; f++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strcmp(field[f], known[k].name))
                t->at[known[k].column] = f;
    if (t->at[NAME] >= 0 && t->at[N] >= 0 && t->at[RATE] >= 0)
        return true;
    report("plot: %s: has no column %s, as the files of startile bench --csv have", t->name,
           t->at[NAME] < 0 ? "routine"
           : t->at[N] < 0  ? "n"
                           : "gflop_s");
    return false;
}

/* Returns the text in a column; "" if the column is missing. */
static const char *text_in(const struct table *t, char **field, enum column column)
{
    return t->at[column] < 0 ? "" : field[t->at[column]];
}

/* Reports a field that is no number. Returns false. */
static bool refuse(const struct table *t, const char *text)
{
    report("plot: %s:%d: '%.40s' where a number must stand", t->name, t->line, text);
    return false;
}

/* Stores a size; 0 if the field is empty. Returns false after a report if it is no size. */
static bool read_size(const struct table *t, char **field, enum column column, int64_t *size)
{
    const char *text = text_in(t, field, column);
    *size = 0;
    return !*text || parse_integer(text, 0, INT64_MAX, size) || refuse(t, text);
}

/* Stores a number that is not negative; NaN if the field is empty. Returns false after a report if
 * it is something else. */
static bool read_number(const struct table *t, char **field, enum column column, double *value)
{
    const char *text = text_in(t, field, column);
    char *end;
    *value = *text ? strtod(text, &end) : NAN;
    return !*text || (end > text && !*end && *value >= 0 && isfinite(*value)) || refuse(t, text);
}

/* Adds the point, unless the series has a higher rate at the same n: of several tile sizes the
 * fastest one is drawn. Returns false after a report on failure. */
static bool add_point(struct plot *p, const struct table *t, const struct plot_point *new)
{
    for (struct plot_point *q = p->point; q < p->point + p->count; q++)
        if (q->n == new->n && !strcmp(q->name, new->name) && !strcmp(q->place, new->place) &&
            !strcmp(q->peer, new->peer)) {
            if (q->file != new->file) {
                p->names_files = true;
                continue;
            }
            if (q->m != new->m) {
                report("plot: %s:%d: another m at the same n", t->name, t->line);
                return false;
            }
            q->rate = fmax(q->rate, new->rate);
            return true;
        }
    struct plot_point *grown = realloc(p->point, ((size_t)p->count + 1) * sizeof *grown);
    if (!grown) {
        report("plot: %s", strerror(ENOMEM));
        return false;
    }
    p->point = grown;
    p->point[p->count++] = *new;
    return true;
}

/* Requires the same unit as of all earlier rows. */
static bool check_unit(struct plot *p, const struct table *t, const char *unit)
{
    if (!p->unit[0])
        snprintf(p->unit, sizeof p->unit, "%s", unit);
    if (!strcmp(p->unit, unit))
        return true;
    report("plot: %s:%d: a rate in %s; those before are in %s", t->name, t->line, unit, p->unit);
    return false;
}

/* Adds the points of a row, the library's and the peer's. Skips rows of failed runs. */
static bool read_row(struct plot *p, struct table *t)
{
    char *field[MOST_FIELDS];
    struct plot_point point = {.file = t->file};
    double ratio;
    if (report_split(t->text, field, MOST_FIELDS) != t->fields) {
        report("plot: %s:%d: not as many fields as columns", t->name, t->line);
        return false;
    }
    const char *status = text_in(t, field, STATUS), *unit = text_in(t, field, UNIT);
    if (!read_size(t, field, N, &point.n) || !read_size(t, field, M, &point.m) ||
        !read_number(t, field, RATE, &point.rate) || !read_number(t, field, RATIO, &ratio))
        return false;
    if (!(point.n > 0 && point.rate > 0) || !strncmp(status, "FAIL", 4) ||
        !strncmp(status, "error", 5))
        return true;
    if (!check_unit(p, t, *unit ? unit : "operations/s"))
        return false;
    point.rate *= *unit ? 1 : 1e9;
    snprintf(point.name, sizeof point.name, "%.1s%.40s", text_in(t, field, PRECISION),
             field[t->at[NAME]]);
    snprintf(point.place, sizeof point.place, "%.20s%s", text_in(t, field, PLACE),
             strcmp(status, "simulated") ? "" : ", simulated");
    if (!add_point(p, t, &point))
        return false;
    point.rate /= ratio;
    point.place[0] = '\0';
    snprintf(point.peer, sizeof point.peer, "%.100s", text_in(t, field, PEER));
    if (!point.peer[0])
        strcpy(point.peer, "peer");
    return !(ratio > 0) || add_point(p, t, &point);
}

static bool read_file(struct plot *p, int file)
{
    struct table t = {.name = p->files[file], .file = file, .stream = fopen(p->files[file], "r")};
    if (!t.stream) {
        report("plot: %s: %s", t.name, strerror(errno));
        return false;
    }
    int before = p->count;
    bool good = read_heading(&t);
    while (good && next_line(&t))
        good = read_row(p, &t);
    if (good && ferror(t.stream))
        report("plot: %s: %s", t.name, strerror(errno));
    else if (good && p->count == before)
        report("plot: %s: has no rate", t.name);
    good = good && !ferror(t.stream) && p->count > before;
    free(t.text);
    fclose(t.stream);
    return good;
}

static int compare_n(const void *a, const void *b)
{
    const struct plot_point *x = a, *y = b;
    return (x->n > y->n) - (x->n < y->n);
}

/* Numbers charts and series in the order of the files, the library's series before the peers'. */
static void number(struct plot *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct plot_point *first = p->point;
        while (strcmp(first->name, p->point[i].name))
            first++;
        p->point[i].chart = first < p->point + i ? first->chart : p->charts++;
        p->names_places = p->names_places ||
                          (!p->point[i].peer[0] && strcmp(p->point[i].place, p->point[0].place));
    }
    for (int peers = 0; peers < 2; peers++)
        for (int i = 0; i < p->count; i++) {
            struct plot_point *q = &p->point[i], *first = p->point;
            if ((q->peer[0] != '\0') != peers)
                continue;
            while (strcmp(first->place, q->place) || strcmp(first->peer, q->peer) ||
                   (p->names_files && first->file != q->file))
                first++;
            q->series = first < q ? first->series : p->series++;
        }
    qsort(p->point, (size_t)p->count, sizeof *p->point, compare_n);
}

bool plot_read(struct plot *p)
{
    for (int f = 0; f < p->count_of_files; f++)
        if (!read_file(p, f))
            return false;
    number(p);
    return true;
}
