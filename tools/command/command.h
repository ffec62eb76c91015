/*
 * What the subcommands of `startile` share: exit codes, error lines, numbers.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

int info_command(int argc, char **argv);
int solve_command(int argc, char **argv);
int bench_command(int argc, char **argv);
int kernel_command(int argc, char **argv); /* `bench kernel` */
int calibrate_command(int argc, char **argv);
int run_command(int argc, char **argv);
int gantt_command(int argc, char **argv);

struct ranks;
/* Returns the processes of mpirun, of which this is one; NULL: it is alone. The command hands over
 * to startile-mpi under mpirun, or if a grid is wanted (mpi_program.c), which starts MPI
 * (grid/ranks.c). */
struct ranks *find_ranks(const char *subcommand, char **argv, bool is_wanted);

/* No messages: of several processes the first one prints them. */
extern bool is_silent;

/* One line on stderr: "startile: ...". */
__attribute__((format(printf, 1, 2))) void report(const char *format, ...);

/* One line on stderr that points to --help of the subcommand, then exit(EXIT_USAGE). */
__attribute__((noreturn, format(printf, 2, 3))) void usage_error(const char *command,
                                                                 const char *format, ...);

/* The whole text is one decimal number in [min, max]. */
bool parse_integer(const char *text, int64_t min, int64_t max, int64_t *value);

#endif
