/* The models in use: the machine's folder, its tables, and the models read from it. */
#include "models/model_search.h"
#include "runtime/runtime.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* models_open() writes these at the library's start; after it they are only read. */
static startile_models in_use;
static struct machine_tables tables;
static bool same_cores; /* the folder's machine has as many cores as this one */
static struct model *loaded;

__attribute__((format(printf, 2, 3))) static void add_words(startile_models *m, const char *format,
                                                            ...)
{
    size_t length = strlen(m->words);
    va_list values;
    va_start(values, format);
    vsnprintf(m->words + length, sizeof m->words - length, format, values);
    va_end(values);
}

/* Adds notes about what the chosen folder lacks, and about better ones that were refused. */
static void add_notes(startile_models *m, const struct search *s)
{
    bool chosen = m->machine[0] != '\0';
    if (chosen && models_are_partial(&s->manifest, s->machine))
        add_words(m, "; measured in part only: %.500s", s->manifest.covers);
    if (chosen && !same_cores && s->machine->uses_cpu)
        add_words(m,
                  "; without its tile sizes and crossovers for CPU workers: measured with %d "
                  "cores, here are %d",
                  s->manifest.cores, s->machine->cores);
    if (chosen && s->skipped_earlier[0] != '\0')
        add_words(m, "; %s", s->skipped_earlier);
    if (chosen && s->refused_earlier.refused) {
        snprintf(m->words, sizeof m->words, "%.700s; instead of it %.64s is used",
                 s->refused_earlier.words, m->machine);
        m->refused = 1;
    }
}

/* Reads the tables of the chosen folder, which the search has found good. */
static void read_tables_in_use(void)
{
    const char *reason;
    if (in_use.machine[0] == '\0' ||
        !folder_read_tables(&tables, in_use.folder, same_cores, &reason))
        tables.tiles.lines = tables.crossovers.lines = 0;
}

const struct machine_tables *models_tables(void)
{
    return &tables;
}

void models_open(const struct machine *m)
{
    const char *env_value = getenv("STARTILE_MODELS");
    struct search s = {.machine = m};
    if (env_value != NULL && strcmp(env_value, "none") == 0)
        in_use = models_absent("none, as STARTILE_MODELS says");
    else
        in_use = models_choose(&s, env_value);
#ifdef STARPU_SIMGRID
    same_cores = true; /* as on the simulated machine */
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

int models_preview(const struct machine *m)
{
    models_open(m);
    return tile_table_workers_per_cuda(&tables.tiles);
}

static void check_for_damage(startile_models *m)
{
    if (m->machine[0] != '\0' && !m->refused)
        m->refused = folder_is_damaged(m->folder, m->machine, m->words, sizeof m->words);
}

int startile_models_find(startile_models *models)
{
    if (models == NULL)
        return -1;
    *models = runtime_is_up() ? in_use : models_absent("the library has not been started");
    check_for_damage(models);
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
    *models = models_choose(&s, name);
    check_for_damage(models);
    return 0;
}
