/*
 * Runs four host threads that create, use, cancel and free matrices and batches at random, for the
 * thread and address sanitizers to find races and memory errors. Only info is checked; other
 * programs compare results with LAPACK's.
 */
#include "check.h"
#include "startile_batch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 60, MOST_ROWS = 40, COUNT = 30, ORDER = 9 };

/* cmocka's checks belong to the main thread: a thread stores its first wrong status here. */
struct actor {
    uint64_t seed;
    int round;
    int64_t wrong;
};

/* Stores the first status that is neither 0 nor `allowed`. */
static void expect(struct actor *a, int64_t status, int64_t allowed)
{
    if (status != 0 && status != allowed && a->wrong == 0)
        a->wrong = status;
}

static startile_dtype random_type(void)
{
    return (startile_dtype)random_below(4);
}

/* Returns `count` matrices 4 I of order n with leading dimension ld. */
static void *diagonal_matrices(startile_dtype type, int64_t count, int64_t n, int64_t ld)
{
    size_t size = element_size(type);
    char *p = calloc((size_t)(count * ld * n) + 1, size);
    for (int64_t q = 0; q < count; q++)
        for (int64_t i = 0; i < n; i++) {
            void *element = p + (size_t)(q * ld * n + i * ld + i) * size;
            if (is_single(type))
                *(float *)element = 4;
            else
                *(double *)element = 4;
        }
    return p;
}

/* -- matrices --------------------------------------------------------------------------------- */

/* Submits a random factorization. Returns what it returns. */
static int submit_factorization(startile_matrix *A, startile_pivots *P, startile_reflectors *T,
                                startile_request *r)
{
    switch (random_below(5)) {
    case 0:
        return startile_potrf_async('L', A, r);
    case 1:
        return startile_potrf_async('U', A, r);
    case 2:
        return startile_getrf_async(A, P, r);
    case 3:
        return startile_getrf_tntpiv_async(A, P, r);
    default:
        return startile_geqrf_async(A, T, r);
    }
}

/* Solves with the factors and pivots that a factorization of any kind, cancelled or not, has left.
 */
static void use_pivots(struct actor *a, startile_matrix *A, const startile_pivots *P)
{
    startile_request *r = NULL;
    startile_matrix *B = NULL;
    startile_shape s = startile_matrix_shape(A);
    expect(a, startile_request_create(&r), 0);
    expect(a, startile_matrix_create(&B, s.dtype, s.m, 3, s.mb, s.nb), 0);
    expect(a, startile_getrs_async("NTC"[random_below(3)], A, P, B, r), 0);
    expect(a, startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_matrix_destroy(B);
}

/* Factors a matrix of random type, size and storage, and may cancel the request. */
static void use_matrix(struct actor *a)
{
    startile_dtype type = random_type();
    int64_t n = 1 + random_below(MOST_ROWS), nb = 4 + random_below(12),
            cancel_if_zero = random_below(3);
    bool is_wrapped = random_below(2);
    startile_matrix *A = NULL;
    startile_reflectors *T = NULL;
    startile_pivots *P = NULL;
    startile_request *r = NULL;
    void *memory = is_wrapped ? diagonal_matrices(type, 1, n, n) : NULL;
    expect(a,
           is_wrapped ? startile_matrix_wrap(&A, type, n, n, memory, n, nb, nb)
                      : startile_matrix_create(&A, type, n, n, nb, nb),
           0);
    expect(a, startile_request_create(&r), 0);
    expect(a, startile_pivots_create(&P, A), 0);
    expect(a, startile_reflectors_create(&T, A), 0);
    if (!is_wrapped)
        expect(a, startile_laset_async('G', 0, 4, A, r), 0);
    expect(a, submit_factorization(A, P, T, r), 0);
    if (cancel_if_zero == 0)
        expect(a, startile_request_cancel(r), 0);
    if (random_below(2))
        expect(a, startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    if (random_below(2))
        use_pivots(a, A, P);
    /* each destruction waits for the tasks that use the object */
    if (random_below(2)) {
        startile_matrix_destroy(A);
        startile_request_destroy(r);
    } else {
        startile_request_destroy(r);
        startile_matrix_destroy(A);
    }
    startile_pivots_destroy(P);
    startile_reflectors_destroy(T);
    free(memory);
}

/* -- batches ---------------------------------------------------------------------------------- */

/* Returns a batch made by a random constructor. The wrapping constructors use the matrices in
 * `memory`. */
static startile_batch *random_batch(struct actor *a, startile_dtype type, int64_t count,
                                    char *memory, int64_t per_task)
{
    startile_batch *b = NULL;
    void *each[COUNT];
    int64_t n[COUNT], ld[COUNT];
    for (int64_t q = 0; q < count; q++) {
        each[q] = memory + (size_t)(q * ORDER * ORDER) * element_size(type);
        n[q] = random_below(ORDER + 1);
        ld[q] = ORDER;
    }
    switch (random_below(4)) {
    case 0:
        expect(a, startile_batch_create(&b, type, count, ORDER, ORDER, per_task, NULL), 0);
        break;
    case 1:
        expect(a,
               startile_batch_wrap(&b, type, count, ORDER, ORDER, memory, ORDER, ORDER * ORDER,
                                   per_task, NULL),
               0);
        break;
    case 2:
        expect(a,
               startile_batch_wrap_pointers(&b, type, count, ORDER, ORDER, each, ORDER, per_task,
                                            NULL),
               0);
        break;
    default:
        expect(a, startile_batch_wrap_sizes(&b, type, count, n, n, each, ld, per_task, NULL), 0);
    }
    return b;
}

/* Submits a random factorization of a batch. Returns what it returns. */
static int submit_batch_factorization(startile_batch *A, startile_batch *ipiv, startile_batch *info,
                                      startile_request *r)
{
    switch (random_below(3)) {
    case 0:
        return startile_potrf_batch_async('L', A, info, r);
    case 1:
        return startile_getrf_nopiv_batch_async(A, info, r);
    default:
        return startile_getrf_batch_async(A, ipiv, info, r);
    }
}

/* Uses factors that may be incomplete or of another kind, with arbitrary pivots. */
static void use_factors(struct actor *a, startile_batch *A, const startile_batch *ipiv,
                        startile_batch *info)
{
    startile_request *r = NULL;
    startile_batch *B = NULL;
    startile_batch_dims s = startile_batch_shape(A);
    expect(a, startile_request_create(&r), 0);
    expect(a, startile_batch_create(&B, s.dtype, s.count, s.m, 2, 0, A), 0);
    if (!s.varies)
        expect(a, startile_getrs_batch_async("NTC"[random_below(3)], A, ipiv, B, r), 0);
    expect(a, startile_getri_batch_async(A, ipiv, info, r), 0);
    expect(a, startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_batch_destroy(B);
}

/* Factors a batch of random type, count and storage, and may cancel the request. */
static void use_batch(struct actor *a)
{
    startile_dtype type = random_type();
    int64_t count = 1 + random_below(COUNT), cancel_if_zero = random_below(3), infos[COUNT];
    char *memory = diagonal_matrices(type, count, ORDER, ORDER);
    startile_batch *A = random_batch(a, type, count, memory, random_below(8)), *ipiv = NULL,
                   *info = NULL;
    startile_request *r = NULL;
    expect(a, startile_request_create(&r), 0);
    expect(a, startile_batch_create_integers(&ipiv, count, ORDER, 0, A), 0);
    expect(a,
           random_below(2) ? startile_batch_create_integers(&info, count, 1, 0, A)
                           : startile_batch_wrap_integers(&info, count, 1, infos, 1, 0, A),
           0);
    expect(a, submit_batch_factorization(A, ipiv, info, r), 0);
    if (cancel_if_zero == 0)
        expect(a, startile_request_cancel(r), 0);
    if (random_below(2))
        expect(a, startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    if (random_below(2))
        use_factors(a, A, ipiv, info);
    if (random_below(2)) {
        startile_batch_destroy(info);
        startile_batch_destroy(A);
        startile_batch_destroy(ipiv);
        startile_request_destroy(r);
    } else {
        startile_request_destroy(r);
        startile_batch_destroy(ipiv);
        startile_batch_destroy(A);
        startile_batch_destroy(info);
    }
    free(memory);
}

/* -- all threads ------------------------------------------------------------------------------ */

/* Runs a thread: uses matrices and batches in random order. */
static void *act(void *arg)
{
    struct actor *a = arg;
    random_seed(a->seed);
    for (a->round = 0; a->round < ROUNDS && a->wrong == 0; a->round++)
        if (random_below(2))
            use_matrix(a);
        else
            use_batch(a);
    return NULL;
}

/* Runs all threads at once. Requires that each call of them returned an allowed status. */
static void run_threads(uint64_t seed)
{
    struct actor actor[THREADS];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
        actor[t] = (struct actor){.seed = seed * THREADS + (uint64_t)t};
        require(pthread_create(&thread[t], NULL, act, &actor[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        in_case("seed %d, thread %d, round %d", (int)seed, t, actor[t].round);
        require_info(actor[t].wrong, 0);
    }
}

static void test_matrices_and_batches(void)
{
    enum { SEEDS = 4 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_threads(seed);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "stress", test_matrices_and_batches);
}
