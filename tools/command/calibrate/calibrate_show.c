/*
 * `startile calibrate --show`: calibrated models as a table.
 */
#include "calibrate_files.h"
#include "command.h"
#include "scalar.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const device_names[] = {"cpu", "cuda"};
const char *const implementation_names[] = {"auto", "own", "vendor"};

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

/* "dgemm": by its type, and without it. */
static bool is_chosen(const struct shown *what, const char *codelet)
{
    bool chosen = false;
    for (int t = 0; t < what->dtype_count; t++)
        chosen = chosen || *codelet == dtype_letter(what->dtypes[t]);
    return chosen && is_in(what->codelets, codelet + 1);
}

static struct file *read_files(const char *folder, const struct shown *what, int *count)
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
        struct file *next = files ? &files[*count] : NULL;
        snprintf(path, sizeof path, "%s/codelets/45/%s", folder, entries[i]->d_name);
        if (next)
            snprintf(next->codelet, sizeof next->codelet, "%.*s", (int)strcspn(name, "."), name);
        bool chosen = next && is_chosen(what, next->codelet);
        reason = NULL;
        struct model *model = chosen ? model_read(path, &reason) : NULL;
        if (model)
            files[(*count)++].model = model;
        else if (reason)
            report("%s: %s", path, reason);
        free(entries[i]);
    }
    free(entries);
    if (files && !*count)
        report("%s: no model of that routine and precision", folder);
    return files;
}

static void free_files(struct file *files, int count)
{
    for (int i = 0; i < count; i++)
        model_free(files[i].model);
    free(files);
}

/* -- the table -------------------------------------------------------------------------------- */

const struct model_entry *largest_entry(const struct model_curve *c)
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
    const struct model_entry *most = largest_entry(c);
    double operations = expm1(most->operations), bytes = expm1(most->bytes);
    printf("%-16s %-6s %-14s %7zu %12.4g %12.4g %12.4g %10.4g\n", f->codelet, device_names[device],
           implementation_names[implementation], c->count, operations, bytes, most->time,
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

bool show_models(const struct shown *what)
{
    struct wanted w;
    struct stat s;
    int count;
    if (what->plot && !can_plot(what->plot))
        usage_error("startile calibrate", "--plot %s: must end in .png or .svg", what->plot);
    if (!find_folder(what->machine, &w))
        return false;
    if (stat(w.folder, &s)) {
        report("%s: %s", w.folder, strerror(errno));
        return false;
    }
    struct file *files = read_files(w.folder, what, &count);
    if (files && count)
        print_table(w.folder, files, count);
    bool good = files && count && (!what->plot || plot_files(what->plot, files, count));
    free_files(files, count);
    return good;
}
