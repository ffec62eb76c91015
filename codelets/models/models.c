/* The models in use: the machine's folder, its tables, and the models read from it. */
#include "library/error_text.h"
#include "library/runtime.h"
#include "models/manifest.h"
#include "models/model.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* models_open() sets the first two at the library's start. `loaded` lists the models that
 * model_of() has read. */
static startile_models in_use;
static struct machine_tables tables;
static struct model *loaded;

/* Returns a result without a folder, with the message `words`. */
static startile_models absent(const char *words)
{
    startile_models none = {.refused = 0};
    snprintf(none.words, sizeof none.words, "%s", words);
    return none;
}

const struct machine_tables *models_tables(void)
{
    return &tables;
}

int models_open(const struct machine *m)
{
    const char *reason;
    bool is_named;
    in_use = models_choose_by_environment(m, &is_named);
    if (is_named && in_use.refused && in_use.machine[0] == '\0')
        return errno == ENOMEM
                   ? STARTILE_ERROR_MEMORY
                   : explain(STARTILE_ERROR_ENVIRONMENT, "STARTILE_MODELS: %s", in_use.words);
    if (in_use.machine[0] == '\0' || !folder_read_tables(&tables, in_use.folder, &reason))
        tables.tiles.lines = tables.crossovers.lines = 0;
    return 0;
}

bool models_are_open(void)
{
    return in_use.machine[0] != '\0';
}

int models_cores(void)
{
    struct manifest m;
    return models_are_open() && manifest_read(in_use.folder, &m) ? m.cores : 0;
}

void models_close(void)
{
    while (loaded != NULL) {
        struct model *m = loaded;
        loaded = m->next;
        model_free(m);
    }
}

const struct model *model_of(const char *symbol)
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

const struct model *model_of_operation(const char *operation, startile_dtype dtype)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "startile_%c%s", "sdcz"[dtype], operation);
    return model_of(symbol);
}

/* If a folder is in use, sets m->refused and the message if one of its model files cannot be
 * used. */
static void check_for_damage(startile_models *m)
{
    if (m->machine[0] != '\0' && !m->refused)
        m->refused = folder_is_damaged(m->folder, m->machine, m->words, sizeof m->words);
}

int64_t startile_models_in_use(startile_models *models)
{
    if (models == NULL)
        return -1;
    *models = runtime_is_up() ? in_use : absent("the library has not been started");
    check_for_damage(models);
    return 0;
}

int64_t startile_crossover(const char *routine, startile_dtype dtype)
{
    if (routine == NULL || dtype < STARTILE_S || dtype > STARTILE_Z || !runtime_is_up())
        return 0;
    return crossover_table_find(&tables.crossovers, routine, dtype,
                                (runtime_where() & STARPU_CUDA) != 0);
}

int64_t startile_models_named(const char *name, startile_models *models)
{
    static const struct machine any = {.uses_cpu = false}; /* every folder fits it */
    if (name == NULL || name[0] == '\0')
        return -1;
    if (models == NULL)
        return -2;
    *models = models_choose(&any, name);
    check_for_damage(models);
    return 0;
}
