/* Tests that the caller's own OpenBLAS in the same process keeps its number of threads and its
 * results. */
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Functions of the caller's OpenBLAS, for its number of threads */
static int (*get_threads)(void);
static void (*set_threads)(int);

/* Sets get_threads and set_threads. Returns false if the system's BLAS is not OpenBLAS. */
static bool find_openblas(void)
{
    *(void **)&get_threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    return get_threads != NULL && set_threads != NULL;
}

enum { THREADS = 2, N = 300 };

/* Multiplies matrices that are large enough for OpenBLAS's threads. Returns whether all elements of
 * J · J are N for the N × N matrix J of ones. */
static bool callers_gemm_is_right(void)
{
    struct array J = array_new(dtype, N, N, 0), P = array_new(dtype, N, N, 0);
    bool right = true;
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            set(J, i, j, 1);
            set(P, i, j, 0);
        }
    lapack(J)->gemm('N', 'C', 1, J, J, 0, P);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            right = right && get(P, i, j) == N;
    arrays_free(J, P);
    return right;
}

/* Runs a Cholesky factorization by the library. */
static void use_library(void)
{
    startile_matrix *A = matrix_created(dtype, N, N, 64, 64);
    require_info(startile_random('H', 1, N, A), 0);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
}

/* Tests that start, work and stop of the library keep the number of threads that the caller has
 * set. */
static void test_count_is_kept(void)
{
    startile_options o = check_options();
    in_case("thread count");
    set_threads(THREADS);
    require(callers_gemm_is_right());
    require(get_threads() == THREADS);
    require_info(startile_init(&o), 0);
    require(get_threads() == THREADS);
    use_library();
    require(get_threads() == THREADS);
    require(callers_gemm_is_right());
    set_threads(1);
    use_library();
    require(get_threads() == 1);
    set_threads(THREADS);
    startile_finalize();
    require(get_threads() == THREADS);
    require(callers_gemm_is_right());
}

enum { MOST_THREADS = 256 };

struct usage {
    int count;
    long thread[MOST_THREADS];
    double seconds[MOST_THREADS];
};

/* Returns the processor time so far of every thread of the process. */
static struct usage usage_now(void)
{
    struct usage u = {0};
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *e; tasks != NULL && (e = readdir(tasks)) != NULL;) {
        char path[300];
        long long ns = 0;
        if (e->d_name[0] == '.' || u.count == MOST_THREADS)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", e->d_name);
        FILE *f = fopen(path, "r");
        if (f == NULL)
            continue;
        if (fscanf(f, "%lld", &ns) == 1) {
            u.thread[u.count] = atol(e->d_name);
            u.seconds[u.count++] = 1e-9 * (double)ns;
        }
        fclose(f);
    }
    if (tasks != NULL)
        closedir(tasks);
    return u;
}

/* Tests that with a single worker one thread does at least three quarters of the work of large
 * tiles, whatever number of threads OpenBLAS would choose. */
static void test_one_thread_per_worker(void)
{
    enum { LARGE = 1200 };
    startile_options o = check_options();
    in_case("threads of one worker");
    if (backend != CPU)
        return;     /* a GPU would do the work */
    set_threads(1); /* idle threads of the caller's OpenBLAS would spin for a while */
    o.ncpu = 1;
    require_info(startile_init(&o), 0);
    startile_matrix *A = matrix_created(dtype, LARGE, LARGE, LARGE, LARGE),
                    *C = matrix_created(dtype, LARGE, LARGE, LARGE, LARGE);
    require_info(startile_random('G', 1, 0, A), 0);
    usleep(200000); /* until all threads are idle */
    struct usage before = usage_now();
    for (int round = 0; round < 3; round++)
        require_info(startile_gemm('N', 'N', 1, A, A, 0, C), 0);
    struct usage after = usage_now();
    double total = 0, by_one_thread = 0;
    for (int t = 0; t < after.count; t++) {
        double used = after.seconds[t];
        for (int b = 0; b < before.count; b++)
            used -= before.thread[b] == after.thread[t] ? before.seconds[b] : 0;
        total += used;
        by_one_thread = used > by_one_thread ? used : by_one_thread;
    }
    printf("three products: %.3f s, %.3f s of them by one thread\n", total, by_one_thread);
    require(total > 0);
    require_below(total - by_one_thread, 0.25 * total);
    matrices_destroy(A, C);
    startile_finalize();
    set_threads(THREADS);
}

static atomic_int failures;
static atomic_bool stop;

/* Runs as a thread until `stop`: counts wrong products and changed numbers of threads of the
 * caller's OpenBLAS in `failures`. */
static void *call_blas(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop))
        if (!callers_gemm_is_right() || get_threads() != THREADS)
            atomic_fetch_add(&failures, 1);
    return NULL;
}

/* Tests the caller's and the library's copies of OpenBLAS computing at the same time. */
static void test_side_by_side(void)
{
    pthread_t thread;
    startile_options o = check_options();
    in_case("side by side");
    require_info(startile_init(&o), 0);
    require(pthread_create(&thread, NULL, call_blas, NULL) == 0);
    for (int round = 0; round < 10; round++)
        use_library();
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    require(atomic_load(&failures) == 0);
    startile_finalize();
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    if (!find_openblas())
        check_skip("the system's BLAS is not OpenBLAS");
    return run_group("BLAS threads", test_count_is_kept, test_one_thread_per_worker,
                     test_side_by_side) != 0;
}
