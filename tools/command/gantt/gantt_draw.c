/* Draws gantt.svg from a trace: a row per worker, a bar per task, a color per codelet. */
#include "command.h"
#include "gantt.h"
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    PX = SVG_PX,
    FONT = 12 * PX,
    LETTER = 7 * PX, /* width of a letter, roughly */
    MARGIN = 15 * PX,
    TOP = 70 * PX, /* y coordinate of the first row */
    ROW = 30 * PX,
    BAR = 24 * PX,
    AXIS = 55 * PX, /* height of the time axis */
    WIDTH = 900 * PX,
    KEY = 18 * PX, /* height of a line in the list of codelets */
    MANY = 5000 /* number of tasks; with more, bars that touch are drawn as one, without outlines */
};

enum { TITLE = 512 };
/* Text of about.txt. program: the program with its arguments; machine: the machine and the time. */
struct about {
    char program[TITLE], machine[TITLE];
};

static const char worker_axis[] = "worker, busy in %";

struct drawing {
    struct svg svg;
    const struct trace_content *trace;
    int rows, *row;     /* row of each worker; −1: it ran no task */
    double *busy;       /* ms, of each worker */
    double first, span; /* ms: the first task's start, time from there to the last task's end */
    int left, bottom;
    size_t longest_key; /* letters of the longest name of a codelet */
};

/* Returns the x coordinate of a time, in ms after the first task's start. */
static int x_of(const struct drawing *d, double ms)
{
    return d->left + (int)lround(WIDTH * (ms / d->span));
}

/* Sets rows, times and sizes. Returns false without memory. */
static bool lay_out(struct drawing *d)
{
    const struct trace_content *t = d->trace;
    size_t longest = sizeof worker_axis - 1;
    double last = 0;
    d->row = calloc((size_t)t->workers, sizeof *d->row);
    d->busy = calloc((size_t)t->workers, sizeof *d->busy);
    if (d->row == NULL || d->busy == NULL)
        return false;
    d->first = INFINITY;
    for (int64_t i = 0; i < t->count; i++) {
        d->first = fmin(d->first, t->task[i].start);
        last = fmax(last, t->task[i].end);
        d->busy[t->task[i].worker] += t->task[i].end - t->task[i].start;
        d->row[t->task[i].worker] = 1;
    }
    for (int w = 0; w < t->workers; w++) {
        size_t length = strlen(t->worker[w]) + sizeof ", 100 %" - 1;
        longest = d->row[w] == 1 && length > longest ? length : longest;
        d->row[w] = d->row[w] == 1 ? d->rows++ : -1;
    }
    const double one_nanosecond = 1e-6;
    d->span = fmax(last - d->first, one_nanosecond);
    for (int c = 0; c < t->codelets; c++) {
        size_t length = strlen(t->codelet[c].name);
        d->longest_key = length > d->longest_key ? length : d->longest_key;
    }
    d->left = 2 * MARGIN + LETTER * (int)longest;
    d->bottom = TOP + ROW * d->rows;
    return true;
}

/* Writes the drawing's head: size, font, title and subtitle. */
static void put_head(struct drawing *d, const struct about *about)
{
    int width = d->left + WIDTH + 3 * MARGIN + FONT + LETTER * (int)d->longest_key;
    int keys = TOP + KEY * d->trace->codelets, rows = d->bottom + AXIS;
    int height = (keys > rows ? keys : rows) + MARGIN;
    svg_put(&d->svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"%d\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width / PX, height / PX, width, height, FONT);
    char title[TITLE];
    int letters = (width - 2 * MARGIN) / (LETTER + PX); /* bold */
    bool is_long = strlen(about->program) > (size_t)letters;
    snprintf(title, sizeof title, "%.*s%s", is_long ? letters - 3 : letters, about->program,
             is_long ? "..." : "");
    svg_put(&d->svg, "<g font-weight=\"bold\">");
    svg_put_text(&d->svg, MARGIN, 24 * PX, "start", title);
    svg_put(&d->svg, "</g>\n<g fill=\"#555\">");
    svg_put_text(&d->svg, MARGIN, 42 * PX, "start", about->machine);
    svg_put(&d->svg, "</g>\n");
}

/* Draws the time axis with its ticks, and the names of the workers. */
static void put_axes(struct drawing *d)
{
    char label[TRACE_NAME + 32];
    bool in_seconds = d->span >= 10000, in_us = d->span < 0.1;
    double unit = in_seconds ? 1000 : in_us ? 0.001 : 1, step = svg_step(d->span);
    for (int i = 0; i * step <= d->span; i++) {
        int x = x_of(d, i * step);
        svg_put(&d->svg, "<path d=\"M%d %dV%d\" stroke=\"#ddd\" stroke-width=\"%d\"/>\n", x, TOP,
                d->bottom + 5 * PX, PX);
        snprintf(label, sizeof label, "%g", i * step / unit);
        svg_put_text(&d->svg, x, d->bottom + 20 * PX, "middle", label);
    }
    snprintf(label, sizeof label, "time in %s", in_seconds ? "s" : in_us ? "µs" : "ms");
    svg_put(&d->svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            d->left + WIDTH / 2, d->bottom + 40 * PX, label);
    svg_put_text(&d->svg, d->left - MARGIN, TOP - 8 * PX, "end", worker_axis);
    for (int w = 0; w < d->trace->workers; w++)
        if (d->row[w] >= 0) {
            snprintf(label, sizeof label, "%s, %.0f %%", d->trace->worker[w],
                     100 * d->busy[w] / d->span);
            svg_put_text(&d->svg, d->left - MARGIN, TOP + ROW * d->row[w] + 19 * PX, "end", label);
        }
}

/* Adds a bar to the current path. */
static void put_bar(struct drawing *d, int row, int start, int end)
{
    int width = end > start ? end - start : 1;
    svg_put(&d->svg, "M%d %dh%dv%dh%dz", start, TOP + ROW * row + (ROW - BAR) / 2, width, BAR,
            -width);
}

/* Draws the tasks of one codelet on one worker, from index `first` on, as one path. Returns the
 * index of the task after them. */
static int64_t put_path(struct drawing *d, int64_t first)
{
    const struct trace_task *t = d->trace->task;
    const struct trace_codelet *c = &d->trace->codelet[t[first].codelet];
    int row = d->row[t[first].worker], start = 0, end = -1;
    int64_t i = first;
    svg_put(&d->svg, "<path id=\"");
    svg_put_escaped(&d->svg, c->name);
    svg_put(&d->svg, ".%d\" fill=\"#%06x\" d=\"", t[first].worker, c->color);
    for (;
         i < d->trace->count && t[i].worker == t[first].worker && t[i].codelet == t[first].codelet;
         i++) {
        int from = x_of(d, t[i].start - d->first), to = x_of(d, t[i].end - d->first);
        bool touches = d->trace->count > MANY && i > first && from <= end + 1;
        if (i > first && !touches)
            put_bar(d, row, start, end);
        start = touches ? start : from;
        end = touches && end > to ? end : to;
    }
    put_bar(d, row, start, end);
    svg_put(&d->svg, "\"/>\n");
    return i;
}

/* Writes the list of codelets with their colors. */
static void put_keys(struct drawing *d)
{
    int x = d->left + WIDTH + MARGIN;
    for (int c = 0; c < d->trace->codelets; c++) {
        svg_put(&d->svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", x,
                TOP + KEY * c, FONT, FONT, d->trace->codelet[c].color);
        svg_put_text(&d->svg, x + FONT + 6 * PX, TOP + KEY * c + 10 * PX, "start",
                     d->trace->codelet[c].name);
    }
}

static void draw(struct drawing *d, const struct about *about)
{
    put_head(d, about);
    put_axes(d);
    svg_put(&d->svg, "<g stroke=\"#fff\" stroke-width=\"%d\">\n",
            d->trace->count > MANY ? 0 : PX / 10);
    for (int64_t i = 0; i < d->trace->count;)
        i = put_path(d, i);
    svg_put(&d->svg, "</g>\n");
    put_keys(d);
    svg_put(&d->svg, "</svg>\n");
}

/* Stores the folder's name and the time of its trace. */
static void use_folder(const char *folder, struct about *about)
{
    struct stat status;
    FILE *trace = trace_open(folder, "paje.trace", "r");
    snprintf(about->program, sizeof about->program, "%s", folder);
    if (trace && !fstat(fileno(trace), &status))
        strftime(about->machine, sizeof about->machine, "%Y-%m-%d %H:%M",
                 localtime(&status.st_mtime));
    if (trace)
        fclose(trace);
}

/* Reads about.txt. If there is none, stores the folder's name and the time of its trace. */
static void read_about(const char *folder, struct about *about)
{
    FILE *in = trace_open(folder, "about.txt", "r");
    *about = (struct about){"", ""};
    if (in == NULL || fgets(about->program, sizeof about->program, in) == NULL)
        use_folder(folder, about);
    else if (fgets(about->machine, sizeof about->machine, in) == NULL)
        about->machine[0] = '\0';
    if (in != NULL)
        fclose(in);
    about->program[strcspn(about->program, "\n")] = '\0';
    about->machine[strcspn(about->machine, "\n")] = '\0';
}

bool draw_gantt(const char *folder)
{
    struct trace_content t;
    struct about about;
    struct drawing d = {.trace = &t, .svg.good = true};
    bool good = trace_read(folder, &t);
    if (good && !(good = lay_out(&d)))
        report("gantt: no memory");
    if (good) {
        read_about(folder, &about);
        d.svg.file = trace_open(folder, "gantt.svg", "w");
        if (d.svg.file)
            draw(&d, &about);
        good = d.svg.file && !fclose(d.svg.file) && d.svg.good;
        if (!good)
            report("gantt: %s/gantt.svg: %s", folder, strerror(errno));
    }
    free(d.row);
    free(d.busy);
    trace_free(&t);
    return good;
}
