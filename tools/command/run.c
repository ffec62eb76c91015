/*
 * `startile run`: runs a program with startile's LAPACK symbols preloaded.
 */
#define _GNU_SOURCE
#include "command.h"
#include "options.h"
#include "peer/beside.h"
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

/* Exit codes of shells for a program that cannot be executed or does not exist */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

struct settings {
    const char *report, *trace;
};

static const struct option_row options[] = {
    {"min", "N",
     "problems of size N and more go to startile, all others to the machine's LAPACK; 0: all "
     "(default: the crossover of each routine and type). The size is n for a square matrix, the "
     "cube root of m n k for others.",
     OPTION_VARIABLE, .least = 0, INT32_MAX, "STARTILE_LAPACK_MIN"},
    {"nb", "N", "tile size (default: as measured)", OPTION_VARIABLE, .least = 1, INT32_MAX,
     "STARTILE_NB"},
    {"report", "FILE",
     "at the program's end, a table of its calls of LAPACK and ScaLAPACK: number, sizes, seconds, "
     "GFlop/s, where they ran and why; on the standard error, or to FILE (then --report=FILE). "
     "Processes that it starts add their own tables if they call LAPACK; those of mpirun on one "
     "host write their sum.",
     OPTION_MAYBE_TEXT, .field = offsetof(struct settings, report)},
    {"trace", "FOLDER",
     "write StarPU's execution trace of the program's large problems there, and a picture of it; "
     "of several processes the last one's",
     OPTION_TEXT, .field = offsetof(struct settings, trace)},
    {.name = NULL}};

/* Ends the program: arguments before "--" are wrong. */
static void refuse_argument(void *settings, const char *program)
{
    (void)settings;
    usage_error(command, "'%s': a program comes behind '--': startile run [OPTION...] -- %s ...",
                program, program);
}

static const struct command_options command_options = {
    .command = command,
    .options = options,
    .argument = refuse_argument,
    .usage = "-- PROGRAM [ARGUMENT...]",
    .doc =
        "Runs a program that calls LAPACK by its symbols (numpy, scipy, Octave, R, Fortran), with "
        "large problems of it on startile.\v"
        "It preloads libstartile_lapack, which knows potrf, potrs, potri, posv, pstrf, sytrf, "
        "sytrs, sytrs2, sytri, sysv, getrf, getrs, getri, gesv, geqrf, orgqr, ormqr, gelqf, orglq, "
        "ormlq, gels, geqp3, gelsy, trtri, trtrs, lauum, sygst, gecon, pocon, sycon, "
        "sytrf_aa_2stage, sytrs_aa_2stage and sysv_aa_2stage in all types, for complex types hegst "
        "in place of sygst, also hetrf, hetrs, hetrs2, hetri, hesv, hecon, hetrf_aa_2stage, "
        "hetrs_aa_2stage and hesv_aa_2stage, and the solvers in mixed precision dsgesv, zcgesv, "
        "dsposv and zcposv. The program's own BLAS stays as it is. Under mpirun it also preloads "
        "libstartile_scalapack, if it was built: ScaLAPACK's routines on distributed matrices.\n\n"
        "Exit code: the program's; 2 wrong arguments, 1 no library, 126 or 127 where the program "
        "cannot be run or is not there.",
};

/* Adds the library to LD_PRELOAD, before all other libraries. Returns false, with errno, on
 * failure.
 */
static bool preload(const char *library)
{
    const char *preloaded = getenv("LD_PRELOAD");
    char *all = NULL;
    if (preloaded == NULL || *preloaded == '\0')
        return setenv("LD_PRELOAD", library, 1) == 0;
    bool done =
        asprintf(&all, "%s:%s", library, preloaded) > 0 && setenv("LD_PRELOAD", all, 1) == 0;
    free(all);
    return done;
}

/* Empties the report's file, unless `file` is "-" for stderr, and sets STARTILE_LAPACK_REPORT to
 * "PID:PATH" for the program. The path is absolute, because each process appends its report at its
 * end, perhaps from another folder. PID is this process' ID, which the program will have: the
 * process with this ID reports even if it makes no calls. Returns false, with errno, on failure. */
static bool prepare_report(const char *file)
{
    char path[PATH_MAX] = "-", *value = NULL;
    FILE *f = strcmp(file, "-") ? fopen(file, "w") : stderr;
    bool done = f && (f == stderr || (!fclose(f) && realpath(file, path)));
    done = done && asprintf(&value, "%ld:%s", (long)getpid(), path) > 0 &&
           setenv("STARTILE_LAPACK_REPORT", value, 1) == 0;
    free(value);
    return done;
}

/* Waits for the program, which writes the trace at its end, and lists the trace's files. Returns
 * the program's exit code, or 128 plus the number of the signal that ended it. */
static int wait_and_list_trace(pid_t program, const char *folder)
{
    int status;
    /* The terminal sends these signals to the program too. This process must go on waiting for it.
     */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    if (waitpid(program, &status, 0) < 0) {
        report("%s", strerror(errno));
        return EXIT_FAILED;
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (has_trace(folder))
        (void)trace_list_files(folder, stderr);
    else if (code != NOT_EXECUTABLE && code != NOT_FOUND) /* these have been reported */
        report("--trace %s: the program ran no task of startile", folder);
    return code;
}

/* Prepares the folder of the trace, sets STARTILE_TRACE, and forks. *child := ID of the process
 * that will execute the program; 0 in that process. Returns false after a report on failure. */
static bool fork_traced(const char *folder, pid_t *child)
{
    char path[PATH_MAX];
    if (!prepare_trace_folder(folder))
        return false;
    if (realpath(folder, path) == NULL || setenv("STARTILE_TRACE", path, 1) != 0 ||
        (*child = fork()) < 0) {
        report("--trace %s: %s", folder, strerror(errno));
        return false;
    }
    return true;
}

/* Preloads the library, which is in one of two places. Returns false after a report on failure.
 * Refuses paths with a space or a colon: these separate libraries in LD_PRELOAD, and the loader
 * would start the program without the library. */
static bool preload_from(const char *const *places, const char *name)
{
    char library[PATH_MAX];
    if (!find_beside_command(places, 2, library, sizeof library))
        report("no %s beside this command", name);
    else if (strpbrk(library, " :") != NULL)
        report("%s: cannot be preloaded from a path with a space or a colon", library);
    else if (!preload(library))
        report("%s", strerror(errno));
    else
        return true;
    return false;
}

/* Preloads startile's LAPACK; with `reports` also the library that counts calls of other routines;
 * also startile's ScaLAPACK if startile was built with MPI and if OMPI_COMM_WORLD_SIZE shows that
 * Open MPI's mpirun has started this process. The drop-ins must come first: a routine that they
 * have is theirs. Returns false after a report on failure. */
static bool preload_libraries(bool reports)
{
    static const char *const lapack[] = {DROPIN_IN_BUILD, DROPIN_INSTALLED}, *const counts[] = {
                                                                                 REPORT_IN_BUILD,
                                                                                 REPORT_INSTALLED};
    bool done = (!reports || preload_from(counts, "libstartile_report")) &&
                preload_from(lapack, "libstartile_lapack");
#ifdef STARTILE_HAVE_MPI
    static const char *const scalapack[] = {SCALAPACK_IN_BUILD, SCALAPACK_INSTALLED};
    if (done && getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        done = preload_from(scalapack, "libstartile_scalapack");
#endif
    return done;
}

/* Executes the program in place of this process. Returns only on failure, with an exit code. */
static int execute_program(const struct settings *s, char **program)
{
    if (s->report != NULL && !prepare_report(s->report)) {
        report("%s: %s", s->report, strerror(errno));
        return EXIT_FAILED;
    }
    if (!preload_libraries(s->report != NULL))
        return EXIT_FAILED;
    execvp(program[0], program);
    bool is_missing = errno == ENOENT;
    report("%s: %s", program[0], strerror(errno));
    return is_missing ? NOT_FOUND : NOT_EXECUTABLE;
}

int run_command(int argc, char **argv)
{
    struct settings s = {NULL, NULL};
    int own_arguments = 0; /* arguments before "--", with the subcommand's name */
    while (own_arguments < argc && strcmp(argv[own_arguments], "--") != 0)
        own_arguments++;
    parse_options(&command_options, own_arguments, argv, &s);
    if (s.report && !*s.report)
        usage_error(command, "--report=: a file is needed behind '=', or no '='");
    if (own_arguments + 1 >= argc)
        usage_error(command, "a program is needed: startile run -- PROGRAM [ARGUMENT...]");
    pid_t child = 0; /* stays 0 in the process that executes the program */
    if (s.trace != NULL && !fork_traced(s.trace, &child))
        return EXIT_FAILED;
    return child > 0 ? wait_and_list_trace(child, s.trace)
                     : execute_program(&s, argv + own_arguments + 1);
}
