/*
 * The `startile` command: finds the subcommand and runs it.
 */
#include "command.h"
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"info", info_command}, {"solve", solve_command},         {"bench", bench_command},
    {"run", run_command},   {"calibrate", calibrate_command}, {"gantt", gantt_command},
    {"plot", plot_command},
};

/* Stores the subcommand of this name in *settings; ends the program if there is none. */
static void choose_subcommand(void *settings, const char *name)
{
    const struct subcommand **chosen = settings;
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        if (!strcmp(name, subcommands[i].name))
            *chosen = &subcommands[i];
    if (!*chosen)
        usage_error("startile",
                    "no subcommand '%s': info, solve, bench, calibrate, run, gantt or plot", name);
}

static const struct command_options options = {
    .command = "startile",
    .usage = "info | solve A.mtx [b.mtx] | bench ROUTINE --n SIZES | calibrate | run -- PROGRAM | "
             "gantt FOLDER | plot FILE.csv",
    .argument = choose_subcommand,
    .doc = "Dense linear algebra as DAGs of tile tasks on StarPU.\v"
           "  startile info    what startile finds on this machine\n"
           "  startile solve   solves A x = b, or least squares, from Matrix Market files\n"
           "  startile bench   times a routine beside the vendor's, checks its result;\n"
           "                   also kernels (bench kernel) and many small problems at once\n"
           "                   (bench potrf_batch)\n"
           "  startile calibrate\n"
           "                   measures this machine, for scheduling and tile sizes\n"
           "  startile run     runs a program that calls LAPACK with startile in its place\n"
           "  startile gantt   draws a trace\n"
           "  startile plot    draws the rates in the CSV files of startile bench\n\n"
           "'startile SUBCOMMAND --help' says more about each.\n"
           "Exit code: 0 success, 1 failure, 2 wrong arguments.",
};

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    fprintf(stream, "startile %s\n", startile_version());
}

int main(int argc, char **argv)
{
    argp_program_version_hook = print_version;
    argp_err_exit_status = EXIT_USAGE;
    const struct subcommand *chosen = NULL;
    int name_index = 1; /* of the subcommand's name, the first argument that is no option */
    while (name_index < argc && argv[name_index][0] == '-')
        name_index++;
    /* Parses the arguments up to the subcommand's name. The subcommand parses all others. */
    parse_options(&options, name_index < argc ? name_index + 1 : argc, argv, &chosen);
    if (!chosen)
        usage_error("startile",
                    "a subcommand is needed: info, solve, bench, calibrate, run, gantt or plot");
    int status = chosen->run(argc - name_index, argv + name_index);
    if (fflush(stdout) || ferror(stdout)) {
        report("standard output: %s", strerror(errno));
        status = EXIT_FAILED;
    }
    return status;
}
