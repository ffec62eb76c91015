/* A folder for StarPU's files, chosen before StarPU starts. */
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_writable_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && access(path, W_OK | X_OK) == 0;
}

static bool exists(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

static bool can_hold_state_dir(const char *parent)
{
    char state_dir[4096];
    if (parent == NULL || !is_writable_folder(parent))
        return false;
    int length = snprintf(state_dir, sizeof state_dir, "%s/.starpu", parent);
    return length < (int)sizeof state_dir && (!exists(state_dir) || is_writable_folder(state_dir));
}

/* Returns whether the folder belongs to this user and no other user can access it. Its parent may
 * be public. */
static bool is_private(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == getuid() &&
           (s.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool prepare_state_dir(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (getenv("STARPU_HOME") != NULL || getenv("XDG_CACHE_HOME") != NULL ||
        can_hold_state_dir(getenv("HOME")))
        return true;
    int length = snprintf(path, sizeof path, "%s/startile-%ld", folder != NULL ? folder : "/tmp",
                          (long)getuid());
    if (length >= (int)sizeof path)
        return false;
    mkdir(path, S_IRWXU);
    return is_private(path) && setenv("STARPU_HOME", path, 0) == 0;
}
