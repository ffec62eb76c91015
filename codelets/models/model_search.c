/*
 * Chooses the machine's folder for this start of the library.
 *
 * A folder fits if its manifest names the processors that run the library's tasks: the GPU if GPUs
 * are used, the CPU if CPU workers run tasks. The environment variable STARTILE_MODELS overrides
 * this with a path, a name, or "none".
 */
#include "models/model_search.h"
#include "runtime/runtime.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char anchor; /* its address is in the library */

/* -- one folder ----------------------------------------------------------------------------- */

static bool fits(const struct manifest *m, const struct machine *machine)
{
#ifdef STARPU_SIMGRID
    (void)m, (void)machine; /* any folder fits the simulated machine */
    return true;
#else
    return (machine->gpu[0] == '\0' || strcmp(m->gpu, machine->gpu) == 0) &&
           (!machine->uses_cpu || strcmp(m->cpu, machine->cpu) == 0);
#endif
}

bool models_are_partial(const struct manifest *m, const struct machine *machine)
{
    return m->covers[0] != '\0' &&
           ((machine->gpu[0] != '\0' && strstr(m->covers, "gpu all") == NULL) ||
            (machine->uses_cpu && strstr(m->covers, "cpu all") == NULL));
}

static void describe(startile_models *m, const char *folder, const char *name, const char *words)
{
    *m = (startile_models){.refused = 0};
    snprintf(m->folder, sizeof m->folder, "%s", folder);
    snprintf(m->machine, sizeof m->machine, "%s", name);
    snprintf(m->words, sizeof m->words, "%s", words);
}

static void refuse(startile_models *m, const char *folder, const char *reason)
{
    *m = (startile_models){.refused = 1};
    snprintf(m->words, sizeof m->words, "%.512s: %s", folder, reason);
}

static void skip_folder(struct search *s, const char *folder, const char *reason)
{
    snprintf(s->skipped, sizeof s->skipped, "not %.400s: %s", folder, reason);
}

/* Compares how well two folders fit: the number of cores first, then complete measurements. */
static int compare_fit(const struct search *s, const struct manifest *a)
{
    const struct manifest *b = &s->manifest;
    int cores = (a->cores == s->machine->cores) - (b->cores == s->machine->cores);
    return cores != 0 ? cores
                      : models_are_partial(b, s->machine) - models_are_partial(a, s->machine);
}

/* Returns whether a folder is better than the best so far. Within one root the newest of the best
 * fitting ones is. In a later root it must be complete, fit better, and the best so far partial. */
static bool is_better(const struct search *s, const struct manifest *a)
{
    int order = compare_fit(s, a);
    if (!s->in_this_root)
        return models_are_partial(&s->manifest, s->machine) && !models_are_partial(a, s->machine) &&
               order > 0;
    return order != 0 ? order > 0 : strcmp(a->date, s->manifest.date) > 0;
}

static const char *where_measured(const struct machine *m)
{
    return m->gpu[0] == '\0' ? "measured on this CPU"
           : m->uses_cpu     ? "measured on this GPU and CPU"
                             : "measured on this GPU";
}

static void choose_folder(struct search *s, const char *folder, const struct manifest *m)
{
    snprintf(s->skipped_earlier, sizeof s->skipped_earlier, "%s", s->skipped_above);
    if (s->best.machine[0] != '\0' && !s->in_this_root)
        snprintf(s->skipped_earlier, sizeof s->skipped_earlier, "not %.400s: measured in part only",
                 s->best.folder);
    describe(&s->best, folder, m->machine, where_measured(s->machine));
    s->manifest = *m;
    s->in_this_root = true;
    s->refused_earlier = s->refused_above;
}

static void consider(struct search *s, const char *folder)
{
    struct manifest m;
    if (!manifest_read(folder, &m))
        return;
    bool fits_machine = fits(&m, s->machine);
    const char *reason = fits_machine ? folder_fault(folder, &m) : NULL;
    if (!fits_machine)
        skip_folder(s, folder, "measured on other processors");
    else if (reason != NULL)
        refuse(&s->refused, folder, reason);
    else if (s->best.machine[0] == '\0' || is_better(s, &m))
        choose_folder(s, folder, &m);
}

/* Opens the folder that the user names. */
static void open_named(struct search *s, const char *folder)
{
    struct manifest m;
    const char *reason = !manifest_read(folder, &m) ? "it has no manifest of a calibration"
                         : !fits(&m, s->machine)
                             ? "it is foreign: measured on other processors than this machine's"
                             : folder_fault(folder, &m);
    if (reason != NULL)
        refuse(&s->refused, folder, reason);
    else
        describe(&s->best, folder, m.machine, "as STARTILE_MODELS says");
    s->manifest = m;
}

/* -- all folders ---------------------------------------------------------------------------- */

static void search_root(void *search, const char *root)
{
    struct search *s = search;
    char folder[PATH_MAX];
    struct dirent *entry;
    bool wanted = s->best.machine[0] == '\0' ||
                  (s->name == NULL && models_are_partial(&s->manifest, s->machine));
    DIR *d = wanted ? opendir(root) : NULL;
    if (d == NULL)
        return;
    s->in_this_root = false;
    s->refused_above = s->refused;
    memcpy(s->skipped_above, s->skipped, sizeof s->skipped);
    while ((entry = readdir(d)) != NULL) {
        if (entry->d_name[0] == '.' || (s->name != NULL && strcmp(s->name, entry->d_name) != 0) ||
            snprintf(folder, sizeof folder, "%s/%s", root, entry->d_name) >= (int)sizeof folder)
            continue;
        if (s->name != NULL)
            open_named(s, folder);
        else
            consider(s, folder);
    }
    closedir(d);
}

static void explain_absence(struct search *s)
{
    if (s->name != NULL)
        refuse(&s->refused, s->name, "there are no models of a machine of that name");
    else
        describe(&s->best, "", "", "no models of this machine: startile calibrate makes them");
}

startile_models models_choose(struct search *s, const char *env_value)
{
    if (env_value != NULL && strchr(env_value, '/') != NULL) {
        open_named(s, env_value);
    } else {
        s->name = env_value != NULL && env_value[0] != '\0' ? env_value : NULL;
        models_roots(&anchor, search_root, s);
        if (s->best.machine[0] == '\0' && !s->refused.refused)
            explain_absence(s);
    }
    return s->best.words[0] != '\0' ? s->best : s->refused;
}

startile_models models_absent(const char *words)
{
    startile_models none;
    describe(&none, "", "", words);
    return none;
}
