/* Tests of startile_request_outcome(): handles on which tasks of the program depend. */
#include "check.h"
#include "objects.h"
#include "startile_mixed.h"
#include "startile_testing.h"

#include <starpu.h>
#include <stdatomic.h>
#include <unistd.h>

enum { N = 40, NB = 16, NOT_READ = -7 };

static startile_matrix *new_matrix(void)
{
    return matrix_created(dtype, N, N, NB, NB);
}

static starpu_data_handle_t outcome_of(startile_request *r)
{
    starpu_data_handle_t h = NULL;
    require_info(startile_request_outcome(r, &h), 0);
    return h;
}

/* What a task of the program has read. */
struct note {
    const double *value; /* result of an operation, or NULL */
    double seen;
    atomic_llong outcome;
};

static void read_outcome(void *buffers[], void *arg)
{
    struct note *n = arg;
    n->seen = n->value != NULL ? *n->value : 0;
    atomic_store(&n->outcome, *(const int64_t *)STARPU_VARIABLE_GET_PTR(buffers[0]));
}

static struct starpu_codelet reader = {
    .cpu_funcs = {read_outcome}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "outcome_reader"};

/* Submits a task that reads the outcome and accesses a tile, or nothing else. */
static void submit_reader(struct note *n, starpu_data_handle_t outcome, starpu_data_handle_t tile)
{
    atomic_store(&n->outcome, NOT_READ);
    int error = tile == NULL ? starpu_task_insert(&reader, STARPU_CL_ARGS_NFREE, n, sizeof *n,
                                                  STARPU_R, outcome, 0)
                             : starpu_task_insert(&reader, STARPU_CL_ARGS_NFREE, n, sizeof *n,
                                                  STARPU_R, outcome, STARPU_RW, tile, 0);
    require(error == 0);
}

static bool has_cpu_workers(void)
{
    return starpu_cpu_worker_get_count() > 0;
}

/* Tests that a task on the outcome runs after the operations, when their results are stored, and
 * not before. */
static void test_success(void)
{
    startile_matrix *A = new_matrix();
    double norm = -1;
    for (int round = 0; round < 20; round++) {
        in_case("success, round %d", round);
        startile_request *r = request_created();
        struct note n = {.value = &norm};
        require_info(startile_random('H', 1, N, A), 0);
        starpu_data_handle_t tile = startile_matrix_handle(A, 0, 0);
        require(starpu_data_acquire(tile, STARPU_RW) == 0);
        norm = -1;
        require_info(startile_potrf_async('L', A, r), 0);
        require_info(startile_lange_async('M', A, &norm, r), 0);
        submit_reader(&n, outcome_of(r), NULL);
        if (round % 2 == 0)
            usleep(1000);
        require(atomic_load(&n.outcome) == NOT_READ);
        starpu_data_release(tile);
        if (round % 4 < 2)
            require_info(startile_request_wait(r), 0);
        startile_request_destroy(r); /* waits for the task */
        require(atomic_load(&n.outcome) == 0 && n.seen == norm && norm > 1);
    }
    startile_matrix_destroy(A);
}

/* Tests outcomes between operations of one request, of which the second fails: each outcome waits
 * for the operations before it only. */
static void test_several(void)
{
    in_case("several outcomes");
    startile_matrix *A = new_matrix(), *B = new_matrix(), *C = new_matrix();
    startile_request *r = request_created();
    struct note n[4] = {{0}};
    require_info(startile_laset('G', 0, 4, A), 0);
    require_info(startile_laset('G', 0, -1, B), 0);
    require_info(startile_laset('G', 0, 9, C), 0);
    starpu_data_handle_t last = startile_matrix_handle(C, 2, 2);
    require(starpu_data_acquire(last, STARPU_RW) == 0);
    submit_reader(&n[0], outcome_of(r), NULL);
    require_info(startile_potrf_async('L', A, r), 0);
    submit_reader(&n[1], outcome_of(r), NULL);
    require_info(startile_potrf_async('L', B, r), 0);
    submit_reader(&n[2], outcome_of(r), NULL);
    /* C has a tile that is not free before the others have been read */
    require_info(startile_lacpy_async('G', A, C, r), 0);
    submit_reader(&n[3], outcome_of(r), NULL);
    /* the tasks on different outcomes run in any order */
    for (int i = 0; i < 3; i++)
        for (int polls = 0; polls < 60000 && atomic_load(&n[i].outcome) == NOT_READ; polls++)
            usleep(1000);
    require(atomic_load(&n[0].outcome) == 0);
    require(atomic_load(&n[2].outcome) == 1);
    /* the first potrf may have ended after the failure of the second, which does not read A */
    require(atomic_load(&n[1].outcome) == 0 || atomic_load(&n[1].outcome) == 1);
    require(atomic_load(&n[3].outcome) == NOT_READ);
    starpu_data_release(last);
    require_info(startile_request_wait(r), 1);
    startile_request_destroy(r);
    require(atomic_load(&n[3].outcome) == 1);
    matrices_destroy(A, B, C);
}

/* Tests an operation of the same request that waits for a task on the outcome. */
static void test_task_between(void)
{
    in_case("a task between two operations");
    startile_matrix *A = new_matrix();
    startile_request *r = request_created();
    struct note n = {0};
    double norm = -1;
    require_info(startile_random_async('H', 2, N, A, r), 0);
    require_info(startile_potrf_async('L', A, r), 0);
    submit_reader(&n, outcome_of(r), startile_matrix_handle(A, 0, 0));
    require_info(startile_lange_async('F', A, &norm, r), 0);
    require_info(startile_request_wait(r), 0);
    require(norm > 0 && atomic_load(&n.outcome) == 0);
    startile_request_destroy(r);
    startile_matrix_destroy(A);
}

/* Tests a request that is cancelled, reset and used again, and one that is idle. */
static void test_reset(void)
{
    in_case("cancelled, reset, idle");
    startile_matrix *A = new_matrix();
    startile_request *r = request_created();
    struct note cancelled = {0}, again = {0}, idle = {0};
    require_info(startile_random('H', 3, N, A), 0);
    starpu_data_handle_t tile = startile_matrix_handle(A, 0, 0);
    require(starpu_data_acquire(tile, STARPU_RW) == 0);
    require_info(startile_potrf_async('L', A, r), 0);
    submit_reader(&cancelled, outcome_of(r), NULL);
    require_info(startile_request_cancel(r), 0);
    starpu_data_release(tile);
    require_info(startile_request_reset(r), 0);
    require(atomic_load(&cancelled.outcome) == STARTILE_ERROR_CANCELLED);
    require_info(startile_potrf_async('L', A, r), 0);
    submit_reader(&again, outcome_of(r), NULL);
    require_info(startile_request_wait(r), 0);
    submit_reader(&idle, outcome_of(r), NULL);
    startile_request_destroy(r);
    require(atomic_load(&again.outcome) == 0 && atomic_load(&idle.outcome) == 0);
    startile_matrix_destroy(A);
}

/* Tests an operation that submits tasks while it runs, and a zero pivot. */
static void test_late_tasks(void)
{
    in_case("gesv_mixed");
    startile_mixed_result result = {.size = sizeof result, .iterations = -99};
    struct note solved = {0}, singular = {0};
    bool is_double = dtype == STARTILE_D || dtype == STARTILE_Z;
    startile_matrix *A = matrix_created(dtype, N, N, N, NB),
                    *B = matrix_created(dtype, N, 2, N, NB),
                    *X = matrix_created(dtype, N, 2, N, NB);
    startile_pivots *P = pivots_created(A);
    startile_request *r = request_created();
    require_info(startile_random_async('G', 1, N, A, r), 0);
    require_info(startile_random_async('G', 2, 0, B, r), 0);
    if (is_double)
        require_info(startile_gesv_mixed_async(A, P, B, X, NULL, &result, r), 0);
    submit_reader(&solved, outcome_of(r), NULL);
    for (int polls = 0; polls < 60000 && atomic_load(&solved.outcome) == NOT_READ; polls++)
        usleep(1000);
    require(atomic_load(&solved.outcome) == 0 && (!is_double || result.iterations >= 0));
    require_info(startile_laset_async('G', 0, 0, A, r), 0);
    require_info(startile_getrf_async(A, P, r), 0);
    submit_reader(&singular, outcome_of(r), NULL);
    require_info(startile_request_wait(r), 1);
    startile_request_destroy(r);
    require(atomic_load(&singular.outcome) == 1);
    startile_pivots_destroy(P);
    matrices_destroy(A, B, X);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    if (!has_cpu_workers())
        check_skip("the tasks of the program need a CPU worker");
    return check_finish(run_group("outcome", test_success, test_several, test_task_between,
                                  test_reset, test_late_tasks));
}
