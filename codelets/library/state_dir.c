/* The folder for StarPU's files: HOME/.starpu/sampling by default. StarPU 1.4 ends the program if
 * it cannot make, read or write what it needs there (StarPU quirk 19). */
#include "library/error_text.h"
#include "library/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* -- StarPU's folders ------------------------------------------------------------------------ */

/* Folders in which StarPU looks for its files, in its order. It writes to the first. */
enum { MOST_FOLDERS = 20 };
struct folders {
    char host[65];
    int count;
    bool too_long; /* a path is longer than StarPU can use */
    char path[MOST_FOLDERS][STARPU_PATH];
};

/* Longest end of a path in such a folder, without the host's name: "/codelets/45/SYMBOL." */
enum { LONGEST_END = 64 };

static void add_folder(struct folders *f, const char *path, int length, const char *end)
{
    if (f->count == MOST_FOLDERS || length == 0)
        return;
    int total = snprintf(f->path[f->count], STARPU_PATH, "%.*s%s", length, path, end);
    f->too_long |= total + LONGEST_END + (int)strlen(f->host) >= STARPU_PATH;
    f->count++;
}

/* Adds the folders of STARPU_PERF_MODEL_PATH; the first ends at ':', the others at ','. */
static void add_path(struct folders *f, const char *list)
{
    const char *separator = ":";
    while (*list != '\0') {
        size_t length = strcspn(list, separator);
        add_folder(f, list, (int)length, "");
        list += length + (list[length] != '\0');
        separator = ",";
    }
}

static const char *environment_value(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

static void add_home(struct folders *f, const char *home)
{
    add_folder(f, home, (int)strlen(home), "/.starpu/sampling");
}

/* Returns the home folder that the environment names, or NULL. Without one StarPU would use a
 * folder that all users share; a missing HOME is not made. */
static const char *home_of_environment(void)
{
    const char *chosen = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (chosen == NULL)
        chosen = getenv("STARPU_HOME");
    if (chosen == NULL && home != NULL && access(home, F_OK) == 0)
        chosen = home;
    return chosen;
}

/* Finds the folders that StarPU would use. Without a home folder there are none. */
static void find_folders(struct folders *f)
{
    const char *home = home_of_environment(), *first = environment_value("STARPU_PERF_MODEL_DIR");
    f->count = 0;
    f->too_long = false;
    bus_files_host(f->host, sizeof f->host);
    if (home == NULL)
        return;
    add_folder(f, first, (int)strlen(first), "");
    add_home(f, home);
    add_path(f, environment_value("STARPU_PERF_MODEL_PATH"));
}

/* Writes the path of the folder with the host's measurements, or of that where StarPU will write
 * them. Returns false if a path is too long. */
static bool find_bus(const struct folders *f, char bus[STARPU_PATH])
{
    for (int i = 0; i < f->count; i++)
        if (snprintf(bus, STARPU_PATH, "%s/bus", f->path[i]) >= STARPU_PATH)
            return false;
        else if (bus_files_exist(bus, f->host))
            return true;
    return f->count > 0 && snprintf(bus, STARPU_PATH, "%s/bus", f->path[0]) < STARPU_PATH;
}

/* -- tests ----------------------------------------------------------------------------------- */

static bool is_writable_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) &&
           faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

bool folder_can_be_made(const char *path)
{
    char part[PATH_MAX];
    struct stat s;
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return false;
    while (lstat(part, &s) != 0 && errno == ENOENT) {
        char *slash = strrchr(part, '/');
        if (slash == NULL)
            return is_writable_folder(".");
        slash[slash == part] = '\0'; /* keeps the root */
    }
    return is_writable_folder(part);
}

/* Makes the folder and those above it. */
static bool make_folder(const char *path)
{
    char part[STARPU_PATH];
    if (path[0] == '\0')
        return false;
    for (const char *c = path + 1; *c != '\0'; c++)
        if (*c == '/') {
            snprintf(part, sizeof part, "%.*s", (int)(c - path), path);
            mkdir(part, S_IRWXU);
        }
    mkdir(path, S_IRWXU);
    return is_writable_folder(path);
}

/* Bytes of the host's files, rounded up. */
enum { SPACE = 1 << 17 };

static bool has_space(const char *folder)
{
    struct statvfs s;
    return limits_allow_files() && statvfs(folder, &s) == 0 && s.f_bavail >= SPACE / s.f_frsize + 1;
}

/* Returns whether a file of SPACE bytes can be written in the folder. */
static bool can_write(const char *folder)
{
    char path[STARPU_PATH + 32], block[4096] = {0};
    snprintf(path, sizeof path, "%s/.startile-%ld", folder, (long)getpid());
    int fd = limits_allow_files() ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return false;
    size_t written = 0;
    while (written < SPACE && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        written += sizeof block;
    bool is_closed = close(fd) == 0;
    unlink(path);
    return is_closed && written == SPACE;
}

/* Returns whether StarPU can save the measurements of tasks when it stops. */
static bool can_save_models(const struct folders *f)
{
    char path[STARPU_PATH + 16];
    if (f->count == 0 || f->too_long)
        return false;
    snprintf(path, sizeof path, "%s/codelets/45", f->path[0]);
    return folder_can_be_made(path);
}

/* Returns whether StarPU can start without writing, and can write if the machine has changed. */
static bool is_ready(const struct folders *f)
{
    char bus[STARPU_PATH];
    return can_save_models(f) && find_bus(f, bus) && bus_files_are_complete(bus, f->host, true) &&
           has_space(bus);
}

/* Returns whether StarPU can start without writing. */
static bool can_start_without_writing(const struct folders *f)
{
    char bus[STARPU_PATH];
    return !f->too_long && find_bus(f, bus) && bus_files_are_complete(bus, f->host, false);
}

/* -- preparation ----------------------------------------------------------------------------- */

/* From state_dir_prepare() to state_dir_release(): the lock of the folder where StarPU measures, or
 * −1, and the values of the variables that the library has changed. */
enum { VARIABLES = 3 };
static const char *const variables[VARIABLES] = {"STARPU_HOME", "XDG_CACHE_HOME",
                                                 "STARPU_PERF_MODEL_DIR"};
static int lock = -1;
static bool is_changed;
static char *saved[VARIABLES];

/* Locks the folder, so that processes that start at the same time measure the machine one after the
 * other, and none removes a file that another writes. Goes on without a lock where the file system
 * has none, or another process keeps it. */
static void lock_folder(const char *folder)
{
    enum { TRIES = 3000 };
    const struct timespec pause = {.tv_nsec = 10000000};
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return;
    for (int i = 0; i < TRIES; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR))
            return;
        nanosleep(&pause, NULL);
    }
}

static void unlock_folder(void)
{
    if (lock >= 0)
        close(lock);
    lock = -1;
}

/* Removes damaged files, and tests whether new ones can be written. Keeps the lock if StarPU has to
 * measure the machine. Returns whether StarPU can start. */
static bool make_ready(const struct folders *f)
{
    char bus[STARPU_PATH];
    if (!can_save_models(f) || !find_bus(f, bus) || !make_folder(bus))
        return false;
    lock_folder(bus);
    if (!is_ready(f)) {
        bus_files_remove_damaged(bus, f->host);
        if (find_bus(f, bus) && make_folder(bus) && can_write(bus))
            return true;
    }
    unlock_folder();
    return is_ready(f);
}

/* Returns whether the folder belongs to this user and no other user can access it. Its parent may
 * be public. */
static bool is_private(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* Lets StarPU use the home folder `home`. Returns false without memory. */
static bool set_home(const char *home)
{
    for (int v = 0; v < VARIABLES; v++) {
        const char *value = getenv(variables[v]);
        free(saved[v]); /* of a folder that could not be used */
        saved[v] = value != NULL ? strdup(value) : NULL;
        if (value != NULL && saved[v] == NULL)
            return false;
    }
    is_changed = true;
    unsetenv("XDG_CACHE_HOME");
    unsetenv("STARPU_PERF_MODEL_DIR");
    return setenv("STARPU_HOME", home, 1) == 0;
}

/* Prepares a private folder in the folder for temporary files. */
static bool use_temporary(struct folders *f, const char *parent)
{
    char home[PATH_MAX];
    int length = snprintf(home, sizeof home, "%s/startile-%ld", parent, (long)geteuid());
    if (parent[0] == '\0' || length >= (int)sizeof home)
        return false;
    mkdir(home, S_IRWXU);
    f->count = 0;
    f->too_long = false;
    add_home(f, home);
    return is_private(home) && (is_ready(f) || make_ready(f)) && set_home(home);
}

int state_dir_prepare(void)
{
    struct folders f;
    find_folders(&f);
    if (is_ready(&f) || make_ready(&f))
        return 0;
    bool can_start = can_start_without_writing(&f);
    if (use_temporary(&f, environment_value("TMPDIR")) || use_temporary(&f, "/tmp") || can_start)
        return 0;
    state_dir_release();
    return explain(STARTILE_ERROR_DISK,
                   "StarPU cannot start: no folder for its files can be written, neither that of "
                   "XDG_CACHE_HOME, STARPU_HOME or HOME nor one in TMPDIR or /tmp");
}

void state_dir_release(void)
{
    unlock_folder();
    for (int v = 0; v < VARIABLES; v++) {
        if (is_changed && saved[v] != NULL)
            setenv(variables[v], saved[v], 1);
        else if (is_changed)
            unsetenv(variables[v]);
        free(saved[v]);
        saved[v] = NULL;
    }
    is_changed = false;
}
