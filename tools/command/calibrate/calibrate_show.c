/* `startile calibrate --show`: calibrated models as a table. */
#include "calibrate.h"
#include "command.h"
#include "scalar.h"

#include <glob.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Finds the models of the machine, or those in use for NULL. Reports why there are none. */
static bool find_models(const char *machine, startile_models *m)
{
    startile_options o;
    startile_options_default(&o, sizeof o);
    o.pause_when_idle = 1;
    int status = machine ? 0 : startile_init(&o);
    if (status) {
        report("calibrate: %s", startile_strerror(status));
        return false;
    }
    if (machine) {
        startile_models_named(machine, m);
    } else {
        startile_models_in_use(m);
        startile_finalize();
    }
    if (m->refused || !m->machine[0])
        report("%s", m->words);
    return m->machine[0];
}

/* Prints the curve's entry with the most operations, and of these the one with the most bytes. */
static void print_curve(const char *codelet, const struct model_curve *c, int device, int kernels)
{
    static const char *const devices[] = {"cpu", "cuda"};
    static const char *const implementations[] = {"auto", "own", "vendor"};
    const struct model_entry *largest = c->entry;
    for (size_t i = 1; i < c->count; i++) {
        const struct model_entry *e = &c->entry[i];
        if (e->operations > largest->operations ||
            (e->operations == largest->operations && e->bytes > largest->bytes))
            largest = e;
    }
    /* entries hold log(1 + operations) and log(1 + bytes) */
    double operations = expm1(largest->operations), bytes = expm1(largest->bytes);
    printf("%-16s %-6s %-14s %7zu %12.4g %12.4g %12.4g %10.4g\n", codelet, devices[device],
           implementations[kernels], c->count, operations, bytes, largest->time,
           1e-3 * (operations > 0 ? operations : bytes) / largest->time);
}

/* Returns whether the type and the routine of a codelet such as "dgemm" were chosen. */
static bool is_chosen(const struct calibration *c, const char *codelet)
{
    int t = 0;
    while (t < c->precisions.count && *codelet != dtype_letter(c->precisions.dtype[t]))
        t++;
    return t < c->precisions.count && list_contains(c->routines, codelet + 1);
}

/* Prints a model file such as "codelets/45/startile_dgemm.MACHINE". Returns whether it was chosen
 * and could be read. */
static bool show_file(const struct calibration *c, const char *file)
{
    char codelet[64];
    const char *reason = NULL, *name = strchr(file, '_') + 1;
    snprintf(codelet, sizeof codelet, "%.*s", (int)strcspn(name, "."), name);
    struct model *model = is_chosen(c, codelet) ? model_read(file, &reason) : NULL;
    if (reason)
        report("%s: %s", file, reason);
    if (model)
        for (int d = 0; d < MODEL_DEVICES; d++)
            for (int v = 0; v < MODEL_IMPLEMENTATIONS; v++)
                if (model->curve[d][v].count)
                    print_curve(codelet, &model->curve[d][v], d, v);
    model_free(model);
    return model != NULL;
}

bool show_models(const struct calibration *c, const char *machine)
{
    startile_models m;
    glob_t files = {0};
    int count = 0;
    if (!find_models(machine, &m) || chdir(m.folder))
        return false;
    printf("# %s\n# the largest task of each codelet; GB/s without operations\n", m.folder);
    printf("%-16s %-6s %-14s %7s %12s %12s %12s %10s\n", "codelet", "worker", "implementation",
           "entries", "operations", "bytes", "microseconds", "GFlop/s");
    int status = glob("codelets/45/startile_*", 0, NULL, &files);
    for (size_t i = 0; !status && i < files.gl_pathc; i++)
        count += show_file(c, files.gl_pathv[i]);
    globfree(&files);
    if (!count)
        report("%s: no model of that routine and precision", m.folder);
    return count > 0;
}
