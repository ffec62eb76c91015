/*
 * StarPU's traces in a folder of the user's choice: the option --trace of several commands.
 */
#include "trace.h"

#include "command.h"
#include "gantt/gantt.h"
#include "measure.h"

#include <errno.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Largest length of the folder's name. StarPU truncates paths of files in the folder to 255
 * characters.
 */
enum { LONGEST_FOLDER = 200 };

#ifdef STARPU_USE_FXT
#define FXT_HINT ""
#else
#define FXT_HINT ": this StarPU was built without FxT"
#endif

enum { PAJE }; /* index of trace_files */
static const struct trace_file {
    const char *name, *content;
} trace_files[] = {
    {"paje.trace", "all events, for ViTE"},
    {"gantt.svg", "Gantt chart, a picture"},
    {"about.txt", "title of the chart: program, machine, time"},
    {"dag.dot", "task graph, for Graphviz"},
    {"tasks.rec", "every task: codelet, worker, times"},
    {"data.rec", "every piece of data"},
    {"activity.data", "activity of each worker over time"},
    {"trace.html", "animation"},
};
enum { FILES = sizeof trace_files / sizeof *trace_files };

/* Returns the path of a file of the trace, in a static buffer. */
static const char *path_of(const char *folder, int file)
{
    static char path[LONGEST_FOLDER + 32];
    snprintf(path, sizeof path, "%s/%s", folder, trace_files[file].name);
    return path;
}

static bool has_file(const char *folder, int file)
{
    return !access(path_of(folder, file), F_OK);
}

bool has_trace(const char *folder)
{
    return has_file(folder, PAJE);
}

/* Removes the files of an earlier trace. If the folder has files with these names but no
 * paje.trace, they are not from a trace: reports one of them and returns false. */
static bool remove_old_trace(const char *folder)
{
    bool is_trace = has_trace(folder);
    for (int f = 0; f < FILES; f++)
        if (is_trace)
            unlink(path_of(folder, f));
        else if (has_file(folder, f)) {
            report("--trace %s: the trace would overwrite %s there, which is no file of a trace",
                   folder, trace_files[f].name);
            return false;
        }
    return true;
}

bool prepare_trace_folder(const char *folder)
{
    if (*FXT_HINT) { /* StarPU has no FxT */
        report("--trace %s%s (tools/setup builds one that has it)", folder, FXT_HINT);
        return false;
    }
    if (strlen(folder) > LONGEST_FOLDER) {
        report("--trace: the name of the folder is longer than %d characters", LONGEST_FOLDER);
        return false;
    }
    if (!make_folder(folder)) {
        report("--trace %s: %s", folder, strerror(errno));
        return false;
    }
    return remove_old_trace(folder);
}

bool trace_list_files(const char *folder, FILE *out)
{
    if (!has_trace(folder)) {
        report("--trace %s: no paje.trace was written: no space, or no task ran", folder);
        return false;
    }
    if (!draw_gantt(folder))
        return false;
    fprintf(out, "trace                   %s\n", folder);
    for (int f = 0; f < FILES; f++)
        if (has_file(folder, f))
            fprintf(out, "  %-21s %s\n", trace_files[f].name, trace_files[f].content);
    return true;
}
