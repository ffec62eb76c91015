/*
 * `startile calibrate --show --plot`: measurements and the model's times between them, by Python's
 * matplotlib.
 */
#include "calibrate_files.h"
#include "command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool is_plotted(const struct file *f)
{
    for (int d = 0; d < MODEL_DEVICES; d++)
        for (int v = 0; v < MODEL_IMPLEMENTATIONS; v++) {
            const struct model_curve *c = &f->model->curve[d][v];
            if (c->count > 1 && largest_entry(c)->operations > 0)
                return true;
        }
    return false;
}

enum { BETWEEN = 4 }; /* steps of the model's curve from one measurement to the next */

static int by_work(const void *a, const void *b)
{
    const struct model_entry *x = a, *y = b;
    if (x->operations != y->operations)
        return (x->operations > y->operations) - (x->operations < y->operations);
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* By work, so that neighbours can be joined; NULL without memory. */
static struct model_entry *sorted(const struct model_curve *c)
{
    struct model_entry *list = malloc(c->count * sizeof *list);
    if (list) {
        memcpy(list, c->entry, c->count * sizeof *list);
        qsort(list, c->count, sizeof *list, by_work);
    }
    return list;
}

static void print_point(FILE *python, double operations, double time)
{
    fprintf(python, "(%g, %g), ", expm1(operations), time);
}

/* What the regression says of shapes on the way from each measurement to the next. */
static void print_curve(FILE *python, const struct model *m, int device, int implementation,
                        const struct model_entry *e, size_t count)
{
    const uint32_t none = 0; /* a footprint that no measurement has: else it is the mean of those */
    size_t steps = count > 1 ? (count - 1) * BETWEEN + 1 : 0;
    for (size_t s = 0; s < steps; s++) {
        const struct model_entry *from = &e[s / BETWEEN], *to = from + (s + 1 < steps);
        double t = (double)(s % BETWEEN) / BETWEEN;
        double operations = from->operations + t * (to->operations - from->operations);
        double bytes = from->bytes + t * (to->bytes - from->bytes);
        print_point(python, operations,
                    model_time(m, (enum model_device)device, (unsigned)implementation, none,
                               expm1(operations), expm1(bytes)));
    }
}

static void plot_worker(FILE *python, const struct file *f, int device, int implementation)
{
    const struct model_curve *c = &f->model->curve[device][implementation];
    struct model_entry *e = c->count ? sorted(c) : NULL;
    if (!e)
        return;
    fprintf(python, "('%s %s', [", device_names[device], implementation_names[implementation]);
    for (size_t i = 0; i < c->count; i++)
        print_point(python, e[i].operations, e[i].time);
    fputs("], [", python);
    print_curve(python, f->model, device, implementation, e, c->count);
    fputs("]), ", python);
    free(e);
}

static void plot_file(FILE *python, const struct file *f)
{
    fprintf(python, "panel('%s', [", f->codelet);
    for (int d = 0; d < MODEL_DEVICES; d++)
        for (int v = 0; v < MODEL_IMPLEMENTATIONS; v++)
            plot_worker(python, f, d, v);
    fputs("])\n", python);
}

static const char program[] =
    "import matplotlib\n"
    "matplotlib.use('Agg')\n"
    "import matplotlib.pyplot as plt\n"
    "panels = []\n"
    "def panel(title, curves):\n"
    "    panels.append((title, curves))\n"
    "def draw(path):\n"
    "    across = min(len(panels), 4)\n"
    "    down = -(-len(panels) // across)\n"
    "    figure, axes = plt.subplots(down, across, figsize=(4.5 * across, 3.6 * down),\n"
    "                                squeeze=False)\n"
    "    for axis in axes.flat[len(panels):]:\n"
    "        axis.axis('off')\n"
    "    for axis, (title, curves) in zip(axes.flat, panels):\n"
    "        for label, measured, model in curves:\n"
    "            points = axis.loglog(*zip(*measured), '.', label=label)\n"
    "            if model:\n"
    "                axis.loglog(*zip(*model), linewidth=0.8, color=points[0].get_color())\n"
    "        axis.set(title=title, xlabel='operations', ylabel='microseconds')\n"
    "        axis.legend(fontsize='small')\n"
    "    figure.tight_layout()\n"
    "    figure.savefig(path)\n";

/* The system's packages are for the system's Python, which need not be the first. */
static const char interpreter[] =
    "for p in python3 /usr/bin/python3; do"
    " $p -c 'import matplotlib' 2>/dev/null && exec $p -; done; cat >/dev/null; exit 3";

bool plot_files(const char *path, const struct file *files, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || is_plotted(&files[i]);
    if (!any) {
        report("%s: nothing to plot: no codelet with operations was measured twice", path);
        return false;
    }
    fflush(stdout);
    FILE *python = popen(interpreter, "w");
    if (!python) {
        report("%s: %s", path, strerror(errno));
        return false;
    }
    fputs(program, python);
    for (int i = 0; i < count; i++)
        if (is_plotted(&files[i]))
            plot_file(python, &files[i]);
    fprintf(python, "draw('%s')\n", path);
    int status = pclose(python);
    if (status)
        report("%s: %s", path,
               WIFEXITED(status) && WEXITSTATUS(status) == 3 ? "plots need python3-matplotlib"
                                                             : "it could not be written");
    return !status;
}

bool can_plot(const char *path)
{
    const char *dot = strrchr(path, '.');
    return !strpbrk(path, "'\\\n") && dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg"));
}
