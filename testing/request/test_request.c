/* Tests of requests: wait, test, cancel, several operations in one request, tasks of the caller in
 * between. */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"
#include "test_matrix.h"
#include "triangles.h"

#include <math.h>
#include <pthread.h>
#include <starpu.h>
#include <unistd.h>

enum { N = 45, NB = 16 };

/* Returns an n × n matrix in tiles of nb × nb. */
static startile_matrix *new_matrix(int64_t n, int64_t nb)
{
    return matrix_created(dtype, n, n, nb, nb);
}

static void test_empty(void)
{
    int done = -7;
    in_case("an empty request");
    startile_request *r = request_created();
    require_info(startile_request_test(r, &done), 0);
    require(done == 1);
    require_info(startile_request_wait(r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
}

/* Submits fill, factorization, solve and norms to one request: each operation waits for its
 * operands. */
static void test_pipeline(void)
{
    in_case("a pipeline");
    double norm_A = -1, norm_X = -1, norm_R = -1;
    startile_matrix *A = new_matrix(N, NB), *F = new_matrix(N, NB), *B, *R;
    B = matrix_created(dtype, N, 3, NB, 2);
    R = matrix_created(dtype, N, 3, NB, 2);
    startile_request *r = request_created();
    require_info(startile_random_async('H', 1, N, A, r), 0);
    require_info(startile_random_async('G', 2, 0, B, r), 0);
    require_info(startile_lange_async('1', A, &norm_A, r), 0);
    require_info(startile_lacpy_async('G', A, F, r), 0);
    require_info(startile_lacpy_async('G', B, R, r), 0);
    require_info(startile_posv_async('L', F, B, r), 0);
    require_info(startile_gemm_async('N', 'N', -1, A, B, 1, R, r), 0);
    require_info(startile_lange_async('1', B, &norm_X, r), 0);
    require_info(startile_lange_async('1', R, &norm_R, r), 0);
    require_info(startile_request_wait(r), 0);
    require(norm_A > N && norm_X > 0);
    require_below(norm_R / (N * norm_A * norm_X * unit_roundoff(dtype)), 30);

    /* the same request again, after it has finished */
    double again = -1;
    require_info(startile_lange_async('1', A, &again, r), 0);
    require_info(startile_request_wait(r), 0);
    require(again == norm_A);
    startile_request_destroy(r);
    matrices_destroy(A, F, B, R);
}

/* Submits LU, refinement, inverse and condition estimate to one request. Computes X = A⁻¹ B in two
 * ways: by gesv, and by getrf and getrs. */
static void test_pipeline_of_lu(void)
{
    in_case("a pipeline of LU");
    double norm = -1, inverse_norm = -1, norm_X = -1, rcond = -1;
    startile_matrix *A = matrix_created(dtype, N, N, N, NB),
                    *F = matrix_created(dtype, N, N, N, NB),
                    *B = matrix_created(dtype, N, NB, N, NB),
                    *R = matrix_created(dtype, N, NB, N, NB);
    startile_pivots *P = pivots_created(F);
    startile_request *r = request_created();
    require_info(startile_random_async('G', 1, N, A, r), 0);
    require_info(startile_random_async('G', 2, 0, B, r), 0);
    require_info(startile_lacpy_async('G', A, F, r), 0);
    require_info(startile_lacpy_async('G', B, R, r), 0);
    require_info(startile_gesv_async(F, P, B, 1, r), 0);
    require_info(startile_lange_async('1', A, &norm, r), 0);
    require_info(startile_gecon_async('1', F, &norm, &rcond, r), 0);
    require_info(startile_getri_async(F, P, r), 0);
    require_info(startile_lange_async('1', F, &inverse_norm, r), 0);
    require_info(startile_request_wait(r), 0);
    /* rcond was computed from the factors before the inverse overwrote them */
    require(inverse_norm > 0 && rcond > 0);
    require_below(1 / (rcond * norm) / inverse_norm, 1.001);
    require_below(inverse_norm * rcond * norm, 10);
    require_info(startile_getrf_async(A, P, r), 0);
    require_info(startile_getrs_async('N', A, P, R, r), 0);
    require_info(startile_lange_async('1', R, &norm_X, r), 0);
    struct array x = array_new(dtype, N, NB, 0), y = array_new(dtype, N, NB, 0);
    require_info(startile_request_wait(r), 0);
    require_info(startile_matrix_to_lapack(B, x.a, x.ld), 0);
    require_info(startile_matrix_to_lapack(R, y.a, y.ld), 0);
    check_near(x, y, 100 / rcond * norm_X);
    arrays_free(x, y);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    matrices_destroy(A, F, B, R);
}

enum { COLUMNS = 20, NRHS = 4 };

/* Returns an m × n matrix in tiles of NB × NB. */
static startile_matrix *new_rectangle(int64_t m, int64_t n)
{
    return matrix_created(dtype, m, n, NB, NB);
}

/* Requires the rows that both A and B have to be equal up to `bound` roundoffs, in the triangle
 * uplo or everywhere. */
static void require_near(char uplo, startile_matrix *A, startile_matrix *B, double bound)
{
    startile_shape s = startile_matrix_shape(A), t = startile_matrix_shape(B);
    struct array a = array_new(dtype, s.m, s.n, 0), b = array_new(dtype, t.m, t.n, 0);
    require_info(startile_matrix_to_lapack(A, a.a, a.ld), 0);
    require_info(startile_matrix_to_lapack(B, b.a, b.ld), 0);
    int64_t m = s.m < t.m ? s.m : t.m;
    check_near_in(uplo, array_part(a, 0, 0, m, s.n), array_part(b, 0, 0, m, s.n), bound);
    arrays_free(a, b);
}

/* Submits factorizations, products with Q and least squares to one request: QᴴA must be R, W Qᴴ
 * must be L, and two problems must return the known solutions X (B[0]) and 2 X (B[1]). */
static void test_pipeline_of_qr(void)
{
    in_case("a pipeline of QR");
    startile_matrix *A = new_rectangle(N, COLUMNS), *F = new_rectangle(N, COLUMNS);
    startile_matrix *W = new_rectangle(COLUMNS, N), *L = new_rectangle(COLUMNS, N), *T, *U;
    startile_matrix *X = new_rectangle(COLUMNS, NRHS), *B[2], *copy[2];
    T = reflectors_created(F);
    U = reflectors_created(L);
    startile_request *r = request_created();
    require_info(startile_random_async('G', 1, 2, A, r), 0);
    require_info(startile_random_async('G', 2, 0, W, r), 0);
    require_info(startile_random_async('G', 3, 0, X, r), 0);
    for (int i = 0; i < 2; i++) {
        B[i] = new_rectangle(N, NRHS);
        copy[i] = new_rectangle(N, COLUMNS);
        require_info(startile_lacpy_async('G', A, copy[i], r), 0);
        require_info(startile_gemm_async('N', 'N', i + 1, A, X, 0, B[i], r), 0);
        require_info(startile_gels_async('N', copy[i], B[i], r), 0);
    }
    require_info(startile_lacpy_async('G', A, F, r), 0);
    require_info(startile_geqrf_async(F, reflectors_of(T), r), 0);
    require_info(startile_unmqr_async('L', 'C', F, reflectors_of(T), A, r), 0);
    require_info(startile_lacpy_async('G', W, L, r), 0);
    require_info(startile_gelqf_async(L, reflectors_of(U), r), 0);
    require_info(startile_unmlq_async('R', 'C', L, reflectors_of(U), W, r), 0);
    require_info(startile_request_wait(r), 0);
    require_near('U', A, F, 100 * N);
    require_near('L', W, L, 100 * N);
    require_near('G', B[0], X, 1000 * N);
    require_info(startile_gemm('N', 'N', 0, A, X, 0.5, B[1]), 0);
    require_near('G', B[1], X, 1000 * N);
    startile_request_destroy(r);
    matrices_destroy(A, F, W, L, T, U, X, B[0], B[1], copy[0], copy[1]);
}

/* Tests that two requests on one matrix run in the order of submission, whichever is waited for
 * first. */
static void test_order_across_requests(void)
{
    in_case("two requests");
    startile_matrix *A = new_matrix(N, NB);
    for (int round = 1; round <= 20; round++) {
        startile_request *first = request_created(), *second = request_created();
        double largest = -1;
        /* the second request has higher priority */
        require_info(startile_request_set_priority(second, 1000), 0);
        require_info(startile_request_set_priority(first, -1000), 0);
        require_info(startile_laset_async('G', round, round, A, first), 0);
        require_info(startile_lange_async('M', A, &largest, second), 0);
        require_info(startile_request_wait(second), 0);
        require(largest == round);
        startile_request_destroy(first);
        startile_request_destroy(second);
    }
    startile_matrix_destroy(A);
}

/* Tests startile_request_test(): polls until the request is done, for at most a minute. */
static void test_polling(void)
{
    in_case("startile_request_test until done");
    startile_matrix *A = new_matrix(400, 20);
    startile_request *r = request_created();
    int done = 0;
    require_info(startile_random_async('H', 3, 400, A, r), 0);
    require_info(startile_potrf_async('L', A, r), 0);
    for (int polls = 0; !done && polls < 60000; polls++) {
        require_info(startile_request_test(r, &done), 0);
        if (!done)
            usleep(1000);
    }
    require(done == 1);
    startile_request_destroy(r);
    startile_matrix_destroy(A);
}

/* Tests that operations that are submitted to a request after a failure do nothing, and that other
 * requests on the same data run. */
static void test_failure_skips_later_operations(void)
{
    in_case("skipping after a failure");
    startile_matrix *A = new_matrix(N, NB), *B = new_matrix(N, NB);
    double value = -7, largest = -7;
    int done = 0;
    startile_request *r = request_created(), *other_request = request_created();
    require_info(startile_laset('G', 0, 1, A), 0);
    require_info(startile_laset('G', 0, 5, B), 0);
    /* A(20,20) := −1, counted from 1 */
    starpu_data_handle_t tile = startile_matrix_handle(A, 1, 1);
    require(starpu_data_acquire(tile, STARPU_RW) == 0);
    struct array tile_elements = {
        dtype, NB, NB, NB, starpu_data_handle_to_pointer(tile, STARPU_MAIN_RAM), NULL};
    tile_elements.ld = (int64_t)starpu_matrix_get_local_ld(tile);
    set(tile_elements, 3, 3, -1);
    starpu_data_release(tile);

    require_info(startile_potrf_async('L', A, r), 0);
    require_info(startile_request_wait(r), 20);
    /* these operations update tiles: skipped tasks that overwrite tiles would leave them undefined
     */
    require_info(startile_potrf_async('L', B, r), 0);
    require_info(startile_lange_async('M', B, &value, r), 0);
    require_info(startile_request_wait(r), 20);
    require_info(startile_request_test(r, &done), 20);
    require(done == 1 && value == -7);
    require_info(startile_lange_async('M', B, &largest, other_request), 0);
    require_info(startile_request_wait(other_request), 0);
    require(largest == 5);
    startile_request_destroy(r);
    startile_request_destroy(other_request);
    matrices_destroy(A, B);
}

/* -- the caller's own tasks ---------------------------------------------------------------------
 */

static void double_elements(struct array t)
{
    for (int64_t j = 0; j < t.n; j++)
        for (int64_t i = 0; i < t.m; i++)
            set(t, i, j, 2 * get(t, i, j));
}

static void double_tile(void *buffers[], void *arg)
{
    (void)arg;
    double_elements((struct array){
        dtype, STARPU_MATRIX_GET_NX(buffers[0]), STARPU_MATRIX_GET_NY(buffers[0]),
        STARPU_MATRIX_GET_LD(buffers[0]), (void *)STARPU_MATRIX_GET_PTR(buffers[0]), NULL});
}

static struct starpu_codelet double_codelet = {
    .cpu_funcs = {double_tile}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "double"};

/* Callback of an acquired tile: doubles its elements and releases it. */
static void double_in_main_memory(void *handle)
{
    starpu_data_handle_t tile = handle;
    /* not the "local" interface: the callback may run on the thread of a GPU worker */
    void *interface = starpu_data_get_interface_on_node(tile, STARPU_MAIN_RAM);
    struct array t = {dtype,
                      STARPU_MATRIX_GET_NX(interface),
                      STARPU_MATRIX_GET_NY(interface),
                      STARPU_MATRIX_GET_LD(interface),
                      (void *)STARPU_MATRIX_GET_PTR(interface),
                      NULL};
    double_elements(t);
    starpu_data_release(tile);
}

/* Submits operations of the library, tasks or callbacks of the caller, and operations of the
 * library again, on the same handles without waiting: the caller doubles the elements 3 of A; then
 * C := A, and C := A I + C doubles them again. by_task: by tasks, else by callbacks. */
static void check_mixing(bool by_task)
{
    startile_matrix *A = new_matrix(N, NB), *I = new_matrix(N, NB), *C = new_matrix(N, NB);
    startile_request *r = request_created();
    require_info(startile_laset_async('G', 3, 3, A, r), 0);
    require_info(startile_laset_async('G', 0, 1, I, r), 0);
    startile_shape s = startile_matrix_shape(A);
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++) {
            starpu_data_handle_t tile = startile_matrix_handle(A, i, j);
            if (by_task)
                require(starpu_task_insert(&double_codelet, STARPU_RW, tile, 0) == 0);
            else
                require(starpu_data_acquire_cb(tile, STARPU_RW, double_in_main_memory, tile) == 0);
        }
    require_info(startile_lacpy_async('G', A, C, r), 0);
    require_info(startile_gemm_async('N', 'N', 1, A, I, 1, C, r), 0);
    require_info(startile_request_wait(r), 0);
    struct array c = array_new(dtype, N, N, 1);
    require_info(startile_matrix_to_lapack(C, c.a, c.ld), 0);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            require(get(c, i, j) == 12);
    array_free(c);
    startile_request_destroy(r);
    matrices_destroy(A, I, C);
}

static void test_own_tasks(void)
{
    in_case("callbacks of the caller between operations");
    check_mixing(false);
    in_case("tasks of the caller between operations");
    if (startile_cpu_workers() > 0)
        check_mixing(true);
}

/* -- cancelling ---------------------------------------------------------------------------------
 */

/* Requires A to be usable: factors 4 I. */
static void require_usable(startile_matrix *A)
{
    double largest = -1;
    require_info(startile_laset('G', 0, 4, A), 0);
    require_info(startile_potrf('L', A), 0);
    require_info(startile_lange('M', A, &largest), 0);
    require_below(fabs(largest - 2), 1e-6);
}

/* Requires A and P to be usable: factors and inverts 4 I. */
static void require_usable_by_lu(startile_matrix *A, startile_pivots *P)
{
    double largest = -1, rcond = -1;
    require_info(startile_laset('G', 0, 4, A), 0);
    require_info(startile_getrf(A, P), 0);
    require_info(startile_gecon('1', A, &(double){4}, &rcond), 0);
    require_below(fabs(rcond - 1), 1e-3);
    require_info(startile_getri(A, P), 0);
    require_info(startile_lange('M', A, &largest), 0);
    require(largest == 0.25);
}

/* Runs as a thread: cancels the request after 2 ms. */
static void *cancel_later(void *request)
{
    usleep(2000);
    startile_request_cancel(request);
    return NULL;
}

/* Cancels in the middle of about ten thousand tasks, from this thread or another one. The test
 * holds the last tile until then, so that the request cannot finish first. */
static void test_cancel(void)
{
    startile_matrix *A = new_matrix(800, 20);
    for (int round = 0; round < 4; round++) {
        int done = 0;
        pthread_t thread;
        in_case("cancel, round %d", round);
        startile_request *r = request_created();
        require_info(startile_random('H', 5, 800, A), 0);
        starpu_data_handle_t last = startile_matrix_handle(A, 39, 39);
        require(starpu_data_acquire(last, STARPU_RW) == 0);
        if (round % 2)
            require(pthread_create(&thread, NULL, cancel_later, r) == 0);
        require_info(startile_potrf_async("LU"[round / 2], A, r), 0);
        if (round % 2)
            pthread_join(thread, NULL);
        else
            require_info(startile_request_cancel(r), 0);
        starpu_data_release(last);
        require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
        require_info(startile_request_test(r, &done), STARTILE_ERROR_CANCELLED);
        require(done == 1);
        startile_request_destroy(r);
        require_usable(A);
    }
    startile_matrix_destroy(A);
}

/* Cancels LU and operations after it, with their temporaries. The test holds the last block column
 * until then. Rounds 0 and 3 run gesv without and with refinement. */
static void test_cancel_lu(void)
{
    enum { ORDER = 600, WIDTH = 20, LAST = ORDER / WIDTH - 1 };
    startile_matrix *A = matrix_created(dtype, ORDER, ORDER, ORDER, WIDTH),
                    *B = matrix_created(dtype, ORDER, 5, WIDTH, 2);
    startile_pivots *P = pivots_created(A);
    for (int round = 0; round < 6; round++) {
        double norm = 1, rcond = -7;
        in_case("cancel LU, round %d", round);
        startile_request *r = request_created();
        require_info(startile_random('G', 5, 0, A), 0);
        require_info(startile_random('G', 6, 0, B), 0);
        starpu_data_handle_t last = startile_matrix_handle(A, 0, LAST);
        require(starpu_data_acquire(last, STARPU_RW) == 0);
        if (round % 3 == 0)
            require_info(startile_gesv_async(A, P, B, round / 3, r), 0);
        else if (round % 3 == 1)
            require_info(startile_getrf_async(A, P, r), 0);
        else
            require_info(startile_getrf_tntpiv_async(A, P, r), 0);
        require_info(startile_getri_async(A, P, r), 0);
        require_info(startile_gecon_async('I', A, &norm, &rcond, r), 0);
        require_info(startile_request_cancel(r), 0);
        starpu_data_release(last);
        require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
        require(rcond == 0); /* in a failed request */
        startile_request_destroy(r);
        require_usable_by_lu(A, P);
    }
    startile_pivots_destroy(P);
    matrices_destroy(A, B);
}

/* Requires A, T and B to be usable by QR and least squares of A = 4 I, all of B being 8: Q has
 * columns of the identity; B gets 2 in the rows of the solution and keeps 8 below. */
static void require_usable_by_qr(startile_matrix *A, startile_matrix *T, startile_matrix *B)
{
    double largest = -1, size = -1;
    require_info(startile_laset('G', 0, 4, A), 0);
    require_info(startile_laset('G', 8, 8, B), 0);
    require_info(startile_geqrf(A, reflectors_of(T)), 0);
    require_info(startile_ungqr(A, reflectors_of(T)), 0);
    require_info(startile_lange('1', A, &largest), 0);
    require_below(fabs(largest - 1), 1e-5);
    require_info(startile_laset('G', 0, 4, A), 0);
    require_info(startile_gels('N', A, B), 0);
    require_info(startile_lange('1', B, &size), 0);
    startile_shape s = startile_matrix_shape(A);
    double expected = (double)(2 * s.n + 8 * (s.m - s.n));
    require_below(fabs(size / expected - 1), 1e-5);
}

/* Cancels QR and operations after it, with their temporaries. The test holds the last block column
 * until then. */
static void test_cancel_qr(void)
{
    enum { ROWS = 700, WIDTH = 20, LAST = ROWS / 2 / WIDTH - 1 };
    startile_tree *tree;
    startile_matrix *A = matrix_created(dtype, ROWS, ROWS / 2, 5 * WIDTH, WIDTH),
                    *B = matrix_created(dtype, ROWS, 5, 5 * WIDTH, 2), *T = reflectors_created(A);
    require_info(startile_tree_create(&tree, A, STARTILE_TREE_GREEDY), 0);
    for (int round = 0; round < 4; round++) {
        in_case("cancel QR, round %d", round);
        startile_request *r = request_created();
        require_info(startile_random('G', 5, 0, A), 0);
        require_info(startile_random('G', 6, 0, B), 0);
        starpu_data_handle_t last = startile_matrix_handle(A, 0, LAST);
        require(starpu_data_acquire(last, STARPU_RW) == 0);
        if (round == 0)
            require_info(startile_gels_async('N', A, B, r), 0);
        else if (round == 1)
            require_info(startile_geqrf_async(A, reflectors_of(T), r), 0);
        else if (round == 2)
            require_info(startile_gelqf_async(A, reflectors_of(T), r), 0);
        else
            require_info(startile_geqrf_tree_async(A, tree, r), 0);
        require_info(startile_unmqr_async('L', 'C', A, reflectors_of(T), B, r), 0);
        require_info(startile_unmqr_tree_async('L', 'C', A, tree, B, r), 0);
        require_info(startile_ungqr_async(A, reflectors_of(T), r), 0);
        require_info(startile_request_cancel(r), 0);
        starpu_data_release(last);
        require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
        startile_request_destroy(r);
        require_usable_by_qr(A, T, B);
    }
    startile_tree_destroy(tree);
    matrices_destroy(A, B, T);
}

/* Tests that operations do nothing if they are submitted to a request in which gels has found a
 * rank-deficient matrix. */
static void test_failure_skips_qr(void)
{
    in_case("QR after a failure");
    startile_matrix *A = new_rectangle(N, COLUMNS), *B = new_rectangle(N, NRHS);
    startile_matrix *C = new_rectangle(N, COLUMNS), *T;
    double largest = -7, kept = -7;
    T = reflectors_created(C);
    struct array F = array_new(dtype, N, COLUMNS, 0);
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t i = 0; i < N; i++)
            set(F, i, j, j == 0 ? 0 : 1 + (i + j) % 7);
    require_info(startile_matrix_from_lapack(A, F.a, F.ld), 0);
    array_free(F);
    require_info(startile_laset('G', 3, 3, B), 0);
    require_info(startile_laset('G', 5, 5, C), 0);
    startile_request *r = request_created();
    require_info(startile_gels_async('N', A, B, r), 0);
    require_info(startile_request_wait(r), 1);
    require_info(startile_geqrf_async(C, reflectors_of(T), r), 0);
    require_info(startile_gelqf_async(C, reflectors_of(T), r), 0);
    require_info(startile_unmqr_async('R', 'N', A, reflectors_of(T), C, r), -5);
    require_info(startile_unmqr_async('L', 'N', A, reflectors_of(T), C, r), 0);
    require_info(startile_gels_async('N', C, B, r), 0);
    require_info(startile_lange_async('M', C, &largest, r), 0);
    require_info(startile_request_wait(r), 1);
    require(largest == -7);
    startile_request_destroy(r);
    require_info(startile_lange('M', C, &kept), 0);
    require(kept == 5);
    require_info(startile_lange('1', C, &kept), 0);
    require(kept == 5 * N);
    require_info(startile_lange('M', B, &kept), 0);
    require(kept == 3);
    matrices_destroy(A, B, C, T);
}

/* Tests that operations submitted to a cancelled request do nothing. */
static void test_cancel_first(void)
{
    in_case("cancel before submitting");
    startile_matrix *A = new_matrix(N, NB);
    double value = -7, largest = -7;
    require_info(startile_laset('G', 1, 1, A), 0);
    startile_request *r = request_created();
    require_info(startile_request_cancel(r), 0);
    /* these operations update tiles: skipped tasks that overwrite tiles would leave them undefined
     */
    require_info(startile_potrf_async('L', A, r), 0);
    require_info(startile_lange_async('M', A, &value, r), 0);
    require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    require(value == -7);
    startile_request_destroy(r);
    require_info(startile_lange('M', A, &largest), 0);
    require(largest == 1);
    require_usable(A);
    startile_matrix_destroy(A);
}

/* Tests that a request works like a new one after a reset: it was cancelled, Cholesky failed in it,
 * or LU met a zero pivot. */
static void test_reset(void)
{
    in_case("reset");
    startile_matrix *A = new_matrix(N, NB), *ones = new_matrix(N, NB);
    startile_request *r = request_created();
    startile_pivots *P = pivots_created(A);
    require_info(startile_laset('G', 1, 1, ones), 0);
    require_info(startile_laset('G', 0, 1, A), 0);
    require_info(startile_request_cancel(r), 0);
    require_info(startile_potrf_async('L', A, r), 0);
    require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    require_info(startile_request_reset(r), 0);
    require_info(startile_potrf_async('L', A, r), 0);
    require_info(startile_request_wait(r), 0);
    /* the leading minor of order 2 of a matrix of ones is 0: Cholesky fails there, and LU has no
     * pivot */
    require_info(startile_potrf_async('L', ones, r), 0);
    require_info(startile_request_wait(r), 2);
    require_info(startile_request_reset(r), 0);
    require_info(startile_request_wait(r), 0);
    require_info(startile_laset_async('G', 1, 1, ones, r), 0);
    require_info(startile_getrf_async(ones, P, r), 0);
    require_info(startile_request_wait(r), 2);
    require_info(startile_request_reset(r), 0);
    require_info(startile_getrf_async(A, P, r), 0);
    require_info(startile_getrs_async('N', A, P, ones, r), 0);
    require_info(startile_request_wait(r), 0);
    require_info(startile_request_reset(NULL), -1);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    matrices_destroy(ones, A);
}

/* Submits a factorization and, for LU and QR, an operation with its factors. */
static void submit_long(const char *method, startile_matrix *A, startile_pivots *P,
                        startile_matrix *T, startile_tree *tree, startile_request *r)
{
    require_info(startile_random_async(*method == 'C' ? 'H' : 'G', 6, 300, A, r), 0);
    if (*method == 'C') {
        require_info(startile_potrf_async('U', A, r), 0);
    } else if (*method == 'L') {
        require_info(startile_getrf_async(A, P, r), 0);
        require_info(startile_getri_async(A, P, r), 0);
    } else {
        require_info(startile_geqrf_async(A, reflectors_of(T), r), 0);
        require_info(startile_geqrf_tree_async(A, tree, r), 0);
        require_info(startile_ungqr_async(A, reflectors_of(T), r), 0);
    }
}

/* Tests that the destruction of busy objects waits for them, whichever is destroyed first. */
static void test_destroy_busy(void)
{
    static const struct {
        const char *method;
        int64_t mb;
    } cases[] = {{"Cholesky", 20}, {"LU", 300}, {"QR", 60}};
    enum { OBJECTS = 5 };
    for (int c = 0; c < 3; c++)
        for (int round = 0; round < 2 * OBJECTS; round++) {
            in_case("destroy while %s is busy, round %d", cases[c].method, round);
            startile_request *r = request_created();
            startile_matrix *A = matrix_created(dtype, 300, 300, cases[c].mb, 20),
                            *T = reflectors_created(A);
            startile_pivots *P = pivots_created(A);
            startile_tree *tree;
            require_info(startile_tree_create(&tree, A, (startile_tree_kind)(round % 3)), 0);
            submit_long(cases[c].method, A, P, T, tree, r);
            if (round >= OBJECTS)
                startile_request_cancel(r);
            for (int i = 0; i < OBJECTS; i++)
                switch ((round + i) % OBJECTS) {
                case 0:
                    startile_matrix_destroy(A);
                    break;
                case 1:
                    startile_request_destroy(r);
                    break;
                case 2:
                    startile_pivots_destroy(P);
                    break;
                case 3:
                    startile_matrix_destroy(T);
                    break;
                default:
                    startile_tree_destroy(tree);
                }
        }
}

/* Tests that requests work with the lowest and the highest priority. */
static void test_priorities(void)
{
    in_case("priorities");
    startile_matrix *A = new_matrix(N, NB);
    startile_request *r = request_created();
    static const int priorities[] = {-1000, 0, 1000};
    startile_pivots *P = pivots_created(A);
    for (int p = 0; p < 3; p++) {
        require_info(startile_request_set_priority(r, priorities[p]), 0);
        require_info(startile_random_async('H', 7, N, A, r), 0);
        require_info(startile_potrf_async('L', A, r), 0);
        require_info(startile_random_async('G', 7, 0, A, r), 0);
        require_info(startile_getrf_async(A, P, r), 0);
        require_info(startile_getri_async(A, P, r), 0);
        require_info(startile_getrf_tntpiv_async(A, P, r), 0);
    }
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
}

/* Tests that cancelling after the end changes nothing. */
static void test_cancel_after_the_end(void)
{
    startile_matrix *A = new_matrix(N, NB);
    startile_request *r = request_created();
    in_case("cancel after the end");
    require_info(startile_laset_async('G', 0, 4, A, r), 0);
    require_info(startile_request_wait(r), 0);
    require_info(startile_request_cancel(r), 0);
    require_info(startile_request_wait(r), 0);
    in_case("another operation after a cancel");
    require_info(startile_laset_async('G', 0, 5, A, r), 0);
    require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    startile_request_destroy(r);
    startile_matrix_destroy(A);
}

/* Tests that a matrix from the caller's handles may lack tiles, if no operation accesses them. */
static void test_missing_tile(void)
{
    startile_matrix *A = new_matrix(2 * NB, NB), *H;
    double value = -7;
    require_info(startile_laset('G', 0, 4, A), 0);
    starpu_data_handle_t tiles[] = {startile_matrix_handle(A, 0, 0),
                                    startile_matrix_handle(A, 1, 0), NULL,
                                    startile_matrix_handle(A, 1, 1)};
    require_info(startile_matrix_from_handles(&H, dtype, 2 * NB, 2 * NB, NB, NB, tiles, 2), 0);
    in_case("the upper triangle is missing");
    require_info(startile_potrf('L', H), 0);
    in_case("a tile that is needed is missing");
    require_info(startile_lange('1', H, &value), STARTILE_ERROR_TILE);
    require_info(startile_potrf('U', H), STARTILE_ERROR_TILE);
    in_case("LU needs all tiles");
    startile_pivots *P = pivots_created(H);
    require_info(startile_getrf(H, P), STARTILE_ERROR_TILE);
    require_info(startile_getrf_nopiv(H), STARTILE_ERROR_TILE);
    require_info(startile_getrf_tntpiv(H, P), STARTILE_ERROR_TILE);
    require_info(startile_getri(H, P), STARTILE_ERROR_TILE);
    startile_pivots_destroy(P);
    in_case("QR needs all tiles");
    startile_tree *tree;
    startile_matrix *T = reflectors_created(H);
    require_info(startile_tree_create(&tree, H, STARTILE_TREE_BINARY), 0);
    require_info(startile_geqrf(H, reflectors_of(T)), STARTILE_ERROR_TILE);
    require_info(startile_gelqf(H, reflectors_of(T)), STARTILE_ERROR_TILE);
    require_info(startile_geqrf_tree(H, tree), STARTILE_ERROR_TILE);
    require_info(startile_gels('N', A, H), STARTILE_ERROR_TILE);
    startile_tree_destroy(tree);
    startile_matrix_destroy(T);
    /* existing tiles may have been written before the missing one was found */
    require_info(startile_laset('L', 0, 2, H), 0);
    in_case("usable afterwards");
    require_info(startile_lansy('M', 'L', H, &value), 0);
    require_below(fabs(value - 2), 1e-6);
    matrices_destroy(H, A);
}

int main(int argc, char **argv)
{
    /* not check_start(), which lets workers pause when the library is idle: the caller's own tasks
     * would not run then */
    check_arguments(argc, argv);
    startile_options o = check_options();
    int status = startile_init(&o);
    if (status != 0)
        return 1;
    return check_finish(run_group("request", test_empty, test_pipeline, test_pipeline_of_lu,
                                  test_order_across_requests, test_polling,
                                  test_failure_skips_later_operations, test_own_tasks, test_cancel,
                                  test_cancel_lu, test_cancel_first, test_reset, test_destroy_busy,
                                  test_priorities, test_cancel_after_the_end, test_missing_tile,
                                  test_pipeline_of_qr, test_cancel_qr, test_failure_skips_qr));
}
