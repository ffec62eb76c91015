/*
 * Tests libstartile_lapack in a program linked with its own LAPACK, here one without most routines:
 * which of startile, the program's LAPACK and the machine's LAPACK gets a call. Every case runs in
 * a new process, because the drop-in searches for LAPACK only once.
 */
#define _GNU_SOURCE
#include "dropin_fake.h"
#include "models/model.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void dtrtri_(const char *uplo, const char *diag, const int32_t *n, double *a, const int32_t *lda,
             int32_t *info, size_t uplo_length, size_t diag_length);

/* Requires `body` to return true in a child process. alarm() ends a child that hangs. */
static void require_child(bool (*body)(void))
{
    enum { SECONDS = 60 };
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        exit(body() ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Factors 4 I of order n. Returns INFO; *root := an element of the factor's diagonal, 2, or 4 if
 * the matrix was not factored. */
static int32_t factor(int32_t n, double *root)
{
    int32_t info = -77;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    for (int32_t i = 0; a != NULL && i < n; i++)
        a[i * (n + 1)] = 4;
    if (a != NULL)
        dpotrf_("L", &n, a, &n, &info, 1);
    *root = a != NULL ? a[0] : 0;
    free(a);
    return info;
}

/* Returns whether dtrtri inverts a triangle of order 1. */
static bool inverts(void)
{
    const int32_t one = 1;
    int32_t info = -77;
    double a = 2;
    dtrtri_("L", "N", &one, &a, &one, &info, 1, 1);
    return info == 0 && a == 0.5;
}

/* Returns whether the program's LAPACK gets a call below STARTILE_LAPACK_MIN. */
static bool program_gets_small(void)
{
    double root;
    return factor(3, &root) == FAKE && root == 4;
}

/* Returns whether startile gets a call from STARTILE_LAPACK_MIN on. */
static bool startile_gets_large(void)
{
    double root;
    return factor(60, &root) == 0 && root == 2;
}

/* Returns whether the machine's LAPACK gets dtrtri, which the program's LAPACK lacks. */
static bool machine_gets_others(void)
{
    setenv("STARTILE_LAPACK_MIN", "1000000", 1);
    return inverts() && program_gets_small();
}

/* Returns whether startile gets the calls of a routine that no other library has, at any size, and
 * the program's LAPACK all other calls. */
static bool startile_gets_missing(void)
{
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    setenv("STARTILE_LAPACK_MIN", "1000000", 1);
    return program_gets_small() && inverts() && program_gets_small();
}

/* Returns whether the program's routine gets a call with a wrong argument and reports it, because
 * the drop-in sees no xerbla_. */
static bool program_reports_wrong(void)
{
    const int32_t wrong = -1, one = 1;
    int32_t info = -77;
    double a = 1;
    dpotrf_("L", &wrong, &a, &one, &info, 1);
    return info == FAKE;
}

/* Returns whether startile reports a wrong argument of a routine that no other library has. */
static bool startile_reports_wrong(void)
{
    const int32_t wrong = -1, one = 1;
    int32_t info = -77;
    double a = 1;
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    dtrtri_("L", "N", &wrong, &a, &one, &info, 1, 1);
    return info == -3;
}

/* Returns the size of the process' address space in bytes, or 0. */
static size_t address_space(void)
{
    size_t pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (sizes == NULL || fscanf(sizes, "%zu", &pages) != 1)
        return 0;
    fclose(sizes);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Limits the memory of the process to its present size plus `mebibytes`. */
static bool limit_memory(int mebibytes)
{
    rlim_t limit = address_space() + ((rlim_t)mebibytes << 20);
    return setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) == 0;
}

/* Returns whether the program's LAPACK gets a call for which memory is short: 64-bit pivots for the
 * largest n take 16 GiB. */
static bool program_gets_without_memory(void)
{
    const int32_t n = INT32_MAX, one = 1, pivot = 1;
    int32_t info = -77;
    double a = 1, b = 1;
    if (!limit_memory(4096))
        return false;
    dgetrs_("N", &n, &one, &a, &n, &pivot, &b, &n, &info, 1);
    return info == FAKE;
}

/* Returns the number of threads of this process. */
static int count_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *e; tasks != NULL && (e = readdir(tasks)) != NULL;)
        count += e->d_name[0] != '.';
    if (tasks != NULL)
        closedir(tasks);
    return count;
}

/* Returns whether loading libstartile, and the OpenBLAS in it, starts no thread. */
static bool loading_starts_no_thread(void)
{
    int before = count_threads();
    return dlopen(STARTILE_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL && count_threads() == before;
}

/* Loads libstartile, starts and stops it, and unloads it. */
static bool use_once(void)
{
    void *library = dlopen(STARTILE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    union {
        void *object;
        int (*init)(const void *);
        void (*finalize)(void);
    } init = {dlsym(library, "startile_init")}, finalize = {dlsym(library, "startile_finalize")};
    if (init.object == NULL || finalize.object == NULL || init.init(NULL) != 0)
        return false;
    finalize.finalize();
    return dlclose(library) == 0;
}

/* Returns whether unloading libstartile frees the buffers of its OpenBLAS, 128 MiB each. */
static bool unloading_frees_buffers(void)
{
    bool good = use_once();
    size_t before = address_space();
    return good && use_once() && address_space() < before + ((size_t)128 << 20);
}

/* Returns whether the program's LAPACK gets the call if the memory suffices for StarPU but not for
 * OpenBLAS's buffers of two workers. */
static bool program_gets_without_buffers(void)
{
    double root;
    setenv("STARPU_NCPU", "2", 1);
    return program_gets_small() && dlopen(STARTILE_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL &&
           limit_memory(200) && factor(60, &root) == FAKE && root == 4;
}

/* Returns whether 256 MiB of a limited address space are left after the first large call: an
 * OpenBLAS with two threads waits for ever without them. The limit suffices for startile. */
static bool address_space_is_left(void)
{
    const size_t buffers = (size_t)256 << 20;
    double root;
    setenv("STARPU_NCPU", "2", 1);
    return program_gets_small() && dlopen(STARTILE_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL &&
           limit_memory(800) && factor(60, &root) == FAKE &&
           mmap(NULL, buffers, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

/* Returns whether the program's LAPACK gets a call for which startile cannot start: its trace
 * cannot be written. */
static bool program_gets_after_failed_start(void)
{
    double root;
    setenv("STARTILE_TRACE", "/proc/no/such/folder", 1);
    return factor(60, &root) == FAKE && root == 4;
}

/* Returns whether INFO reports a failed start if no other library has the routine. */
static bool failed_start_is_reported(void)
{
    const int32_t one = 1;
    int32_t info = -77;
    double a = 2;
    setenv("STARTILE_TRACE", "/proc/no/such/folder", 1);
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    dtrtri_("L", "N", &one, &a, &one, &info, 1, 1);
    return info == STARTILE_ERROR_TRACE && a == 2;
}

static atomic_bool stop_calls;

/* Runs as a thread: calls dpotrf until stop_calls. */
static void *call_until_stopped(void *unused)
{
    double root;
    while (!atomic_load(&stop_calls))
        factor(1, &root);
    return unused;
}

/* Forks while other threads make calls, which are counted for the report. Each child makes a call,
 * which the program's LAPACK must answer. Makes the first call before it forks: a first call may
 * hold the loader's lock, for which a child would wait for ever. */
static bool children_call_while_threads_call(void)
{
    enum { THREADS = 3, SECONDS = 10 };
#ifdef __SANITIZE_ADDRESS__ /* a fork takes 50 ms */
    enum { CHILDREN = 30 };
#else
    enum { CHILDREN = 300 };
#endif
    pthread_t thread[THREADS];
    bool good = true;
    double root;
    setenv("STARTILE_LAPACK_REPORT", "/dev/null", 1);
    factor(1, &root);
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, call_until_stopped, NULL) != 0)
            return false;
    for (int c = 0; c < CHILDREN && good; c++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            _exit(factor(1, &root) == FAKE ? 0 : 1);
        }
        good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    }
    atomic_store(&stop_calls, true);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    return good;
}

/* -- crossovers of this machine -----------------------------------------------------------------
 */

static char folder[64];

/* Writes a file of `folder`. Returns whether this succeeds. */
static bool write_in_folder(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    bool written = f != NULL && fputs(text, f) >= 0;
    return f != NULL && fclose(f) == 0 && written;
}

/* Writes a folder of models for this machine, with `size` as the crossover of dpotrf, and selects
 * it by the environment. Returns false if a file cannot be written. */
static bool use_crossover(int size)
{
    char text[512], path[128];
    struct machine here;
    machine_find(&here, true, false);
    snprintf(folder, sizeof folder, "./crossovers.%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/codelets", folder);
    bool good = mkdir(folder, 0777) == 0 && mkdir(path, 0777) == 0;
    snprintf(path, sizeof path, "%s/codelets/45", folder); /* version of StarPU 1.4's files */
    good = good && mkdir(path, 0777) == 0;
    snprintf(text, sizeof text, "format: 2\nmachine: here\ndate: 2026\ncpu: %s\ncores: %d\n",
             here.cpu, here.cores);
    good = good && write_in_folder("manifest", text);
    snprintf(text, sizeof text, "# a comment\npotrf s cpu 1\npotrf d cpu %d\n", size);
    setenv("STARTILE_MODELS", folder, 1);
    unsetenv("STARTILE_LAPACK_MIN");
    return write_in_folder("crossovers", text) && good;
}

/* Removes the folder of use_crossover(). */
static void remove_folder(void)
{
    static const char *const names[] = {"crossovers", "manifest", "codelets/45", "codelets"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

/* Prepares the default crossovers on a machine with so many cores. */
static void use_cores(const char *cores)
{
    setenv("STARPU_NCPU", cores, 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    unsetenv("STARTILE_LAPACK_MIN");
    unsetenv("STARTILE_NB");
}

/* Returns whether the program's LAPACK gets the first call of at least the default crossover, 1000,
 * and startile the next one, because the first one took longer than a start pays for. */
static bool starts_at_second(void)
{
    double root;
    return factor(1000, &root) == FAKE && factor(SLOW, &root) == FAKE && root == 4 &&
           factor(SLOW, &root) == 0 && root == 2;
}

/* Tests that the start counts for the first calls. */
static bool start_counts(void)
{
    use_cores("1");
    return starts_at_second();
}

/* Tests that a large problem starts startile: with one thread the order 2200 takes 0.18 s by the
 * estimate, the order 2000 0.13 s. */
static bool large_problem_starts(void)
{
    double root;
    use_cores("1");
    return factor(2000, &root) == FAKE && factor(2200, &root) == 0 && root == 2;
}

/* Tests that one of many processes of mpirun gets its share of the hardware threads in the
 * estimate, so that the order 1000 takes long. */
static bool processes_share_threads(void)
{
    double root;
    use_cores("2");
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1000", 1);
    return factor(1000, &root) == 0 && root == 2;
}

/* Tests a measured crossover, 100, that is less than the default of 1000: calls below the default
 * start StarPU. */
static bool measured_crossover_is_below(void)
{
    double root;
    use_cores("1");
    bool good = use_crossover(100) && factor(300, &root) == FAKE &&
                factor(SMALL_AND_SLOW, &root) == FAKE && factor(SMALL_AND_SLOW, &root) == 0 &&
                root == 2 && factor(100, &root) == 0 && factor(90, &root) == FAKE;
    remove_folder();
    return good;
}

/* Tests a measured crossover, 1100, above the default of 1000: calls below it do not start StarPU.
 */
static bool measured_crossover_is_above(void)
{
    double root;
    use_cores("1");
    bool good = use_crossover(1100) && factor(SLOW, &root) == FAKE && factor(SLOW, &root) == FAKE &&
                root == 4 && factor(1100, &root) == FAKE && factor(2200, &root) == 0 &&
                factor(1100, &root) == 0 && root == 2 && factor(SLOW, &root) == FAKE;
    remove_folder();
    return good;
}

/* Tests that STARTILE_LAPACK_MIN has precedence over a measured crossover. */
static bool user_setting_has_precedence(void)
{
    double root;
    bool good = use_crossover(1100);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    good = good && factor(50, &root) == 0 && factor(49, &root) == FAKE;
    remove_folder();
    return good;
}

/* Solves I x = b for n unknowns and nrhs right-hand sides by dgetrs. Returns INFO, or 0 only if X
 * is right. */
static int32_t solve(int32_t n, int32_t nrhs)
{
    int32_t info = -77;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a),
           *b = calloc((size_t)n * (size_t)nrhs, sizeof *b);
    int32_t *ipiv = calloc((size_t)n, sizeof *ipiv);
    for (int32_t i = 0; a != NULL && ipiv != NULL && i < n; i++) {
        a[(size_t)i * ((size_t)n + 1)] = 2;
        ipiv[i] = i + 1;
    }
    if (a != NULL && b != NULL && ipiv != NULL) {
        b[n - 1] = 6;
        dgetrs_("N", &n, &nrhs, a, &n, ipiv, b, &n, &info, 1);
        info = info != 0 || b[n - 1] == 3 ? info : -78;
    }
    free(a), free(b), free(ipiv);
    return info;
}

/* Tests that with 8 cores the order of the factors decides if there are few right-hand sides. */
static bool startile_solves_few(void)
{
    use_cores("8");
    return starts_at_second() && solve(2999, 1) == FAKE && solve(3000, 17) == FAKE &&
           solve(3000, 16) == 0;
}

/* Tests that with fewer cores only the size of dgetrs decides. */
static bool few_cores_leave_few(void)
{
    use_cores("7");
    return solve(3000, 1) == FAKE;
}

/* Returns whether the value is refused with one message on standard error, in a child process. */
static bool is_refused_with(const char *variable, const char *value)
{
    double root;
    char text[256];
    int status = -1;
    FILE *errors = tmpfile();
    setenv(variable, value, 1);
    pid_t child = errors != NULL ? fork() : -1;
    if (child == 0) {
        dup2(fileno(errors), STDERR_FILENO);
        _exit(factor(1000, &root) == FAKE && factor(1100, &root) == FAKE ? 0 : 1);
    }
    bool good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    if (errors != NULL)
        rewind(errors);
    good = good && fgets(text, sizeof text, errors) != NULL && strstr(text, variable) != NULL &&
           fgets(text, sizeof text, errors) == NULL;
    if (errors != NULL)
        fclose(errors);
    return good;
}

/* Returns whether, with malformed values, the program's LAPACK gets all calls and one line says
 * why. */
static bool malformed_values_are_refused(void)
{
    static const char *const words[] = {"abc", "nan", "inf", "-5", "5x", "0x5", " 5"};
    bool good = true;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        good = good && is_refused_with("STARTILE_LAPACK_MIN", words[w]);
    setenv("STARTILE_LAPACK_MIN", "500", 1);
    return good && is_refused_with("STARTILE_NB", "abc") && is_refused_with("STARTILE_NB", "0") &&
           is_refused_with("STARTILE_NB", " 64");
}

/* Requires that the function at *state returns true in a child process. */
static void test_in_child(void **state)
{
    require_child(*(bool (**)(void)) * state);
}

/* A test that requires body() to return true in a child process. */
#define TEST_IN_CHILD(body)                                                                        \
    {                                                                                              \
#body, test_in_child, NULL, NULL, &(bool (*)(void))                                        \
        {                                                                                          \
            body                                                                                   \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CHILD(program_gets_small),
        TEST_IN_CHILD(startile_gets_large),
        TEST_IN_CHILD(machine_gets_others),
        TEST_IN_CHILD(startile_gets_missing),
        TEST_IN_CHILD(program_reports_wrong),
        TEST_IN_CHILD(startile_reports_wrong),
        TEST_IN_CHILD(program_gets_without_memory),
        TEST_IN_CHILD(loading_starts_no_thread),
        TEST_IN_CHILD(unloading_frees_buffers),
        TEST_IN_CHILD(program_gets_without_buffers),
        TEST_IN_CHILD(address_space_is_left),
        TEST_IN_CHILD(program_gets_after_failed_start),
        TEST_IN_CHILD(failed_start_is_reported),
        TEST_IN_CHILD(children_call_while_threads_call),
        TEST_IN_CHILD(processes_share_threads),
        TEST_IN_CHILD(measured_crossover_is_below),
        TEST_IN_CHILD(measured_crossover_is_above),
        TEST_IN_CHILD(user_setting_has_precedence),
        TEST_IN_CHILD(malformed_values_are_refused),
        TEST_IN_CHILD(start_counts),
        TEST_IN_CHILD(large_problem_starts),
        TEST_IN_CHILD(startile_solves_few),
        TEST_IN_CHILD(few_cores_leave_few),
    };
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    setenv("STARTILE_NB", "16", 1);
    return cmocka_run_group_tests_name("dropin_machine", tests, NULL, NULL) != 0;
}
