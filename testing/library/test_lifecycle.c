/* Tests of start, stop, restart and the use of a running StarPU; version and description strings.
 */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "startile_batch.h"
#include "startile_lapack.h"

#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Requires a small factorization to work. */
static void require_working(void)
{
    random_seed(80);
    struct array F = generate(&well_conditioned, dtype, 40, 0), T = array_copy(F);
    startile_matrix *A = matrix_wrapped(dtype, 40, 40, T.a, T.ld, 16, 16);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    check_factor('L', F, T, 40);
    arrays_free(F, T);
}

/* Tests calls before startile_init(). Must run first. */
static void test_before_init(void)
{
    startile_matrix *A = NULL;
    startile_request *r = NULL;
    double x[4] = {0}, value;
    int64_t mb = -7, nb = -7;
    starpu_data_handle_t none[1] = {NULL};
    in_case("before startile_init");
    require_info(startile_request_create(&r), STARTILE_ERROR_STARPU);
    require_info(startile_matrix_create(&A, dtype, 4, 4, 2, 2), STARTILE_ERROR_STARPU);
    require_info(startile_matrix_wrap(&A, STARTILE_D, 2, 2, x, 2, 2, 2), STARTILE_ERROR_STARPU);
    require_info(startile_matrix_wrap_for(&A, "gesv", STARTILE_D, 2, 2, x, 2),
                 STARTILE_ERROR_STARPU);
    require_info(startile_matrix_from_handles(&A, dtype, 2, 2, 2, 2, none, 1),
                 STARTILE_ERROR_STARPU);
    require(A == NULL && r == NULL);
    require_info(startile_potrf('L', NULL), STARTILE_ERROR_STARPU);
    require_info(startile_lange('M', NULL, &value), STARTILE_ERROR_STARPU);
    require_info(startile_getrf(NULL, NULL), STARTILE_ERROR_STARPU);
    require_info(startile_getrf_nopiv(NULL), STARTILE_ERROR_STARPU);
    require_info(startile_getrf_tntpiv(NULL, NULL), STARTILE_ERROR_STARPU);
    require_info(startile_getrs('X', NULL, NULL, NULL), STARTILE_ERROR_STARPU);
    require_info(startile_gesv(NULL, NULL, NULL, 0), STARTILE_ERROR_STARPU);
    require_info(startile_getri(NULL, NULL), STARTILE_ERROR_STARPU);
    require_info(startile_gecon('X', NULL, NULL, &value), STARTILE_ERROR_STARPU);
    require_info(startile_tile_shape("getrf", dtype, 9, 9, &mb, &nb), STARTILE_ERROR_STARPU);
    require(mb == -7 && nb == -7);
    require(startile_cpu_workers() == 0 && startile_cuda_workers() == 0);
    require(startile_malloc(64) == NULL);
    /* wrong arguments are reported even then, and startile_finalize() does nothing */
    require_info(startile_matrix_create(&A, dtype, -4, 4, 2, 2), -3);
    startile_finalize();
    require(!starpu_is_initialized());
}

/* Tests that StarPU runs until startile_finalize() was called as often as startile_init(). */
static void test_nesting(void)
{
    startile_options o = check_options();
    in_case("nesting");
    require_info(startile_init(&o), 0);
    require_info(startile_init(NULL), 0);
    require(startile_cpu_workers() + startile_cuda_workers() > 0);
    startile_finalize();
    require(starpu_is_initialized());
    require_working();
    startile_finalize();
    require(!starpu_is_initialized());
    require(startile_cpu_workers() == 0 && startile_cuda_workers() == 0);
}

#ifdef STARPU_NON_BLOCKING_DRIVERS
static void test_idle(void)
{
    printf("skipped: idle workers of this StarPU spin, it has no blocking drivers\n");
    skip();
}
#else
/* Returns the processor time of all threads of this process. */
static double cpu_seconds(void)
{
    struct rusage used;
    require(getrusage(RUSAGE_SELF, &used) == 0);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Tests that idle workers use almost no processor time, even while matrices exist. */
static void test_idle(void)
{
    startile_options o = check_options();
    const struct timespec until_idle = {.tv_nsec = 50000000}, idle = {.tv_nsec = 500000000};
    in_case("idle");
    require_info(startile_init(&o), 0);
    startile_matrix *A = matrix_created(dtype, 100, 100, 50, 50);
    require_info(startile_laset('G', 0, 4, A), 0);
    nanosleep(&until_idle, NULL);
    double before = cpu_seconds();
    nanosleep(&idle, NULL);
    require_below(cpu_seconds() - before, 0.1); /* seconds; spinning workers use 0.5 or more */
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    startile_finalize();
}
#endif

/* Tests an unknown scheduler, for which StarPU would use another one and print a message. */
static void test_unknown_scheduler(void)
{
    startile_options o = check_options();
    in_case("unknown scheduler");
    o.scheduler = "no such policy";
    require_info(startile_init(&o), -1);
    require(!starpu_is_initialized());
}

/* Tests that the library works each time it is started, with and without pause_when_idle. */
static void test_restart(void)
{
    for (int round = 0; round < 3; round++) {
        in_case("round %d", round);
        startile_options o = check_options();
        o.pause_when_idle = round == 1;
        require_info(startile_init(&o), 0);
        require_working();
        startile_finalize();
        require(!starpu_is_initialized());
    }
}

/* Tests the default options, wrong ones, and the choice of workers and scheduler. */
static void test_options(void)
{
    startile_options o;
    in_case("defaults");
    memset(&o, 0x5a, sizeof o);
    startile_options_default(&o, sizeof o);
    require(o.ncpu == -1 && o.ncuda == -1 && o.workers_per_cuda == -1 && o.scheduler == NULL &&
            o.pause_when_idle == 0);
    in_case("sizes that no version of the header has");
    const size_t wrong_sizes[] = {0, sizeof o.size, sizeof o + sizeof(void *)};
    for (int i = 0; i < 3; i++) {
        startile_options_default(&o, sizeof o);
        o.size = wrong_sizes[i];
        require_info(startile_init(&o), -1);
    }
    in_case("options of a later version");
    union {
        startile_options options;
        unsigned char bytes[sizeof o + 8];
    } later;
    memset(&later, 0x5a, sizeof later);
    startile_options_default(&later.options, sizeof later);
    require(later.bytes[sizeof o] == 0 && later.bytes[sizeof o + 7] == 0);
    in_case("numbers and an implementation that do not exist");
    int *numbers[] = {&o.ncpu, &o.ncuda, &o.workers_per_cuda, &o.hybrid};
    for (int i = 0; i < 4; i++) {
        startile_options_default(&o, sizeof o);
        *numbers[i] = -7;
        require_info(startile_init(&o), -1);
    }
    startile_options_default(&o, sizeof o);
    o.ncpu = STARPU_MAXCPUS + 1;
    require_info(startile_init(&o), -1);
    startile_options_default(&o, sizeof o);
    o.implementation = (startile_implementation)7;
    require_info(startile_init(&o), -1);
    startile_options_default(&o, sizeof o);
    o.hybrid = 3;
    require_info(startile_init(&o), -1);
    double *watts[] = {&o.cpu_watts, &o.cuda_watts};
    for (int i = 0; i < 2; i++) {
        startile_options_default(&o, sizeof o);
        *watts[i] = -1;
        require_info(startile_init(&o), -1);
    }
    require(!starpu_is_initialized());
    if (backend == GPU)
        return;
    in_case("one CPU worker, another scheduler");
    o = check_options();
    o.ncpu = 1;
    o.scheduler = "eager";
    require_info(startile_init(&o), 0);
    require(startile_cpu_workers() == 1);
    require_working();
    startile_finalize();
}

/* Tests malformed environment variables: calls return an error, and the message names the variable.
 */
static void test_environment_is_checked(void)
{
    static const char *const wrong[][2] = {{"STARTILE_NB", "abc"},
                                           {"STARTILE_NB", "-3"},
                                           {"STARTILE_NB", "0"},
                                           {"STARTILE_NB", "16x"},
                                           {"STARTILE_NB", " 16"},
                                           {"STARTILE_NB", "+16"},
                                           {"STARTILE_NB", "1e3"},
                                           {"STARTILE_NB", "99999999999999999999"},
                                           {"STARTILE_IMPLEMENTATION", "my"},
                                           {"STARTILE_PLAIN_SINGLE", "yes"},
                                           {"STARTILE_EMULATED_DOUBLE", "2"},
                                           {"STARTILE_VERIFY", "3"},
                                           {"STARTILE_REPRODUCIBLE", "yes"}};
    startile_options o = check_options();
    float a = 4;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        in_case("%s=%s", wrong[i][0], wrong[i][1]);
        setenv(wrong[i][0], wrong[i][1], 1);
        require_message(startile_init(&o), STARTILE_ERROR_ENVIRONMENT, wrong[i][1]);
        require(!starpu_is_initialized());
        require_message(startile_spotrf('L', 1, &a, 1), STARTILE_ERROR_ENVIRONMENT, wrong[i][0]);
        setenv(wrong[i][0], "", 1);
        require_info(startile_init(&o), 0);
        startile_finalize();
        unsetenv(wrong[i][0]);
    }
    in_case("STARTILE_NB between calls");
    require_info(startile_init(&o), 0);
    setenv("STARTILE_NB", "abc", 1);
    require_info(startile_spotrf('L', 1, &a, 1), STARTILE_ERROR_ENVIRONMENT);
    require(a == 4);
    unsetenv("STARTILE_NB");
    startile_finalize();
}

/* Tests that startile_init() without workers returns an error, and that a second attempt works. */
static void test_no_worker(void)
{
    startile_options o = check_options();
    in_case("no worker");
    o.ncpu = 0;
    o.ncuda = 0;
    require_info(startile_init(&o), STARTILE_ERROR_NO_WORKER);
    require(!starpu_is_initialized());
    o = check_options();
    require_info(startile_init(&o), 0);
    require_working();
    startile_finalize();
}

/* Tests that the library restores the environment variables that it sets while it starts StarPU. */
static void test_environment_is_kept(void)
{
    startile_options o = check_options();
    in_case("environment");
    setenv("STARPU_SILENT", "0", 1);
    unsetenv("STARPU_NWORKER_PER_CUDA");
    require_info(startile_init(&o), 0);
    startile_finalize();
    require(strcmp(getenv("STARPU_SILENT"), "0") == 0);
    require(getenv("STARPU_NWORKER_PER_CUDA") == NULL);
    unsetenv("STARPU_SILENT");
}

static void do_nothing(void *buffers[], void *arg)
{
    (void)buffers, (void)arg;
}

/* Requires that the caller's own StarPU still runs tasks. */
static void require_starpu_working(void)
{
    static struct starpu_codelet empty = {
        .cpu_funcs = {do_nothing}, .nbuffers = 0, .name = "empty"};
    require(starpu_is_initialized());
    if (starpu_cpu_worker_get_count() > 0)
        require(starpu_task_insert(&empty, 0) == 0);
    require(starpu_task_wait_for_all() == 0);
}

/* Tests that the library uses a StarPU that the caller has started, and leaves it running. */
static void test_joining(void)
{
    struct starpu_conf conf;
    in_case("joining");
    starpu_conf_init(&conf);
    conf.ncuda = backend == CPU ? 0 : conf.ncuda;
    conf.ncpus = backend == GPU ? 0 : conf.ncpus;
    setenv("STARPU_SILENT", "1", 1);
    bool is_homeless = getenv("STARPU_HOME") == NULL;
    if (is_homeless) /* StarPU itself has no other folder for its files */
        setenv("STARPU_HOME", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", 1);
    require(starpu_init(&conf) == 0);
    for (int round = 0; round < 2; round++) {
        startile_options o = check_options();
        /* pause_when_idle is ignored: StarPU belongs to the caller */
        o.pause_when_idle = 1;
        require_info(startile_init(&o), 0);
        require_starpu_working();
        require_working();
        require_starpu_working();
        startile_finalize();
        require_starpu_working();
    }
    starpu_shutdown();
    unsetenv("STARPU_SILENT");
    if (is_homeless)
        unsetenv("STARPU_HOME");
}

/* Tests that pause_when_idle ends for good when one caller of startile_init() does not request it.
 */
static void test_pause(void)
{
    startile_options o = check_options();
    in_case("pause_when_idle");
    o.pause_when_idle = 1;
    require_info(startile_init(&o), 0);
    require_working();
    require_working();
    require_info(startile_init(NULL), 0);
    require_starpu_working();
    require_working();
    startile_finalize();
    require_starpu_working();
    startile_finalize();
}

/* Data of a thread. The options are read before threads start, because startile_init() changes the
 * environment while it starts StarPU, and getenv() in another thread would read a moved array. */
struct starts {
    startile_options options;
    int failures;
};

/* Runs as a thread: starts and stops the library three times, and counts failures. */
static void *start_and_stop(void *arg)
{
    struct starts *s = arg;
    for (int round = 0; round < 3; round++) {
        if (startile_init(&s->options) != 0)
            s->failures++;
        else
            startile_finalize();
    }
    return NULL;
}

/* Tests that several threads may start and stop the library at once. */
static void test_threads(void)
{
    pthread_t thread[4];
    struct starts starts[4];
    in_case("start and stop from several threads");
    for (int t = 0; t < 4; t++)
        starts[t] = (struct starts){.options = check_options()};
    for (int t = 0; t < 4; t++)
        require(pthread_create(&thread[t], NULL, start_and_stop, &starts[t]) == 0);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < 4; t++)
        require(starts[t].failures == 0);
    require(!starpu_is_initialized());
}

static void test_memory(void)
{
    enum { BYTES = 100000 };
    startile_options o = check_options();
    in_case("malloc and pin");
    require_info(startile_init(&o), 0);
    unsigned char *p = startile_malloc(BYTES);
    require(p != NULL);
    memset(p, 0x5a, BYTES);
    require(p[0] == 0x5a && p[BYTES - 1] == 0x5a);
    startile_free(p, BYTES);

    /* the caller's memory is page-locked, used by a matrix and released */
    struct array F = generate(&well_conditioned, dtype, 40, 0), T = array_copy(F);
    require_info(startile_pin(T.memory, array_bytes(T)), 0);
    startile_matrix *A = matrix_wrapped(dtype, 40, 40, T.a, T.ld, 16, 16);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    require_info(startile_unpin(T.memory, array_bytes(T)), 0);
    check_factor('L', F, T, 40);
    arrays_free(F, T);
    startile_finalize();
}

/* Returns whether the library works in a child process, on CPU workers only: a child cannot use
 * GPUs that its parent has used. */
static bool child_works(void)
{
    startile_options o;
    startile_options_default(&o, sizeof o);
    o.ncuda = backend == CPU ? 0 : -1;
    if (startile_init(&o) != 0 || startile_cpu_workers() == 0 || startile_cuda_workers() != 0)
        return false;
    require_working();
    startile_finalize();
    return true;
}

/* Tests that a child process may use the library after the parent has stopped it. */
static void test_fork(void)
{
    enum { SECONDS = 60 };
    startile_options o = check_options();
    in_case("fork after the library has stopped");
    require_info(startile_init(&o), 0);
    require_working();
    startile_finalize();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        _exit(child_works() ? 0 : 1);
    }
    int status = -1;
    require(child > 0 && waitpid(child, &status, 0) == child);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Objects of the parent that its child has copies of. */
struct inherited {
    startile_matrix *A;
    startile_pivots *P;
    startile_batch *B, *norms;
    startile_request *r;
};

/* Returns whether calls in a child of a process that uses the library return the error at once. */
static bool child_is_refused(const struct inherited *parents)
{
    static double a[200 * 200], b[200];
    int64_t p[200];
    int done = 0;
    startile_matrix *A;
    starpu_data_handle_t outcome;
    const int64_t code = STARTILE_ERROR_STARPU;
    bool typed = startile_dpotrf('L', 1, a, 1) == code &&
                 startile_dpotrf('L', 200, a, 200) == code &&
                 startile_dgesv(200, 1, a, 200, p, b, 200) == code &&
                 startile_dpotrf_batch_strided('L', 2, a, 2, 4, p, 100) == code;
    bool start = startile_init(NULL) == code && startile_cpu_workers() == 0 &&
                 startile_matrix_wrap(&A, STARTILE_D, 9, 9, a, 9, 3, 3) == code;
    bool blocking =
        startile_potrf('L', parents->A) == code && startile_getrf(parents->A, parents->P) == code &&
        startile_batch_gather(parents->B) == code && startile_matrix_gather(parents->A) == code &&
        startile_matrix_to_lapack(parents->A, a, 200) == code &&
        startile_pivots_to_lapack(parents->P, p) == code;
    bool async = startile_potrf_async('L', parents->A, parents->r) == code &&
                 startile_nrm2_batch_async(parents->B, parents->norms, parents->r) == code &&
                 startile_request_outcome(parents->r, &outcome) == code &&
                 startile_request_test(parents->r, &done) == code && done == 1 &&
                 startile_request_wait(parents->r) == code &&
                 startile_request_reset(parents->r) == code;
    startile_request_destroy(parents->r);
    startile_batch_destroy(parents->norms);
    startile_batch_destroy(parents->B);
    startile_pivots_destroy(parents->P);
    startile_matrix_destroy(parents->A);
    startile_finalize();
    return typed && start && blocking && async;
}

/* Runs in a thread of the parent. */
static void *solve_for_ever(void *stop)
{
    static double a[300 * 300];
    while (!atomic_load((atomic_bool *)stop)) {
        for (int i = 0; i < 300 * 300; i++)
            a[i] = i % 301 == 0 ? 2 : 0;
        require_info(startile_dpotrf('L', 300, a, 300), 0);
    }
    return NULL;
}

/* Forks a child that calls the library, or only calls exit(), and requires a good end. */
static void require_good_child(const struct inherited *parents, bool calls)
{
    enum { SECONDS = 20 };
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        exit(calls && !child_is_refused(parents) ? 1 : 0);
    }
    int status = -1;
    require(child > 0 && waitpid(child, &status, 0) == child);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Tests children of a parent that uses the library: with an unfinished request, and while another
 * thread of the parent is in a call. */
static void test_fork_while_used(void)
{
    static double a[600 * 600], x[8], y[4];
    atomic_bool stop = false;
    pthread_t thread;
    struct inherited parents;
    startile_options o = check_options();
    in_case("fork while the library is used");
#ifdef __SANITIZE_ADDRESS__
    /* fork() copies a lock of ASan's allocator (GCC 12) that the other thread may hold: the child's
     * next malloc() then waits for ever. */
    printf("fork while another thread allocates: not with ASan\n");
    return;
#endif
    require_info(startile_init(&o), 0);
    parents.A = matrix_wrapped(STARTILE_D, 600, 600, a, 600, 60, 60);
    parents.P = pivots_created(parents.A);
    require_info(startile_batch_wrap(&parents.B, STARTILE_D, 4, 1, 2, x, 1, 2, 0, NULL), 0);
    require_info(startile_batch_wrap(&parents.norms, STARTILE_D, 4, 1, 1, y, 1, 1, 0, parents.B),
                 0);
    parents.r = request_created();
    require(pthread_create(&thread, NULL, solve_for_ever, &stop) == 0);
    for (int i = 0; i < 6; i++) {
        require_info(startile_laset_async('G', 0, 1, parents.A, parents.r), 0);
        require_good_child(&parents, i % 2 == 0);
    }
    atomic_store(&stop, true);
    require(pthread_join(thread, NULL) == 0);
    require_info(startile_request_wait(parents.r), 0);
    startile_request_destroy(parents.r);
    startile_batch_destroy(parents.norms);
    startile_batch_destroy(parents.B);
    startile_pivots_destroy(parents.P);
    startile_matrix_destroy(parents.A);
    require_working();
    startile_finalize();
}

/* Tests a child of a program that has started StarPU itself and not the library. */
static void test_fork_of_starpu(void)
{
    in_case("fork after starpu_init");
    require(starpu_init(NULL) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        double a = 4;
        alarm(20);
        exit(startile_init(NULL) == STARTILE_ERROR_STARPU &&
                     startile_dpotrf('L', 1, &a, 1) == STARTILE_ERROR_STARPU && a == 4
                 ? 0
                 : 1);
    }
    int status = -1;
    require(child > 0 && waitpid(child, &status, 0) == child);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    starpu_shutdown();
}

/* Tests that each error has a message of its own, that each number has a message, and the version.
 */
static void test_strings(void)
{
    static const int64_t codes[] = {0,
                                    -3,
                                    7,
                                    STARTILE_ERROR_MEMORY,
                                    STARTILE_ERROR_NO_WORKER,
                                    STARTILE_ERROR_DEVICE,
                                    STARTILE_ERROR_CANCELLED,
                                    STARTILE_ERROR_STARPU,
                                    STARTILE_ERROR_MPI,
                                    STARTILE_ERROR_MISMATCH};
    in_case("strerror");
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < i; j++)
            require(strcmp(startile_strerror(codes[i]), startile_strerror(codes[j])) != 0);
    const int64_t strange[] = {INT64_MIN, STARTILE_ERROR_LAST, -5000, INT64_MAX};
    for (int i = 0; i < 4; i++)
        require(startile_strerror(strange[i]) != NULL && startile_strerror(strange[i])[0] != '\0');
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", STARTILE_VERSION_MAJOR, STARTILE_VERSION_MINOR,
             STARTILE_VERSION_PATCH);
    require(strcmp(startile_version(), version) == 0);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    /* the last test starts StarPU for good by typed entries */
    return run_group("lifecycle", test_before_init, test_nesting, test_restart, test_options,
                     test_environment_is_checked, test_no_worker, test_environment_is_kept,
                     test_joining, test_pause, test_threads, test_memory, test_strings,
                     test_unknown_scheduler, test_idle, test_fork, test_fork_of_starpu,
                     test_fork_while_used) != 0;
}
