/*
 * StarPU's execution trace in a folder of the user's choice, and a picture of it.
 */
#define _GNU_SOURCE
#include "trace.h"

#include "beside.h"
#include "command.h"
#include "startile.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* StarPU cuts the paths that it builds from the folder at 255 characters. */
enum { LONGEST_FOLDER = 200 };

#ifdef STARPU_USE_FXT
#define FXT_HINT ""
#else
#define FXT_HINT ": this StarPU was built without FxT"
#endif

enum { PAJE };
static const struct trace_file {
    const char *name, *what;
} trace_files[] = {
    {"paje.trace", "all that happened, for ViTE"},
    {"gantt.svg", "Gantt chart, a picture"},
    {"dag.dot", "task graph, for Graphviz"},
    {"tasks.rec", "every task: codelet, worker, times"},
    {"data.rec", "every piece of data"},
    {"activity.data", "what each worker did over time"},
    {"trace.html", "animation"},
};

static bool usable_folder(const char *folder)
{
    struct stat status;
    return !stat(folder, &status) && S_ISDIR(status.st_mode) && !access(folder, W_OK | X_OK);
}

/* mkdir -p */
static bool make_folder(const char *folder)
{
    char path[LONGEST_FOLDER + 1];
    strcpy(path, folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return (!mkdir(path, 0777) || errno == EEXIST) && usable_folder(folder);
}

static bool has_file(const char *folder, const char *name)
{
    char path[LONGEST_FOLDER + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return !access(path, F_OK);
}

bool trace_is_there(const char *folder)
{
    return has_file(folder, trace_files[PAJE].name);
}

/* What an earlier run left must not be taken for this run's; where there is no trace those files
 * are somebody else's. */
static bool clear(const char *folder)
{
    char path[LONGEST_FOLDER + 32];
    bool is_trace = trace_is_there(folder);
    for (size_t i = 0; i < sizeof trace_files / sizeof *trace_files; i++) {
        const char *name = trace_files[i].name;
        if (!is_trace && has_file(folder, name)) {
            report("--trace %s: the trace would overwrite %s there, which is of no trace", folder,
                   name);
            return false;
        }
        snprintf(path, sizeof path, "%s/%s", folder, name);
        unlink(path);
    }
    return true;
}

bool trace_begin(const char *folder)
{
#ifndef STARPU_USE_FXT
    (void)make_folder;
    (void)clear;
    report("--trace %s: this StarPU was built without FxT (tools/setup builds one that has it)",
           folder);
    return false;
#else
    if (strlen(folder) > LONGEST_FOLDER) {
        report("--trace: the name of the folder is longer than %d characters", LONGEST_FOLDER);
        return false;
    }
    if (!*folder || !make_folder(folder)) {
        report("--trace %s: %s", folder, strerror(*folder && errno != EEXIST ? errno : ENOTDIR));
        return false;
    }
    return clear(folder);
#endif
}

extern char **environ;

/* Draws the Gantt chart, without a display; or says why not. */
static void draw(const char *folder)
{
    static const char *const places[] = {GANTT_IN_BUILD, GANTT_INSTALLED};
    char script[PATH_MAX];
    pid_t child;
    int status = 1;
    char *arguments[] = {script, (char *)folder, NULL};
    if (!find_beside_command(places, 2, script, sizeof script))
        report("--trace %s: no picture: %s is not beside this command", folder, GANTT_IN_BUILD);
    else if (posix_spawn(&child, script, NULL, NULL, arguments, environ))
        report("--trace %s: no picture: %s cannot be run", folder, script);
    else
        (void)waitpid(child, &status, 0); /* it has told on stderr what it lacks */
}

bool trace_end(const char *folder, FILE *out)
{
    if (!trace_is_there(folder)) {
        report("--trace %s: StarPU wrote no %s", folder, trace_files[PAJE].name);
        return false;
    }
    draw(folder);
    fprintf(out, "trace                   %s\n", folder);
    for (size_t i = 0; i < sizeof trace_files / sizeof *trace_files; i++)
        if (has_file(folder, trace_files[i].name))
            fprintf(out, "  %-21s %s\n", trace_files[i].name, trace_files[i].what);
    return true;
}

void refuse_trace(const char *command, const char *reason, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--trace") || !strncmp(argv[i], "--trace=", 8))
            usage_error(command, "--trace: %s", reason);
}

const char *start_strerror(int64_t status)
{
    static char words[LONGEST_FOLDER + 64];
    const char *folder = getenv("STARTILE_TRACE");
    if (status != STARTILE_ERROR_TRACE || !folder || !*folder)
        return startile_strerror(status);
    snprintf(words, sizeof words, "STARTILE_TRACE: no trace can be written to %.*s%s",
             LONGEST_FOLDER, folder, FXT_HINT);
    return words;
}
