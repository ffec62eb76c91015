#include "call.h"
#include "problem.h"
#include "reference.h"
#include "startile_batch.h"
#include "startile_lapack.h"
#include "startile_mixed.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { LARGEST = 1500, LARGEST_INVERSE = 500, LARGEST_IN_BATCH = 40, LARGEST_BATCH = 200 };
enum { BOUND = 30 };

/* -- routines on matrices, with a request ----------------------------------------------------- */

/* A and B are overwritten; C has the right-hand sides, too. */
struct operands {
    char uplo;
    startile_matrix *A, *B, *C;
    startile_reflectors *T;
    startile_pivots *P;
    startile_request *r;
};

/* Define submit_NAME(). SUBMIT_TWO: the second call follows if the first returns 0. */
#define SUBMIT(name, call)                                                                         \
    static int submit_##name(struct operands *o)                                                   \
    {                                                                                              \
        return call;                                                                               \
    }
#define SUBMIT_TWO(name, first, second)                                                            \
    static int submit_##name(struct operands *o)                                                   \
    {                                                                                              \
        int failed = first;                                                                        \
        return failed != 0 ? failed : second;                                                      \
    }
SUBMIT(posv, startile_posv_async(o->uplo, o->A, o->B, o->r))
SUBMIT_TWO(potrf, startile_potrf_async(o->uplo, o->A, o->r),
           startile_potrs_async(o->uplo, o->A, o->B, o->r))
SUBMIT_TWO(potri, startile_potrf_async(o->uplo, o->A, o->r),
           startile_potri_async(o->uplo, o->A, o->r))
SUBMIT(posv_mixed, startile_posv_mixed_async(o->uplo, o->A, o->C, o->B, NULL, NULL, o->r))
SUBMIT(gesv, startile_gesv_async(o->A, o->P, o->B, 1, o->r))
SUBMIT_TWO(getrf, startile_getrf_async(o->A, o->P, o->r),
           startile_getrs_async('N', o->A, o->P, o->B, o->r))
SUBMIT_TWO(getrf_tntpiv, startile_getrf_tntpiv_async(o->A, o->P, o->r),
           startile_getrs_async('N', o->A, o->P, o->B, o->r))
SUBMIT_TWO(getrf_nopiv, startile_getrf_nopiv_async(o->A, o->r),
           startile_getrs_async('N', o->A, NULL, o->B, o->r))
SUBMIT_TWO(getri, startile_getrf_async(o->A, o->P, o->r), startile_getri_async(o->A, o->P, o->r))
SUBMIT(gesv_mixed, startile_gesv_mixed_async(o->A, o->P, o->C, o->B, NULL, NULL, o->r))
static int submit_geqrf(struct operands *o)
{
    int error = startile_geqrf_async(o->A, o->T, o->r);
    if (error == 0)
        error = startile_unmqr_async('L', 'C', o->A, o->T, o->B, o->r);
    return error != 0 ? error : startile_trsm_async('L', 'U', 'N', 'N', 1, o->A, o->B, o->r);
}

SUBMIT(gels, startile_gels_async('N', o->A, o->B, o->r))

/* -- typed entries ---------------------------------------------------------------------------- */

/* Define typed_NAME(). TYPED_TWO: the second call follows if the first returns 0. */
#define TYPED(name, call)                                                                          \
    static int64_t typed_##name(struct problem *p)                                                 \
    {                                                                                              \
        return call;                                                                               \
    }
#define TYPED_TWO(name, first, second)                                                             \
    static int64_t typed_##name(struct problem *p)                                                 \
    {                                                                                              \
        int64_t failed = first;                                                                    \
        return failed != 0 ? failed : second;                                                      \
    }
TYPED(posv, lapack(p->F)->typed_posv(p->uplo, p->n, p->nrhs, p->F.a, p->F.ld, p->X.a, p->X.ld))
TYPED_TWO(potrf, lapack(p->F)->typed_potrf(p->uplo, p->n, p->F.a, p->F.ld),
          lapack(p->F)->typed_potrs(p->uplo, p->n, p->nrhs, p->F.a, p->F.ld, p->X.a, p->X.ld))
TYPED_TWO(potri, lapack(p->F)->typed_potrf(p->uplo, p->n, p->F.a, p->F.ld),
          lapack(p->F)->typed_potri(p->uplo, p->n, p->F.a, p->F.ld))
TYPED(gesv, lapack(p->F)->typed_gesv(p->n, p->nrhs, p->F.a, p->F.ld, p->ipiv, p->X.a, p->X.ld))
TYPED_TWO(getrf, lapack(p->F)->typed_getrf(p->m, p->n, p->F.a, p->F.ld, p->ipiv),
          lapack(p->F)->typed_getrs('N', p->n, p->nrhs, p->F.a, p->F.ld, p->ipiv, p->X.a, p->X.ld))
TYPED_TWO(getri, lapack(p->F)->typed_getrf(p->m, p->n, p->F.a, p->F.ld, p->ipiv),
          lapack(p->F)->typed_getri(p->n, p->F.a, p->F.ld, p->ipiv))
static int64_t typed_gesv_mixed(struct problem *p)
{
    int64_t iterations;
    if (p->F.dtype == STARTILE_D)
        return startile_dsgesv(p->n, p->nrhs, p->F.a, p->F.ld, p->ipiv, p->B.a, p->B.ld, p->X.a,
                               p->X.ld, &iterations);
    return startile_zcgesv(p->n, p->nrhs, p->F.a, p->F.ld, p->ipiv, p->B.a, p->B.ld, p->X.a,
                           p->X.ld, &iterations);
}

TYPED(gels, lapack(p->F)->typed_gels('N', p->m, p->n, p->nrhs, p->F.a, p->F.ld, p->X.a, p->X.ld))

/* -- the list --------------------------------------------------------------------------------- */

struct routine {
    int (*submit)(struct operands *o);
    int64_t (*typed)(struct problem *p); /* or NULL */
    enum matrix_kind kind;
    enum result_kind result;
    bool is_double;   /* for double precision only */
    bool never_fails; /* has no info for a singular matrix */
};

enum { ON_MATRICES = SOAK_ROUTINES - 3 };
static const struct routine routines[ON_MATRICES] = {
    {submit_posv, typed_posv, DEFINITE, SOLUTION, false, false},
    {submit_potrf, typed_potrf, DEFINITE, SOLUTION, false, false},
    {submit_potri, typed_potri, DEFINITE, TRIANGLE_OF_INVERSE, false, false},
    {submit_posv_mixed, NULL, DEFINITE, SOLUTION, true, false},
    {submit_gesv, typed_gesv, GENERAL, SOLUTION, false, false},
    {submit_getrf, typed_getrf, GENERAL, SOLUTION, false, false},
    {submit_getrf_tntpiv, NULL, GENERAL, SOLUTION, false, false},
    {submit_getrf_nopiv, NULL, DOMINANT, SOLUTION, false, false},
    {submit_getri, typed_getri, DOMINANT, INVERSE, false, false},
    {submit_gesv_mixed, typed_gesv_mixed, GENERAL, SOLUTION, true, false},
    {submit_geqrf, NULL, GENERAL, SOLUTION, false, true},
    {submit_gels, typed_gels, GENERAL, SOLUTION, false, false},
    {submit_gels, typed_gels, TALL, SOLUTION, false, false},
    {submit_gels, typed_gels, WIDE, SOLUTION, false, true},
};
const char *const soak_routines[SOAK_ROUTINES] = {
    "posv",         "potrf, potrs", "potrf, potri",        "posv_mixed",
    "gesv",         "getrf, getrs", "getrf_tntpiv, getrs", "getrf_nopiv, getrs",
    "getrf, getri", "gesv_mixed",   "geqrf, unmqr, trsm",  "gels, square",
    "gels, tall",   "gels, wide",   "posv_batch",          "gesv_batch",
    "gels_batch",
};

/* -- calls ------------------------------------------------------------------------------------ */

/* Waits for the request, or polls it. */
static int64_t wait_for(startile_request *r)
{
    int done = random_below(4) > 0;
    while (!done && startile_request_test(r, &done) == 0)
        usleep(100);
    return startile_request_wait(r);
}

/* Returns a matrix that uses the array, or has tiles of its own. NULL after an error. */
static startile_matrix *matrix_of(struct array S, int64_t nb, bool is_wrapped)
{
    startile_matrix *M = NULL;
    if (is_wrapped)
        startile_matrix_wrap(&M, S.dtype, S.m, S.n, S.a, S.ld, nb, nb);
    else if (startile_matrix_create(&M, S.dtype, S.m, S.n, nb, nb) == 0)
        startile_matrix_from_lapack(M, S.a, S.ld);
    return M;
}

/* Destroys the matrix of S, after copying tiles of its own to S if `status` is 0. */
static void matrix_end(startile_matrix *M, struct array S, bool is_wrapped, int64_t status)
{
    if (!is_wrapped && status == 0)
        startile_matrix_to_lapack(M, S.a, S.ld);
    startile_matrix_destroy(M);
}

/* Solves the problem with tasks of the request; cancels them if `cancels`. */
static int64_t solve(struct problem *p, const struct routine *routine, startile_request *r,
                     bool cancels)
{
    bool is_wrapped = random_below(2);
    int64_t nb = max(8, max(p->m, p->n) / (1 + random_below(8)));
    struct operands o = {.uplo = p->uplo, .r = r};
    o.A = matrix_of(p->F, nb, is_wrapped);
    o.B = matrix_of(p->X, nb, is_wrapped);
    o.C = matrix_of(p->B, nb, true);
    startile_pivots_create(&o.P, o.A);
    startile_reflectors_create(&o.T, o.A);
    int64_t status = routine->submit(&o);
    if (cancels) {
        usleep((useconds_t)random_below(2000));
        startile_request_cancel(r);
    }
    int64_t outcome = wait_for(r);
    status = status != 0 ? status : outcome;
    startile_pivots_destroy(o.P);
    startile_reflectors_destroy(o.T);
    startile_matrix_destroy(o.C);
    matrix_end(o.B, p->X, is_wrapped, status);
    matrix_end(o.A, p->F, is_wrapped, status);
    return status;
}

/* Calls the routine on matrices. A call that was cancelled is made again in the same request. */
static void call_on_matrices(struct problem *p, const struct routine *routine,
                             struct soak_result *c)
{
    startile_request *r = NULL;
    startile_request_create(&r);
    startile_request_set_verify(r, (int)random_below(3));
    startile_request_set_priority(r, (int)random_below(3) - 1);
    bool cancels = random_below(4) == 0;
    c->status = solve(p, routine, r, cancels);
    c->was_cancelled = cancels && c->status == STARTILE_ERROR_CANCELLED;
    if (c->was_cancelled) {
        problem_restart(p);
        c->status = startile_request_reset(r);
        if (c->status == 0)
            c->status = solve(p, routine, r, false);
    }
    startile_request_destroy(r);
}

static void call_routine(struct soak_result *c)
{
    const struct routine *routine = &routines[c->routine];
    bool fails = !routine->never_fails && random_below(10) == 0;
    if (routine->is_double)
        c->type = c->type <= STARTILE_D ? STARTILE_D : STARTILE_Z;
    if (routine->typed == NULL)
        c->form = 'm';
    struct problem p = problem_new(routine->kind, c->type,
                                   routine->result == SOLUTION ? LARGEST : LARGEST_INVERSE, fails);
    c->m = p.m, c->n = p.n, c->expected = p.info;
    c->infos = p.info > 0;
    if (c->form == 't')
        c->status = routine->typed(&p);
    else
        call_on_matrices(&p, routine, c);
    if (c->expected == 0 && c->status == 0)
        c->residual = problem_residual(&p, routine->result);
    problem_free(&p);
}

/* -- batches ---------------------------------------------------------------------------------- */

/* Submits routine ON_MATRICES + `which`. */
static int submit_batch(int which, startile_batch *A, startile_batch *ipiv, startile_batch *B,
                        startile_batch *info, startile_request *r)
{
    return which == 0   ? startile_posv_batch_async('L', A, B, info, r)
           : which == 1 ? startile_gesv_batch_async(A, ipiv, B, info, r)
                        : startile_gels_batch_async('N', A, B, info, r);
}

/* Solves the problems in one batch of their arrays F and X. */
static int64_t solve_batch(int which, struct problem *p, int64_t count, int64_t *infos,
                           bool cancels)
{
    startile_batch *A = NULL, *B = NULL, *ipiv = NULL, *info = NULL;
    startile_request *r = NULL;
    void *each_F[LARGEST_BATCH], *each_X[LARGEST_BATCH];
    int64_t n[LARGEST_BATCH], nrhs[LARGEST_BATCH], ld[2][LARGEST_BATCH], per_task = random_below(8);
    for (int64_t q = 0; q < count; q++) {
        each_F[q] = p[q].F.a, each_X[q] = p[q].X.a;
        n[q] = p[q].n, nrhs[q] = p[q].nrhs;
        ld[0][q] = p[q].F.ld, ld[1][q] = p[q].X.ld;
    }
    startile_request_create(&r);
    startile_batch_wrap_sizes(&A, p->F.dtype, count, n, n, each_F, ld[0], per_task, NULL);
    startile_batch_wrap_sizes(&B, p->F.dtype, count, n, nrhs, each_X, ld[1], per_task, A);
    startile_batch_create_integers(&ipiv, count, LARGEST_IN_BATCH, per_task, A);
    startile_batch_wrap_integers(&info, count, 1, infos, 1, per_task, A);
    int64_t status = submit_batch(which, A, ipiv, B, info, r);
    if (cancels)
        startile_request_cancel(r);
    int64_t outcome = wait_for(r);
    startile_batch_destroy(info);
    startile_batch_destroy(ipiv);
    startile_batch_destroy(B);
    startile_batch_destroy(A);
    startile_request_destroy(r);
    return status != 0 ? status : outcome;
}

/* Stores the first wrong info of the batch and the largest residual. */
static void check_batch(const struct problem *p, int64_t count, const int64_t *infos,
                        struct soak_result *c)
{
    for (int64_t q = 0; q < count && c->status == c->expected; q++) {
        c->m = c->n = p[q].n;
        c->status = infos[q], c->expected = p[q].info;
        double residual = infos[q] == 0 ? problem_residual(&p[q], SOLUTION) : 0;
        c->residual = residual > c->residual || isnan(residual) ? residual : c->residual;
    }
    if (c->status == c->expected)
        c->status = c->expected = 0;
}

static void call_batch(struct soak_result *c)
{
    struct problem p[LARGEST_BATCH];
    int64_t count = 1 + random_below(LARGEST_BATCH), infos[LARGEST_BATCH] = {0};
    int which = c->routine - ON_MATRICES;
    bool cancels = random_below(4) == 0;
    for (int64_t q = 0; q < count; q++) {
        p[q] = problem_new(which == 0 ? DEFINITE : GENERAL, c->type, LARGEST_IN_BATCH,
                           random_below(20) == 0);
        c->infos += p[q].info > 0;
    }
    c->form = 'b';
    c->status = solve_batch(which, p, count, infos, cancels);
    c->was_cancelled = cancels && c->status == STARTILE_ERROR_CANCELLED;
    if (c->was_cancelled) {
        for (int64_t q = 0; q < count; q++)
            problem_restart(&p[q]);
        c->status = solve_batch(which, p, count, infos, false);
    }
    check_batch(p, count, infos, c);
    for (int64_t q = 0; q < count; q++)
        problem_free(&p[q]);
}

struct soak_result soak_call(void)
{
    struct soak_result c = {.routine = (int)random_below(SOAK_ROUTINES),
                            .form = "mmt"[random_below(3)],
                            .type = (startile_dtype)random_below(4)};
    if (c.routine < ON_MATRICES)
        call_routine(&c);
    else
        call_batch(&c);
    return c;
}

bool is_right(const struct soak_result *c)
{
    return c->status == c->expected && c->residual < BOUND;
}
