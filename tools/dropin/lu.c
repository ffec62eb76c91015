/* LAPACK's symbols xGETRF, xGETRS, xGETRI, xGESV and xGECON */
#include "pivots.h"

EXPORTED void SYMBOL(getrf)(const integer *m, const integer *n, element *a, const integer *lda,
                            integer *ipiv, integer *info)
{
    struct call call;
    struct problem p = {GETRF, DTYPE, *m, *n, smaller(*m, *n), flops_getrf(DTYPE, *m, *n), false};
    int wrong = *m < 0 ? 1 : *n < 0 ? 2 : is_short(*lda, *m) ? 4 : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = new_wide_pivots(smaller(*m, *n));
        int64_t status = wide == NULL ? NOT_CALLED : STARTILE(GETRF, getrf)(*m, *n, a, *lda, wide);
        if (status >= 0)
            narrow(smaller(*m, *n), wide, ipiv);
        free(wide);
        if (call_end_if_answered(&call, status, info))
            return;
    }
    MACHINE(GETRF, getrf)(m, n, a, lda, ipiv, info);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(getrs)(const char *trans, const integer *n, const integer *nrhs,
                            const element *a, const integer *lda, const integer *ipiv, element *b,
                            const integer *ldb, integer *info, length trans_length)
{
    struct call call;
    struct problem p = {GETRS, DTYPE, *n, *n, *nrhs, flops_getrs(DTYPE, *n, *nrhs), false};
    int wrong = !is_letter(trans, "NnTtCc") ? 1
                : *n < 0                    ? 2
                : *nrhs < 0                 ? 3
                : is_short(*lda, *n)        ? 5
                : is_short(*ldb, *n)        ? 8
                                            : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = widened(*n, ipiv);
        int64_t status = wide == NULL
                             ? NOT_CALLED
                             : STARTILE(GETRS, getrs)(*trans, *n, *nrhs, a, *lda, wide, b, *ldb);
        free(wide);
        if (call_end_if_answered(&call, status, info))
            return;
    }
    MACHINE(GETRS, getrs)(trans, n, nrhs, a, lda, ipiv, b, ldb, info, trans_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(gesv)(const integer *n, const integer *nrhs, element *a, const integer *lda,
                           integer *ipiv, element *b, const integer *ldb, integer *info)
{
    struct call call;
    struct problem p = {
        GESV, DTYPE, *n, *n, *n, flops_getrf(DTYPE, *n, *n) + flops_getrs(DTYPE, *n, *nrhs), false};
    int wrong = *n < 0 ? 1 : *nrhs < 0 ? 2 : is_short(*lda, *n) ? 4 : is_short(*ldb, *n) ? 7 : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = new_wide_pivots(*n);
        int64_t status =
            wide == NULL ? NOT_CALLED : STARTILE(GESV, gesv)(*n, *nrhs, a, *lda, wide, b, *ldb);
        if (status >= 0)
            narrow(*n, wide, ipiv);
        free(wide);
        if (call_end_if_answered(&call, status, info))
            return;
    }
    MACHINE(GESV, gesv)(n, nrhs, a, lda, ipiv, b, ldb, info);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(getri)(const integer *n, element *a, const integer *lda, const integer *ipiv,
                            element *work, const integer *lwork, integer *info)
{
    struct call call;
    integer query_info; /* INFO of the query below, which is not used */
    __typeof__(SYMBOL(getri)) *machine = MACHINE(GETRI, getri);
    struct problem p = {GETRI, DTYPE, *n, *n, *n, flops_getri(DTYPE, *n), is_query(lwork)};
    int wrong = *n < 0 ? 1 : is_short(*lda, *n) ? 3 : is_short_work(*lwork, larger(1, *n)) ? 6 : 0;
    bool is_done = false;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = widened(*n, ipiv);
        int64_t status = wide == NULL ? NOT_CALLED : STARTILE(GETRI, getri)(*n, a, *lda, wide);
        free(wide);
        is_done = call_end_if_answered(&call, status, info);
    }
    /* If startile has solved the problem, this call only asks the machine's routine for the best
     * size of the workspace, because work[0] is an output. */
    if (machine != NULL)
        machine(n, a, lda, ipiv, work, is_done ? &query : lwork, is_done ? &query_info : info);
    else
        work[0] = as_work(larger(1, *n));
    if (!is_done)
        call_end(&call, *info);
}

EXPORTED void SYMBOL(gecon)(const char *norm, const integer *n, const element *a,
                            const integer *lda, const real *anorm, real *rcond, element *work,
                            estimator_work *more_work, integer *info, length norm_length)
{
    struct call call;
    /* k = 0 if the norm is NaN or infinite: the machine's LAPACK then gets the problem, because the
     * result depends on LAPACK's version. */
    struct problem p = {GECON, DTYPE, *n, *n, isfinite(*anorm), 0, false};
    int wrong = !is_letter(norm, "1OoIi") ? 1
                : *n < 0                  ? 2
                : is_short(*lda, *n)      ? 4
                : *anorm < 0              ? 5
                                          : 0;
    if (reject_argument(wrong, &p, info))
        return;
    /* LAPACK's xLATDF reads the approximate null vector in work[n … 2n−1]. */
    if (call_begin(&call, p) &&
        call_end_if_answered(
            &call, STARTILE(GECON, gecon_vector)(*norm, *n, a, *lda, *anorm, rcond, work + *n),
            info))
        return;
    MACHINE(GECON, gecon)(norm, n, a, lda, anorm, rcond, work, more_work, info, norm_length);
    call_end(&call, *info);
}
