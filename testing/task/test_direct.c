/* Tests of tasks that the thread of a blocking call runs itself: which these are, that they wait
 * for other tasks on their data, and their failures. */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "startile_batch.h"
#include "startile_trace.h"

#include <pthread.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 24 };

/* Returns the number of tasks that workers have run since the last call. */
static int tasks_run(void)
{
    int tasks = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
        struct starpu_profiling_worker_info info;
        require(starpu_profiling_worker_get_info(w, &info) == 0);
        tasks += info.executed_tasks;
    }
    return tasks;
}

static struct array positive_definite(void)
{
    random_seed(5);
    return generate(&well_conditioned, dtype, N, 1);
}

/* Requires that T is the Cholesky factor of A. */
static void require_factor(struct array A, struct array T)
{
    check_factor('L', A, T, N);
    require(has_borders_intact(T));
}

/* Tests that a matrix of one tile needs no task on CPUs, and one of several tiles does. */
static void test_one_tile(void)
{
    bool on_cpus = startile_cuda_workers() == 0;
    struct array A = positive_definite();
    for (int64_t nb = N / 2; nb <= N; nb += N / 2) {
        in_case("tiles of %d", (int)nb);
        struct array T = array_copy(A);
        startile_matrix *W = array_wrapped(T, nb, nb);
        tasks_run();
        require_info(startile_potrf('L', W), 0);
        require((tasks_run() == 0) == (on_cpus && nb == N));
        startile_matrix_destroy(W);
        require_factor(A, T);
        array_free(T);
    }
    in_case("a request");
    struct array T = array_copy(A);
    startile_matrix *W = array_wrapped(T, N, N);
    startile_request *r = request_created();
    tasks_run();
    require_info(startile_potrf_async('L', W, r), 0);
    require_info(startile_request_wait(r), 0);
    require(tasks_run() == 1);
    startile_request_destroy(r);
    startile_matrix_destroy(W);
    require_factor(A, T);
    arrays_free(A, T);
}

/* Tests that profiles have all tasks. */
static void test_profile(void)
{
    in_case("a profile");
    startile_profile *profile;
    struct array A = positive_definite(), T = array_copy(A);
    startile_matrix *W = array_wrapped(T, N, N);
    require_info(startile_profile_start(), 0);
    require_info(startile_potrf('L', W), 0);
    require_info(startile_profile_stop(&profile), 0);
    require(profile->count == 1);
    startile_profile_destroy(profile);
    startile_matrix_destroy(W);
    require_factor(A, T);
    arrays_free(A, T);
}

/* Tests the info of a minor that fails, and that the next call succeeds. */
static void test_info(void)
{
    struct array A = positive_definite(), S = array_copy(A), T = array_copy(A);
    for (int64_t k = 0; k < N; k += N - 1) {
        in_case("minor %d", (int)k + 1);
        struct array F = array_copy(A);
        set(F, k, k, -1);
        startile_matrix *W = array_wrapped(F, N, N);
        require_info(startile_potrf('L', W), k + 1);
        startile_matrix_destroy(W);
        array_free(F);
    }
    in_case("a singular matrix");
    for (int64_t i = 0; i < N; i++)
        set(S, i, 3, 0);
    startile_matrix *W = array_wrapped(S, N, N);
    startile_pivots *P = pivots_created(W);
    require_info(startile_getrf(W, P), 4);
    startile_pivots_destroy(P);
    startile_matrix_destroy(W);
    in_case("a regular matrix");
    W = array_wrapped(T, N, N);
    require_info(startile_potrf('L', W), 0);
    startile_matrix_destroy(W);
    require_factor(A, T);
    arrays_free(A, S, T);
}

/* -- other tasks on the data ------------------------------------------------------------------ */

/* Task: copies A to the tile, slowly. */
static void copy_slowly(void *buffers[], void *arg)
{
    const struct array *A = arg;
    enum { MICROSECONDS = 20000 };
    usleep(MICROSECONDS);
    for (int64_t j = 0; j < N; j++)
        memcpy((char *)STARPU_MATRIX_GET_PTR(buffers[0]) +
                   (size_t)j * STARPU_MATRIX_GET_LD(buffers[0]) * element_size(dtype),
               (const char *)A->a + (size_t)(j * A->ld) * element_size(dtype),
               N * element_size(dtype));
}

static struct starpu_codelet slow = {
    .cpu_funcs = {copy_slowly}, .nbuffers = 1, .modes = {STARPU_W}, .name = "slow"};

/* Tests that a blocking call runs after a task of the program on its tile. */
static void test_after_task(void)
{
    in_case("a task on the tile");
    if (startile_cpu_workers() == 0)
        return;
    struct array A = positive_definite(), T = array_new(dtype, N, N, 1);
    startile_matrix *W = array_wrapped(T, N, N);
    struct starpu_task *t = starpu_task_create();
    t->cl = &slow;
    t->cl_arg = &A;
    t->handles[0] = startile_matrix_handle(W, 0, 0);
    require(starpu_task_submit(t) == 0);
    require_info(startile_potrf('L', W), 0);
    startile_matrix_destroy(W);
    require_factor(A, T);
    arrays_free(A, T);
}

/* Tests that a blocking call runs after the operations of a request on its matrix. */
static void test_after_request(void)
{
    in_case("a request on the matrix");
    struct array A = positive_definite(), T = array_new(dtype, N, N, 1);
    startile_matrix *W = array_wrapped(T, N, N), *V = array_wrapped(A, N, N);
    startile_request *r = request_created();
    for (int i = 0; i < 50; i++)
        require_info(startile_laset_async('G', i, i, W, r), 0);
    require_info(startile_lacpy_async('G', V, W, r), 0);
    require_info(startile_potrf('L', W), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    matrices_destroy(W, V);
    require_factor(A, T);
    arrays_free(A, T);
}

/* Tests operands without a value: a matrix of the library starts as zeros, and a tile of the
 * program is refused. */
static void test_without_value(void)
{
    in_case("a matrix of the library");
    startile_matrix *H;
    double norm = -1;
    startile_matrix *A = matrix_created(dtype, N, N, N, N);
    require_info(startile_lange('M', A, &norm), 0);
    require(norm == 0);
    require_info(startile_laset('G', 1, 2, A), 0);
    require_info(startile_lange('M', A, &norm), 0);
    require(norm == 2);
    startile_matrix_destroy(A);
    in_case("a tile of the program");
    starpu_data_handle_t tile;
    starpu_matrix_data_register(&tile, -1, 0, N, N, N, element_size(dtype));
    require_info(startile_matrix_from_handles(&H, dtype, N, N, N, N, &tile, 1), 0);
    require_info(startile_potrf('L', H), STARTILE_ERROR_TILE);
    require_info(startile_laset('G', 0, 4, H), 0);
    require_info(startile_potrf('L', H), 0);
    require_info(startile_lange('M', H, &norm), 0);
    require(norm == 2);
    startile_matrix_destroy(H);
    starpu_data_unregister(tile);
}

/* Tests a product of a matrix with itself: one handle is several operands of the task. */
static void test_equal_operands(void)
{
    in_case("B := A A");
    double norm = -1;
    startile_matrix *A = matrix_created(dtype, N, N, N, N), *B = matrix_created(dtype, N, N, N, N);
    require_info(startile_laset('G', 1, 1, A), 0);
    tasks_run();
    require_info(startile_gemm('N', 'N', 1, A, A, 0, B), 0);
    require((tasks_run() == 0) == (startile_cuda_workers() == 0));
    require_info(startile_lange('M', B, &norm), 0);
    require(norm == N);
    matrices_destroy(A, B);
}

/* -- batches ---------------------------------------------------------------------------------- */

/* Tests batches of one chunk and of several, with a matrix that fails. */
static void test_batch(void)
{
    enum { COUNT = 10, ORDER = 4, FAILS = 6 };
    for (int64_t per_task = COUNT / 2; per_task <= COUNT; per_task += COUNT / 2) {
        in_case("chunks of %d", (int)per_task);
        struct array A = array_new(dtype, ORDER, ORDER * COUNT, 0);
        int64_t info[COUNT];
        startile_batch *a, *i;
        for (int64_t j = 0; j < A.n; j++)
            for (int64_t row = 0; row < ORDER; row++)
                set(A, row, j, j % ORDER != row ? 0 : j / ORDER == FAILS ? -1 : 4);
        require_info(startile_batch_wrap(&a, dtype, COUNT, ORDER, ORDER, A.a, ORDER, ORDER * ORDER,
                                         per_task, NULL),
                     0);
        require_info(startile_batch_wrap_integers(&i, COUNT, 1, info, 1, 0, a), 0);
        require_info(startile_potrf_batch('L', a, i), FAILS + 1);
        startile_batch_destroy(i);
        startile_batch_destroy(a);
        for (int64_t q = 0; q < COUNT; q++)
            require(info[q] == (q == FAILS) && (q == FAILS || get(A, 0, q * ORDER) == 2));
        array_free(A);
    }
}

/* -- threads ---------------------------------------------------------------------------------- */

enum { THREADS = 8, CALLS = 201 };

struct work {
    struct array A, T;
    int64_t failed; /* number of calls without the expected info */
};

/* Runs as a thread: factors the same matrix again and again; every third time a minor fails. */
static void *factor(void *arg)
{
    struct work *w = arg;
    for (int i = 0; i < CALLS; i++) {
        bool fails = i % 3 == 1;
        for (int64_t j = 0; j < N; j++)
            memcpy((char *)w->T.a + (size_t)(j * w->T.ld) * element_size(dtype),
                   (char *)w->A.a + (size_t)(j * w->A.ld) * element_size(dtype),
                   N * element_size(dtype));
        if (fails)
            set(w->T, 7, 7, -1);
        w->failed += lapack(w->T)->typed_potrf('L', N, w->T.a, w->T.ld) != (fails ? 8 : 0);
    }
    return NULL;
}

/* Tests more threads than CPU workers. */
static void test_threads(void)
{
    in_case("%d threads", THREADS);
    struct work work[THREADS];
    pthread_t thread[THREADS];
    struct array A = positive_definite();
    for (int t = 0; t < THREADS; t++)
        work[t] = (struct work){array_copy(A), array_copy(A), 0};
    for (int t = 0; t < THREADS; t++)
        require(pthread_create(&thread[t], NULL, factor, &work[t]) == 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        require(work[t].failed == 0);
        /* the last call succeeds */
        require_factor(A, work[t].T);
        arrays_free(work[t].A, work[t].T);
    }
    array_free(A);
}

int main(int argc, char **argv)
{
    /* not check_start(), which lets workers pause: the program's own task would not run then */
    check_arguments(argc, argv);
    startile_options o = check_options();
    if (startile_init(&o) != 0)
        return 1;
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    return check_finish(run_group("direct", test_one_tile, test_profile, test_info, test_after_task,
                                  test_after_request, test_without_value, test_equal_operands,
                                  test_batch, test_threads));
}
