/* Checks a machine's folder for stale, missing and damaged files. */
#include "models/manifest.h"
#include "models/model.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the file's name is "startile_NAME.MACHINE" for this machine. Sets
 * *of_any_machine to whether it is such a name for any machine. */
static bool is_model(const char *file, const char *machine, bool *of_any_machine)
{
    const char *dot = strncmp(file, "startile_", 9) == 0 ? strchr(file, '.') : NULL;
    *of_any_machine = dot != NULL;
    return dot != NULL && strcmp(dot + 1, machine) == 0;
}

bool folder_read_tables(struct machine_tables *tables, const char *folder, const char **reason)
{
    return tile_table_read(&tables->tiles, folder, reason) &&
           crossover_table_read(&tables->crossovers, folder, reason);
}

/* Returns the fault of the tables, or NULL. */
static const char *fault_of_tables(const char *folder)
{
    const char *reason = "there is no memory to read its tables";
    struct machine_tables *tables = malloc(sizeof *tables);
    if (tables != NULL)
        folder_read_tables(tables, folder, &reason);
    free(tables);
    return reason;
}

const char *folder_fault(const char *folder, const struct manifest *m)
{
    char path[PATH_MAX + 32];
    bool has_own = false, has_any = false, is_of_any;
    struct dirent *entry;
    if (m->format != MODELS_FORMAT)
        return "it is stale: made for another version of the library; run startile calibrate";
    snprintf(path, sizeof path, "%s/codelets/45", folder);
    DIR *d = opendir(path);
    if (d == NULL)
        return "it has no measurements in codelets/45";
    while ((entry = readdir(d)) != NULL) {
        has_own = is_model(entry->d_name, m->machine, &is_of_any) || has_own;
        has_any = has_any || is_of_any;
    }
    closedir(d);
    if (has_any && !has_own)
        return "its measurements are of a machine of another name than its manifest says";
    return fault_of_tables(folder);
}

bool folder_is_damaged(const char *folder, const char *machine, char *words, size_t size)
{
    char codelets[PATH_MAX + 32], path[PATH_MAX + 320];
    const char *reason = NULL;
    struct dirent *entry;
    snprintf(codelets, sizeof codelets, "%s/codelets/45", folder);
    DIR *d = opendir(codelets);
    while (d != NULL && reason == NULL && (entry = readdir(d)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", codelets, entry->d_name);
        model_free(model_read(path, &reason));
        if (reason != NULL)
            snprintf(words, size, "%.200s of %.64s is left out: %s", entry->d_name, machine,
                     reason);
    }
    if (d != NULL)
        closedir(d);
    return reason != NULL;
}
