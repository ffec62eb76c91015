/*
 * `startile solve`: solves a dense linear system, or a least squares problem, from Matrix Market
 * files.
 */
#include "solve.h"
#include "command.h"
#include "matrix_market.h"
#include "options.h"
#include "scalar.h"
#include "startile_mixed.h"
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "startile solve";

/* -- arguments ------------------------------------------------------------------------------ */

#define FIELD(member) .field = offsetof(struct solve_settings, member)

static const struct option_row options[] = {
    {"method", "auto|chol|ldl|lu|qr|qrcp",
     "chol: Cholesky, for Hermitian positive definite A; ldl: LDL with pivots of Bunch and "
     "Kaufman, for Hermitian or symmetric A; lu: LU with partial pivoting, for any square A; qr: "
     "QR, for any A: least squares where it has more rows than columns, the solution of least norm "
     "where it has fewer; qrcp: QR with column pivoting, for A of any shape and rank: the "
     "least-squares solution of least norm; auto: QR if A is not square, else Cholesky if A is "
     "Hermitian with a positive diagonal, LDL where Cholesky finds A not positive definite and for "
     "other Hermitian or symmetric A, LU otherwise and in the place of LDL with --mixed, and "
     "qrcp where LDL, LU or QR finds no solution (default)",
     OPTION_WORD, FIELD(method)},
    {"refine", "N",
     "steps of iterative refinement after Cholesky, LDL and LU, 0 to 10 (default: 0); after "
     "Cholesky and LDL an odd N counts as N + 1",
     OPTION_INT64, FIELD(refine), 0, 10},
    {"mixed", NULL,
     "factor A, which must not be wide, in single precision and refine x to double precision; "
     "where that does not converge, factor in double precision",
     OPTION_FLAG, FIELD(mixed)},
    {"random", "N|MxN",
     "instead of a file: A of order N, or with M rows and N columns, random in [-1, 1)",
     OPTION_TEXT, FIELD(random)},
    {"precision", "s|d|c|z",
     "LAPACK's letter of the type to compute in (default: z when a file is complex, else d)",
     OPTION_WORD, FIELD(dtype), .given = offsetof(struct solve_settings, precision_given)},
    {"uplo", "L|U", "triangle that Cholesky and LDL work on (default: L)", OPTION_WORD,
     FIELD(upper)},
    {"nb", "N",
     "columns of a tile; for Cholesky and LDL also rows (default: chosen by the library)",
     OPTION_INT64, FIELD(nb), 1, INT32_MAX},
    {"resume", "FILE",
     "keep the factors in FILE, with a journal in FILE.journal and a line about the problem in "
     "FILE.problem: after a kill the same command continues the factorization; the files, at first "
     "also FILE.new, are removed at the end; needs --method chol or lu",
     OPTION_TEXT, FIELD(resume_file)},
    {"all", NULL, "print all elements of x, not only the first ones", OPTION_FLAG, FIELD(all)},
    {"out", "FILE",
     "write x as a Matrix Market array, only after success; -: to the standard output, and all "
     "else to the standard error",
     OPTION_TEXT, FIELD(out_file)},
    {"trace", "FOLDER", "write StarPU's execution trace there, and a picture of it", OPTION_TEXT,
     FIELD(trace_folder)},
    {.name = NULL},
};

static const char doc[] =
    "Solves A x = b for a dense A from a Matrix Market file, or a random one; where A is not "
    "square, in the sense of least squares, or with the least norm. Without b.mtx, b = A*1, so "
    "that the solution is all ones, unless A has fewer rows than columns.\v"
    "Files: plain or compressed by gzip; - is the standard input. Coordinate and array; real, "
    "complex, integer, pattern (ones); general, symmetric, hermitian, skew-symmetric. Exponents as "
    "in C or Fortran (1.0D+00). Entries at the same position are added up. A file that is "
    "malformed or too large for this machine is refused with its line number.\n\n"
    "Printed:\n"
    "  method             the factorization, and for auto the reason\n"
    "  rank               after qrcp: order of R's largest leading triangle with an\n"
    "                     estimated 1/condition of at least 2 max(m,n) eps\n"
    "  refinement         steps of refinement; after Cholesky and LDL also an estimate of\n"
    "                     ||x-A^-1 b||_inf / ||x||_inf\n"
    "  time               factorization and solution, from main memory and back\n"
    "  GFlop/s            operations (LAPACK Working Note 41) by that time\n"
    "  scaled residual    ||b-Ax||_1 / (max(m,n) ||A||_1 ||x||_1 eps), good below\n"
    "                     30; but for least squares (m > n, or a rank below m)\n"
    "  residual norm      max over columns of ||b-Ax||_2, and\n"
    "  normal equations   ||A^H(b-Ax)||_F / (max(m,n) ||A||_F (||A||_F ||x||_F +\n"
    "                     ||b-Ax||_F) eps), good below 30\n"
    "  backward error     max over columns of\n"
    "                     ||b-Ax||_inf / (||A||_inf ||x||_inf + ||b||_inf)\n"
    "  condition number   1-norm, estimated after Cholesky, LDL and LU as LAPACK's\n"
    "                     pocon, sycon and gecon do; there is a warning when it is above 1/eps.\n"
    "                     After QR, that of R; QR finds no solution when it is above\n"
    "                     1/(4 eps). After qrcp, that of R's leading triangle\n"
    "  forward error      max |x_i - 1|, where b = A*1 and the rank is n\n"
    "  x(1:4)             elements of x; of several right-hand sides x(row, columns)\n"
    "With --mixed also the arithmetic of the factorization, the steps of refinement, and\n"
    "  certificate        backward error by rows, max |b-Ax|_i / (sum_j |a_ij| ||x||_inf);\n"
    "                     max |b-Ax|_i / (|A||x|+|b|)_i; an estimate of\n"
    "                     ||x-A^-1 b||_inf / ||x||_inf. Least squares: the backward error\n"
    "                     of startile_gels_mixed, and an estimate\n"
    "instead of the condition number.\n"
    "The residual b-Ax is evaluated in extended precision; eps is the unit roundoff.\n\n"
    "A progress bar appears on a terminal after two seconds, with the estimated time that remains. "
    "Exit code 1 for a singular or rank-deficient A with --method chol, ldl, lu or qr or with "
    "--mixed, a residual of 30 or more, and any other failure.";

/* Takes the first file as A, the second as b. */
static void add_file(void *settings, const char *argument)
{
    struct solve_settings *s = settings;
    if (s->b_file)
        usage_error(command, "'%s': two files at most, A and b", argument);
    if (s->a_file && !strcmp(s->a_file, argument) && !strcmp(argument, "-"))
        usage_error(command, "'-': A and b cannot both be the standard input");
    *(s->a_file ? &s->b_file : &s->a_file) = argument;
}

/* Sets the shape from the value of --random, "N" or "MxN". */
static void set_random(struct solve_settings *s)
{
    bool is_square = parse_integer(s->random, 1, INT32_MAX, &s->random_m);
    if (is_square)
        s->random_n = s->random_m;
    else if (!parse_shape(s->random, INT32_MAX, &s->random_m, &s->random_n))
        usage_error(command, "--random %s: must be N or MxN, integers from 1 to %d", s->random,
                    INT32_MAX);
}

/* Ends the program if the options and files do not fit together. */
static void check_arguments(const struct solve_settings *s)
{
    bool takes_any_shape = s->method >= METHOD_QR || s->method == METHOD_AUTO;
    if (!s->a_file && !s->random_n)
        usage_error(command, "a Matrix Market file or --random is needed");
    if (s->a_file && s->random_n)
        usage_error(command, "'%s': --random takes no file", s->a_file);
    if (s->random_m != s->random_n && !takes_any_shape)
        usage_error(command,
                    "--random %" PRId64 "x%" PRId64
                    ": must be square unless --method is qr, qrcp or auto",
                    s->random_m, s->random_n);
    if (s->refine && s->method >= METHOD_QR)
        usage_error(command, "--refine: only after Cholesky, LDL and LU");
    if (s->mixed && (s->method == METHOD_QRCP || s->method == METHOD_LDL))
        usage_error(command, "--mixed: not with --method %s",
                    s->method == METHOD_LDL ? "ldl" : "qrcp");
    if (s->mixed && s->random_m < s->random_n)
        usage_error(command, "--mixed: A must have at least as many rows as columns");
    if (s->mixed && s->refine)
        usage_error(command, "--refine: --mixed refines until x has double precision");
    if (s->resume_file && s->method != METHOD_CHOLESKY && s->method != METHOD_LU)
        usage_error(command, "--resume: needs --method chol or lu");
    if (s->resume_file && (s->mixed || s->refine))
        usage_error(command, "--resume: not with --%s, which needs A besides its factors",
                    s->mixed ? "mixed" : "refine");
    if (s->mixed && s->precision_given && dtype_is_single(s->dtype))
        usage_error(command, "--mixed: --precision must be d or z");
}

/* Ends messages about a matrix whose solution is not determined. */
static const char hint[] =
    "; --method qrcp finds its numerical rank and the solution of least norm";

/* -- solution ------------------------------------------------------------------------------- */

static bool write_solution(const struct solve_settings *s, const struct linear_system *p)
{
    char comment[64];
    snprintf(comment, sizeof comment, "solution of A x = b by startile %s", startile_version());
    if (s->out_stream) {
        if (mm_print(s->out_stream, comment, p->dtype, p->n, p->nrhs, p->x))
            return true;
        report("standard output: %s", strerror(errno));
        return false;
    }
    if (!mm_write(s->out_file, comment, p->dtype, p->n, p->nrhs, p->x))
        return false;
    printf("solution                %s\n", s->out_file);
    return true;
}

/* Returns a number, or "?" for −1. */
static const char *number_or_unknown(char text[24], int64_t number)
{
    snprintf(text, 24, "%" PRId64, number);
    return number < 0 ? "?" : text;
}

/* Reports silent corruption, and where it is as far as that is known. */
static void report_corruption(const char *name)
{
    startile_corruption c;
    char row[24], column[24];
    if (startile_request_corruption(NULL, &c) != 1)
        report("%s: %s", name, startile_strerror(STARTILE_ERROR_CORRUPTION));
    else
        report("%s: silent corruption: the result of %s is wrong, first in tile (%s, %s): a bit "
               "flipped, or a computation or transfer failed",
               name, c.routine, number_or_unknown(row, c.row), number_or_unknown(column, c.column));
}

/* Reports why there is no solution. outcome: result of run_library(). Returns false. */
static bool explain_failure(const struct solve_settings *s, const struct solution *solution,
                            int64_t outcome)
{
    const char *name = matrix_name(s);
    bool is_lu = solution->method == METHOD_LU, is_square = is_lu || solution->method == METHOD_LDL;
    if (outcome == STARTILE_ERROR_CORRUPTION)
        report_corruption(name);
    else if (outcome < 0)
        report("%s: %s", name, resume_strerror(&s->resume, outcome));
    else if (outcome == 0)
        report("%s: rank-deficient to working precision: 1/cond(R) = %.2g; the solution is not "
               "determined%s",
               name, solution->rcond, hint);
    else if (solution->method == METHOD_CHOLESKY)
        report("%s: not positive definite: the leading minor of order %" PRId64
               " is not positive; --method %s",
               name, outcome,
               s->mixed ? "lu takes any square matrix"
                        : "ldl takes any Hermitian or symmetric matrix");
    else
        report("%s: %s(%" PRId64 ", %" PRId64 ") of its %s factorization is exactly zero (info "
               "%" PRId64 ")%s",
               name,
               is_lu       ? "singular: U"
               : is_square ? "singular: D"
                           : "rank-deficient: R",
               outcome, outcome,
               is_lu       ? "LU"
               : is_square ? "LDL"
                           : "QR",
               outcome, hint);
    return false;
}

/* Prints the result. Warns if rcond < eps, as LAPACK's xGESVX and xPOSVX do. Returns whether the
 * residual is small. */
static bool print_and_check(const struct solve_settings *s, const struct linear_system *p,
                            const struct solution *solution, const struct errors *e)
{
    const double limit = 30; /* of scaled residuals: see CONTRIBUTING.md, Correctness */
    print_result(s, p, solution, e);
    if (solution->rcond < dtype_unit_roundoff(p->dtype))
        report("%s: warning: singular to working precision (rcond %.3g): x may have no correct "
               "digit%s",
               matrix_name(s), solution->rcond, solution->method == METHOD_QRCP ? "" : hint);
    if (e->scaled_residual < limit)
        return true;
    report("%s: the residual%s is too large", matrix_name(s),
           is_least_squares(p, solution) ? " of the normal equations" : "");
    return false;
}

/* Requires that files of an interrupted run are of this matrix and method. */
static bool check_problem(const struct solve_settings *s, const struct linear_system *p)
{
    char text[128];
    size_t bytes = (size_t)(p->m * p->n) * dtype_size(p->dtype);
    if (!s->resume.file)
        return true;
    snprintf(text, sizeof text,
             "solve --method %s --uplo %c, precision %c, %" PRId64 " x %" PRId64 ", CRC-32 %08lx",
             s->method == METHOD_LU ? "lu" : "chol", s->uplo, dtype_letter(p->dtype), p->m, p->n,
             crc32_z(0, p->a, bytes));
    return resume_check_problem(&s->resume, text) == 0;
}

/* Prepares the output of x: for "-", keeps the standard output for x, and prints all else on the
 * standard error. Reports a failure. */
static bool prepare_output(struct solve_settings *s)
{
    if (!s->out_file || strcmp(s->out_file, "-"))
        return !s->out_file || mm_can_write(s->out_file);
    int descriptor = dup(STDOUT_FILENO);
    s->out_stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (s->out_stream && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return true;
    report("standard output: %s", strerror(errno));
    return false;
}

/* Reads the system, solves it, and prints and writes the results. Returns false if one of these
 * fails or the residual is too large. */
static bool solve(struct solve_settings *s, struct linear_system *p)
{
    struct solution solution;
    struct errors e;
    startile_options o;
    if (!prepare_output(s) || !resume_begin(&s->resume, s->resume_file))
        return false;
    if (!system_read(s, p) || !check_problem(s, p) ||
        (s->trace_folder && !prepare_trace_folder(s->trace_folder)))
        return false;
    if (s->mixed && p->m < p->n) {
        report("%s: --mixed: must have at least as many rows as columns", matrix_name(s));
        return false;
    }
    startile_options_default(&o, sizeof o);
    o.trace = s->trace_folder;
    int64_t outcome = run_library(s, &o, p, &solution);
    if (outcome || is_rank_deficient(p, &solution))
        return explain_failure(s, &solution, outcome);
    if (!find_errors(s, p, &solution, &e) || !print_and_check(s, p, &solution, &e) ||
        (s->out_file && !write_solution(s, p)))
        return false;
    resume_end(&s->resume);
    return !s->trace_folder || trace_list_files(s->trace_folder, stdout);
}

int solve_command(int argc, char **argv)
{
    static const struct command_options command_options = {
        command, "A.mtx [b.mtx]\n--random N|MxN", doc, options, add_file, NULL};
    struct solve_settings s = {.dtype = STARTILE_D};
    struct linear_system p = {0};
    parse_options(&command_options, argc, argv, &s);
    s.uplo = "LU"[s.upper];
    if (s.random)
        set_random(&s);
    check_arguments(&s);
    bool good = solve(&s, &p);
    system_free(&p);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
