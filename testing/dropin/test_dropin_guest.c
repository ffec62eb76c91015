/*
 * Tests libstartile_lapack in a program that does not know it: several threads, fork() before and
 * after the first large call, sleeping workers, affinity, output.
 */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Type of dposv_ in both libraries. */
typedef void posv_function(const char *uplo, const int32_t *n, const int32_t *nrhs, double *a,
                           const int32_t *lda, double *b, const int32_t *ldb, int32_t *info,
                           size_t length);
static posv_function *posv;

/* Replaces the reference's function, which would end the program. */
__attribute__((visibility("default"))) void xerbla_(const char *name, const int32_t *position,
                                                    size_t length);
void xerbla_(const char *name, const int32_t *position, size_t length)
{
    (void)name, (void)position, (void)length;
}

/* Returns the drop-in's dposv_. */
static posv_function *load(void)
{
    void *library = dlopen(DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    union {
        void *object;
        posv_function *function;
    } found = {library == NULL ? NULL : dlsym(library, "dposv_")};
    if (found.object == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found.function;
}

/* Returns whether A x = b is solved with errors below 1e-10, for an A of order n with 2 on the
 * diagonal and 1 elsewhere, and an x of ones. */
static bool solves(int32_t n)
{
    const int32_t one = 1;
    int32_t info = -77;
    double *a = malloc((size_t)n * (size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b);
    if (a == NULL || b == NULL)
        return false;
    for (int32_t i = 0; i < n * n; i++)
        a[i] = i % (n + 1) == 0 ? 2 : 1;
    for (int32_t i = 0; i < n; i++)
        b[i] = n + 1;
    posv("L", &n, &one, a, &n, b, &n, &info, 1);
    double worst = 0;
    for (int32_t i = 0; i < n; i++)
        worst = b[i] > 1 ? (b[i] - 1 > worst ? b[i] - 1 : worst)
                         : (1 - b[i] > worst ? 1 - b[i] : worst);
    free(a);
    free(b);
    return info == 0 && worst < 1e-10;
}

/* Requires `body` to return true in a child process. alarm() ends a child that hangs. */
static void require_child(bool (*body)(void))
{
    enum { SECONDS = 60 };
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        exit(body() ? 0 : 1);
    }
    int status = -1;
    require(child > 0 && waitpid(child, &status, 0) == child);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Solves a problem by startile and, below STARTILE_LAPACK_MIN, one by the machine's LAPACK. */
static bool child_solves(void)
{
    return solves(80) && solves(5);
}

/* Returns whether startile solves all problems if the machine has no LAPACK, returns at once from
 * empty ones, and reports a wrong argument. */
static bool child_without_machines_lapack(void)
{
    const int32_t one = 1, none = 0, wrong = -1;
    int32_t info = -77;
    double nothing = 0;
    setenv("STARTILE_LAPACK_LIBRARY", "/no/such/library", 1);
    bool solved = solves(5) && solves(80);
    posv("L", &none, &one, &nothing, &one, &nothing, &one, &info, 1);
    bool empty_returned = info == 0;
    posv("L", &wrong, &one, &nothing, &one, &nothing, &one, &info, 1);
    return solved && empty_returned && info == -2;
}

/* Tests children that fork before the parent's first call: each starts its own StarPU. */
static void test_fork_before(void)
{
    in_case("fork before the first call");
    require_child(child_solves);
    in_case("no LAPACK on the machine");
    require_child(child_without_machines_lapack);
}

/* Tests that a call leaves the calling thread on the cores that it may use. */
static void test_affinity(void)
{
    cpu_set_t before, after;
    in_case("the caller's affinity");
    require(sched_getaffinity(0, sizeof before, &before) == 0);
    require(solves(100));
    require(sched_getaffinity(0, sizeof after, &after) == 0);
    require(CPU_EQUAL(&before, &after));
}

/* Returns the processor time of all threads of this process. */
static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tests that idle workers take less than 0.1 s of processor time in half a second. */
static void test_idle(void)
{
    const struct timespec half_second = {0, 500000000};
    in_case("workers between calls");
    require(solves(100));
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    double before = processor_time();
    nanosleep(&half_second, NULL);
    require_below(processor_time() - before, 0.1);
}

/* Runs as a thread: solves problems of 20 orders, and counts the failures. */
static void *many_solves(void *failures)
{
    for (int i = 0; i < 20; i++)
        if (!solves(30 + 7 * i))
            ++*(int *)failures;
    return NULL;
}

/* Tests calls of several threads at once. */
static void test_threads(void)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    int failures[THREADS] = {0};
    in_case("%d threads", THREADS);
    for (int t = 0; t < THREADS; t++)
        require(pthread_create(&thread[t], NULL, many_solves, &failures[t]) == 0);
    for (int t = 0; t < THREADS; t++) {
        require(pthread_join(thread[t], NULL) == 0);
        require(failures[t] == 0);
    }
}

/* Tests that a child works after the parent's calls, and the parent after the child. */
static void test_fork_after(void)
{
    in_case("fork after the first call");
    require(solves(100));
    require_child(child_solves);
    require(solves(100));
}

/* Duplicates of stdout and stderr before capture(). */
static int saved[2];

/* Redirects stdout (1) or stderr (2) into the file. */
static void capture(int stream, FILE *into)
{
    saved[stream - 1] = dup(stream);
    dup2(fileno(into), stream);
}

/* Tests that the first large call, which starts StarPU, prints nothing. */
static void test_silence(void)
{
    FILE *into = tmpfile();
    in_case("silence");
    require(into != NULL);
    fflush(NULL);
    capture(1, into);
    capture(2, into);
    bool solved = solves(150);
    for (int stream = 1; stream <= 2; stream++)
        dup2(saved[stream - 1], stream);
    require(solved && lseek(fileno(into), 0, SEEK_END) == 0);
    fclose(into);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    setenv(backend == GPU ? "STARPU_NCPU" : "STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_MIN", "20", 1);
    setenv("STARTILE_NB", "32", 1);
    posv = load();
    return run_group("dropin_guest", test_fork_before, test_silence, test_affinity, test_idle,
                     test_threads, test_fork_after) != 0;
}
