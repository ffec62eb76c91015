/*
 * Draws the picture of `startile plot`: a chart of rates over n for each routine.
 */
#include "plot.h"
#include "svg.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PX = SVG_PX,
    ON_ROW = 3, /* largest number of charts beside each other */
    LEFT = 64 * PX,
    GAP = 67 * PX,   /* between charts beside each other */
    HIGH = 200 * PX, /* height of a chart */
    BELOW = 90 * PX, /* from there to the chart below */
    LETTER = 15 * PX / 2,
    KEY = 34 * PX, /* line of a series in the legend */
    RADIUS = 7 * PX / 2
};

struct picture {
    struct svg svg;
    const struct plot *plot;
    int on_row, side, width, top; /* charts on a row; width of a chart; y of the first chart */
    double unit, step, highest;   /* unit of the rates; distance of ticks and highest tick in it */
};

/* -- series ----------------------------------------------------------------------------------- */

/* Returns any point of the series. */
static const struct plot_point *point_of(const struct plot *p, int series)
{
    const struct plot_point *q = p->point;
    while (q->series != series)
        q++;
    return q;
}

/* Returns the series' color, which people with color blindness can tell from the others (Okabe &
 * Ito 2002); those of peers are gray. */
static int color_of(const struct plot *p, int series)
{
    static const int colors[] = {0xd55e00, 0x0072b2, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9};
    static const int grays[] = {0x7a7a7a, 0x000000, 0xb4b4b4};
    int others = 0; /* series of the same kind before this one */
    bool is_peer = point_of(p, series)->peer[0];
    for (int s = 0; s < series; s++)
        others += (point_of(p, s)->peer[0] != '\0') == is_peer;
    return is_peer ? grays[others % 3] : colors[others % 6];
}

static void name_series(const struct plot *p, int series, char *label, size_t size)
{
    char path[256];
    const struct plot_point *q = point_of(p, series);
    bool names_place = !q->peer[0] && p->names_places && q->place[0];
    snprintf(path, sizeof path, "%s", p->names_files ? p->files[q->file] : "");
    char *file = basename(path), *end = strrchr(file, '.');
    if (end && !strcmp(end, ".csv"))
        *end = '\0';
    snprintf(label, size, "%.128s%s%s%s%.60s%s", q->peer[0] ? q->peer : "startile",
             names_place ? ", " : "", names_place ? q->place : "", p->names_files ? " (" : "",
             p->names_files ? file : "", p->names_files ? ")" : "");
}

/* Draws the mark of a point: a circle for the library, a square for a peer. */
static void put_mark(struct picture *d, int series, int x, int y)
{
    int color = color_of(d->plot, series);
    if (point_of(d->plot, series)->peer[0])
        svg_put(&d->svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
                x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS, color);
    else
        svg_put(&d->svg, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"#%06x\"/>\n", x, y, RADIUS,
                color);
}

/* Begins a line in the color of the series, dashed for a peer. The caller adds its points. */
static void begin_line(struct picture *d, int series)
{
    svg_put(&d->svg, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%d\"%s points=\"",
            color_of(d->plot, series), 5 * PX / 2,
            point_of(d->plot, series)->peer[0] ? " stroke-dasharray=\"700 400\"" : "");
}

/* -- charts ----------------------------------------------------------------------------------- */

/* Position of a chart, and its smallest and largest n */
struct frame {
    int chart, left, top;
    int64_t least, most;
};

static struct frame frame_of(const struct picture *d, int chart)
{
    struct frame f = {chart, LEFT + chart % d->on_row * (d->side + GAP),
                      d->top + chart / d->on_row * (HIGH + BELOW), 0, 0};
    for (const struct plot_point *q = d->plot->point; q < d->plot->point + d->plot->count; q++)
        if (q->chart == chart) {
            f.least = f.least ? f.least : q->n;
            f.most = q->n;
        }
    return f;
}

static int x_of(const struct picture *d, const struct frame *f, int64_t n)
{
    if (f->least == f->most)
        return f->left + d->side / 2;
    double share = log2((double)n / (double)f->least) / log2((double)f->most / (double)f->least);
    return f->left + (int)lround(d->side * share);
}

static int y_of(const struct picture *d, const struct frame *f, double rate)
{
    return f->top + (int)lround(HIGH * (1 - rate / d->unit / d->highest));
}

/* Writes n below its position, unless it would touch the label before or that of the largest n.
 * *end: end of the labels so far */
static void put_size(struct picture *d, const struct frame *f, int64_t n, int *end)
{
    char label[24];
    int half = LETTER / 2 * snprintf(label, sizeof label, "%lld", (long long)n);
    int half_of_most = LETTER / 2 * snprintf(NULL, 0, "%lld", (long long)f->most);
    int x = x_of(d, f, n), limit = x_of(d, f, f->most) - half_of_most - LETTER;
    if (x - half < *end || (n != f->most && x + half > limit))
        return;
    svg_put_text(&d->svg, x, f->top + HIGH + 20 * PX, "middle", label);
    *end = x + half + LETTER;
}

static void put_axes(struct picture *d, const struct frame *f, const char *name)
{
    char label[32];
    int end = f->left - LEFT;
    svg_put_text(&d->svg, f->left + d->side / 2, f->top - 14 * PX, "middle", name);
    for (int i = 0; i * d->step < d->highest * 1.0001; i++) {
        int y = y_of(d, f, i * d->step * d->unit);
        svg_put(&d->svg, "<path d=\"M%d %dh%d\" stroke=\"#d8d8d8\" stroke-width=\"%d\"/>\n",
                f->left, y, d->side, PX);
        snprintf(label, sizeof label, "%g", i * d->step);
        svg_put_text(&d->svg, f->left - 8 * PX, y + 4 * PX, "end", label);
    }
    for (const struct plot_point *q = d->plot->point; q < d->plot->point + d->plot->count; q++)
        if (q->chart == f->chart)
            put_size(d, f, q->n, &end);
    svg_put_text(&d->svg, f->left + d->side / 2, f->top + HIGH + 42 * PX, "middle", "n");
}

static void put_series(struct picture *d, const struct frame *f, int series)
{
    const struct plot_point *point = d->plot->point, *end = point + d->plot->count;
    begin_line(d, series);
    for (const struct plot_point *q = point; q < end; q++)
        if (q->chart == f->chart && q->series == series)
            svg_put(&d->svg, "%d,%d ", x_of(d, f, q->n), y_of(d, f, q->rate));
    svg_put(&d->svg, "\"/>\n");
    for (const struct plot_point *q = point; q < end; q++)
        if (q->chart == f->chart && q->series == series)
            put_mark(d, series, x_of(d, f, q->n), y_of(d, f, q->rate));
}

static void put_chart(struct picture *d, int chart)
{
    struct frame f = frame_of(d, chart);
    const struct plot_point *q = d->plot->point;
    while (q->chart != chart)
        q++;
    put_axes(d, &f, q->name);
    for (int s = d->plot->series; s-- > 0;) /* the library's series last, above the peers' */
        put_series(d, &f, s);
}

/* -- the picture ------------------------------------------------------------------------------ */

/* Draws the legend from `top` on, in as many lines as it needs. Returns its end. Without `draws`
 * only computes that. */
static int put_legend(struct picture *d, int top, bool draws)
{
    char label[256];
    int x = LEFT;
    for (int s = 0; s < d->plot->series; s++) {
        name_series(d->plot, s, label, sizeof label);
        int width = KEY + LETTER * (int)strlen(label) + 20 * PX;
        if (x > LEFT && x + width > d->width) {
            x = LEFT;
            top += 20 * PX;
        }
        if (draws) {
            begin_line(d, s);
            svg_put(&d->svg, "%d,%d %d,%d\"/>\n", x, top, x + KEY - 6 * PX, top);
            put_mark(d, s, x + KEY / 2 - 3 * PX, top);
            svg_put_text(&d->svg, x + KEY, top + 4 * PX, "start", label);
        }
        x += width;
    }
    return top + 20 * PX;
}

/* Sets the sizes, and unit and ticks of the rates. */
static void lay_out(struct picture *d)
{
    static const int sides[ON_ROW] = {520 * PX, 400 * PX, 245 * PX};
    bool is_bytes = !strcmp(d->plot->unit, "bytes/s");
    double most = 0;
    for (int i = 0; i < d->plot->count; i++)
        most = fmax(most, d->plot->point[i].rate);
    d->unit = is_bytes || most < 1e12 ? 1e9 : 1e12;
    d->step = svg_step(2.5 * most / d->unit);
    d->highest = d->step * ceil(most / d->unit / d->step);
    d->on_row = d->plot->charts < ON_ROW ? d->plot->charts : ON_ROW;
    d->side = sides[d->on_row - 1];
    d->width = LEFT + d->on_row * d->side + (d->on_row - 1) * GAP + 40 * PX;
    d->top = (d->plot->title ? 76 : 44) * PX;
}

bool plot_draw(const struct plot *p, FILE *out)
{
    struct picture d = {.svg = {out, true}, .plot = p};
    lay_out(&d);
    int rows = (p->charts - 1) / d.on_row + 1, middle = d.top + HIGH / 2;
    int legend = d.top + rows * (HIGH + BELOW) - 20 * PX, height = put_legend(&d, legend, false);
    const char *unit = strcmp(p->unit, "bytes/s") ? d.unit < 1e12 ? "GFLOP/s" : "TFLOP/s" : "GB/s";
    svg_put(&d.svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"%d\" "
            "fill=\"#222222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            d.width / PX, height / PX, d.width, height, 12 * PX);
    if (p->title) {
        svg_put(&d.svg, "<g font-weight=\"bold\" font-size=\"%d\">", 16 * PX);
        svg_put_text(&d.svg, d.width / 2, 26 * PX, "middle", p->title);
        svg_put(&d.svg, "</g>\n");
    }
    svg_put(&d.svg,
            "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            18 * PX, middle, unit);
    for (int c = 0; c < p->charts; c++)
        put_chart(&d, c);
    put_legend(&d, legend, true);
    svg_put(&d.svg, "</svg>\n");
    return d.svg.good && !fflush(out);
}
