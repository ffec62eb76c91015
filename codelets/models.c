/*
 * Which machine's models this start of the library uses.
 *
 * A folder fits when its manifest names the processors that tasks of the library will run on: the
 * GPU where GPUs are used, the CPU where CPU workers run tasks. The environment variable
 * STARTILE_MODELS says otherwise: a folder, the name of one, or "none".
 */
#include "manifest.h"
#include "runtime.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static startile_models in_use;
static bool same_cores; /* there as here */
static struct model *loaded;

struct search {
    const struct machine *machine;
    const char *name;         /* of the folder that is wanted; NULL: any that fits */
    startile_models best;     /* machine[0] is 0 where there is none yet */
    struct manifest manifest; /* of the best */
    startile_models refused;  /* what would have fitted but for its state */
    char passed[512];         /* what fits less, in words */
    /* the same of the places above this one, and of those above the best's */
    startile_models refused_above, earlier;
    char passed_above[512], passed_earlier[512];
    bool in_this_root; /* is the best */
};

/* -- one folder ------------------------------------------------------------------------------ */

static bool fits(const struct manifest *m, const struct machine *machine)
{
#ifdef STARPU_SIMGRID
    (void)m, (void)machine; /* of the machine that is simulated */
    return true;
#else
    return (machine->gpu[0] == '\0' || strcmp(m->gpu, machine->gpu) == 0) &&
           (!machine->uses_cpu || strcmp(m->cpu, machine->cpu) == 0);
#endif
}

/* Not all routines and types were measured on the workers that there are. */
static bool is_partial(const struct manifest *m, const struct machine *machine)
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

static void pass_over(struct search *s, const char *folder, const char *reason)
{
    snprintf(s->passed, sizeof s->passed, "not %.400s: %s", folder, reason);
}

/* One with as many cores as here fits better, else a complete one; 0: as well. */
static int compare_fit(const struct search *s, const struct manifest *a)
{
    const struct manifest *b = &s->manifest;
    int cores = (a->cores == s->machine->cores) - (b->cores == s->machine->cores);
    return cores != 0 ? cores : is_partial(b, s->machine) - is_partial(a, s->machine);
}

/* Of one place the newest of those that fit best; in a less particular place only a complete one
 * where the best so far is partial and fits no better. */
static bool is_better(const struct search *s, const struct manifest *a)
{
    int order = compare_fit(s, a);
    if (!s->in_this_root)
        return is_partial(&s->manifest, s->machine) && !is_partial(a, s->machine) && order > 0;
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
    snprintf(s->passed_earlier, sizeof s->passed_earlier, "%s", s->passed_above);
    if (s->best.machine[0] != '\0' && !s->in_this_root)
        snprintf(s->passed_earlier, sizeof s->passed_earlier, "not %.400s: measured in part only",
                 s->best.folder);
    describe(&s->best, folder, m->machine, where_measured(s->machine));
    s->manifest = *m;
    s->in_this_root = true;
    s->earlier = s->refused_above;
}

static void consider(struct search *s, const char *folder)
{
    struct manifest m;
    if (!manifest_read(folder, &m))
        return;
    bool is_like_here = fits(&m, s->machine);
    const char *reason = is_like_here ? folder_fault(folder, &m) : NULL;
    if (!is_like_here)
        pass_over(s, folder, "measured on other processors");
    else if (reason != NULL)
        refuse(&s->refused, folder, reason);
    else if (s->best.machine[0] == '\0' || is_better(s, &m))
        choose_folder(s, folder, &m);
}

/* What the user names. */
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

/* -- all folders ------------------------------------------------------------------------------ */

static void search_root(void *search, const char *root)
{
    struct search *s = search;
    char folder[PATH_MAX];
    struct dirent *entry;
    bool wanted =
        s->best.machine[0] == '\0' || (s->name == NULL && is_partial(&s->manifest, s->machine));
    DIR *d = wanted ? opendir(root) : NULL;
    if (d == NULL)
        return;
    s->in_this_root = false;
    s->refused_above = s->refused;
    memcpy(s->passed_above, s->passed, sizeof s->passed);
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

/* -- the library's start and stop ------------------------------------------------------------ */

static void explain_absence(struct search *s)
{
    if (s->name != NULL)
        refuse(&s->refused, s->name, "there are no models of a machine of that name");
    else
        describe(&s->best, "", "", "no models of this machine: startile calibrate makes them");
}

/* A folder that is good comes before one that is refused. */
static startile_models choose(struct search *s, const char *said)
{
    if (said != NULL && strchr(said, '/') != NULL) {
        open_named(s, said);
    } else {
        s->name = said != NULL && said[0] != '\0' ? said : NULL;
        models_roots(&in_use, search_root, s);
        if (s->best.machine[0] == '\0' && !s->refused.refused)
            explain_absence(s);
    }
    return s->best.words[0] != '\0' ? s->best : s->refused;
}

__attribute__((format(printf, 2, 3))) static void add_words(startile_models *m, const char *format,
                                                            ...)
{
    size_t length = strlen(m->words);
    va_list values;
    va_start(values, format);
    vsnprintf(m->words + length, sizeof m->words - length, format, values);
    va_end(values);
}

/* What there is to know of the choice beside it. */
static void add_notes(startile_models *m, const struct search *s)
{
    bool chosen = m->machine[0] != '\0';
    if (chosen && is_partial(&s->manifest, s->machine))
        add_words(m, "; measured in part only: %.500s", s->manifest.covers);
    if (chosen && !same_cores && s->machine->uses_cpu)
        add_words(m,
                  "; without its tile sizes and crossovers for CPU workers: measured with %d "
                  "cores, here are %d",
                  s->manifest.cores, s->machine->cores);
    if (chosen && s->passed_earlier[0] != '\0')
        add_words(m, "; %s", s->passed_earlier);
    if (chosen && s->earlier.refused) {
        snprintf(m->words, sizeof m->words, "%.700s; instead of it %.64s is used", s->earlier.words,
                 m->machine);
        m->refused = 1;
    }
}

/* They have been read before, and were good. */
static void read_tables_in_use(void)
{
    const char *reason;
    if (in_use.machine[0] != '\0' && folder_read_tables(in_use.folder, same_cores, &reason))
        return;
    tile_table_forget();
    crossover_table_forget();
}

void models_open(const struct machine *m)
{
    const char *said = getenv("STARTILE_MODELS");
    struct search s = {.machine = m};
    if (said != NULL && strcmp(said, "none") == 0)
        describe(&in_use, "", "", "none, as STARTILE_MODELS says");
    else
        in_use = choose(&s, said);
#ifdef STARPU_SIMGRID
    same_cores = true; /* of the machine that is simulated */
#else
    same_cores = s.manifest.cores == m->cores;
#endif
    add_notes(&in_use, &s);
    read_tables_in_use();
}

void models_close(void)
{
    while (loaded != NULL) {
        struct model *m = loaded;
        loaded = m->next;
        model_free(m);
    }
}

const struct model *models_of(const char *symbol)
{
    char path[PATH_MAX + 128];
    const char *reason;
    if (in_use.machine[0] == '\0')
        return NULL;
    snprintf(path, sizeof path, "%s/codelets/45/%s.%s", in_use.folder, symbol, in_use.machine);
    struct model *m = model_read(path, &reason);
    if (m != NULL) {
        m->next = loaded;
        loaded = m;
    }
    return m;
}

int models_workers_per_cuda(const struct machine *m)
{
    models_open(m);
    return tile_table_workers_per_cuda();
}

static void look_for_damage(startile_models *m)
{
    if (m->machine[0] != '\0' && !m->refused)
        m->refused = folder_is_damaged(m->folder, m->machine, m->words, sizeof m->words);
}

int startile_models_find(startile_models *models)
{
    if (models == NULL)
        return -1;
    *models = in_use;
    if (!runtime_is_up())
        describe(models, "", "", "the library has not been started");
    look_for_damage(models);
    return 0;
}

int startile_models_named(const char *name, startile_models *models)
{
    static const struct machine any = {.uses_cpu = false};
    struct search s = {.machine = &any};
    if (name == NULL || name[0] == '\0')
        return -1;
    if (models == NULL)
        return -2;
    *models = choose(&s, name);
    read_tables_in_use();
    look_for_damage(models);
    return 0;
}
