#include "check.h"
#include "reference.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

enum backend backend = CPU;
startile_dtype dtype = STARTILE_D;
bool with_vendor = false;

/* -- crashes --------------------------------------------------------------------------------
 * cmocka's handler of these signals jumps into the test. A crash in another thread then ends the
 * program without a message, and the report of a sanitizer is lost.
 */

static char case_text[512]; /* in_case() */

enum { CRASHES = 4 };
static const int crash_signals[CRASHES] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
/* those before cmocka's: of a sanitizer, or none */
static struct sigaction first_handlers[CRASHES];

static void keep_crash_handlers(void)
{
    for (int i = 0; i < CRASHES; i++)
        sigaction(crash_signals[i], NULL, &first_handlers[i]);
}

/* Prints the case. The instruction that crashed then runs again, with the first handler. */
static void report_crash(int signal)
{
    static const char before[] = "crash in case: ";
    ssize_t written = write(STDERR_FILENO, before, sizeof before - 1);
    written = write(STDERR_FILENO, case_text, strlen(case_text));
    written = write(STDERR_FILENO, "\n", 1);
    (void)written;
    for (int i = 0; i < CRASHES; i++)
        if (crash_signals[i] == signal)
            sigaction(signal, &first_handlers[i], NULL);
}

static void set_crash_handlers(void)
{
    const struct sigaction handler = {.sa_handler = report_crash};
    for (int i = 0; i < CRASHES; i++)
        sigaction(crash_signals[i], &handler, NULL);
}

/* -- the program ----------------------------------------------------------------------------- */

_Noreturn void check_skip(const char *why)
{
    printf("skipped: %s\n", why);
    exit(SKIPPED);
}

startile_options check_options(void)
{
    startile_options o;
    startile_options_default(&o, sizeof o);
    if (backend == CPU)
        o.ncuda = 0;
    if (backend == GPU)
        o.ncpu = 0;
    o.hybrid = backend == HYBRID ? 2 : 0; /* whatever the models say */
    o.map_files = getenv("STARTILE_TEST_MAP") != NULL;
    return o;
}

bool is_left_to_other_types(int case_index)
{
    static const int third[] = {
        [STARTILE_S] = 0, [STARTILE_D] = 1, [STARTILE_C] = 1, [STARTILE_Z] = 2};
    return backend == CPU && case_index % 3 != third[dtype];
}

bool is_left_out(int case_index)
{
    return backend == CPU ? is_left_to_other_types(case_index) : case_index % 7 != 0;
}

/* Returns true if the started library has workers of every kind that the backend needs. */
static bool has_workers(void)
{
    return (backend == GPU || startile_cpu_workers() > 0) &&
           (backend == CPU || startile_cuda_workers() > 0);
}

/* Makes the reference routines single-threaded if they are OpenBLAS's, because its threads would
 * spin and slow the workers down. */
static void limit_reference_threads(void)
{
    void (*set_threads)(int);
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set_threads != NULL)
        set_threads(1);
}

/* Returns the index of `word` in `words`, or −1. */
static int index_of(const char *word, const char *const words[], int count)
{
    for (int w = 0; w < count; w++)
        if (strcmp(word, words[w]) == 0)
            return w;
    return -1;
}

static void read_arguments(int argc, char **argv)
{
    enum { VENDOR = 3 };
    static const char *const backends[] = {"cpu", "gpu", "hybrid", "vendor"};
    static const char *const types[] = {"s", "d", "c", "z"};
    int b = argc > 1 ? index_of(argv[1], backends, 4) : -1;
    int t = argc > 2 ? index_of(argv[2], types, 4) : STARTILE_D;
    if (b < 0 || t < 0) {
        fprintf(stderr, "usage: %s cpu|gpu|hybrid|vendor [s|d|c|z [FILTER]]\n", argv[0]);
        exit(2);
    }
    with_vendor = b == VENDOR;
    backend = with_vendor ? GPU : (enum backend)b;
    dtype = (startile_dtype)t;
    if (argc > 3)
        cmocka_set_test_filter(argv[3]);
    keep_crash_handlers();
    limit_reference_threads();
}

/* Starts and stops the library. Returns whether it had the backend's workers. */
static bool finds_workers(void)
{
    startile_options o = check_options();
    bool started = startile_init(&o) == 0;
    bool found = started && has_workers();
    if (started)
        startile_finalize();
    return found;
}

/* Unless the backend is CPU, looks for its workers in a child process: once this process has used
 * CUDA, children that it forks could not use CUDA. */
void check_arguments(int argc, char **argv)
{
    read_arguments(argc, argv);
    if (backend == CPU)
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(finds_workers() ? 0 : 1);
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        check_skip("no CUDA worker here");
}

void check_start(int argc, char **argv)
{
    read_arguments(argc, argv);
    startile_options o = check_options();
    o.pause_when_idle = 1;
    int status = startile_init(&o);
    if (status == 0 && has_workers())
        return;
    if (status == 0)
        startile_finalize();
    if (backend != CPU)
        check_skip("no CUDA worker here");
    fprintf(stderr, "startile_init: %s\n", startile_strerror(status));
    exit(1);
}

int check_finish(int failed)
{
    startile_finalize();
    return failed != 0;
}

/* -- failing --------------------------------------------------------------------------------- */

void in_case(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(case_text, sizeof case_text, format, args);
    va_end(args);
    set_crash_handlers();
}

void require_at(bool condition, const char *text, const char *file, int line)
{
    if (!condition) {
        print_error("in case: %s\n", case_text);
        _assert_true(0, text, file, line);
    }
}

void require_below_at(double value, double bound, const char *text, const char *file, int line)
{
    if (!(value < bound)) {
        print_error("in case: %s\n%s = %g, not below %g\n", case_text, text, value, bound);
        _assert_true(0, text, file, line);
    }
}

void require_info_at(int64_t value, int64_t expected, const char *text, const char *file, int line)
{
    if (value != expected) {
        print_error("in case: %s\n%s = %lld (%s), expected %lld\n", case_text, text,
                    (long long)value, startile_strerror(value), (long long)expected);
        _assert_true(0, text, file, line);
    }
}

void require_message_at(int64_t value, int64_t code, const char *words, const char *text,
                        const char *file, int line)
{
    require_info_at(value, code, text, file, line);
    const char *message = startile_strerror(code);
    if (strstr(message, words) == NULL) {
        print_error("in case: %s\n%s: the message '%s' has no '%s'\n", case_text, text, message,
                    words);
        _assert_true(0, text, file, line);
    }
}

/* -- residuals ------------------------------------------------------------------------------- */

enum { BOUND = 30, SLACK = 2, LEAST_ROUNDINGS = 16 };

/* Largest values since the last report. `ratio` includes only cases in which LAPACK's residual is
 * above half a roundoff of the norm. */
static struct {
    double residual, componentwise, ratio;
    char ratio_case[sizeof case_text];
} worst;

double unit_roundoff(startile_dtype type)
{
    return type == STARTILE_S || type == STARTILE_C ? 0x1p-24 : 0x1p-53;
}

struct array full_hermitian(char uplo, struct array T)
{
    struct array A = array_copy(T);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i <= j; i++) {
            startile_complex v = uplo == 'U' ? get(T, i, j) : conj(get(T, j, i));
            set(A, i, j, i == j ? creal(v) : v);
            set(A, j, i, i == j ? creal(v) : conj(v));
        }
    return A;
}

/* Returns A − LLᴴ or A − UᴴU, computed in A's type. */
static struct array factor_residual(char uplo, struct array A, struct array factor)
{
    struct array T = array_new(A.dtype, A.n, A.n, 0), R = array_new(A.dtype, A.n, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++) {
            bool stored = uplo == 'L' ? i >= j : i <= j;
            set(T, i, j, stored ? get(factor, i, j) : 0);
            set(R, i, j, get(A, i, j));
        }
    lapack(R)->gemm(uplo == 'L' ? 'N' : 'C', uplo == 'L' ? 'C' : 'N', -1, T, T, 1, R);
    array_free(T);
    return R;
}

/* Returns max |R|_ij / (√(a_ii a_jj) n eps). */
static double componentwise_residual(struct array A, struct array R)
{
    double largest = 0;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++) {
            double scale = sqrt(creal(get(A, i, i))) * sqrt(creal(get(A, j, j)));
            double r = cabs(get(R, i, j)) / scale;
            largest = r > largest || isnan(r) ? r : largest;
        }
    return largest / ((double)A.n * unit_roundoff(A.dtype));
}

/*
 * Returns the number of roundings of the norm by which a residual may exceed a multiple of
 * LAPACK's.
 *
 * To first order ‖B − AX‖₁ is at most c eps ‖A‖₁ ‖X‖₁ where factors do not grow (Higham 2002,
 * theorems 9.4 and 10.4). c counts the rounding errors in one element: n + 1 of the factorization,
 * n of each substitution, or 2n + 1 where it multiplies by inverses of diagonal blocks, and n + 1
 * of the residual itself. That is at most 6n + 4: 10 for n = 1, 16 for n = 2. A factorization or an
 * inverse alone has fewer. LAPACK's residual may be 0 by luck when n is small; then no multiple of
 * it is a bound.
 *
 * For larger n the c errors are hardly ever all largest and of one sign: their sum grows as √c
 * (Higham and Mary 2019), and LAPACK's residual is no longer 0. Above n = 64 SLACK √n exceeds
 * LEAST_ROUNDINGS. A complex inner product of length n counts as a real one of length 2n.
 */
static double slack(int64_t n)
{
    bool is_complex = dtype == STARTILE_C || dtype == STARTILE_Z;
    return fmax(LEAST_ROUNDINGS, SLACK * sqrt((is_complex ? 2.0 : 1.0) * (double)n));
}

double residual_bound(double lapacks, double times, int64_t n, double unit)
{
    /* growth of the factors relative to the matrix, which `unit` contains; theoretical bounds of
     * the residual are proportional to it */
    double growth = fmax(1, (double)n * unit);
    double absolute = BOUND * growth, relative = INFINITY;
    if (isfinite(times))
        relative = times * lapacks + slack(n) * unit;
    return lapacks < absolute ? fmin(absolute, relative) : relative;
}

void check_residual(double ours, double lapacks, double times, int64_t n, double unit)
{
    double ratio = ours / lapacks;
    worst.residual = fmax(worst.residual, ours);
    if (lapacks > unit / 2 && ratio > worst.ratio) {
        worst.ratio = ratio;
        strcpy(worst.ratio_case, case_text);
    }
    require_below(ours, residual_bound(lapacks, times, n, unit));
}

void check_componentwise(double ours)
{
    worst.componentwise = fmax(worst.componentwise, ours);
    require_below(ours, BOUND);
}

void check_factor(char uplo, struct array A, struct array factor, int64_t k)
{
    if (k == 0)
        return;
    A = array_part(A, 0, 0, k, k);
    double unit = 1 / (double)k;
    double scale = (double)k * lapack(A)->lange('1', A) * unit_roundoff(A.dtype);
    struct array reference_factor = array_new(A.dtype, k, k, 0);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < k; i++)
            set(reference_factor, i, j, get(A, i, j));
    require_info(lapack(A)->potrf(uplo, reference_factor), 0);

    struct array R = factor_residual(uplo, A, factor);
    struct array reference_R = factor_residual(uplo, A, reference_factor);
    double ours = lapack(R)->lange('1', R) / scale;
    double lapacks = lapack(R)->lange('1', reference_R) / scale;
    double componentwise = componentwise_residual(A, R);
    arrays_free(reference_factor, reference_R, R);

    check_residual(ours, lapacks, 2, k, unit);
    check_componentwise(componentwise);
}

double solution_residual(struct array A, struct array X, struct array B)
{
    struct array R = array_copy(B);
    lapack(A)->gemm('N', 'N', -1, A, X, 1, R);
    double residual =
        lapack(R)->lange('1', R) / ((double)A.n * lapack(A)->lange('1', A) *
                                    lapack(X)->lange('1', X) * unit_roundoff(A.dtype));
    array_free(R);
    return residual;
}

void check_solution_grown(struct array A, struct array X, struct array lapack_X, struct array B,
                          double growth)
{
    if (A.n == 0 || B.n == 0)
        return;
    check_residual(solution_residual(A, X, B), solution_residual(A, lapack_X, B), 2, A.n,
                   growth / (double)A.n);
}

void check_solution(struct array A, struct array X, struct array lapack_X, struct array B)
{
    check_solution_grown(A, X, lapack_X, B, 1);
}

void check_near_in(char uplo, struct array X, struct array Y, double bound)
{
    double largest = 0;
    for (int64_t j = 0; j < X.n; j++)
        for (int64_t i = 0; i < X.m; i++) {
            bool compared = uplo == 'G' || (uplo == 'L' ? i >= j : i <= j);
            double difference = compared ? cabs(get(X, i, j) - get(Y, i, j)) : 0;
            largest = difference > largest || isnan(difference) ? difference : largest;
        }
    double tolerance = bound * unit_roundoff(X.dtype);
    require_below(largest, tolerance > 0 ? tolerance : 0x1p-1000);
}

void check_near(struct array X, struct array Y, double bound)
{
    check_near_in('G', X, Y, bound);
}

double inverse_residual(struct array A, struct array X)
{
    struct array R = array_new_identity(A.dtype, A.n, A.n);
    lapack(A)->gemm('N', 'N', -1, A, X, 1, R);
    double norm = lapack(R)->lange('1', R);
    array_free(R);
    return norm / ((double)A.n * lapack(A)->lange('1', A) * lapack(X)->lange('1', X) *
                   unit_roundoff(A.dtype));
}

double product_bound(int64_t k, startile_complex alpha, startile_complex beta)
{
    /* products of elements have magnitudes of at most 2, elements of C of at most √2 < 1.5 */
    return 2 * (double)(k + 2) * (2 * (double)k * cabs(alpha) + 1.5 * cabs(beta));
}

void check_report(const char *title)
{
    printf("%-30s residual %.3g", title, worst.residual);
    if (worst.componentwise > 0)
        printf(", componentwise %.3g", worst.componentwise);
    if (worst.ratio > 0)
        printf(", %.2f × LAPACK's (%s)", worst.ratio, worst.ratio_case);
    printf("\n");
    memset(&worst, 0, sizeof worst);
}
