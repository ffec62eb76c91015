/*
 * Chooses the machine's folder of models.
 *
 * A folder fits if its manifest has exactly the processors that run the library's tasks: the GPU if
 * GPUs are used; the CPU and its number of cores if CPU workers run tasks. The user's folders come
 * before those beside the library; of the folders in one place the newest is used. The environment
 * variable STARTILE_MODELS is a folder, a machine's name, or "none".
 */
#define _GNU_SOURCE /* dladdr */
#include "models/manifest.h"
#include "models/model.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct machine *machine;
    const char *name; /* NULL: any folder that fits */
    startile_models found, refused;
    char date[32];   /* date of the found folder */
    bool has_memory; /* no folder was refused for lack of memory */
};

/* Returns whether the manifest has the processors that run the library's tasks. */
static bool fits(const struct manifest *m, const struct machine *machine)
{
#ifdef STARTILE_SIMULATION
    (void)m, (void)machine; /* any folder fits the simulated machine */
    return true;
#else
    return (machine->gpu[0] == '\0' || strcmp(m->gpu, machine->gpu) == 0) &&
           (!machine->uses_cpu ||
            (strcmp(m->cpu, machine->cpu) == 0 && m->cores == machine->cores));
#endif
}

/* Stores a result that is not a refusal. */
static void describe(startile_models *m, const char *folder, const char *name, const char *words)
{
    *m = (startile_models){.refused = 0};
    snprintf(m->folder, sizeof m->folder, "%s", folder);
    snprintf(m->machine, sizeof m->machine, "%s", name);
    snprintf(m->words, sizeof m->words, "%s", words);
}

/* Stores in s->refused why the folder is not used. */
static void refuse(struct search *s, const char *folder, const char *reason)
{
    s->refused = (startile_models){.refused = 1};
    snprintf(s->refused.words, sizeof s->refused.words, "%.512s: %s", folder, reason);
}

static const char *where_measured(const struct machine *m)
{
    return m->gpu[0] == '\0' ? "measured on this CPU"
           : m->uses_cpu     ? "measured on this GPU and CPU"
                             : "measured on this GPU";
}

/* Stores the folder in s->found if it is usable and newer than the one there. Stores in s->refused
 * why a folder that is named, or was measured on this machine, is not usable. */
static void consider(struct search *s, const char *folder)
{
    struct manifest m;
    errno = 0;
    bool is_complete = manifest_read(folder, &m) && m.date[0] != '\0', is_named = s->name != NULL;
    const char *fault = !is_complete            ? "it has no manifest of a complete calibration"
                        : !fits(&m, s->machine) ? "it is foreign: measured on other processors"
                                                : NULL;
    if (fault != NULL && !is_named)
        return;
    if (fault == NULL)
        fault = folder_fault(folder, &m);
    if (fault != NULL) {
        s->has_memory = s->has_memory && errno != ENOMEM;
        refuse(s, folder, fault);
    } else if (s->found.machine[0] == '\0' || strcmp(m.date, s->date) > 0) {
        describe(&s->found, folder, m.machine,
                 is_named ? "as STARTILE_MODELS says" : where_measured(s->machine));
        memcpy(s->date, m.date, sizeof s->date);
    }
}

/* Searches the folders in `root`, unless an earlier root had a usable folder. If `root` has a
 * usable folder, refused folders beside it are not reported. */
static void search_root(struct search *s, const char *root)
{
    char folder[PATH_MAX];
    struct dirent *entry;
    startile_models refused_before = s->refused;
    DIR *d = s->found.machine[0] == '\0' ? opendir(root) : NULL;
    while (d != NULL && (entry = readdir(d)) != NULL)
        if (entry->d_name[0] != '.' && (s->name == NULL || strcmp(s->name, entry->d_name) == 0) &&
            snprintf(folder, sizeof folder, "%s/%s", root, entry->d_name) < (int)sizeof folder)
            consider(s, folder);
    if (d != NULL)
        closedir(d);
    if (d != NULL && s->found.machine[0] != '\0')
        s->refused = refused_before;
}

/* Searches the folders beside the library: installed, in a build, in a bundle or beside a test. */
static void search_library_roots(struct search *s)
{
    static const char *const places[] = {STARTILE_MODELS_FROM_LIBRARY, "perf_models",
                                         "../perf_models"};
    static const char in_library;
    char library[PATH_MAX], root[PATH_MAX + 64];
    Dl_info info;
    if (dladdr(&in_library, &info) == 0 || info.dli_fname == NULL ||
        realpath(info.dli_fname, library) == NULL)
        return;
    *strrchr(library, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(root, sizeof root, "%s/%s", library, places[i]);
        search_root(s, root);
    }
}

startile_models models_choose(const struct machine *machine, const char *env_value)
{
    struct search s = {.machine = machine, .name = env_value, .has_memory = true};
    char root[PATH_MAX];
    if (env_value != NULL && strchr(env_value, '/') != NULL) {
        consider(&s, env_value);
    } else {
        if (models_user_root(root, sizeof root))
            search_root(&s, root);
        search_library_roots(&s);
    }
    if (s.found.machine[0] != '\0' && s.refused.refused) {
        snprintf(s.found.words, sizeof s.found.words, "%.800s; instead of it %.64s is used",
                 s.refused.words, s.found.machine);
        s.found.refused = 1;
    } else if (s.found.machine[0] == '\0' && !s.refused.refused && env_value != NULL) {
        refuse(&s, env_value, "there are no models of a machine of that name");
    } else if (s.found.machine[0] == '\0' && !s.refused.refused) {
        describe(&s.found, "", "", "no models of this machine: startile calibrate makes them");
    }
    errno = s.has_memory ? 0 : ENOMEM;
    return s.found.words[0] != '\0' ? s.found : s.refused;
}

startile_models models_choose_by_environment(const struct machine *machine, bool *is_named)
{
    const char *value = getenv("STARTILE_MODELS");
    startile_models none;
    *is_named = value != NULL && value[0] != '\0';
    if (!*is_named || strcmp(value, "none") != 0)
        return models_choose(machine, *is_named ? value : NULL);
    describe(&none, "", "", "none, as STARTILE_MODELS says");
    return none;
}
