/*
 * `startile calibrate --show`: calibrated models as a table, and as curves.
 */
#include "calibrate.h"
#include "command.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const devices[] = {"cpu", "cuda"};
static const char *const implementations[] = {"auto", "own", "vendor"};

/* -- which folder ----------------------------------------------------------------------------- */

struct wanted {
    const char *name;
    char folder[PATH_MAX];
    bool found;
};

static void look_in(void *data, const char *root)
{
    struct wanted *w = data;
    struct stat s;
    if (w->found)
        return;
    int length = snprintf(w->folder, sizeof w->folder, "%s/%s", root, w->name);
    w->found = length < (int)sizeof w->folder && !stat(w->folder, &s) && S_ISDIR(s.st_mode);
}

static bool find_in_use(struct wanted *w)
{
    startile_options o;
    startile_models m;
    startile_options_default(&o);
    o.pause_when_idle = 1;
    int status = startile_init(&o);
    if (status) {
        report("calibrate: %s", startile_strerror(status));
        return false;
    }
    startile_models_find(&m);
    startile_finalize();
    snprintf(w->folder, sizeof w->folder, "%.4000s", m.folder);
    if (!m.folder[0])
        report("%s", m.words);
    return m.folder[0];
}

static bool find_folder(const char *machine, struct wanted *w)
{
    *w = (struct wanted){.name = machine};
    if (!machine)
        return find_in_use(w);
    if (strchr(machine, '/'))
        w->found = snprintf(w->folder, sizeof w->folder, "%s", machine) < (int)sizeof w->folder;
    else
        models_roots(dlsym(RTLD_DEFAULT, "startile_version"), look_in, w);
    if (!w->found)
        report("%s: there are no models of a machine of that name", machine);
    return w->found;
}

/* -- files ------------------------------------------------------------------------------------ */

/* "startile_dgemm.machine"; without the dot and what follows it is the symbol. */
static int is_model(const struct dirent *entry)
{
    return !strncmp(entry->d_name, "startile_", strlen("startile_"));
}

struct file {
    char codelet[64];
    struct model *model;
};

static struct file *read_files(const char *folder, int *count)
{
    char path[PATH_MAX + 320];
    const char *reason;
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/codelets/45", folder);
    int found = scandir(path, &entries, is_model, alphasort);
    *count = 0;
    if (found <= 0) {
        report("%s: %s", path, found ? strerror(errno) : "no models of startile's tasks");
        return NULL;
    }
    struct file *files = calloc((size_t)found, sizeof *files);
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name + strlen("startile_");
        snprintf(path, sizeof path, "%s/codelets/45/%s", folder, entries[i]->d_name);
        struct model *model = files ? model_read(path, &reason) : NULL;
        if (model) {
            files[*count].model = model;
            snprintf(files[(*count)++].codelet, sizeof files->codelet, "%.*s",
                     (int)strcspn(name, "."), name);
        } else if (files && reason) {
            report("%s: %s", path, reason);
        }
        free(entries[i]);
    }
    free(entries);
    return files;
}

static void free_files(struct file *files, int count)
{
    for (int i = 0; i < count; i++)
        model_free(files[i].model);
    free(files);
}

/* -- the table -------------------------------------------------------------------------------- */

static const struct model_entry *largest(const struct model_curve *c)
{
    const struct model_entry *most = c->entry;
    for (size_t i = 1; i < c->count; i++) {
        const struct model_entry *e = &c->entry[i];
        if (e->operations > most->operations ||
            (e->operations == most->operations && e->bytes > most->bytes))
            most = e;
    }
    return most;
}

static void print_curve(const struct file *f, int device, int implementation)
{
    const struct model_curve *c = &f->model->curve[device][implementation];
    if (!c->count)
        return;
    const struct model_entry *most = largest(c);
    double operations = expm1(most->operations), bytes = expm1(most->bytes);
    printf("%-16s %-6s %-14s %7zu %12.4g %12.4g %12.4g %10.4g\n", f->codelet, devices[device],
           implementations[implementation], c->count, operations, bytes, most->time,
           1e-3 * (operations > 0 ? operations : bytes) / most->time);
}

static void print_table(const char *folder, const struct file *files, int count)
{
    printf("# %s\n# the task with the most to do of each: GB/s for those without operations\n",
           folder);
    printf("%-16s %-6s %-14s %7s %12s %12s %12s %10s\n", "codelet", "worker", "implementation",
           "entries", "operations", "bytes", "microseconds", "GFlop/s");
    for (int i = 0; i < count; i++)
        for (int d = 0; d < MODEL_DEVICES; d++)
            for (int v = 0; v < MODEL_IMPLEMENTATIONS; v++)
                print_curve(&files[i], d, v);
}

/* -- the plot --------------------------------------------------------------------------------- */

static bool is_plotted(const struct file *f)
{
    for (int d = 0; d < MODEL_DEVICES; d++)
        for (int v = 0; v < MODEL_IMPLEMENTATIONS; v++) {
            const struct model_curve *c = &f->model->curve[d][v];
            if (c->count > 1 && largest(c)->operations > 0)
                return true;
        }
    return false;
}

static void print_list(FILE *python, const struct model_curve *c, bool times)
{
    fputc('[', python);
    for (size_t i = 0; i < c->count; i++)
        fprintf(python, "%g, ", times ? c->entry[i].time : expm1(c->entry[i].operations));
    fputc(']', python);
}

static void plot_file(FILE *python, const struct file *f)
{
    fprintf(python, "panel('%s', [", f->codelet);
    for (int d = 0; d < MODEL_DEVICES; d++)
        for (int v = 0; v < MODEL_IMPLEMENTATIONS; v++) {
            const struct model_curve *c = &f->model->curve[d][v];
            if (!c->count)
                continue;
            fprintf(python, "('%s %s', ", devices[d], implementations[v]);
            print_list(python, c, false);
            fputs(", ", python);
            print_list(python, c, true);
            fputs("), ", python);
        }
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
    "    down = -(-len(panels) // 4)\n"
    "    figure, axes = plt.subplots(down, 4, figsize=(14, 2.8 * down), squeeze=False)\n"
    "    for axis in axes.flat[len(panels):]:\n"
    "        axis.axis('off')\n"
    "    for axis, (title, curves) in zip(axes.flat, panels):\n"
    "        for label, operations, times in curves:\n"
    "            axis.loglog(operations, times, '.', label=label)\n"
    "        axis.set(title=title, xlabel='operations', ylabel='microseconds')\n"
    "        axis.legend(fontsize='small')\n"
    "    figure.tight_layout()\n"
    "    figure.savefig(path)\n";

/* The system's packages are for the system's Python, which need not be the first. */
static const char interpreter[] =
    "for p in python3 /usr/bin/python3; do"
    " $p -c 'import matplotlib' 2>/dev/null && exec $p -; done; cat >/dev/null; exit 3";

static bool plot_files(const char *path, const struct file *files, int count)
{
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

/* A name that needs no quoting, and a kind of file. */
static bool can_plot(const char *path)
{
    const char *dot = strrchr(path, '.');
    return !strpbrk(path, "'\\\n") && dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg"));
}

bool show_models(const char *machine, const char *plot)
{
    struct wanted w;
    int count;
    if (plot && !can_plot(plot))
        usage_error("startile calibrate", "--plot %s: must end in .png or .svg", plot);
    if (!find_folder(machine, &w))
        return false;
    struct file *files = read_files(w.folder, &count);
    if (files)
        print_table(w.folder, files, count);
    bool good = files && count && (!plot || plot_files(plot, files, count));
    free_files(files, count);
    return good;
}
