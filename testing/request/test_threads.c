/* Tests eight host threads, each with matrices and requests of its own. */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 4, N = 120, NRHS = 3 };

/* cmocka's checks belong to the main thread: a thread stores its results here. */
struct work {
    startile_dtype type;
    char method;             /* 'L', 'U': Cholesky of that triangle, 'G': LU, 'Q': QR */
    bool typed;              /* solve with a typed entry, else with matrices and a request */
    struct array A, B, T, X; /* A, B: the problem; T: the factors; X: the solution */
    int64_t *ipiv;           /* pivots of LU */
    int64_t status;
};

static void solve_typed(struct work *w)
{
    if (w->method == 'G') {
        w->status = lapack(w->T)->typed_gesv(N, NRHS, w->T.a, w->T.ld, w->ipiv, w->X.a, w->X.ld);
        return;
    }
    if (w->method == 'Q') {
        w->status = lapack(w->T)->typed_gels('N', N, N, NRHS, w->T.a, w->T.ld, w->X.a, w->X.ld);
        return;
    }
    w->status = lapack(w->T)->typed_potrf(w->method, N, w->T.a, w->T.ld);
    if (w->status == 0)
        w->status = lapack(w->T)->typed_potrs(w->method, N, NRHS, w->T.a, w->T.ld, w->X.a, w->X.ld);
}

static void solve_by_descriptors(struct work *w)
{
    startile_matrix *A = NULL, *B = NULL;
    startile_pivots *P = NULL;
    startile_request *r = NULL;
    w->status = startile_matrix_wrap(&A, w->type, N, N, w->T.a, w->T.ld, 32, 32);
    if (w->status == 0)
        w->status = startile_matrix_wrap(&B, w->type, N, NRHS, w->X.a, w->X.ld, 32, 2);
    if (w->status == 0)
        w->status = startile_request_create(&r);
    if (w->status == 0)
        w->status = startile_pivots_create(&P, A);
    if (w->status == 0)
        w->status = w->method == 'G'   ? startile_gesv_async(A, P, B, 1, r)
                    : w->method == 'Q' ? startile_gels_async('N', A, B, r)
                                       : startile_posv_async(w->method, A, B, r);
    if (w->status == 0)
        w->status = startile_wait(r);
    if (P != NULL && w->method == 'G')
        startile_pivots_to_lapack(P, w->ipiv);
    startile_request_destroy(r);
    startile_pivots_destroy(P);
    matrices_destroy(A, B);
}

/* Runs as a thread: solves with w->T and w->X in place, and stores the status. */
static void *solve(void *arg)
{
    struct work *w = arg;
    if (w->typed)
        solve_typed(w);
    else
        solve_by_descriptors(w);
    return NULL;
}

/* Returns whether A is a general matrix; otherwise it is positive definite. */
static bool is_general(struct work w)
{
    return w.method == 'G' || w.method == 'Q';
}

/* Returns the work of thread t. Neighbouring threads differ in type and entry, and each pair of
 * threads has another factorization, so that errors from shared state would show. */
static struct work new_work(int t, int round)
{
    struct work w = {.type = (startile_dtype)((t + round) % 4),
                     .method = "LGUQ"[(t / 2 + round) % 4],
                     .typed = t % 2,
                     .ipiv = pivots_new(N)};
    random_seed((uint64_t)(100 * round + t));
    w.A = is_general(w) ? generate_general(&random_general, w.type, N, N, t % 3)
                        : generate(&well_conditioned, w.type, N, t % 3);
    w.B = array_new(w.type, N, NRHS, 1);
    array_random(w.B);
    w.T = array_copy(w.A);
    w.X = array_copy(w.B);
    return w;
}

static void free_work(struct work w)
{
    arrays_free(w.A, w.B, w.T, w.X);
    pivots_free(w.ipiv, N);
}

static void check_lu_work(struct work w)
{
    struct lu g = lapack_lu(w.A);
    struct array Z = array_copy(w.B);
    lapack(Z)->getrs('N', g.F, g.ipiv, Z);
    check_ipiv(w.ipiv, N, N);
    check_lu_against(w.A, (struct lu){w.T, w.ipiv, 0}, g, 2);
    check_solution(w.A, w.X, Z, w.B);
    lu_free(g);
    array_free(Z);
}

static void check_cholesky_work(struct work w)
{
    struct array R = array_copy(w.A), Z = array_copy(w.B);
    lapack(R)->potrf(w.method, R);
    lapack(R)->potrs(w.method, R, Z);
    check_factor(w.method, w.A, w.T, N);
    check_solution(w.A, w.X, Z, w.B);
    arrays_free(R, Z);
}

/* Checks the solution of A X = B for square A. */
static void check_qr_work(struct work w)
{
    struct array F = array_copy(w.A), Z = array_copy(w.B);
    require_info(lapack(F)->gels('N', F, Z), 0);
    check_solution(w.A, w.X, Z, w.B);
    arrays_free(F, Z);
}

/* Checks the results of a thread and frees its work. */
static void check_work(struct work w)
{
    require_info(w.status, 0);
    require(has_borders_intact(w.T) && has_borders_intact(w.X));
    if (w.method == 'G')
        check_lu_work(w);
    else if (w.method == 'Q')
        check_qr_work(w);
    else
        check_cholesky_work(w);
    free_work(w);
}

static void test_solving(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct work work[THREADS];
        pthread_t thread[THREADS];
        for (int t = 0; t < THREADS; t++)
            work[t] = new_work(t, round);
        for (int t = 0; t < THREADS; t++)
            require(pthread_create(&thread[t], NULL, solve, &work[t]) == 0);
        for (int t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        for (int t = 0; t < THREADS; t++) {
            in_case("round %d, thread %d", round, t);
            check_work(work[t]);
        }
    }
    check_report("eight threads");
}

/* Changes T, the copy of A that is factored: for LU and QR column k, from 0, becomes zero; for
 * Cholesky element (k, k) becomes −1. */
static void spoil(struct work *w, int64_t k)
{
    for (int64_t i = 0; i < N && is_general(*w); i++)
        set(w->T, i, k, 0);
    if (!is_general(*w))
        set(w->T, k, k, -1);
}

/* Tests that a failure in one thread does not affect the others. */
static void test_failing(void)
{
    struct work work[THREADS];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
        work[t] = new_work(t, 0);
        if (t % 3 == 0)
            spoil(&work[t], 10 * t + 4);
    }
    for (int t = 0; t < THREADS; t++)
        require(pthread_create(&thread[t], NULL, solve, &work[t]) == 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        in_case("thread %d", t);
        if (t % 3 == 0) {
            require_info(work[t].status, 10 * t + 5);
            free_work(work[t]);
        } else {
            check_work(work[t]);
        }
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "threads", test_solving, test_failing);
}
