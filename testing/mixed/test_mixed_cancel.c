/*
 * Tests the cancellation of the solvers in mixed precision in the middle of their iterations. A
 * scheduling policy counts the tasks that only the iterations after the first decision have, and
 * cancels the request before one of them runs.
 */
#include "check.h"
#include "mixed.h"
#include "objects.h"
#include "random_scheduler.h"
#include "startile_mixed.h"

#include <math.h>
#include <starpu.h>
#include <stdatomic.h>
#include <string.h>

enum { N = 60, NB = 16, NRHS = 3 };

/* -- the policy ------------------------------------------------------------------------------ */

static atomic_int count;     /* tasks of inner products that began */
static atomic_int cancel_at; /* the one before which the request is cancelled; 0: none */
static _Atomic(startile_request *) victim; /* the request */

/* Runs before each task. Inner products are taken in accelerated steps and by GMRES only. */
static void before_task(struct starpu_task *t, unsigned context)
{
    (void)context;
    bool is_counted =
        t->cl != NULL && t->cl->name != NULL && strcmp(t->cl->name + 1, "column_dots") == 0;
    if (is_counted && atomic_fetch_add(&count, 1) + 1 == atomic_load(&cancel_at))
        startile_request_cancel(atomic_load(&victim));
}

/* Starts StarPU with the policy, and the library. */
static void start(int argc, char **argv)
{
    static struct starpu_sched_policy policy;
    check_arguments(argc, argv);
    startile_options o = check_options();
    struct starpu_conf conf;
    policy = random_scheduler;
    policy.pre_exec_hook = before_task;
    starpu_conf_init(&conf);
    conf.ncpus = o.ncpu;
    conf.ncuda = o.ncuda;
    conf.sched_policy = &policy;
    require(starpu_init(&conf) == 0);
    check_start(argc, argv);
}

/* -- one solver ------------------------------------------------------------------------------ */

/* A solver and its operands. */
struct run {
    char uplo;
    startile_mixed_options options;
    struct array a, b, x;
    struct test_matrix A, B, X;
    startile_pivots *P;
    startile_request *r;
    startile_mixed_result result;
};

/* smallest: smallest singular value; 0: three are about 1e-10 */
static struct run begin(char uplo, startile_method method, double smallest)
{
    struct run s = {.uplo = uplo,
                    .options = {.size = sizeof s.options, .method = method, .certificate = 1},
                    .result = {.size = sizeof s.result}};
    int64_t mb = uplo == 'G' ? N : NB;
    random_seed(13);
    s.a = smallest == 0 ? new_matrix(uplo, N) : one_small_singular_value(uplo, N, smallest);
    if (smallest == 0)
        make_three_columns_equal(s.a);
    s.b = array_new_random(dtype, N, NRHS, 0);
    s.x = array_new(dtype, N, NRHS, 2);
    s.A = test_matrix_new(s.a, WRAPPED, 'G', mb, NB);
    s.B = test_matrix_new(s.b, WRAPPED, 'G', NB, 2);
    s.X = test_matrix_new(s.x, CREATED, 'G', NB, 2);
    s.P = pivots_created(s.A.A);
    s.r = request_created();
    return s;
}

/* Solves; cancels before inner product number `cancel`, if that is not 0. Returns the outcome. */
static int64_t run(struct run *s, int cancel)
{
    atomic_store(&count, 0);
    atomic_store(&victim, s->r);
    atomic_store(&cancel_at, cancel);
    require_info(s->uplo == 'G' ? startile_gesv_mixed_async(s->A.A, s->P, s->B.A, s->X.A,
                                                            &s->options, &s->result, s->r)
                                : startile_posv_mixed_async(s->uplo, s->A.A, s->B.A, s->X.A,
                                                            &s->options, &s->result, s->r),
                 0);
    int64_t info = startile_request_wait(s->r);
    atomic_store(&cancel_at, 0);
    return info;
}

static void finish(struct run *s)
{
    startile_request_destroy(s->r);
    startile_pivots_destroy(s->P);
    test_matrices_finish(&s->A, &s->B, &s->X);
}

/* Cancels the solver before each of its inner products; on GPUs, where random implementations may
 * change their number, before some. Requires STARTILE_ERROR_CANCELLED, and unchanged A and B. The
 * request can be used again, and then X is right. */
static void cancel_everywhere(char uplo, startile_method method, double smallest, int least)
{
    struct run s = begin(uplo, method, smallest);
    struct array a = array_copy(s.a), b = array_copy(s.b);
    in_case("solver %c, method %d, not cancelled", uplo, method);
    require_info(run(&s, 0), 0);
    require(s.result.iterations >= 0 && s.result.method == method);
    int steps = atomic_load(&count), cancelled = 0;
    require(steps >= least);
    for (int k = 1; k <= steps; k += backend == CPU ? 1 : 5) {
        in_case("solver %c, method %d, cancelled before inner product %d of %d", uplo, method, k,
                steps);
        int64_t info = run(&s, k);
        require_info(info, atomic_load(&count) >= k ? STARTILE_ERROR_CANCELLED : 0);
        require(info == 0 || (isnan(s.result.backward) && isnan(s.result.forward)));
        cancelled += info != 0;
        require_info(startile_matrix_gather(s.A.A), 0);
        require_info(startile_matrix_gather(s.B.A), 0);
        require(is_same(s.a, a) && is_same(s.b, b));
        require_info(startile_request_reset(s.r), 0);
    }
    in_case("solver %c, method %d, after %d cancellations", uplo, method, cancelled);
    require(cancelled > 0 && (backend != CPU || cancelled == steps));
    require_info(run(&s, 0), 0);
    require(s.result.iterations >= 0);
    finish(&s);
    require_below(backward_error(a, s.x, b), 20 + N);
    arrays_free(s.a, s.b, s.x, a, b);
}

static void test_gmres(void)
{
    cancel_everywhere('G', STARTILE_METHOD_GMRES, 0, 10);
    cancel_everywhere('L', STARTILE_METHOD_GMRES, 1e-6, 2);
    cancel_everywhere('U', STARTILE_METHOD_GMRES, 1e-6, 2);
}

/* Tests accelerated refinement. */
static void test_refinement(void)
{
    cancel_everywhere('G', STARTILE_METHOD_REFINEMENT, 1.2e-7, 2);
    cancel_everywhere('L', STARTILE_METHOD_REFINEMENT, 1.2e-7, 2);
}

int main(int argc, char **argv)
{
    start(argc, argv);
    int failed = run_group("mixed_cancel", test_gmres, test_refinement);
    startile_finalize();
    starpu_shutdown();
    return failed != 0;
}
