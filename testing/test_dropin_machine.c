/*
 * libstartile_lapack in a program that is linked with a LAPACK of its own, here one that lacks most
 * routines: which of startile, that LAPACK and the machine's gets a call. Every case is a process,
 * since the drop-in looks around once.
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void dtrtri_(const char *uplo, const char *diag, const int32_t *n, double *a, const int32_t *lda,
             int32_t *info, size_t uplo_length, size_t diag_length);

/* A child that hangs ends by its alarm. */
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

/* INFO of a factorization of 2 I. */
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

static bool inverts(void)
{
    const int32_t one = 1;
    int32_t info = -77;
    double a = 2;
    dtrtri_("L", "N", &one, &a, &one, &info, 1, 1);
    return info == 0 && a == 0.5;
}

static bool small_is_the_programs(void)
{
    double root;
    return factor(3, &root) == FAKE && root == 4;
}

static bool large_is_startiles(void)
{
    double root;
    return factor(60, &root) == 0 && root == 2;
}

/* dtrtri, which the program's lacks, is where it would have been without: in the machine's. */
static bool others_are_the_machines(void)
{
    setenv("STARTILE_LAPACK_MIN", "1000000", 1);
    return inverts() && small_is_the_programs();
}

/* A routine that is nowhere else is startile's at any size, and no other. */
static bool missing_is_startiles(void)
{
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    setenv("STARTILE_LAPACK_MIN", "1000000", 1);
    return small_is_the_programs() && inverts() && small_is_the_programs();
}

/* No XERBLA is to be seen from here, so that it is the program's routine that tells. */
static bool wrong_is_the_programs(void)
{
    const int32_t wrong = -1, one = 1;
    int32_t info = -77;
    double a = 1;
    dpotrf_("L", &wrong, &a, &one, &info, 1);
    return info == FAKE;
}

static bool wrong_and_missing_is_ours(void)
{
    const int32_t wrong = -1, one = 1;
    int32_t info = -77;
    double a = 1;
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    dtrtri_("L", "N", &wrong, &a, &one, &info, 1, 1);
    return info == -3;
}

/* From now on the process gets that much more. */
static bool limit_memory(int mebibytes)
{
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (sizes == NULL || fscanf(sizes, "%ld", &pages) != 1)
        return false;
    fclose(sizes);
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mebibytes << 20);
    return setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) == 0;
}

/* Pivots of 64 bits for the largest n take 16 GiB. */
static bool without_memory_is_the_programs(void)
{
    const int32_t n = INT32_MAX, one = 1, pivot = 1;
    int32_t info = -77;
    double a = 1, b = 1;
    if (!limit_memory(4096))
        return false;
    dgetrs_("N", &n, &one, &a, &n, &pivot, &b, &n, &info, 1);
    return info == FAKE;
}

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

static bool loading_starts_no_thread(void)
{
    int before = count_threads();
    return dlopen(STARTILE_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL && count_threads() == before;
}

/* Enough for StarPU, and not for the buffers of OpenBLAS in two workers. */
static bool without_room_for_buffers_is_the_programs(void)
{
    double root;
    setenv("STARPU_NCPU", "2", 1);
    return small_is_the_programs() && dlopen(STARTILE_LIBRARY, RTLD_NOW | RTLD_LOCAL) != NULL &&
           limit_memory(200) && factor(60, &root) == FAKE && root == 4;
}

static bool failed_start_is_the_programs(void)
{
    double root;
    setenv("STARTILE_TRACE", "/proc/no/such/folder", 1);
    return factor(60, &root) == FAKE && root == 4;
}

static bool failed_start_without_lapack_is_told(void)
{
    const int32_t one = 1;
    int32_t info = -77;
    double a = 2;
    setenv("STARTILE_TRACE", "/proc/no/such/folder", 1);
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    dtrtri_("L", "N", &one, &a, &one, &info, 1, 1);
    return info == STARTILE_ERROR_TRACE && a == 2;
}

static atomic_bool over;

static void *call_until_over(void *unused)
{
    double root;
    while (!atomic_load(&over))
        factor(1, &root);
    return unused;
}

/* Some children are made while another thread is counting a call of its own; not of its first, in
 * which it may hold the loader's lock, for which a child waits for ever. */
static bool children_report_while_threads_do(void)
{
    enum { THREADS = 3, CHILDREN = 300, SECONDS = 10 };
    pthread_t thread[THREADS];
    bool good = true;
    double root;
    setenv("STARTILE_LAPACK_REPORT", "/dev/null", 1);
    factor(1, &root);
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, call_until_over, NULL) != 0)
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
    atomic_store(&over, true);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    return good;
}

/* -- crossovers of this machine -----------------------------------------------------------------
 */

static char folder[64];

static bool write_in_folder(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    bool written = f != NULL && fputs(text, f) >= 0;
    return f != NULL && fclose(f) == 0 && written;
}

/* What the library takes for the models of this machine. */
static bool use_crossover(int size)
{
    char text[512], path[128];
    struct machine here;
    machine_find(&here, true, false);
    snprintf(folder, sizeof folder, "./crossovers.%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/codelets", folder);
    bool good = mkdir(folder, 0777) == 0 && mkdir(path, 0777) == 0;
    snprintf(path, sizeof path, "%s/codelets/45", folder);
    good = good && mkdir(path, 0777) == 0;
    snprintf(text, sizeof text, "format: 1\nmachine: here\ncpu: %s\ncores: %d\n", here.cpu,
             here.cores);
    good = good && write_in_folder("manifest", text);
    snprintf(text, sizeof text, "# a comment\npotrf s cpu 1\npotrf d cpu %d\n", size);
    setenv("STARTILE_MODELS", folder, 1);
    unsetenv("STARTILE_LAPACK_MIN");
    return write_in_folder("crossovers", text) && good;
}

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

/* Before StarPU runs nothing is known but the usual crossover, which is 1000. */
static bool measured_crossover_is_below(void)
{
    double root;
    bool good = use_crossover(100) && factor(300, &root) == FAKE && factor(1000, &root) == 0 &&
                root == 2 && factor(100, &root) == 0 && factor(90, &root) == FAKE;
    remove_folder();
    return good;
}

static bool measured_crossover_is_above(void)
{
    double root;
    bool good = use_crossover(1100) && factor(1000, &root) == FAKE && root == 4 &&
                factor(1100, &root) == 0 && root == 2;
    remove_folder();
    return good;
}

static bool what_the_user_says_comes_first(void)
{
    double root;
    bool good = use_crossover(1100);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    good = good && factor(50, &root) == 0 && factor(49, &root) == FAKE;
    remove_folder();
    return good;
}

/* As not said. */
static bool what_is_no_size_is_not_taken(void)
{
    static const char *const words[] = {"abc", "nan", "-5", "", "5x"};
    double root;
    bool good = true;
    setenv("STARTILE_NB", "0", 1);
    for (size_t w = 0; w < sizeof words / sizeof *words && good; w++) {
        int status = -1;
        setenv("STARTILE_LAPACK_MIN", words[w], 1);
        pid_t child = fork();
        if (child == 0)
            _exit(factor(900, &root) == FAKE && factor(1000, &root) == 0 && root == 2 ? 0 : 1);
        good = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    }
    return good;
}

static void test_place(void **state)
{
    require_child(*(bool (**)(void)) * state);
}

#define PLACE(body)                                                                                \
    {                                                                                              \
#body, test_place, NULL, NULL, &(bool (*)(void))                                           \
        {                                                                                          \
            body                                                                                   \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE(small_is_the_programs),
        PLACE(large_is_startiles),
        PLACE(others_are_the_machines),
        PLACE(missing_is_startiles),
        PLACE(wrong_is_the_programs),
        PLACE(wrong_and_missing_is_ours),
        PLACE(without_memory_is_the_programs),
        PLACE(loading_starts_no_thread),
        PLACE(without_room_for_buffers_is_the_programs),
        PLACE(failed_start_is_the_programs),
        PLACE(failed_start_without_lapack_is_told),
        PLACE(children_report_while_threads_do),
        PLACE(measured_crossover_is_below),
        PLACE(measured_crossover_is_above),
        PLACE(what_the_user_says_comes_first),
        PLACE(what_is_no_size_is_not_taken),
    };
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    setenv("STARTILE_NB", "16", 1);
    return cmocka_run_group_tests_name("dropin_machine", tests, NULL, NULL) != 0;
}
