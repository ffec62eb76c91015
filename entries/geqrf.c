/* Typed entries xGEQRF, xGEQP3, xGELQF, xORMQR (xUNMQR), xORGQR (xUNGQR), xORMLQ, xORGLQ, xGELS and
 * xGELSY. */
#include "library/integers.h"
#include "typed.h"

/* The wrapped A of QR or LQ, its triangles T, and C; `entered`: lapack_enter() succeeded. */
struct qr {
    startile_matrix *A, *C;
    startile_reflectors *T;
    bool entered;
};

/* Wraps A, and creates the triangles of k reflectors, 0 ≤ k ≤ min(m, n); no triangles for k < 0. */
static int64_t open_matrix(struct qr *q, const char *routine, int64_t m, int64_t n, const void *a,
                           int64_t lda, int64_t k)
{
    int64_t mb, nb;
    *q = (struct qr){.entered = false};
    int64_t status = lapack_enter();
    q->entered = status == 0;
    if (status == 0)
        status = lapack_tiles(routine, DTYPE, m, n, a, &mb, &nb);
    /* the cast drops const: operations that only read A take a const matrix */
    if (status == 0)
        status = startile_matrix_wrap(&q->A, DTYPE, m, n, (void *)a, lda, mb, nb);
    startile_matrix *triangles = NULL;
    if (status == 0 && k >= 0)
        status = startile_matrix_create(&triangles, DTYPE, nb, k, nb, nb);
    if (triangles != NULL)
        status = startile_reflectors_from_matrix(&q->T, triangles);
    return status;
}

/* Transfers results to the caller's storage, destroys the matrices and leaves the library.
 * Returns info. */
static int64_t close_all(struct qr *q, int64_t info)
{
    startile_matrix_destroy(q->A);
    startile_reflectors_destroy(q->T);
    startile_matrix_destroy(q->C);
    if (q->entered)
        lapack_leave();
    return info;
}

/* Factors A by `routine`; LAPACK's arguments are m, n, a, lda, tau. */
static int64_t factor(int64_t m, int64_t n, element *a, int64_t lda, element *tau,
                      int64_t (*routine)(startile_matrix *, startile_reflectors *))
{
    struct qr q;
    int64_t status = m < 0 ? -1 : n < 0 ? -2 : check_matrix(m, n, a, lda, 3);
    if (status != 0 || m == 0 || n == 0)
        return status;
    status = check_host_array(tau, 1, 5);
    if (status != 0)
        return status;
    status = open_matrix(&q, "geqrf", m, n, a, lda, min(m, n));
    lapack_page_lock(q.A);
    lapack_keep_small(q.A, NULL, NULL);
    if (status == 0)
        status = routine(q.A, q.T);
    if (status == 0)
        status = startile_reflectors_to_lapack(q.T, tau);
    return close_all(&q, status);
}

int64_t ENTRY(geqrf)(int64_t m, int64_t n, element *a, int64_t lda, element *tau)
{
    return factor(m, n, a, lda, tau, startile_geqrf);
}

int64_t ENTRY(gelqf)(int64_t m, int64_t n, element *a, int64_t lda, element *tau)
{
    return factor(m, n, a, lda, tau, startile_gelqf);
}

/* Way of column pivoting: exact, or by random sketches until a limit or not. */
struct pivoting {
    const char *routine;
    enum { EXACT, RANDOM, TRUNCATED } way;
    uint64_t seed; /* RANDOM */
    double tol;    /* TRUNCATED, as max_rank and rank */
    int64_t max_rank, *rank;
};

static int64_t factor_in_way(const struct qr *q, startile_permutation *P,
                             const struct pivoting *how)
{
    switch (how->way) {
    case EXACT:
        return startile_geqp3(q->A, P, q->T);
    case RANDOM:
        return startile_geqp3_random(q->A, P, q->T, how->seed);
    default:
        return startile_geqp3_rank(q->A, P, q->T, how->tol, how->max_rank, how->rank);
    }
}

/* Factors the wrapped A, and copies tau and the permutation. */
static int64_t factor_with_pivots(const struct qr *q, int64_t *jpvt, element *tau,
                                  const struct pivoting *how)
{
    startile_permutation *P = NULL;
    int64_t status = startile_permutation_create(&P, q->A);
    if (status == 0 && how->way == EXACT)
        status = startile_permutation_choose(P, jpvt);
    if (status == 0)
        status = factor_in_way(q, P, how);
    if (status == 0)
        status = startile_permutation_to_lapack(P, jpvt);
    if (status == 0)
        status = startile_reflectors_to_lapack(q->T, tau);
    startile_permutation_destroy(P);
    return status;
}

static int64_t geqp3(const struct pivoting *how, int64_t m, int64_t n, element *a, int64_t lda,
                     int64_t *jpvt, element *tau)
{
    struct qr q;
    int64_t status = m < 0 ? -1 : n < 0 ? -2 : check_matrix(m, n, a, lda, 3);
    if (status == 0)
        status = check_host_array(jpvt, n, 5);
    if (status == 0)
        status = check_host_array(tau, min(m, n), 6);
    if (status == 0 && how->way == TRUNCATED)
        status = !(how->tol >= 0) ? -7 : how->max_rank < 0 ? -8 : how->rank == NULL ? -9 : 0;
    if (status == 0 && how->rank != NULL)
        *how->rank = 0;
    for (int64_t j = 0; j < n && m == 0 && status == 0; j++)
        jpvt[j] = j + 1;
    if (status != 0 || m == 0 || n == 0)
        return status;
    status = open_matrix(&q, how->routine, m, n, a, lda, min(m, n));
    lapack_page_lock(q.A);
    lapack_keep_small(q.A, NULL, NULL);
    if (status == 0)
        status = factor_with_pivots(&q, jpvt, tau, how);
    return close_all(&q, status);
}

int64_t ENTRY(geqp3)(int64_t m, int64_t n, element *a, int64_t lda, int64_t *jpvt, element *tau)
{
    const struct pivoting how = {.routine = "geqp3", .way = EXACT};
    return geqp3(&how, m, n, a, lda, jpvt, tau);
}

int64_t ENTRY(geqp3_random)(int64_t m, int64_t n, element *a, int64_t lda, int64_t *jpvt,
                            element *tau, uint64_t seed)
{
    const struct pivoting how = {.routine = "geqp3_random", .way = RANDOM, .seed = seed};
    return geqp3(&how, m, n, a, lda, jpvt, tau);
}

int64_t ENTRY(geqp3_rank)(int64_t m, int64_t n, element *a, int64_t lda, int64_t *jpvt,
                          element *tau, real tol, int64_t max_rank, int64_t *rank)
{
    const struct pivoting how = {.routine = "geqp3_rank",
                                 .way = TRUNCATED,
                                 .tol = (double)tol,
                                 .max_rank = max_rank,
                                 .rank = rank};
    return geqp3(&how, m, n, a, lda, jpvt, tau);
}

typedef int64_t (*multiplication)(char, char, const startile_matrix *, const startile_reflectors *,
                                  startile_matrix *);

/* Multiplies C by op(Q); LAPACK's arguments are side, trans, m, n, k, a, lda, tau, c, ldc. storev
 * 'C': the reflectors are columns of A; 'R': rows. */
static int64_t multiply(char side, char trans, int64_t m, int64_t n, int64_t k, char storev,
                        const element *a, int64_t lda, const element *tau, element *c, int64_t ldc,
                        multiplication routine)
{
    struct qr q;
    int64_t order = is_letter(side, "Ll") ? m : n;
    int64_t status = !is_letter(side, "LlRr")     ? -1
                     : !is_letter(trans, ADJOINT) ? -2
                     : m < 0                      ? -3
                     : n < 0                      ? -4
                     : k < 0 || k > order         ? -5
                                                  : 0;
    int64_t rows = storev == 'R' ? k : order, columns = storev == 'R' ? order : k;
    if (status == 0)
        status = check_matrix(rows, columns, a, lda, 6);
    if (status == 0)
        status = check_host_array(tau, k, 8);
    if (status == 0)
        status = check_matrix(m, n, c, ldc, 9);
    if (status != 0 || m == 0 || n == 0 || k == 0)
        return status;
    status = open_matrix(&q, "geqrf", rows, columns, a, lda, k);
    if (status == 0)
        status = startile_reflectors_from_lapack(storev, q.A, tau, q.T);
    if (status == 0)
        status = startile_matrix_wrap(&q.C, DTYPE, m, n, c, ldc, m, startile_matrix_shape(q.A).nb);
    lapack_page_lock(q.C);
    lapack_keep_small(q.A, q.C, NULL);
    if (status == 0)
        status = routine(side, trans, q.A, q.T, q.C);
    return close_all(&q, status);
}

int64_t UNITARY(mqr)(char side, char trans, int64_t m, int64_t n, int64_t k, const element *a,
                     int64_t lda, const element *tau, element *c, int64_t ldc)
{
    return multiply(side, trans, m, n, k, 'C', a, lda, tau, c, ldc, startile_unmqr);
}

int64_t UNITARY(mlq)(char side, char trans, int64_t m, int64_t n, int64_t k, const element *a,
                     int64_t lda, const element *tau, element *c, int64_t ldc)
{
    return multiply(side, trans, m, n, k, 'R', a, lda, tau, c, ldc, startile_unmlq);
}

/* Computes the columns (storev 'C') or rows ('R') of Q; LAPACK's arguments are m, n, k, a, lda,
 * tau. */
static int64_t generate(int64_t m, int64_t n, int64_t k, char storev, element *a, int64_t lda,
                        const element *tau,
                        int64_t (*routine)(startile_matrix *, const startile_reflectors *))
{
    struct qr q;
    int64_t longer = storev == 'C' ? m : n, shorter = storev == 'C' ? n : m;
    int64_t status = m < 0                  ? -1
                     : n < 0                ? -2
                     : shorter > longer     ? -2
                     : k < 0 || k > shorter ? -3
                                            : check_matrix(m, n, a, lda, 4);
    if (status == 0)
        status = check_host_array(tau, k, 6);
    if (status != 0 || shorter == 0)
        return status;
    status = open_matrix(&q, "geqrf", m, n, a, lda, k);
    lapack_page_lock(q.A);
    if (status == 0)
        status = startile_reflectors_from_lapack(storev, q.A, tau, q.T);
    if (status == 0)
        status = routine(q.A, q.T);
    return close_all(&q, status);
}

int64_t UNITARY(gqr)(int64_t m, int64_t n, int64_t k, element *a, int64_t lda, const element *tau)
{
    return generate(m, n, k, 'C', a, lda, tau, startile_ungqr);
}

int64_t UNITARY(glq)(int64_t m, int64_t n, int64_t k, element *a, int64_t lda, const element *tau)
{
    return generate(m, n, k, 'R', a, lda, tau, startile_unglq);
}

int64_t ENTRY(gels)(char trans, int64_t m, int64_t n, int64_t nrhs, element *a, int64_t lda,
                    element *b, int64_t ldb)
{
    struct qr q;
    int64_t rows = max(m, n);
    int64_t status = !is_letter(trans, ADJOINT) ? -1
                     : m < 0                    ? -2
                     : n < 0                    ? -3
                     : nrhs < 0                 ? -4
                                                : check_matrix(m, n, a, lda, 5);
    if (status == 0)
        status = check_matrix(rows, nrhs, b, ldb, 7);
    if (status != 0 || rows == 0 || nrhs == 0)
        return status;
    status = open_matrix(&q, "gels", m, n, a, lda, -1);
    lapack_page_lock(q.A);
    /* B gets A's tile height where QR by a tree needs it, else whole block columns */
    startile_shape s = startile_matrix_shape(q.A);
    if (status == 0)
        status =
            startile_matrix_wrap(&q.C, DTYPE, rows, nrhs, b, ldb, s.mt > 1 ? s.mb : rows, s.nb);
    lapack_page_lock(q.C);
    lapack_keep_small(q.A, q.C, NULL);
    if (status == 0)
        status = startile_gels(trans, q.A, q.C);
    return close_all(&q, status);
}

/* Solves with the wrapped A and B, and copies the permutation. */
static int64_t solve_with_pivots(const struct qr *q, int64_t *jpvt, double rcond, int64_t *rank)
{
    startile_permutation *P = NULL;
    int64_t status = startile_permutation_create(&P, q->A);
    if (status == 0)
        status = startile_permutation_choose(P, jpvt);
    if (status == 0)
        status = startile_gelsy(q->A, P, q->C, rcond, rank, NULL);
    if (status == 0)
        status = startile_permutation_to_lapack(P, jpvt);
    startile_permutation_destroy(P);
    return status;
}

int64_t ENTRY(gelsy)(int64_t m, int64_t n, int64_t nrhs, element *a, int64_t lda, element *b,
                     int64_t ldb, int64_t *jpvt, real rcond, int64_t *rank)
{
    struct qr q;
    int64_t rows = max(m, n);
    int64_t status = m < 0 ? -1 : n < 0 ? -2 : nrhs < 0 ? -3 : check_matrix(m, n, a, lda, 4);
    if (status == 0)
        status = check_matrix(rows, nrhs, b, ldb, 6);
    if (status == 0)
        status = check_host_array(jpvt, n, 8);
    if (status == 0)
        status = check_host_array(rank, 1, 10);
    if (status != 0)
        return status;
    *rank = 0;
    if (rows == 0 || nrhs == 0)
        return 0;
    status = open_matrix(&q, "gelsy", m, n, a, lda, -1);
    lapack_page_lock(q.A);
    if (status == 0)
        status = startile_matrix_wrap(&q.C, DTYPE, rows, nrhs, b, ldb, rows,
                                      startile_matrix_shape(q.A).nb);
    lapack_page_lock(q.C);
    lapack_keep_small(q.A, q.C, NULL);
    if (status == 0)
        status = solve_with_pivots(&q, jpvt, rcond, rank);
    return close_all(&q, status);
}
