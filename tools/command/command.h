/*
 * Declarations shared by the subcommands of `startile`: exit codes, the subcommands' functions,
 * messages on stderr, the parser of integers.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Run a subcommand, whose name is argv[0]. Return the exit code. */
int info_command(int argc, char **argv);
int solve_command(int argc, char **argv);
int bench_command(int argc, char **argv);
int kernel_command(int argc, char **argv); /* `startile bench kernel` */
int calibrate_command(int argc, char **argv);
int run_command(int argc, char **argv);
int gantt_command(int argc, char **argv);
int plot_command(int argc, char **argv);

struct ranks;
/* Returns the MPI processes of this run, or NULL if the program runs without MPI. There are two
 * versions. In startile-mpi the function initializes MPI (grid/ranks.c). In `startile` it executes
 * startile-mpi in place of this program if mpirun has started the process or is_wanted is true, and
 * returns NULL otherwise (mpi_program.c). Ends the program if MPI cannot be used. argv[0] is the
 * subcommand, and argv[-1] the program's name. */
struct ranks *start_ranks(const char *subcommand, char **argv, bool is_wanted);

/* True: this process prints no messages, because another process of the run prints them. */
extern bool is_silent;

/* Prints one line on stderr: "startile: ...". */
__attribute__((format(printf, 1, 2))) void report(const char *format, ...);

/* Prints one line on stderr that refers to the command's --help, then calls exit(EXIT_USAGE). */
__attribute__((noreturn, format(printf, 2, 3))) void usage_error(const char *command,
                                                                 const char *format, ...);

/* Returns whether the whole text is a decimal integer: a sign or none, and digits. strtoll() also
 * accepts white space before them. */
bool is_integer(const char *text);

/* Returns whether the whole text is a decimal number: a sign or none, digits with a point or none,
 * and an exponent, with one of the given letters, or none. strtod() also accepts hexadecimal
 * numbers, Inf, NaN, and white space before them. */
bool is_number(const char *text, const char *exponent_letters);

/* Stores the number that the text is. Returns false unless the text is a decimal integer in
 * [min, max]. */
bool parse_integer(const char *text, int64_t min, int64_t max, int64_t *value);

/* Stores P and Q of the text "PxQ". Returns false unless both are decimal integers in [1, max]. */
bool parse_shape(const char *text, int64_t max, int64_t *p, int64_t *q);

#endif
