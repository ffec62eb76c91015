/*
 * `startile run`: a program whose LAPACK is startile.
 */
#define _GNU_SOURCE
#include "beside.h"
#include "command.h"
#include "trace.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char command[] = "startile run";

/* as of a shell */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

struct settings {
    const char *min, *nb, *report, *trace;
};

static const struct argp_option options[] = {
    {"min", 'm', "N", 0,
     "problems of size N and more go to startile, all others to the machine's LAPACK; 0: all "
     "(default: the crossover of each routine and type). The size is n for a square "
     "matrix, the cube root of m n k for others.",
     0},
    {"nb", 'b', "N", 0, "tile size (default: as measured)", 0},
    {"report", 'r', "FILE", OPTION_ARG_OPTIONAL,
     "at the program's end, a table of its calls: number, sizes, seconds, GFlop/s, where they ran; "
     "on the standard error, or to FILE (then --report=FILE). Processes that it starts add tables "
     "of theirs if they call LAPACK.",
     0},
    {"trace", 't', "FOLDER", 0,
     "write StarPU's execution trace of the program's large problems there, and a picture of it; "
     "of "
     "several processes the last one's",
     0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *s = state->input;
    int64_t number;
    switch (key) {
    case 'm':
        if (!parse_integer(argument, 0, INT32_MAX, &number))
            usage_error(command, "--min %s: must be a number from 0 to 2147483647", argument);
        s->min = argument;
        return 0;
    case 'b':
        if (!parse_integer(argument, 1, INT32_MAX, &number))
            usage_error(command, "--nb %s: must be a number from 1 to 2147483647", argument);
        s->nb = argument;
        return 0;
    case 'r':
        if (argument != NULL && *argument == '\0')
            usage_error(command, "--report=: a file is needed behind '=', or no '='");
        s->report = argument != NULL ? argument : "-";
        return 0;
    case 't':
        s->trace = argument;
        return 0;
    case ARGP_KEY_ARG:
        usage_error(command,
                    "'%s': a program comes behind '--': startile run [OPTION...] -- %s ...",
                    argument, argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "-- PROGRAM [ARGUMENT...]",
    .doc =
        "Runs a program that calls LAPACK by its symbols (numpy, scipy, Octave, R, Fortran), with "
        "large problems of it on startile.\v"
        "It preloads libstartile_lapack, which knows potrf, potrs, potri, posv, getrf, getrs, "
        "getri, gesv, geqrf, orgqr, ormqr, gelqf, orglq, ormlq, gels, trtri, lauum, gecon and "
        "pocon in all types. The program's own BLAS stays as it is.\n\n"
        "Exit code: the program's; 2 wrong arguments, 1 no library, 126 or 127 where the program "
        "cannot be run or is not there.",
};

/* In front of what is preloaded already. */
static bool preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char *all = NULL;
    if (others == NULL || *others == '\0')
        return setenv("LD_PRELOAD", library, 1) == 0;
    bool done = asprintf(&all, "%s:%s", library, others) > 0 && setenv("LD_PRELOAD", all, 1) == 0;
    free(all);
    return done;
}

static bool set_unless_null(const char *name, const char *value)
{
    return value == NULL || setenv(name, value, 1) == 0;
}

/* From the folder that the program begins in; NULL without memory. */
static char *absolute(const char *file)
{
    char *folder = getcwd(NULL, 0), *path = NULL;
    if (folder == NULL || asprintf(&path, "%s/%s", folder, file) < 0)
        path = NULL;
    free(folder);
    return path;
}

/* An empty file, to which each process appends, wherever it has gone by then. */
static bool prepare_report(const char *file)
{
    bool is_relative = file[0] != '/' && strcmp(file, "-") != 0;
    char *path = is_relative ? absolute(file) : strdup(file), pid[24];
    FILE *f = path == NULL || strcmp(path, "-") == 0 ? NULL : fopen(path, "w");
    bool done = path != NULL && (f != NULL ? fclose(f) == 0 : strcmp(path, "-") == 0);
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    done = done && setenv("STARTILE_LAPACK_REPORT", path, 1) == 0 &&
           setenv("STARTILE_LAPACK_REPORT_PID", pid, 1) == 0;
    free(path);
    return done;
}

/* A picture of the trace can be drawn only when the program has ended. */
static int wait_and_draw(pid_t program, const char *folder)
{
    int status;
    /* the terminal sends them to the program, too, for which this waits */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    if (waitpid(program, &status, 0) < 0) {
        report("%s", strerror(errno));
        return EXIT_FAILED;
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (trace_is_there(folder))
        (void)trace_end(folder, stderr);
    else if (code != NOT_EXECUTABLE && code != NOT_FOUND) /* else it has been told */
        report("--trace %s: the program ran no task of startile", folder);
    return code;
}

/* A process that will be the program: *child, and 0 in that process itself. */
static bool start_traced(const char *folder, pid_t *child)
{
    char path[PATH_MAX];
    if (!trace_begin(folder))
        return false;
    if (realpath(folder, path) == NULL || setenv("STARTILE_TRACE", path, 1) != 0 ||
        (*child = fork()) < 0) {
        report("--trace %s: %s", folder, strerror(errno));
        return false;
    }
    return true;
}

/* Returns where that fails. */
static int become(const struct settings *s, const char *library, char **program)
{
    if (s->report != NULL && !prepare_report(s->report)) {
        report("%s: %s", s->report, strerror(errno));
        return EXIT_FAILED;
    }
    if (!preload(library) || !set_unless_null("STARTILE_LAPACK_MIN", s->min) ||
        !set_unless_null("STARTILE_NB", s->nb)) {
        report("%s", strerror(errno));
        return EXIT_FAILED;
    }
    execvp(program[0], program);
    bool is_missing = errno == ENOENT;
    report("%s: %s", program[0], strerror(errno));
    return is_missing ? NOT_FOUND : NOT_EXECUTABLE;
}

int run_command(int argc, char **argv)
{
    struct settings s = {NULL, NULL, NULL, NULL};
    static const char *const places[] = {DROPIN_IN_BUILD, DROPIN_INSTALLED};
    char library[PATH_MAX];
    int own = 0;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    parse_command_line(&argp, command, own, argv, &s);
    if (own + 1 >= argc)
        usage_error(command, "a program is needed: startile run -- PROGRAM [ARGUMENT...]");
    if (!find_beside_command(places, 2, library, sizeof library)) {
        report("no libstartile_lapack beside this command");
        return EXIT_FAILED;
    }
    /* LD_PRELOAD separates by either, and the loader would go on without the library */
    if (strpbrk(library, " :") != NULL) {
        report("%s: cannot be preloaded from a path with a space or a colon", library);
        return EXIT_FAILED;
    }
    pid_t child = 0;
    if (s.trace != NULL && !start_traced(s.trace, &child))
        return EXIT_FAILED;
    return child > 0 ? wait_and_draw(child, s.trace) : become(&s, library, argv + own + 1);
}
