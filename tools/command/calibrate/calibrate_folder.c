/* The folder of a calibration: its name and its files. */
#include "calibrate.h"
#include "command.h"
#include "measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reports errno for the path. Returns false. */
static bool fail(const char *path)
{
    report("%s: %s", path, strerror(errno));
    return false;
}

FILE *folder_file(const struct calibration *c, const char *name, const char *mode)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    FILE *f = fopen(path, mode);
    if (!f && (*mode != 'r' || errno != ENOENT))
        fail(path);
    return f;
}

bool file_close(FILE *f)
{
    return f && (!fclose(f) || fail("calibrate"));
}

bool folder_open(struct calibration *c)
{
    char root[FOLDER_LENGTH], host[64] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    if (!c->folder[0] &&
        (!models_user_root(root, sizeof root) ||
         snprintf(c->folder, sizeof c->folder, "%s/%s", root, host) >= (int)sizeof c->folder)) {
        report("calibrate: HOME and XDG_DATA_HOME name no usable folder: say --folder");
        return false;
    }
    char *absolute = make_folder(c->folder) ? realpath(c->folder, NULL) : NULL;
    if (!absolute)
        return fail(c->folder);
    const char *name = strrchr(absolute, '/') + 1;
    bool is_valid = *name && !strpbrk(name, ". ") && strlen(name) < sizeof c->name &&
                    strlen(absolute) < sizeof c->folder;
    if (is_valid) {
        strcpy(c->folder, absolute);
        strcpy(c->name, name);
    } else {
        report("%s: must have up to %d characters and end in a machine's name of letters, digits "
               "and -",
               absolute, FOLDER_LENGTH - 1);
    }
    free(absolute);
    return is_valid;
}

void folder_clean(const struct calibration *c)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/debug", c->folder);
    rmdir(path);
}
