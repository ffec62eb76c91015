/*
 * Tests the end of a program while its threads are in calls of the library: exit code 0, within a
 * few seconds. Each case runs in child processes, because it ends them; the parent does not use the
 * library. STARTILE_TEST_PROCESSES is the number of processes of each case.
 */
#include "check.h"
#include "startile_batch.h"
#include "startile_lapack.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int processes = 2;

/* -- threads that call for ever ---------------------------------------------------------------- */

enum { N = 700 };

/* Sets the n × n array to a matrix with n on the diagonal and at most 1 elsewhere. */
static void fill(double *a, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        a[i] = i % (n + 1) == 0 ? (double)n : (double)(i % 17) / 17;
}

/* Ends the process at a failure before exit() has begun; afterwards waits for the end. */
static atomic_bool ends;
static void stop_after(int64_t info)
{
    while (info != 0) {
        if (!atomic_load(&ends))
            _exit(10);
        pause();
    }
}

static void *solve(void *order)
{
    int64_t n = *(const int64_t *)order, *p = malloc((size_t)n * sizeof *p);
    double *a = malloc((size_t)(n * n) * sizeof *a), *b = calloc((size_t)n, sizeof *b);
    for (;;) {
        fill(a, n);
        stop_after(startile_dgesv(n, 1, a, n, p, b, n));
    }
    return NULL;
}

static void *solve_batches(void *unused)
{
    enum { M = 20, COUNT = 500 };
    double *a = malloc(sizeof *a * M * M * COUNT);
    int64_t *info = malloc(sizeof *info * COUNT);
    (void)unused;
    for (;;) {
        for (int i = 0; i < COUNT; i++)
            fill(a + (ptrdiff_t)i * M * M, M);
        stop_after(startile_dpotrf_batch_strided('L', M, a, M, M * M, info, COUNT));
    }
    return NULL;
}

/* Wraps an array that is never freed, in tiles of nb × nb. */
static startile_matrix *new_matrix(int64_t nb)
{
    startile_matrix *A = NULL;
    double *a = malloc(sizeof *a * N * N);
    fill(a, N);
    return startile_matrix_wrap(&A, STARTILE_D, N, N, a, N, nb, nb) == 0 ? A : NULL;
}

/* Products, which may run for ever on the same matrices. */
static void *multiply(void *tile_size)
{
    int64_t nb = *(const int64_t *)tile_size;
    startile_matrix *A = new_matrix(nb), *B = new_matrix(nb), *C = new_matrix(nb);
    for (;;)
        stop_after(startile_gemm('N', 'N', 1, A, B, 0, C));
    return NULL;
}

static void start_thread(void *(*body)(void *), const int64_t *size)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, (void *)(uintptr_t)size) != 0)
        _exit(11);
}

/* -- programs ---------------------------------------------------------------------------------- */

static const int64_t small = 40, medium = N, large = 2500, small_tile = 64, whole = N;

static void one_thread(void)
{
    start_thread(solve, &medium);
}

static void several_threads(void)
{
    start_thread(solve, &small);
    start_thread(solve, &medium);
    start_thread(solve, &small);
    start_thread(solve_batches, NULL);
}

/* The call takes longer than exit() waits. */
static void long_call(void)
{
    start_thread(solve, &large);
    start_thread(solve, &large);
    start_thread(solve, &large);
}

static void start_library(void)
{
    startile_options o = check_options();
    if (startile_init(&o) != 0)
        _exit(12);
}

static void descriptors(void)
{
    start_library();
    start_thread(multiply, &small_tile);
    start_thread(multiply, &whole);
}

static void unfinished_requests(void)
{
    start_library();
    startile_matrix *A = new_matrix(small_tile), *B = new_matrix(small_tile);
    startile_request *r = NULL;
    if (startile_request_create(&r) != 0)
        _exit(13);
    for (int i = 0; i < 20; i++)
        if (startile_gemm_async('N', 'N', 1, A, A, 0, B, r) != 0)
            _exit(14);
}

static void programs_starpu(void)
{
    if (starpu_init(NULL) != 0)
        _exit(15);
    start_thread(solve, &medium);
    start_thread(solve, &small);
}

static void *call_exit(void *unused)
{
    (void)unused;
    usleep(100000);
    atomic_store(&ends, true);
    exit(0);
}

static void exit_in_other_thread(void)
{
    start_thread(call_exit, NULL);
    solve((void *)(uintptr_t)&medium);
}

/* Ends the process with an error if a call in an exit handler fails. */
static void solve_at_exit(void)
{
    double a = 4;
    if (startile_dpotrf('L', 1, &a, 1) != 0 || a != 2)
        _exit(16);
}

static void exit_handler_calls(void)
{
    atexit(solve_at_exit);
    start_thread(solve, &medium);
}

/* -- tests ------------------------------------------------------------------------------------- */

/* Runs `program` in a child that then calls exit(0), `processes` times: after a tenth of a second,
 * or sooner, while StarPU starts. */
static void require_good_end(const char *name, void (*program)(void))
{
    enum { SECONDS = 20 };
    in_case("%s", name);
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            program();
            usleep(i % 2 == 0 ? 100000 : 5000 * (unsigned)(i % 16));
            atomic_store(&ends, true);
            exit(0);
        }
        int status = -1;
        require(child > 0 && waitpid(child, &status, 0) == child);
        require(WIFEXITED(status));
        require_info(WEXITSTATUS(status), 0);
    }
}

#define TEST(program)                                                                              \
    static void test_##program(void)                                                               \
    {                                                                                              \
        require_good_end(#program, program);                                                       \
    }
TEST(one_thread)
TEST(several_threads)
TEST(long_call)
TEST(descriptors)
TEST(unfinished_requests)
TEST(programs_starpu)
TEST(exit_in_other_thread)
TEST(exit_handler_calls)

int main(int argc, char **argv)
{
    const char *count = getenv("STARTILE_TEST_PROCESSES");
    processes = count != NULL ? atoi(count) : processes;
    check_arguments(argc, argv);
    setenv("STARPU_NCUDA", "0", 1);
    return run_group("exit", test_one_thread, test_several_threads, test_long_call,
                     test_descriptors, test_unfinished_requests, test_programs_starpu,
                     test_exit_in_other_thread, test_exit_handler_calls) != 0;
}
