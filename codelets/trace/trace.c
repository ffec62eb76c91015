/* StarPU's execution trace (FxT) in the caller's folder, for the regions between
 * startile_trace_start() and startile_trace_stop(). The library adds the step of the algorithm to
 * each task. */
#include "trace/trace.h"

#include "library/error_text.h"
#include "library/runtime.h"
#include "request/context.h"
#include "startile_trace.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Variables that StarPU reads when it starts and stops. For those from FIRST_OPTION on, the user's
 * values have priority. The last one is the size of the event buffer in MiB. */
static const char *const variables[] = {"STARPU_FXT_TRACE", "STARPU_FXT_PREFIX",
                                        "STARPU_GENERATE_TRACE", "STARPU_GENERATE_TRACE_OPTIONS",
                                        "STARPU_TRACE_BUFFER_SIZE"};
enum { FIRST_OPTION = 2, VARIABLES = sizeof variables / sizeof *variables };

/* Longest name of a folder, in bytes: StarPU truncates the paths of files in it at 255 characters
 * (StarPU quirk 29). */
enum { MAX_FOLDER_LENGTH = 200 };

static int saved_variables;    /* number of variables that trace_finish() restores */
static char *saved[VARIABLES]; /* their values before */
static atomic_bool is_traced;
static starpu_pthread_mutex_t step_mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;

#ifdef STARPU_USE_FXT
/* Creates the folder if it is missing. Returns whether StarPU can write to it, otherwise sets
 * errno; StarPU ends the program if it cannot (StarPU quirk 29). */
static bool make_writable(const char *folder)
{
    struct stat s;
    if (strlen(folder) > MAX_FOLDER_LENGTH)
        errno = ENAMETOOLONG;
    else if ((mkdir(folder, 0777) == 0 || errno == EEXIST) && stat(folder, &s) == 0) {
        if (S_ISDIR(s.st_mode))
            return access(folder, W_OK | X_OK) == 0;
        errno = ENOTDIR;
    }
    return false;
}

/* Sets the variables and saves the user's values. Returns false without memory. */
static bool set_environment(const char *folder)
{
    const char *const values[VARIABLES] = {"1", folder, "1", "-use-task-color", "128"};
    for (int i = 0; i < VARIABLES; i++) {
        const char *user_value = getenv(variables[i]);
        saved[i] = user_value == NULL ? NULL : strdup(user_value);
        if (user_value != NULL && saved[i] == NULL)
            return false;
        saved_variables = i + 1;
        if (setenv(variables[i], values[i], i < FIRST_OPTION) != 0)
            return false;
    }
    return true;
}
#endif

/* Returns the folder that the trace is written to: `folder` of the options or, if that is NULL,
 * STARTILE_TRACE. Returns NULL if no trace is requested. */
static const char *requested_folder(const char *folder)
{
    folder = folder == NULL ? getenv("STARTILE_TRACE") : folder;
    return folder == NULL || *folder == '\0' ? NULL : folder;
}

int trace_prepare(const char *folder)
{
    bool trace_all = folder == NULL;
    folder = requested_folder(folder);
    if (folder == NULL)
        return 0;
#ifndef STARPU_USE_FXT
    return explain(STARTILE_ERROR_TRACE, "no trace: StarPU was built without FxT");
#else
    if (!make_writable(folder))
        return explain(STARTILE_ERROR_TRACE, "%sno trace can be written to %.700s: %s",
                       trace_all ? "STARTILE_TRACE: " : "", folder, strerror(errno));
    if (!set_environment(folder))
        return STARTILE_ERROR_MEMORY;
    starpu_fxt_autostart_profiling(trace_all);
    return 0;
#endif
}

void trace_finish(void)
{
    atomic_store(&is_traced, false);
    if (saved_variables == 0)
        return;
    for (int i = 0; i < saved_variables; i++) {
        if (saved[i] == NULL)
            unsetenv(variables[i]);
        else
            setenv(variables[i], saved[i], 1);
        free(saved[i]);
        saved[i] = NULL;
    }
    starpu_fxt_autostart_profiling(1);
    saved_variables = 0;
}

static bool starpu_traces(void)
{
#ifdef STARPU_USE_FXT
    return starpu_fxt_is_enabled() == 1;
#else
    return false;
#endif
}

static int not_traced(void)
{
    return explain(STARTILE_ERROR_TRACE, "no trace: StarPU was started without one");
}

int trace_check(const char *folder)
{
    return requested_folder(folder) == NULL || starpu_traces() ? 0 : not_traced();
}

void trace_note_start(bool has_cuda)
{
    const char *folder = getenv("STARPU_FXT_PREFIX");
    atomic_store(&is_traced, starpu_traces());
    if (starpu_traces() && folder != NULL)
        trace_write_about(folder, has_cuda);
}

int64_t startile_trace_start(void)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    if (!atomic_load(&is_traced))
        return not_traced();
    starpu_fxt_start_profiling();
    return 0;
}

int64_t startile_trace_stop(void)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    if (!atomic_load(&is_traced))
        return not_traced();
    starpu_fxt_stop_profiling();
    return 0;
}

bool trace_is_on(void)
{
    return atomic_load(&is_traced);
}

int trace_submit(struct starpu_task *t, int64_t step)
{
    if (!trace_is_on() || step == NO_STEP)
        return starpu_task_submit(t);
    /* StarPU has one iteration for all threads (StarPU quirk 31) */
    starpu_pthread_mutex_lock(&step_mutex);
    starpu_iteration_push((unsigned long)step);
    int status = starpu_task_submit(t);
    starpu_iteration_pop();
    starpu_pthread_mutex_unlock(&step_mutex);
    return status;
}
