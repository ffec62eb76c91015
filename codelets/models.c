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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static startile_models in_use;
static bool same_cores; /* there as here */
static struct model *loaded;

struct search {
    const struct machine *machine;
    const char *name;         /* of the folder that is wanted; NULL: any that fits */
    startile_models best;     /* machine[0] is 0 where there is none yet */
    struct manifest manifest; /* of the best */
    startile_models refused;  /* what would have fitted but for its state */
    bool in_this_root;
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

/* False: one of them is damaged. */
static bool read_tables(const char *folder, bool like_here, const char **reason)
{
    return tile_table_read(folder, like_here, reason) &&
           crossover_table_read(folder, like_here, reason);
}

/* Because of its state, not of the machine. */
static const char *wrong_with(const char *folder, const struct manifest *m)
{
    char path[PATH_MAX + 32];
    struct stat s;
    const char *reason;
    if (m->format != MODELS_FORMAT)
        return "it is stale: made for another version of the library; run startile calibrate";
    snprintf(path, sizeof path, "%s/codelets/45", folder);
    if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode))
        return "it has no measurements in codelets/45";
    return read_tables(folder, true, &reason) ? NULL : reason;
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

/* Of folders that fit: as many cores as here, then the newest. */
static bool is_better(const struct manifest *a, const struct manifest *b, int cores)
{
    bool a_like = a->cores == cores, b_like = b->cores == cores;
    return a_like != b_like ? a_like : strcmp(a->date, b->date) > 0;
}

static void consider(struct search *s, const char *folder)
{
    struct manifest m;
    if (!manifest_read(folder, &m) || !fits(&m, s->machine))
        return;
    const char *reason = wrong_with(folder, &m);
    if (reason != NULL) {
        refuse(&s->refused, folder, reason);
    } else if (s->best.machine[0] == '\0' ||
               (s->in_this_root && is_better(&m, &s->manifest, s->machine->cores))) {
        describe(&s->best, folder, m.machine,
                 s->machine->gpu[0] == '\0' ? "measured on this CPU"
                 : s->machine->uses_cpu     ? "measured on this GPU and CPU"
                                            : "measured on this GPU");
        s->manifest = m;
        s->in_this_root = true;
    }
}

/* What the user names. */
static void open_named(struct search *s, const char *folder)
{
    struct manifest m;
    const char *reason = !manifest_read(folder, &m) ? "it has no manifest of a calibration"
                         : !fits(&m, s->machine)
                             ? "it is foreign: measured on other processors than this machine's"
                             : wrong_with(folder, &m);
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
    DIR *d = s->best.machine[0] == '\0' ? opendir(root) : NULL;
    if (d == NULL)
        return;
    s->in_this_root = false;
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

/* They have been read before, and were good. */
static void read_tables_in_use(void)
{
    const char *reason;
    if (in_use.machine[0] != '\0' && read_tables(in_use.folder, same_cores, &reason))
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

/* A damaged file is left out when its codelet comes up; here it is looked for. */
static void look_for_damage(startile_models *m)
{
    char folder[PATH_MAX + 32], path[PATH_MAX + 320];
    snprintf(folder, sizeof folder, "%s/codelets/45", m->folder);
    DIR *d = opendir(folder);
    struct dirent *entry;
    while (d != NULL && !m->refused && (entry = readdir(d)) != NULL) {
        const char *reason = NULL;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        model_free(model_read(path, &reason));
        if (reason != NULL) {
            m->refused = 1;
            snprintf(m->words, sizeof m->words, "%.200s of %.64s is left out: %s", entry->d_name,
                     m->machine, reason);
        }
    }
    if (d != NULL)
        closedir(d);
}

int startile_models_find(startile_models *models)
{
    if (models == NULL)
        return -1;
    *models = in_use;
    if (!runtime_is_up())
        describe(models, "", "", "the library has not been started");
    if (models->machine[0] != '\0')
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
    if (models->machine[0] != '\0')
        look_for_damage(models);
    return 0;
}
