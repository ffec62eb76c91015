/* Typed entries xGETRF, xGETRS, xGESV and xGETRI of batches. */
#include "batch_call.h"

#define GETRF_ARGUMENTS(X, N, A, IN, V, VIN) N(m), N(n), A(a), V(int64_t, ipiv), X(int64_t *, info)
FORMS(ENTRY, getrf, GETRF_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    struct extent k = smaller_extent(&c, m, n);
    check_columns(&c, k, &ipiv, true);
    check_numbers(&c, info);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, m, n, &a)) {
        ONE_BY_ONE(&c, info, ENTRY(getrf)(SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv, int64_t)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a), *P = call_integers(&c, k, &ipiv),
                       *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_getrf_batch(A, P, I);
    }
    return call_end(&c);
}

#define GETRF_NOPIV_ARGUMENTS(X, N, A, IN, V, VIN) N(m), N(n), A(a), X(int64_t *, info)
FORMS(ENTRY, getrf_nopiv, GETRF_NOPIV_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    check_numbers(&c, info);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_getrf_nopiv_batch(A, I);
    }
    return call_end(&c);
}

/* Returns whether ipiv is not NULL. */
static bool has_pivots(const struct storage *ipiv)
{
    return ipiv->a != NULL || ipiv->each != NULL;
}

/* Checks ipiv, which may be NULL. */
static void check_pivots(struct call *c, struct extent n, struct storage *ipiv)
{
    check_columns(c, has_pivots(ipiv) ? n : one_size(0), ipiv, false);
}

/* Wraps ipiv; returns NULL without ipiv, or if the call has failed. */
static startile_batch *pivots(struct call *c, struct extent n, const struct storage *ipiv)
{
    return has_pivots(ipiv) ? call_integers(c, n, ipiv) : NULL;
}

#define GETRS_ARGUMENTS(X, N, A, IN, V, VIN)                                                       \
    X(char, trans), N(n), N(nrhs), IN(a), VIN(int64_t, ipiv), A(b)
FORMS(ENTRY, getrs, GETRS_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_letter(&c, trans, "NnTtCc");
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, false);
    check_pivots(&c, n, &ipiv);
    check_storage(&c, n, nrhs, &b, true);
    if (!call_enter(&c))
        return call_end(&c);
    if (has_pivots(&ipiv) && call_is_one_by_one(&c, n, n, &a)) {
        ONE_BY_ONE(
            &c, NULL,
            ENTRY(getrs)(trans, SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv, int64_t), MATRIX(b)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = pivots(&c, n, &ipiv),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b);
        if (c.status == 0)
            c.status = startile_getrs_batch(trans, A, P, B);
    }
    return call_end(&c);
}

#define GESV_ARGUMENTS(X, N, A, IN, V, VIN)                                                        \
    N(n), N(nrhs), A(a), V(int64_t, ipiv), A(b), X(int64_t *, info)
FORMS(ENTRY, gesv, GESV_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, true);
    check_columns(&c, n, &ipiv, true);
    check_storage(&c, n, nrhs, &b, true);
    check_numbers(&c, info);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, n, n, &a)) {
        ONE_BY_ONE(&c, info,
                   ENTRY(gesv)(SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv, int64_t), MATRIX(b)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = call_integers(&c, n, &ipiv),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_gesv_batch(A, P, B, I);
    }
    return call_end(&c);
}

#define GETRI_ARGUMENTS(X, N, A, IN, V, VIN) N(n), A(a), VIN(int64_t, ipiv), X(int64_t *, info)
FORMS(ENTRY, getri, GETRI_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_storage(&c, n, n, &a, true);
    check_pivots(&c, n, &ipiv);
    check_numbers(&c, info);
    if (!call_enter(&c))
        return call_end(&c);
    if (has_pivots(&ipiv) && call_is_one_by_one(&c, n, n, &a)) {
        ONE_BY_ONE(&c, info, ENTRY(getri)(SIZE(n), MATRIX(a), VECTOR(ipiv, int64_t)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = pivots(&c, n, &ipiv),
                       *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_getri_batch(A, P, I);
    }
    return call_end(&c);
}

#define GEDET_ARGUMENTS(X, N, A, IN, V, VIN)                                                       \
    N(n), IN(a), VIN(int64_t, ipiv), X(element *, sign), X(real *, logabsdet)
FORMS(ENTRY, gedet, GEDET_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_storage(&c, n, n, &a, false);
    check_pivots(&c, n, &ipiv);
    check_numbers(&c, sign);
    check_numbers(&c, logabsdet);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *P = pivots(&c, n, &ipiv),
                       *S = call_numbers(&c, DTYPE, sign), *L = call_numbers(&c, REAL, logabsdet);
        if (c.status == 0)
            c.status = startile_gedet_batch(A, P, S, L);
    }
    return call_end(&c);
}
