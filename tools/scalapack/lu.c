/* ScaLAPACK's routines PxGETRF, PxGETRS, PxGESV, PxGETRI and PxGECON */
#include "scalapack.h"

#include "scalar.h"

#include <math.h>

/* Creates the pivots of A, with the values of ipiv unless ipiv is NULL. Returns a status, the same
 * on all processes. Collective. */
static int64_t new_pivots(const struct call *call, startile_pivots **P, const integer *ipiv)
{
    const struct operand *A = call->operand[0];
    int64_t status = startile_pivots_create(P, A->matrix);
    if (!agree(call->context, status == 0, 0))
        return STARTILE_ERROR_MEMORY;
    return ipiv == NULL ? 0 : pivots_from_local(*P, A, call->context, ipiv);
}

/* Stores the pivots in ipiv unless the factorization failed, and frees them. Returns `status`, the
 * result of the factorization, or the failure to store. */
static int64_t end_factorization(const struct call *call, startile_pivots *P, int64_t status,
                                 integer *ipiv)
{
    int64_t stored =
        status < 0 ? status : pivots_to_local(P, call->operand[0], call->context, ipiv);
    startile_pivots_destroy(P);
    return stored < 0 ? stored : status;
}

static int64_t getrf_on_startile(const struct call *call, integer *ipiv)
{
    startile_pivots *P = NULL;
    int64_t status = new_pivots(call, &P, NULL);
    if (status == 0)
        status = startile_getrf(call->operand[0]->matrix, P);
    return end_factorization(call, P, status, ipiv);
}

SYMBOLS(getrf,
        (const integer *m, const integer *n, void *a, const integer *ia, const integer *ja,
         const integer *desca, integer *ipiv, integer *info),
        (m, n, a, ia, ja, desca, ipiv, info))
{
    struct call call;
    struct operand A = {*m, *n, a, ia, ja, desca, NULL, NULL};
    struct problem p = {GETRF, t, *m, *n, smaller(*m, *n), flops_getrf(t, *m, *n), false};
    if (call_begin(&call, p, true, "", &A, NULL) &&
        call_end_if_answered(&call, getrf_on_startile(&call, ipiv), info))
        return;
    MACHINE(GETRF, getrf)(m, n, a, ia, ja, desca, ipiv, info);
    call_end(&call, *info);
}

static int64_t getrs_on_startile(const struct call *call, char trans, const integer *ipiv)
{
    startile_pivots *P = NULL;
    int64_t status = new_pivots(call, &P, ipiv);
    if (status == 0)
        status = startile_getrs(trans, call->operand[0]->matrix, P, call->operand[1]->matrix);
    startile_pivots_destroy(P);
    return status;
}

SYMBOLS(getrs,
        (const char *trans, const integer *n, const integer *nrhs, void *a, const integer *ia,
         const integer *ja, const integer *desca, const integer *ipiv, void *b, const integer *ib,
         const integer *jb, const integer *descb, integer *info, length trans_length),
        (trans, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info, trans_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *nrhs, b, ib, jb, descb, NULL, NULL};
    struct problem p = {GETRS, t, *n, *n, *nrhs, flops_getrs(t, *n, *nrhs), false};
    const char letters[] = {*trans, '\0'};
    if (call_begin(&call, p, is_letter(trans, "NnTtCc"), letters, &A, &B) &&
        call_end_if_answered(&call, getrs_on_startile(&call, *trans, ipiv), info))
        return;
    MACHINE(GETRS, getrs)
    (trans, n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info, trans_length);
    call_end(&call, *info);
}

static int64_t gesv_on_startile(const struct call *call, integer *ipiv)
{
    startile_pivots *P = NULL;
    int64_t status = new_pivots(call, &P, NULL);
    if (status == 0)
        status = startile_gesv(call->operand[0]->matrix, P, call->operand[1]->matrix, 0);
    return end_factorization(call, P, status, ipiv);
}

SYMBOLS(gesv,
        (const integer *n, const integer *nrhs, void *a, const integer *ia, const integer *ja,
         const integer *desca, integer *ipiv, void *b, const integer *ib, const integer *jb,
         const integer *descb, integer *info),
        (n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *nrhs, b, ib, jb, descb, NULL, NULL};
    double flops = flops_getrf(t, *n, *n) + flops_getrs(t, *n, *nrhs);
    struct problem p = {GESV, t, *n, *n, *n, flops, false};
    if (call_begin(&call, p, true, "", &A, &B) &&
        call_end_if_answered(&call, gesv_on_startile(&call, ipiv), info))
        return;
    MACHINE(GESV, gesv)(n, nrhs, a, ia, ja, desca, ipiv, b, ib, jb, descb, info);
    call_end(&call, *info);
}

static int64_t getri_on_startile(const struct call *call, const integer *ipiv)
{
    startile_pivots *P = NULL;
    int64_t status = new_pivots(call, &P, ipiv);
    if (status == 0)
        status = startile_getri(call->operand[0]->matrix, P);
    startile_pivots_destroy(P);
    return status;
}

SYMBOLS(getri,
        (const integer *n, void *a, const integer *ia, const integer *ja, const integer *desca,
         const integer *ipiv, void *work, const integer *lwork, integer *iwork,
         const integer *liwork, integer *info),
        (n, a, ia, ja, desca, ipiv, work, lwork, iwork, liwork, info))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL};
    struct work w = {work, iwork, lwork, liwork};
    struct problem p = {GETRI, t, *n, *n, *n, flops_getri(t, *n), is_query(w)};
    if (call_begin(&call, p, true, "", &A, NULL)) {
        struct answer size = {.info = 0};
        MACHINE(GETRI, getri)
        (n, a, ia, ja, desca, ipiv, &size.work, &query, (integer *)&size.more, &query, &size.info);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, getri_on_startile(&call, ipiv), info)) {
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(GETRI, getri)(n, a, ia, ja, desca, ipiv, work, lwork, iwork, liwork, info);
    call_end(&call, *info);
}

SYMBOLS(gecon,
        (const char *norm, const integer *n, void *a, const integer *ia, const integer *ja,
         const integer *desca, const void *anorm, void *rcond, void *work, const integer *lwork,
         void *more, const integer *lmore, integer *info, length norm_length),
        (norm, n, a, ia, ja, desca, anorm, rcond, work, lwork, more, lmore, info, norm_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL};
    struct work w = {work, more, lwork, lmore};
    struct problem p = {GECON, t, *n, *n, 1, 0, is_query(w)};
    const char letters[] = {*norm, '\0'};
    double reciprocal = 0, norm_of_a = real_get(t, anorm);
    /* The machine's routine gets a norm that is 0, negative, infinite or NaN. */
    bool is_valid = is_letter(norm, "1OoIi") && isfinite(norm_of_a) && norm_of_a > 0;
    if (call_begin(&call, p, is_valid, letters, &A, NULL)) {
        struct answer size = {.info = 0};
        MACHINE(GECON, gecon)
        (norm, n, a, ia, ja, desca, anorm, &reciprocal, &size.work, &query, &size.more, &query,
         &size.info, norm_length);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, startile_gecon(*norm, A.matrix, &norm_of_a, &reciprocal),
                                 info)) {
            real_set(t, rcond, reciprocal);
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(GECON, gecon)
    (norm, n, a, ia, ja, desca, anorm, rcond, work, lwork, more, lmore, info, norm_length);
    call_end(&call, *info);
}
