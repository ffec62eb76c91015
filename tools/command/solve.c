/*
 * `startile solve`: solves a dense linear system, or a least squares problem, from Matrix Market
 * files.
 */
#include "solve.h"
#include "command.h"
#include "dense.h"
#include "flops.h"
#include "matrix_market.h"
#include "scalar.h"
#include "trace.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "startile solve";

/* -- arguments ------------------------------------------------------------------------------ */

enum {
    KEY_METHOD = 256,
    KEY_REFINE,
    KEY_RANDOM,
    KEY_PRECISION,
    KEY_UPLO,
    KEY_NB,
    KEY_OUT,
    KEY_TRACE
};

static const struct argp_option options[] = {
    {"method", KEY_METHOD, "NAME", 0,
     "chol: Cholesky, for Hermitian positive definite A; lu: LU with partial pivoting, for any "
     "square "
     "A; qr: QR, for any A: least squares where it has more rows than columns, the solution of "
     "least "
     "norm where it has fewer; auto: QR if A is not square, else Cholesky if A is Hermitian with a "
     "positive diagonal, LU otherwise and where Cholesky finds A not positive definite (default)",
     0},
    {"refine", KEY_REFINE, "N", 0, "steps of iterative refinement after LU, 0 to 10 (default: 0)",
     0},
    {"random", KEY_RANDOM, "N|MxN", 0,
     "instead of a file: A of order N, or with M rows and N columns, random in [-1, 1)", 0},
    {"precision", KEY_PRECISION, "s|d|c|z", 0,
     "LAPACK's letter of the type to compute in (default: z when a file is complex, else d)", 0},
    {"uplo", KEY_UPLO, "L|U", 0, "triangle that Cholesky works on (default: L)", 0},
    {"nb", KEY_NB, "N", 0,
     "columns of a tile, and rows but for LU and QR, where they are all (default: chosen by the "
     "library)",
     0},
    {"out", KEY_OUT, "FILE", 0, "write x as a Matrix Market array; only after success", 0},
    {"trace", KEY_TRACE, "FOLDER", 0, "write StarPU's execution trace there, for ViTE", 0},
    {0},
};

static const char doc[] =
    "Solves A x = b for a dense A from a Matrix Market file, or a random one; where A is not "
    "square, "
    "in the sense of least squares, or with the least norm. Without b.mtx, b = A*1, so that the "
    "solution is all ones, unless A has fewer rows than columns."
    "\v"
    "Files: coordinate and array; real, complex, integer, pattern (ones); general, symmetric, "
    "hermitian, skew-symmetric. Entries that name the same position are added up. A file that is "
    "malformed or too large for this machine is refused with its line number.\n\n"
    "Printed:\n"
    "  method             what solved it, and for auto why\n"
    "  time               factorization and solution, from main memory and back\n"
    "  GFlop/s            operations (LAPACK Working Note 41) by that time\n"
    "  scaled residual    ||b-Ax||_1 / (max(m,n) ||A||_1 ||x||_1 eps), good below\n"
    "                     30; but for least squares\n"
    "  residual norm      max over columns of ||b-Ax||_2, and\n"
    "  normal equations   ||A^H(b-Ax)||_F / (m ||A||_F (||A||_F ||x||_F +\n"
    "                     ||b-Ax||_F) eps), good below 30\n"
    "  backward error     max over columns of\n"
    "                     ||b-Ax||_inf / (||A||_inf ||x||_inf + ||b||_inf)\n"
    "  condition number   1-norm, estimated after Cholesky and LU as LAPACK's pocon\n"
    "                     and gecon do; there is a warning when it is above 1/eps.\n"
    "                     After QR, that of R; A is refused when it is above\n"
    "                     1/(4 eps)\n"
    "  forward error      max |x_i - 1|, where b = A*1\n"
    "The residual b-Ax is evaluated in extended precision; eps is the unit roundoff.\n\n"
    "A progress bar appears on a terminal after two seconds. Exit code 1 for a singular or "
    "rank-deficient A, a residual of 30 or more, and any other failure.";

static void set_precision(struct solve_settings *s, const char *argument)
{
    if (strlen(argument) != 1 || !dtype_from_letter(*argument, &s->dtype))
        usage_error(command, "--precision %s: must be s, d, c or z", argument);
    s->precision_given = true;
}

static void set_method(struct solve_settings *s, const char *argument)
{
    static const struct name {
        const char *name;
        enum solve_method method;
    } names[] = {{"auto", METHOD_AUTO},
                 {"chol", METHOD_CHOLESKY},
                 {"cholesky", METHOD_CHOLESKY},
                 {"lu", METHOD_LU},
                 {"qr", METHOD_QR}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(argument, names[i].name)) {
            s->method = names[i].method;
            return;
        }
    usage_error(command, "--method %s: must be auto, chol, lu or qr", argument);
}

static void set_uplo(struct solve_settings *s, const char *argument)
{
    if (strlen(argument) != 1 || !strchr("LlUu", *argument))
        usage_error(command, "--uplo %s: must be L or U", argument);
    s->uplo = strchr("Ll", *argument) ? 'L' : 'U';
}

static void add_file(struct solve_settings *s, const char *argument)
{
    if (s->b_file)
        usage_error(command, "'%s': two files at most, A and b", argument);
    *(s->a_file ? &s->b_file : &s->a_file) = argument;
}

static void set_number(int64_t *number, const char *option, const char *argument, int64_t least,
                       int64_t most)
{
    if (!parse_integer(argument, least, most, number))
        usage_error(command, "%s %s: must be an integer from %" PRId64 " to %" PRId64, option,
                    argument, least, most);
}

/* "N" or "MxN" */
static void set_random(struct solve_settings *s, const char *argument)
{
    char rows[24] = "";
    const char *x = strchr(argument, 'x');
    const char *columns = x ? x + 1 : argument;
    if (x && (size_t)(x - argument) < sizeof rows)
        memcpy(rows, argument, (size_t)(x - argument));
    if (!parse_integer(columns, 1, INT32_MAX, &s->random_n) ||
        !parse_integer(x ? rows : columns, 1, INT32_MAX, &s->random_m))
        usage_error(command, "--random %s: must be N or MxN, integers from 1 to %d", argument,
                    INT32_MAX);
}

static void check_arguments(const struct solve_settings *s)
{
    bool takes_any = s->method == METHOD_QR || s->method == METHOD_AUTO;
    if (!s->a_file && !s->random_n)
        usage_error(command, "a Matrix Market file or --random is needed");
    if (s->a_file && s->random_n)
        usage_error(command, "'%s': --random takes no file", s->a_file);
    if (s->random_m != s->random_n && !takes_any)
        usage_error(command,
                    "--random %" PRId64 "x%" PRId64 ": must be square unless --method is qr",
                    s->random_m, s->random_n);
    if (s->refine && (s->method == METHOD_CHOLESKY || s->method == METHOD_QR))
        usage_error(command, "--refine: only after LU");
}

/* Options about the method; whether it was one of them. */
static bool parse_method(int key, const char *argument, struct solve_settings *s)
{
    switch (key) {
    case KEY_METHOD:
        set_method(s, argument);
        return true;
    case KEY_REFINE:
        set_number(&s->refine, "--refine", argument, 0, 10);
        return true;
    case KEY_PRECISION:
        set_precision(s, argument);
        return true;
    case KEY_UPLO:
        set_uplo(s, argument);
        return true;
    case KEY_NB:
        set_number(&s->nb, "--nb", argument, 1, INT32_MAX);
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct solve_settings *s = state->input;
    if (parse_method(key, argument, s))
        return 0;
    switch (key) {
    case KEY_RANDOM:
        set_random(s, argument);
        return 0;
    case KEY_OUT:
        s->out_file = argument;
        return 0;
    case KEY_TRACE:
        s->trace_folder = argument;
        return 0;
    case ARGP_KEY_ARG:
        add_file(s, argument);
        return 0;
    case ARGP_KEY_END:
        check_arguments(s);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, "A.mtx [b.mtx]\n--random N|MxN", doc, NULL,
                                 NULL,    NULL};

/* -- together ------------------------------------------------------------------------------- */

/* Warns by LAPACK's test in gesvx and posvx. QR needs none: is_rank_deficient() refuses earlier. */
static void warn(const struct solve_settings *s, const struct linear_system *p,
                 const struct solution *solution)
{
    if (solution->rcond < dtype_unit_roundoff(p->dtype))
        report("%s: warning: singular to working precision (rcond %.3g): x may have no correct "
               "digit",
               matrix_name(s), solution->rcond);
}

static bool write_solution(const struct solve_settings *s, const struct linear_system *p)
{
    char comment[64];
    snprintf(comment, sizeof comment, "solution of A x = b by startile %s", startile_version());
    if (!mm_write(s->out_file, comment, p->dtype, p->n, p->nrhs, p->x))
        return false;
    printf("solution                %s\n", s->out_file);
    return true;
}

static bool explain_failure(const struct solve_settings *s, const struct solution *solution,
                            int64_t outcome)
{
    const char *name = matrix_name(s);
    if (outcome > 0 && solution->method == METHOD_LU)
        report("%s: singular: U(%" PRId64 ", %" PRId64 ") of its LU factorization is exactly zero "
               "(info %" PRId64 ")",
               name, outcome, outcome, outcome);
    else if (outcome > 0 && solution->method == METHOD_QR)
        report("%s: rank-deficient: R(%" PRId64 ", %" PRId64 ") of its QR factorization is exactly "
               "zero (info %" PRId64 ")",
               name, outcome, outcome, outcome);
    else if (outcome > 0)
        report("%s: not positive definite: the leading minor of order %" PRId64
               " is not positive; --method lu takes any square matrix",
               name, outcome);
    else
        report("%s: %s", name, start_strerror(outcome));
    return false;
}

static bool explain_rank(const struct solve_settings *s, const struct solution *solution)
{
    report("%s: rank-deficient to working precision: 1/cond(R) = %.2g; the solution is not "
           "determined",
           matrix_name(s), solution->rcond);
    return false;
}

static bool solve(const struct solve_settings *s, struct linear_system *p)
{
    struct solution solution;
    struct errors e;
    if (s->out_file && !mm_can_write(s->out_file))
        return false;
    startile_options o;
    startile_options_default(&o);
    o.trace = s->trace_folder;
    if (!system_read(s, p) || (s->trace_folder && !trace_begin(s->trace_folder)))
        return false;
    int64_t outcome = run_library(s, &o, p, &solution);
    if (outcome)
        return explain_failure(s, &solution, outcome);
    if (is_rank_deficient(p, &solution))
        return explain_rank(s, &solution);
    if (solution.method == METHOD_CHOLESKY)
        system_restore(p, s->uplo);
    if (!find_errors(s, p, &e))
        return false;
    print_result(s, p, &solution, &e);
    warn(s, p, &solution);
    if (!(e.scaled_residual < 30)) {
        report("%s: the %s too large", matrix_name(s),
               p->m > p->n ? "residual of the normal equations is" : "residual is");
        return false;
    }
    if (s->out_file && !write_solution(s, p))
        return false;
    return !s->trace_folder || trace_end(s->trace_folder, stdout);
}

int solve_command(int argc, char **argv)
{
    struct solve_settings s = {.uplo = 'L', .dtype = STARTILE_D};
    struct linear_system p = {0};
    parse_command_line(&argp, command, argc, argv, &s);
    bool good = solve(&s, &p);
    system_free(&p);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
