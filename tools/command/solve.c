/*
 * `startile solve`: solves a dense linear system from Matrix Market files.
 */
#include "command.h"
#include "dense.h"
#include "flops.h"
#include "matrix_market.h"
#include "measure.h"
#include "progress.h"
#include "scalar.h"
#include "trace.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "startile solve";

/* -- arguments ------------------------------------------------------------------------------ */

struct settings {
    const char *a_file, *b_file, *out_file, *trace_folder;
    bool precision_given;
    startile_dtype dtype;
    char uplo;
    int64_t nb; /* 0: the library's choice */
};

enum { KEY_METHOD = 256, KEY_PRECISION, KEY_UPLO, KEY_NB, KEY_OUT, KEY_TRACE };

static const struct argp_option options[] = {
    {"method", KEY_METHOD, "NAME", 0, "chol: Cholesky, for Hermitian positive definite A (default)",
     0},
    {"precision", KEY_PRECISION, "s|d|c|z", 0,
     "LAPACK's letter of the type to compute in (default: z when a file is complex, else d)", 0},
    {"uplo", KEY_UPLO, "L|U", 0, "triangle that the factorization works on (default: L)", 0},
    {"nb", KEY_NB, "N", 0, "rows and columns of a tile (default: chosen by the library)", 0},
    {"out", KEY_OUT, "FILE", 0, "write x as a Matrix Market array; only after success", 0},
    {"trace", KEY_TRACE, "FOLDER", 0, "write StarPU's execution trace there, for ViTE", 0},
    {0},
};

static const char doc[] =
    "Solves A x = b for a dense A from a Matrix Market file. Without b.mtx, b = A*1, so that the "
    "solution is all ones."
    "\v"
    "Files: coordinate and array; real, complex, integer, pattern (ones); general, symmetric, "
    "hermitian, skew-symmetric. Entries that name the same position are added up. A file that is "
    "malformed or too large for this machine is refused with its line number.\n\n"
    "Printed:\n"
    "  time               factorization and solution, from main memory and back\n"
    "  GFlop/s            operations (LAPACK Working Note 41) by that time\n"
    "  scaled residual    ||b-Ax||_1 / (n ||A||_1 ||x||_1 eps), good below 30\n"
    "  backward error     max over columns of\n"
    "                     ||b-Ax||_inf / (||A||_inf ||x||_inf + ||b||_inf)\n"
    "  forward error      max |x_i - 1|, where b = A*1\n"
    "The residual b-Ax is evaluated in extended precision; eps is the unit roundoff.\n\n"
    "A progress bar appears on a terminal after two seconds.";

static void set_precision(struct settings *s, const char *argument)
{
    if (strlen(argument) != 1 || !dtype_from_letter(*argument, &s->dtype))
        usage_error(command, "--precision %s: must be s, d, c or z", argument);
    s->precision_given = true;
}

static void set_uplo(struct settings *s, const char *argument)
{
    if (strcmp(argument, "L") && strcmp(argument, "U"))
        usage_error(command, "--uplo %s: must be L or U", argument);
    s->uplo = *argument;
}

static void add_file(struct settings *s, const char *argument)
{
    if (s->b_file)
        usage_error(command, "'%s': two files at most, A and b", argument);
    *(s->a_file ? &s->b_file : &s->a_file) = argument;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct settings *s = state->input;
    switch (key) {
    case KEY_METHOD:
        if (strcmp(argument, "chol"))
            usage_error(command, "--method %s: must be chol", argument);
        return 0;
    case KEY_PRECISION:
        set_precision(s, argument);
        return 0;
    case KEY_UPLO:
        set_uplo(s, argument);
        return 0;
    case KEY_NB:
        if (!parse_integer(argument, 1, INT32_MAX, &s->nb))
            usage_error(command, "--nb %s: must be an integer from 1 on", argument);
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
    case ARGP_KEY_NO_ARGS:
        usage_error(command, "a Matrix Market file is needed");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, "A.mtx [b.mtx]", doc, NULL, NULL, NULL};

/* -- the system ----------------------------------------------------------------------------- */

struct linear_system {
    startile_dtype dtype;
    int64_t n, nrhs, nb;
    char words[64]; /* of A's file */
    void *a;        /* n × n, overwritten by the factor and restored afterwards */
    void *diagonal; /* of A */
    void *b, *x;    /* n × nrhs */
};

static void free_system(struct linear_system *p)
{
    free(p->a);
    free(p->diagonal);
    free(p->b);
    free(p->x);
}

/* Room for count elements; one at least, so that NULL always means failure. */
static void *elements(startile_dtype dtype, int64_t count)
{
    void *memory = calloc(count ? (size_t)count : 1, dtype_size(dtype));
    if (!memory)
        report("no memory for %" PRId64 " elements", count);
    return memory;
}

static bool choose_precision(const struct settings *s, const struct mm_file *A,
                             const struct mm_file *B, startile_dtype *dtype)
{
    const struct mm_file *complex_file = A->field == MM_COMPLEX                ? A
                                         : s->b_file && B->field == MM_COMPLEX ? B
                                                                               : NULL;
    *dtype = s->precision_given ? s->dtype : complex_file ? STARTILE_Z : STARTILE_D;
    if (!complex_file || dtype_is_complex(*dtype))
        return true;
    report("%s: the file is complex, but --precision %c is real: use c or z", complex_file->path,
           dtype_letter(*dtype));
    return false;
}

static bool check_shapes(const struct settings *s, const struct mm_file *A, const struct mm_file *B)
{
    if (A->m != A->n)
        return mm_fail(A, "the matrix must be square, not %" PRId64 " x %" PRId64, A->m, A->n);
    if (s->b_file && B->m != A->n)
        return mm_fail(B, "b has %" PRId64 " rows, but %s has %" PRId64, B->m, A->path, A->n);
    return true;
}

/* The factorization reads one triangle only, so the other has to say the same. */
static bool check_hermitian(const struct linear_system *p, const char *file)
{
    int64_t i, j;
    if (dense_is_hermitian(p->dtype, p->n, p->a, &i, &j))
        return true;
    double _Complex lower = element_get(p->dtype, p->a, (size_t)(i + j * p->n));
    double _Complex upper = element_get(p->dtype, p->a, (size_t)(j + i * p->n));
    const char *word = dtype_is_complex(p->dtype) ? "Hermitian" : "symmetric";
    if (dtype_is_complex(p->dtype))
        report("%s: not %s, as Cholesky needs: (%" PRId64 ", %" PRId64 ") is %g%+gi and (%" PRId64
               ", %" PRId64 ") is %g%+gi",
               file, word, i + 1, j + 1, creal(lower), cimag(lower), j + 1, i + 1, creal(upper),
               cimag(upper));
    else
        report("%s: not %s, as Cholesky needs: (%" PRId64 ", %" PRId64 ") is %g and (%" PRId64
               ", %" PRId64 ") is %g",
               file, word, i + 1, j + 1, creal(lower), j + 1, i + 1, creal(upper));
    return false;
}

/* b := A·1, rounded once. */
static bool make_right_hand_side(struct linear_system *p)
{
    double _Complex *r = elements(STARTILE_Z, p->n);
    p->b = elements(p->dtype, p->n);
    p->x = elements(p->dtype, p->n);
    bool good = r && p->b && p->x;
    if (good) {
        for (int64_t i = 0; i < p->n; i++)
            element_set(p->dtype, p->x, (size_t)i, 1);
        dense_residual(p->dtype, p->n, 1, p->a, NULL, p->x, r);
        for (int64_t i = 0; i < p->n; i++)
            element_set(p->dtype, p->b, (size_t)i, -r[i]);
    }
    free(r);
    return good;
}

static bool copy_inputs(struct linear_system *p)
{
    p->diagonal = elements(p->dtype, p->n);
    if (!p->x)
        p->x = elements(p->dtype, p->n * p->nrhs);
    if (!p->diagonal || !p->x)
        return false;
    for (int64_t i = 0; i < p->n; i++)
        element_set(p->dtype, p->diagonal, (size_t)i,
                    element_get(p->dtype, p->a, (size_t)(i + i * p->n)));
    if (p->n && p->nrhs)
        memcpy(p->x, p->b, (size_t)p->n * (size_t)p->nrhs * dtype_size(p->dtype));
    return true;
}

static bool read_files(const struct settings *s, struct mm_file *A, struct mm_file *B,
                       struct linear_system *p)
{
    if (!check_shapes(s, A, B) || !choose_precision(s, A, B, &p->dtype))
        return false;
    p->n = A->n;
    p->nrhs = s->b_file ? B->n : 1;
    mm_words(A, p->words, sizeof p->words);
    if (!mm_read(A, p->dtype, 1, &p->a) || !check_hermitian(p, s->a_file))
        return false;
    /* b, x and the residual */
    if (s->b_file ? !mm_read(B, p->dtype, 4, &p->b) : !make_right_hand_side(p))
        return false;
    return copy_inputs(p);
}

static bool read_system(const struct settings *s, struct linear_system *p)
{
    struct mm_file A, B = {0};
    if (!mm_open(&A, s->a_file))
        return false;
    bool good = (!s->b_file || mm_open(&B, s->b_file)) && read_files(s, &A, &B, p);
    mm_close(&A);
    mm_close(&B);
    return good;
}

/* -- solving -------------------------------------------------------------------------------- */

static int64_t factor_and_solve(const struct settings *s, struct linear_system *p, double *seconds)
{
    startile_matrix *A = NULL, *X = NULL;
    int64_t ld = p->n > 1 ? p->n : 1;
    double start = now_seconds();
    int64_t outcome = startile_matrix_wrap(&A, p->dtype, p->n, p->n, p->a, ld, s->nb, s->nb);
    p->nb = startile_matrix_shape(A).nb;
    if (!outcome)
        outcome = startile_matrix_wrap(&X, p->dtype, p->n, p->nrhs, p->x, ld, p->nb, p->nb);
    if (!outcome)
        outcome = startile_posv(s->uplo, A, X);
    /* Brings the results home. */
    startile_matrix_destroy(A);
    startile_matrix_destroy(X);
    *seconds = now_seconds() - start;
    return outcome;
}

/* Page-locks the storage where that helps and can be had; transfers work without too. */
static void pin(bool on, void *memory, int64_t count, startile_dtype dtype)
{
    size_t bytes = (size_t)count * dtype_size(dtype);
    if (memory && bytes)
        (void)(on ? startile_pin(memory, bytes) : startile_unpin(memory, bytes));
}

static int64_t run_library(const struct settings *s, struct linear_system *p, double *seconds)
{
    startile_options o;
    startile_options_default(&o);
    o.pause_when_idle = 1;
    int64_t outcome = startile_init(&o);
    if (outcome)
        return outcome;
    pin(true, p->a, p->n * p->n, p->dtype);
    pin(true, p->x, p->n * p->nrhs, p->dtype);
    progress_start("solving");
    outcome = factor_and_solve(s, p, seconds);
    progress_stop();
    pin(false, p->x, p->n * p->nrhs, p->dtype);
    pin(false, p->a, p->n * p->n, p->dtype);
    startile_finalize();
    return outcome;
}

/* -- what came out -------------------------------------------------------------------------- */

struct errors {
    double scaled_residual, backward, forward;
};

static bool find_errors(const struct settings *s, struct linear_system *p, struct errors *e)
{
    double _Complex *r = elements(STARTILE_Z, p->n * p->nrhs);
    if (!r)
        return false;
    dense_restore(s->uplo, p->dtype, p->n, p->a, p->diagonal);
    dense_residual(p->dtype, p->n, p->nrhs, p->a, p->b, p->x, r);
    /* ‖A‖∞ = ‖A‖₁ */
    double a = dense_norm1(p->dtype, p->n, p->n, p->a);
    double x = dense_norm1(p->dtype, p->n, p->nrhs, p->x);
    double scale = (double)p->n * a * x * dtype_unit_roundoff(p->dtype);
    double residual = dense_norm1(STARTILE_Z, p->n, p->nrhs, r);
    *e = (struct errors){residual > 0 ? residual / scale : residual, 0, 0};
    for (int64_t k = 0; k < p->nrhs; k++) {
        double ri = dense_column_max(STARTILE_Z, p->n, r, k);
        double size = a * dense_column_max(p->dtype, p->n, p->x, k) +
                      dense_column_max(p->dtype, p->n, p->b, k);
        e->backward = ri > 0 || isnan(ri) ? fmax(e->backward, ri / size) : e->backward;
    }
    for (int64_t i = 0; i < p->n && !s->b_file; i++)
        e->forward = fmax(e->forward, cabs(element_get(p->dtype, p->x, (size_t)i) - 1));
    free(r);
    return true;
}

static void print_result(const struct settings *s, const struct linear_system *p,
                         const struct errors *e, double seconds)
{
    double flops =
        flops_potrf(p->dtype, (double)p->n) + flops_potrs(p->dtype, (double)p->n, (double)p->nrhs);
    printf("matrix                  %s: %s, n = %" PRId64 "\n", s->a_file, p->words, p->n);
    printf("right-hand sides        %" PRId64 ", %s\n", p->nrhs, s->b_file ? s->b_file : "b = A*1");
    printf("method                  Cholesky (%cposv), uplo %c\n", dtype_letter(p->dtype), s->uplo);
    printf("precision               %c (%s)\n", dtype_letter(p->dtype), dtype_words(p->dtype));
    printf("tile                    nb = %" PRId64 "%s\n", p->nb, s->nb ? "" : " (chosen)");
    printf("time                    %.4g s\n", seconds);
    printf("GFlop/s                 %.4g\n", flops / seconds * 1e-9);
    printf("scaled residual         %.3g\n", e->scaled_residual);
    printf("backward error          %.3g\n", e->backward);
    if (!s->b_file)
        printf("forward error           %.3g\n", e->forward);
}

static bool write_solution(const struct settings *s, const struct linear_system *p)
{
    char comment[64];
    snprintf(comment, sizeof comment, "solution of A x = b by startile %s", startile_version());
    if (!mm_write(s->out_file, comment, p->dtype, p->n, p->nrhs, p->x))
        return false;
    printf("solution                %s\n", s->out_file);
    return true;
}

static bool explain_failure(const struct settings *s, int64_t outcome)
{
    if (outcome > 0)
        report("%s: not positive definite: the leading minor of order %" PRId64 " is not positive",
               s->a_file, outcome);
    else
        report("%s: %s", s->a_file, startile_strerror(outcome));
    return false;
}

static bool solve(const struct settings *s, struct linear_system *p)
{
    double seconds = 0;
    struct errors e;
    if (s->out_file && !mm_can_write(s->out_file))
        return false;
    if (!read_system(s, p) || (s->trace_folder && !trace_begin(s->trace_folder)))
        return false;
    int64_t outcome = run_library(s, p, &seconds);
    if (outcome)
        return explain_failure(s, outcome);
    if (!find_errors(s, p, &e))
        return false;
    print_result(s, p, &e, seconds);
    if (!(e.scaled_residual < 30)) {
        report("%s: the residual is too large", s->a_file);
        return false;
    }
    if (s->out_file && !write_solution(s, p))
        return false;
    return !s->trace_folder || trace_end(s->trace_folder);
}

int solve_command(int argc, char **argv)
{
    struct settings s = {.uplo = 'L', .dtype = STARTILE_D};
    struct linear_system p = {0};
    parse_command_line(&argp, command, argc, argv, &s);
    bool good = solve(&s, &p);
    free_system(&p);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
