#define _GNU_SOURCE /* memmem */
#include "fuzz.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX - 256];

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *where)
{
    (void)s, (void)type, (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Ends the program: the inputs cannot be tested. */
static _Noreturn void give_up(const char *path)
{
    perror(path);
    exit(2);
}

const char *fuzz_folder(void)
{
    const char *root = getenv("TMPDIR");
    if (folder[0] != '\0')
        return folder;
    snprintf(folder, sizeof folder, "%s/startile-fuzz-XXXXXX", root != NULL ? root : "/tmp");
    if (mkdtemp(folder) == NULL)
        give_up(folder);
    atexit(remove_folder);
    return folder;
}

static const char *path_of(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    return path;
}

void fuzz_subfolder(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", path_of(name));
    for (char *slash = path + strlen(folder); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0777);
}

const char *fuzz_write(const char *name, const uint8_t *data, size_t size)
{
    const char *path = path_of(name);
    if (size == 0) {
        unlink(path);
        return path;
    }
    FILE *f = fopen(path, "w");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        give_up(path);
    return path;
}

void fuzz_write_parts(const char *const *names, size_t count, const uint8_t *data, size_t size)
{
    static const char separator[] = "==\n";
    for (size_t i = 0; i < count; i++) {
        const uint8_t *end = size > 0 ? memmem(data, size, separator, 3) : NULL;
        size_t part = end != NULL ? (size_t)(end - data) : size;
        fuzz_write(names[i], data, part);
        size_t used = end != NULL ? part + 3 : part;
        data += used;
        size -= used;
    }
}
