/*
 * StarPU's execution trace (FxT) in a folder of the user's choice. StarPU reads all of this from
 * its environment and converts the trace when it shuts down.
 */
#include "trace.h"

#include "command.h"

#include <errno.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* StarPU cuts the paths that it builds from the folder at 255 characters. */
enum { LONGEST_FOLDER = 200 };

static const struct trace_file {
    const char *name, *what;
} trace_files[] = {
    {"paje.trace", "Gantt chart: open it with ViTE"},    {"dag.dot", "task graph, for Graphviz"},
    {"tasks.rec", "every task: codelet, worker, times"}, {"data.rec", "every piece of data"},
    {"activity.data", "what each worker did over time"}, {"trace.html", "animation"},
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

bool trace_begin(const char *folder)
{
#ifndef STARPU_USE_FXT
    (void)make_folder;
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
    /* One that an earlier run left must not be taken for this run's. */
    char path[LONGEST_FOLDER + 32];
    snprintf(path, sizeof path, "%s/%s", folder, trace_files[0].name);
    unlink(path);
    setenv("STARPU_FXT_TRACE", "1", 1);
    setenv("STARPU_FXT_PREFIX", folder, 1);
    setenv("STARPU_GENERATE_TRACE", "1", 1);
    setenv("STARPU_GENERATE_TRACE_OPTIONS", "-use-task-color", 0);
    return true;
#endif
}

bool trace_end(const char *folder)
{
    char path[LONGEST_FOLDER + 32];
    bool found = false;
    printf("trace                   %s\n", folder);
    for (size_t i = 0; i < sizeof trace_files / sizeof *trace_files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, trace_files[i].name);
        if (access(path, R_OK))
            continue;
        found = found || i == 0;
        printf("  %-21s %s\n", trace_files[i].name, trace_files[i].what);
    }
    if (!found)
        report("--trace %s: StarPU wrote no paje.trace", folder);
    return found;
}
