/* Tests that the library does not depend on the state of the thread that starts it or calls it:
 * floating-point environment, signal mask, scheduling policy, locale. Each test runs in child
 * processes, which start the library. */
#define _GNU_SOURCE
#include "check.h"
#include "startile_lapack.h"

#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Orders of matrices: of one tile, which the calling thread factors on CPUs, and of several tiles
 */
enum { SMALL = 20, LARGE = 300, SECONDS = 60 };
static double a[LARGE * LARGE];
static int64_t pivots[LARGE];

/* Runs the function in a child process. Returns whether it returned true. */
static bool child_does(bool (*function)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        _exit(function() ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Returns whether the Cholesky factor of value · I of order n is right. */
static bool factors_diagonal(int64_t n, double value)
{
    bool is_right = true;
    for (int64_t i = 0; i < n * n; i++)
        a[i] = i % (n + 1) == 0 ? value : 0;
    is_right = startile_dpotrf('L', n, a, n) == 0;
    for (int64_t i = 0; i < n; i++)
        is_right = is_right && a[i + i * n] == sqrt(value);
    return is_right;
}

/* Factors a matrix of order n by LU. Returns the last element of U. */
static double last_of_u(int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        a[i] = (double)(i % 7 - 3) / 3 + (i % (n + 1) == 0 ? (double)n : 0);
    return startile_dgetrf(n, n, a, n, pivots) == 0 ? a[n * n - 1] : NAN;
}

/* Makes the first call of the library in a thread of its own, after set_state(). */
static void *first_call(void *set_state)
{
    (*(void (**)(void))set_state)();
    return factors_diagonal(LARGE, 4) ? NULL : set_state;
}

/* Returns whether the first call, in a thread with this state, worked. */
static bool starts_with(void (*set_state)(void))
{
    pthread_t thread;
    void *failed;
    return pthread_create(&thread, NULL, first_call, &set_state) == 0 &&
           pthread_join(thread, &failed) == 0 && failed == NULL;
}

/* -- floating point --------------------------------------------------------------------------- */

static void round_up(void)
{
    fesetround(FE_UPWARD);
}

static void flush_to_zero(void)
{
#ifdef __SSE2__
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
    _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#endif
}

static void trap(void)
{
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}

static void (*mode)(void);

/* Tests both orders with this mode of the starting thread and then of the calling thread. */
static bool mode_is_without_effect(void)
{
    const double subnormal = 1e-310;
    if (!starts_with(mode))
        return false;
    double small = last_of_u(SMALL), large = last_of_u(LARGE);
    bool is_right = factors_diagonal(SMALL, subnormal) && factors_diagonal(LARGE, subnormal);
    mode();
    int rounding = fegetround(), traps = fegetexcept();
    is_right = is_right && last_of_u(SMALL) == small && last_of_u(LARGE) == large;
    for (int64_t n = SMALL; n <= LARGE; n += LARGE - SMALL) {
        for (int64_t i = 0; i < n * n; i++)
            a[i] = i % 13 == 5 ? INFINITY : (double)(i % 11);
        startile_dgetrf(n, n, a, n, pivots); /* meets Inf − Inf, which must not trap */
    }
    return is_right && fegetround() == rounding && fegetexcept() == traps;
}

static void test_floating_point(void)
{
    static void (*const modes[])(void) = {round_up, flush_to_zero, trap};
    for (int m = 0; m < 3; m++) {
        in_case("floating-point mode %d", m);
        mode = modes[m];
        require(child_does(mode_is_without_effect));
    }
}

/* -- signals and scheduling ------------------------------------------------------------------- */

static void nothing(void)
{
}

/* Tests that a signal that the program blocks after the first call stays pending. */
static bool signal_waits_for_program(void)
{
    const struct timespec a_while = {.tv_nsec = 50000000}, at_once = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    if (!starts_with(nothing) || sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return false;
    kill(getpid(), SIGTERM);
    nanosleep(&a_while, NULL); /* for a worker to be killed */
    return sigtimedwait(&set, NULL, &at_once) == SIGTERM;
}

static void test_signals(void)
{
    in_case("blocked signal");
    require(child_does(signal_waits_for_program));
}

static const struct sched_param least = {.sched_priority = 1};

static void become_real_time(void)
{
    sched_setscheduler(0, SCHED_FIFO, &least);
}

static bool may_be_real_time(void)
{
    return sched_setscheduler(0, SCHED_FIFO, &least) == 0;
}

/* Returns whether no thread of the process has a real-time policy. */
static bool threads_are_not_real_time(void)
{
    bool is_right = starts_with(become_real_time);
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    while (threads != NULL && (entry = readdir(threads)) != NULL)
        is_right = is_right && (entry->d_name[0] == '.' ||
                                sched_getscheduler((pid_t)atol(entry->d_name)) != SCHED_FIFO);
    return is_right && threads != NULL && closedir(threads) == 0;
}

static void test_real_time(void)
{
    in_case("real-time caller");
    if (!child_does(may_be_real_time)) {
        printf("skipped: this user may not use real-time policies\n");
        skip();
    }
    require(child_does(threads_are_not_real_time));
}

/* -- locale ------------------------------------------------------------------------------------ */

/* Returns whether tasks work in the locale of the environment; StarPU's policy dmda learns models
 * and writes them when the library stops. */
static bool learns_models(void)
{
    bool is_right;
    setenv("STARPU_SCHED", "dmda", 1);
    setlocale(LC_ALL, "");
    startile_init(NULL);
    is_right = factors_diagonal(LARGE, 4);
    startile_finalize();
    return is_right;
}

/* Returns whether tasks work with the default policy, which reads the models. */
static bool reads_models(void)
{
    setlocale(LC_ALL, "");
    return factors_diagonal(LARGE, 4);
}

/* Cuts StarPU's files of models to half. Returns their number. */
static int damage_models(const char *home)
{
    char path[4096 + 300];
    int count = 0;
    struct dirent *entry;
    snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45", home);
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, "startile_", 9) == 0) {
            snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45/%s", home, entry->d_name);
            FILE *f = fopen(path, "r+");
            require(f != NULL && fseek(f, 0, SEEK_END) == 0);
            require(ftruncate(fileno(f), ftell(f) / 2) == 0 && fclose(f) == 0);
            count++;
        }
    if (folder != NULL)
        closedir(folder);
    return count;
}

static void remove_folder(const char *folder)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    require(system(command) == 0);
}

/* Tests programs of two locales one after the other, and a program that finds damaged files. */
static void test_locale(void)
{
    static const char *const locales[] = {"C", "comma"};
    const char *folder = getenv("TMPDIR");
    setenv("STARTILE_NB", "100", 1); /* several tiles, so that StarPU has tasks */
    for (int first = 0; first < 2; first++) {
        char home[4096];
        in_case("locale %s first", locales[first]);
        snprintf(home, sizeof home, "%s/startile-XXXXXX", folder != NULL ? folder : "/tmp");
        require(mkdtemp(home) != NULL && setenv("STARPU_HOME", home, 1) == 0);
        setenv("LC_ALL", locales[first], 1);
        require(child_does(learns_models));
        setenv("LC_ALL", locales[1 - first], 1);
        require(child_does(reads_models));
        int models = damage_models(home);
        require(models > 0 || backend != CPU); /* one task on a GPU needs no model */
        require(child_does(reads_models));
        remove_folder(home);
    }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    if (backend == CPU)
        setenv("STARPU_NCUDA", "0", 1);
    return run_group("thread state", test_floating_point, test_signals, test_real_time,
                     test_locale);
}
