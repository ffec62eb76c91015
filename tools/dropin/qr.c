/* LAPACK's symbols xGEQRF, xGELQF, xGEQP3, xORGQR (xUNGQR), xORGLQ, xORMQR, xORMLQ, xGELS and
 * xGELSY. If startile has solved a problem, the machine's routine is still called, only to ask for
 * the best size of the workspace: work[0] is an output. */
#include "pivots.h"

typedef void factorize(const integer *m, const integer *n, element *a, const integer *lda,
                       element *tau, element *work, const integer *lwork, integer *info);
typedef int64_t typed_factorize(int64_t m, int64_t n, element *a, int64_t lda, element *tau);

/* Computes xGEQRF or xGELQF. least_lwork: shortest valid LWORK */
static void factor(enum routine routine, double flops, integer least_lwork, const integer *m,
                   const integer *n, element *a, const integer *lda, element *tau, element *work,
                   const integer *lwork, integer *info)
{
    struct call call;
    integer query_info;
    struct problem p = {routine, DTYPE, *m, *n, smaller(*m, *n), flops, is_query(lwork)};
    factorize *machine = (factorize *)machine_function(routine, DTYPE);
    bool is_done = false;
    int wrong = *m < 0                               ? 1
                : *n < 0                             ? 2
                : is_short(*lda, *m)                 ? 4
                : is_short_work(*lwork, least_lwork) ? 7
                                                     : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        typed_factorize *typed = (typed_factorize *)startile_function(routine, DTYPE);
        is_done = call_end_if_answered(&call, typed(*m, *n, a, *lda, tau), info);
    }
    if (machine != NULL)
        machine(m, n, a, lda, tau, work, is_done ? &query : lwork, is_done ? &query_info : info);
    else
        work[0] = as_work(larger(1, least_lwork));
    if (!is_done)
        call_end(&call, *info);
}

EXPORTED void SYMBOL(geqrf)(const integer *m, const integer *n, element *a, const integer *lda,
                            element *tau, element *work, const integer *lwork, integer *info)
{
    factor(GEQRF, flops_geqrf(DTYPE, *m, *n), *m == 0 ? 1 : *n, m, n, a, lda, tau, work, lwork,
           info);
}

EXPORTED void SYMBOL(gelqf)(const integer *m, const integer *n, element *a, const integer *lda,
                            element *tau, element *work, const integer *lwork, integer *info)
{
    factor(GELQF, flops_gelqf(DTYPE, *m, *n), *n == 0 ? 1 : *m, m, n, a, lda, tau, work, lwork,
           info);
}

/* RWORK of the complex types; LAPACK's documented least LWORK of xGEQP3 */
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define RWORK_PARAMETER
#define RWORK
#define LEAST_WORK_FOR_PIVOTS(n) (3 * (n) + 1)
#else
#define RWORK_PARAMETER real *rwork,
#define RWORK rwork,
#define LEAST_WORK_FOR_PIVOTS(n) ((n) + 1)
#endif

EXPORTED void SYMBOL(geqp3)(const integer *m, const integer *n, element *a, const integer *lda,
                            integer *jpvt, element *tau, element *work, const integer *lwork,
                            RWORK_PARAMETER integer *info)
{
    struct call call;
    integer query_info, k = smaller(*m, *n), least_lwork = k == 0 ? 1 : LEAST_WORK_FOR_PIVOTS(*n);
    struct problem p = {GEQP3, DTYPE, *m, *n, k, flops_geqrf(DTYPE, *m, *n), is_query(lwork)};
    __typeof__(SYMBOL(geqp3)) *machine = MACHINE(GEQP3, geqp3);
    bool is_done = false;
    int wrong = *m < 0                               ? 1
                : *n < 0                             ? 2
                : is_short(*lda, *m)                 ? 4
                : is_short_work(*lwork, least_lwork) ? 8
                                                     : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = widened(*n, jpvt);
        int64_t status =
            wide == NULL ? NOT_CALLED : STARTILE(GEQP3, geqp3)(*m, *n, a, *lda, wide, tau);
        if (status >= 0)
            narrow(*n, wide, jpvt);
        free(wide);
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(m, n, a, lda, jpvt, tau, work, is_done ? &query : lwork,
                RWORK is_done ? &query_info : info);
    else
        work[0] = as_work(least_lwork);
    if (!is_done)
        call_end(&call, *info);
}

typedef void generate_q(const integer *m, const integer *n, const integer *k, element *a,
                        const integer *lda, const element *tau, element *work, const integer *lwork,
                        integer *info);
typedef int64_t typed_generate_q(int64_t m, int64_t n, int64_t k, element *a, int64_t lda,
                                 const element *tau);

/* Computes xORGQR or xORGLQ: `shorter` columns (xORGQR) or rows (xORGLQ) of Q, each of length
 * `longer`. */
static void generate(enum routine routine, integer shorter, integer longer, const integer *m,
                     const integer *n, const integer *k, element *a, const integer *lda,
                     const element *tau, element *work, const integer *lwork, integer *info)
{
    struct call call;
    integer query_info;
    double flops = flops_orgqr(DTYPE, longer, shorter, *k);
    struct problem p = {routine, DTYPE, *m, *n, *k, flops, is_query(lwork)};
    generate_q *machine = (generate_q *)machine_function(routine, DTYPE);
    bool is_done = false;
    int wrong = *m < 0                           ? 1
                : *n < 0 || shorter > longer     ? 2
                : *k < 0 || *k > shorter         ? 3
                : is_short(*lda, *m)             ? 5
                : is_short_work(*lwork, shorter) ? 8
                                                 : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        typed_generate_q *typed = (typed_generate_q *)startile_function(routine, DTYPE);
        is_done = call_end_if_answered(&call, typed(*m, *n, *k, a, *lda, tau), info);
    }
    if (machine != NULL)
        machine(m, n, k, a, lda, tau, work, is_done ? &query : lwork, is_done ? &query_info : info);
    else
        work[0] = as_work(larger(1, shorter));
    if (!is_done)
        call_end(&call, *info);
}

EXPORTED void UNITARY(SYMBOL, gqr)(const integer *m, const integer *n, const integer *k, element *a,
                                   const integer *lda, const element *tau, element *work,
                                   const integer *lwork, integer *info)
{
    generate(ORGQR, *n, *m, m, n, k, a, lda, tau, work, lwork, info);
}

EXPORTED void UNITARY(SYMBOL, glq)(const integer *m, const integer *n, const integer *k, element *a,
                                   const integer *lda, const element *tau, element *work,
                                   const integer *lwork, integer *info)
{
    generate(ORGLQ, *m, *n, m, n, k, a, lda, tau, work, lwork, info);
}

typedef void multiply_q(const char *side, const char *trans, const integer *m, const integer *n,
                        const integer *k, const element *a, const integer *lda, const element *tau,
                        element *c, const integer *ldc, element *work, const integer *lwork,
                        integer *info, length side_length, length trans_length);
typedef int64_t typed_multiply_q(char side, char trans, int64_t m, int64_t n, int64_t k,
                                 const element *a, int64_t lda, const element *tau, element *c,
                                 int64_t ldc);

/* Computes xORMQR or xORMLQ. q_order: order of Q; vectors: number of columns (side L) or rows (side
 * R) of C, to each of which Q is applied */
static void multiply(enum routine routine, const char *side, const char *trans, const integer *m,
                     const integer *n, const integer *k, const element *a, const integer *lda,
                     const element *tau, element *c, const integer *ldc, element *work,
                     const integer *lwork, integer *info, length side_length, length trans_length)
{
    struct call call;
    integer query_info;
    bool is_left = is_letter(side, "Ll"), is_done = false;
    integer q_order = is_left ? *m : *n, vectors = is_left ? *n : *m;
    double flops = flops_ormqr(DTYPE, q_order, vectors, *k);
    struct problem p = {routine, DTYPE, *m, *n, *k, flops, is_query(lwork)};
    multiply_q *machine = (multiply_q *)machine_function(routine, DTYPE);
    int wrong = !is_letter(side, "LlRr")                          ? 1
                : !is_letter(trans, ADJOINT)                      ? 2
                : *m < 0                                          ? 3
                : *n < 0                                          ? 4
                : *k < 0 || *k > q_order                          ? 5
                : is_short(*lda, routine == ORMLQ ? *k : q_order) ? 7
                : is_short(*ldc, *m)                              ? 10
                : is_short_work(*lwork, vectors)                  ? 12
                                                                  : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        typed_multiply_q *typed = (typed_multiply_q *)startile_function(routine, DTYPE);
        is_done = call_end_if_answered(
            &call, typed(*side, *trans, *m, *n, *k, a, *lda, tau, c, *ldc), info);
    }
    if (machine != NULL)
        machine(side, trans, m, n, k, a, lda, tau, c, ldc, work, is_done ? &query : lwork,
                is_done ? &query_info : info, side_length, trans_length);
    else
        work[0] = as_work(larger(1, vectors));
    if (!is_done)
        call_end(&call, *info);
}

EXPORTED void UNITARY(SYMBOL, mqr)(const char *side, const char *trans, const integer *m,
                                   const integer *n, const integer *k, const element *a,
                                   const integer *lda, const element *tau, element *c,
                                   const integer *ldc, element *work, const integer *lwork,
                                   integer *info, length side_length, length trans_length)
{
    multiply(ORMQR, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info, side_length,
             trans_length);
}

EXPORTED void UNITARY(SYMBOL, mlq)(const char *side, const char *trans, const integer *m,
                                   const integer *n, const integer *k, const element *a,
                                   const integer *lda, const element *tau, element *c,
                                   const integer *ldc, element *work, const integer *lwork,
                                   integer *info, length side_length, length trans_length)
{
    multiply(ORMLQ, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info, side_length,
             trans_length);
}

/* Returns whether A = 0. LAPACK's xGELS then returns X = 0, startile's an info > 0. SYMBOL(gels)
 * leaves A = 0 to the machine's LAPACK: it sets k = 0, which call_begin() takes for a small
 * problem. Without a LAPACK, SYMBOL(gels) sets X = 0. */
static bool is_zero(integer m, integer n, const element *a, integer lda)
{
    for (integer j = 0; j < n; j++)
        for (integer i = 0; i < m; i++)
            if (a[i + (ptrdiff_t)j * lda] != 0)
                return false;
    return true;
}

/* B := 0 */
static void set_zero(integer m, integer n, element *b, integer ldb)
{
    for (integer j = 0; j < n; j++)
        memset(b + (ptrdiff_t)j * ldb, 0, (size_t)m * sizeof *b);
}

EXPORTED void SYMBOL(gels)(const char *trans, const integer *m, const integer *n,
                           const integer *nrhs, element *a, const integer *lda, element *b,
                           const integer *ldb, element *work, const integer *lwork, integer *info,
                           length trans_length)
{
    struct call call;
    integer query_info, k = smaller(*m, *n), least_lwork = k + larger(k, *nrhs);
    double flops = flops_gels(DTYPE, *m, *n, *nrhs);
    struct problem p = {GELS, DTYPE, *m, *n, k, flops, is_query(lwork)};
    __typeof__(SYMBOL(gels)) *machine = MACHINE(GELS, gels);
    bool is_done = false;
    int wrong = !is_letter(trans, ADJOINT)           ? 1
                : *m < 0                             ? 2
                : *n < 0                             ? 3
                : *nrhs < 0                          ? 4
                : is_short(*lda, *m)                 ? 6
                : is_short(*ldb, larger(*m, *n))     ? 8
                : is_short_work(*lwork, least_lwork) ? 10
                                                     : 0;
    if (reject_argument(wrong, &p, info))
        return;
    bool has_work = !p.is_excluded && *nrhs > 0 && !is_zero(*m, *n, a, *lda);
    p.k = has_work ? k : 0;
    if (call_begin(&call, p)) {
        if (!has_work)
            set_zero(larger(*m, *n), *nrhs, b, *ldb);
        int64_t status =
            has_work ? STARTILE(GELS, gels)(*trans, *m, *n, *nrhs, a, *lda, b, *ldb) : 0;
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(trans, m, n, nrhs, a, lda, b, ldb, work, is_done ? &query : lwork,
                is_done ? &query_info : info, trans_length);
    else
        work[0] = as_work(larger(1, least_lwork));
    if (!is_done)
        call_end(&call, *info);
}

/* Returns LAPACK's least LWORK of xGELSY; k = min(m, n). */
static integer least_work_for_rank(integer n, integer nrhs, integer k)
{
    bool is_empty = k == 0 || nrhs == 0, is_real = DTYPE == STARTILE_S || DTYPE == STARTILE_D;
    return is_empty && is_real ? 1 : k + larger(2 * k, larger(n + 1, k + nrhs));
}

EXPORTED void SYMBOL(gelsy)(const integer *m, const integer *n, const integer *nrhs, element *a,
                            const integer *lda, element *b, const integer *ldb, integer *jpvt,
                            const real *rcond, integer *rank, element *work, const integer *lwork,
                            RWORK_PARAMETER integer *info)
{
    struct call call;
    integer query_info, k = smaller(*m, *n), least_lwork = least_work_for_rank(*n, *nrhs, k);
    bool has_work = k > 0 && *nrhs > 0, is_done = false;
    double flops = flops_gels(DTYPE, *m, *n, *nrhs);
    struct problem p = {GELSY, DTYPE, *m, *n, has_work ? k : 0, flops, is_query(lwork)};
    __typeof__(SYMBOL(gelsy)) *machine = MACHINE(GELSY, gelsy);
    int wrong = *m < 0                               ? 1
                : *n < 0                             ? 2
                : *nrhs < 0                          ? 3
                : is_short(*lda, *m)                 ? 5
                : is_short(*ldb, larger(*m, *n))     ? 7
                : is_short_work(*lwork, least_lwork) ? 12
                                                     : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = widened(*n, jpvt), found = 0, status = wide == NULL ? NOT_CALLED : 0;
        if (status == 0 && has_work) /* LAPACK accepts each rank for RCOND < 0 */
            status = STARTILE(GELSY, gelsy)(*m, *n, *nrhs, a, *lda, b, *ldb, wide,
                                            *rcond < 0 ? 0 : *rcond, &found);
        if (status >= 0)
            narrow(*n, wide, jpvt);
        free(wide);
        *rank = (integer)found;
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(m, n, nrhs, a, lda, b, ldb, jpvt, rcond, rank, work, is_done ? &query : lwork,
                RWORK is_done ? &query_info : info);
    else
        work[0] = as_work(larger(1, least_lwork));
    if (!is_done)
        call_end(&call, *info);
}
