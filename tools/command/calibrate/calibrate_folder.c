/* The folder of a calibration: its name and its files. */
#include "calibrate.h"
#include "command.h"
#include "measure.h"

#include <errno.h>
#include <glob.h>
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

/* Appends the file to `out`, after a line with its name. Returns false after a report on failure.
 */
static bool copy_file(FILE *out, const char *file)
{
    int letter;
    FILE *f = fopen(file, "r");
    if (!f)
        return fail(file);
    fprintf(out, "== %s\n", file);
    while ((letter = getc(f)) != EOF)
        putc(letter, out);
    return file_close(f);
}

/* Makes c->folder the current folder, to which the names in parts[] are relative. */
bool folder_pack(const struct calibration *c)
{
    /* Files to pack. Of the folder bus, simulations read only the platform file. */
    static const char *const parts[] = {"manifest",
                                        "simulation",
                                        "tiles",
                                        "crossovers",
                                        "bus/*.platform.v4.xml",
                                        "codelets/45/startile_*",
                                        "runs"};
    FILE *out = fopen(c->pack, "w");
    glob_t files;
    bool good = out != NULL && !chdir(c->folder);
    for (size_t i = 0; good && i < sizeof parts / sizeof *parts; i++)
        if (!glob(parts[i], 0, NULL, &files)) {
            for (size_t f = 0; f < files.gl_pathc; f++)
                good = copy_file(out, files.gl_pathv[f]) && good;
            globfree(&files);
        }
    return (!out || file_close(out)) && (good || fail(c->pack));
}
