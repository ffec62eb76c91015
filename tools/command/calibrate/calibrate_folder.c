/*
 * The folder of a calibration: making it, and taking away what a calibration wrote.
 */
#include "calibrate.h"
#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *folder_file(const struct calibration *c, const char *name, const char *mode)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    FILE *f = fopen(path, mode);
    if (!f && (*mode != 'r' || errno != ENOENT))
        report("%s: %s", path, strerror(errno));
    return f;
}

/* -- making it -------------------------------------------------------------------------------- */

/* With all folders above it. */
static bool make_folder(const char *path)
{
    char part[FOLDER_LENGTH];
    for (size_t i = 1; i <= strlen(path); i++)
        if (path[i] == '/' || !path[i]) {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            if (mkdir(part, 0777) && errno != EEXIST)
                return false;
        }
    struct stat s;
    if (!stat(path, &s) && !S_ISDIR(s.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    return !access(path, W_OK | X_OK);
}

bool folder_open(struct calibration *c)
{
    char *absolute;
    if (!make_folder(c->folder) || !(absolute = realpath(c->folder, NULL))) {
        report("%s: %s", c->folder, strerror(errno));
        return false;
    }
    bool fits = strlen(absolute) < sizeof c->folder;
    if (fits)
        strcpy(c->folder, absolute);
    else
        report("%s: longer than the %d characters that StarPU has room for", absolute,
               FOLDER_LENGTH - 1);
    free(absolute);
    return fits;
}

/* -- clearing it ------------------------------------------------------------------------------ */

/* "bus/NAME.latency" and the like. */
static bool is_bus(const char *file, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(file, name, length) && file[length] == '.';
}

/* "codelets/45/startile_dgemm.NAME" */
static bool is_codelet(const char *file, const char *name)
{
    const char *dot = strchr(file, '.');
    return !strncmp(file, "startile_", strlen("startile_")) && dot && !strcmp(dot + 1, name);
}

static bool remove_file(const char *folder, const char *file)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%.255s", folder, file);
    if (!unlink(path) || errno == ENOENT)
        return true;
    report("%s: %s", path, strerror(errno));
    return false;
}

static bool remove_files(const struct calibration *c, const char *below, const char *name,
                         bool (*is_ours)(const char *file, const char *name))
{
    char folder[FOLDER_LENGTH + 32];
    snprintf(folder, sizeof folder, "%s/%s", c->folder, below);
    DIR *d = opendir(folder);
    bool good = true;
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (is_ours(entry->d_name, name))
            good = remove_file(folder, entry->d_name) && good;
    if (d)
        closedir(d);
    return good;
}

static bool remove_machine(const struct calibration *c, const char *name)
{
    bool good = remove_files(c, "codelets/45", name, is_codelet);
    return remove_files(c, "bus", name, is_bus) && good;
}

bool folder_clear(const struct calibration *c)
{
    static const char *const files[] = {"manifest", "tiles", "runs"};
    char before[64];
    bool good = !state_name(c, before, sizeof before) || remove_machine(c, before);
    good = remove_machine(c, c->name) && good;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        good = remove_file(c->folder, files[i]) && good;
    return good;
}
