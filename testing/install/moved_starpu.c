/* A library for LD_PRELOAD that hides the folder of sampled models in StarPU's prefix, as if StarPU
 * had been moved. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Returns whether the path ends in /perfmodels/sampling. If so, sets errno to ENOENT. */
static bool hide_sampling_folder(const char *path)
{
    static const char end[] = "/perfmodels/sampling";
    size_t length = strlen(path), least = sizeof end - 1;
    bool missing = length >= least && strcmp(path + length - least, end) == 0;
    if (missing)
        errno = ENOENT;
    return missing;
}

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "opendir");
    return hide_sampling_folder(path) ? NULL : real(path);
}

int access(const char *path, int mode)
{
    int (*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "access");
    return hide_sampling_folder(path) ? -1 : real(path, mode);
}
