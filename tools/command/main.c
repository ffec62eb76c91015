/*
 * The `startile` command: finds the subcommand and hands over to it.
 */
#include "command.h"
#include "startile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"info", info_command}, {"solve", solve_command},         {"bench", bench_command},
    {"run", run_command},   {"calibrate", calibrate_command},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const struct subcommand **chosen = state->input;
    if (key == ARGP_KEY_NO_ARGS)
        usage_error("startile", "a subcommand is needed: info, solve, bench, calibrate or run");
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        if (!strcmp(argument, subcommands[i].name))
            *chosen = &subcommands[i];
    if (!*chosen)
        usage_error("startile", "no subcommand '%s': info, solve, bench, calibrate or run",
                    argument);
    return 0;
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "info | solve A.mtx [b.mtx] | bench ROUTINE --n SIZES | calibrate | run -- PROGRAM",
    .doc = "Dense linear algebra as DAGs of tile tasks on StarPU.\v"
           "  startile info    what startile finds on this machine\n"
           "  startile solve   solves A x = b, or least squares, from Matrix Market files\n"
           "  startile bench   times a routine beside the vendor's, checks its result;\n"
           "                   also kernels (bench kernel), the machine (bench machine),\n"
           "                   many small problems at once (bench potrf_batch)\n"
           "  startile calibrate\n"
           "                   measures this machine for StarPU's scheduling and the tile sizes\n"
           "  startile run     runs a program that calls LAPACK with startile in its place\n\n"
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
    int first = 1;
    while (first < argc && argv[first][0] == '-')
        first++;
    /* Only up to the subcommand's name: what follows is not this parser's. */
    parse_command_line(&argp, "startile", first < argc ? first + 1 : argc, argv, &chosen);
    int status = chosen->run(argc - first, argv + first);
    if (fflush(stdout) || ferror(stdout)) {
        report("standard output: %s", strerror(errno));
        status = EXIT_FAILED;
    }
    return status;
}
