/*
 * The time of a task from a calibrated model: the mean of the measurements of the same work, else a
 * regression weighted by distance.
 *
 * The regression is linear in logarithms, log t = c + a log(operations) + b log(bytes), so t is a
 * power law of both. It is weighted by nearness (W. S. Cleveland, "Robust locally weighted
 * regression and smoothing scatterplots", J. Am. Stat. Assoc. 74, 1979), since one power law does
 * not hold from the smallest tile to the largest.
 *
 * Every task has operations and bytes, whatever m, n and k mean for it. Both are needed to
 * distinguish shapes of equal work, such as a thin and a cubic product. Outside the measured range
 * they show whether arithmetic or memory bounds the rate; m, n and k would need measurements along
 * each of them. Where measurements determine no slope, the rate is constant.
 */
#include "models/model.h"

#include <math.h>

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Returns the entry with the footprint, or NULL. */
static const struct model_entry *find(const struct model_curve *c, uint32_t footprint)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int side = compare(c->entry[middle].footprint, footprint);
        if (side == 0)
            return &c->entry[middle];
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Logarithms of the work of a task. */
struct point {
    double operations, bytes;
};

/* Returns the weight of a measurement in the fit for a task with the work p. */
static double nearness(const struct model_entry *e, struct point p)
{
    const double resolution = 0.01; /* squared distance below which the weight hardly grows */
    double dx = e->operations - p.operations, dy = e->bytes - p.bytes;
    double distance = dx * dx + dy * dy + resolution;
    return 1 / (distance * distance);
}

/* Returns log t of the weighted regression at the work p. */
static double fit(const struct model_curve *c, struct point p)
{
    const double trust =
        0.01; /* weight of the slopes of a constant rate; the measurements have weight 1 in all */
    /* w: sum of the weights. x, y, t: weighted means of the logarithms of operations, bytes and
     * time. xx … yt: weighted covariances. */
    double w = 0, x = 0, y = 0, t = 0, xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct model_entry *e = &c->entry[i];
        double near = nearness(e, p);
        w += near;
        x += near * e->operations;
        y += near * e->bytes;
        t += near * log(e->time);
    }
    x /= w, y /= w, t /= w;
    for (size_t i = 0; i < c->count; i++) {
        const struct model_entry *e = &c->entry[i];
        double near = nearness(e, p) / w, dx = e->operations - x, dy = e->bytes - y;
        xx += near * dx * dx;
        xy += near * dx * dy;
        yy += near * dy * dy;
        xt += near * dx * (log(e->time) - t);
        yt += near * dy * (log(e->time) - t);
    }
    /* Adds one measurement of weight `trust` with a constant rate: the time is proportional to the
     * operations, or to the bytes for a task without operations. */
    bool computes = p.operations > 0;
    xx += trust, yy += trust;
    xt += computes ? trust : 0;
    yt += computes ? 0 : trust;
    double determinant = xx * yy - xy * xy;
    double a = (xt * yy - yt * xy) / determinant, b = (yt * xx - xt * xy) / determinant;
    return t + a * (p.operations - x) + b * (p.bytes - y);
}

/* Returns the smallest (pick = fmin) or largest (fmax) log of the measured operations (`computes`),
 * or of the bytes. */
static double extreme(const struct model_curve *c, double (*pick)(double, double), bool computes)
{
    double value = computes ? c->entry[0].operations : c->entry[0].bytes;
    for (size_t i = 1; i < c->count; i++)
        value = pick(value, computes ? c->entry[i].operations : c->entry[i].bytes);
    return value;
}

/* Returns p for less work (more work if distance < 0): log(operations) smaller by `distance` and
 * log(bytes) as for a smaller cubic product. Without operations log(bytes) is smaller by
 * `distance`. */
static struct point reduced(struct point p, double distance)
{
    if (p.operations > 0)
        return (struct point){p.operations - distance, p.bytes - 2 * distance / 3};
    return (struct point){p.operations, p.bytes - distance};
}

/* Returns log t for the work p. Beyond the largest measured work the rate is constant. Below the
 * smallest the time is at most that of the smallest, and falls at most as fast as the work. */
static double regression(const struct model_curve *c, struct point p)
{
    bool computes = p.operations > 0;
    double work = computes ? p.operations : p.bytes;
    double above = work - extreme(c, fmax, computes), below = work - extreme(c, fmin, computes);
    if (above > 0)
        return fit(c, reduced(p, above)) + above;
    if (below < 0) {
        double smallest = fit(c, reduced(p, below));
        return smallest + fmin(fmax(fit(c, p) - smallest, below), 0);
    }
    return fit(c, p);
}

double model_time(const struct model *model, enum model_device device, unsigned implementation,
                  uint32_t footprint, double operations, double bytes)
{
    const struct model_curve *c = model->curve[device];
    /* an implementation without measurements uses those of the first */
    if (implementation < MODEL_IMPLEMENTATIONS && c[implementation].count > 0)
        c += implementation;
    if (c->count == 0)
        return NAN;
    const struct model_entry *e = find(c, footprint);
    return e != NULL ? e->time
                     : exp(regression(c, (struct point){log1p(operations), log1p(bytes)}));
}

double model_fastest_rate(const struct model *m, enum model_device device)
{
    double rate = 0;
    if (m == NULL)
        return rate;
    for (int i = 0; i < MODEL_IMPLEMENTATIONS; i++)
        for (size_t e = 0; e < m->curve[device][i].count; e++) {
            const struct model_entry *entry = &m->curve[device][i].entry[e];
            rate = fmax(rate, expm1(entry->operations) / entry->time);
        }
    return rate;
}
