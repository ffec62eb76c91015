/* Typed entries xPOTRF, xPOTRS and xPOSV of batches. */
#include "batch_call.h"

#define POTRF_ARGUMENTS(X, N, A, IN, V, VIN) X(char, uplo), N(n), A(a), X(int64_t *, info)
FORMS(ENTRY, potrf, POTRF_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_letter(&c, uplo, "LlUu");
    check_extent(&c, n);
    check_storage(&c, n, n, &a, true);
    check_numbers(&c, info);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, n, n, &a)) {
        ONE_BY_ONE(&c, info, ENTRY(potrf)(uplo, SIZE(n), MATRIX(a)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_potrf_batch(uplo, A, I);
    }
    return call_end(&c);
}

#define POTRS_ARGUMENTS(X, N, A, IN, V, VIN) X(char, uplo), N(n), N(nrhs), IN(a), A(b)
FORMS(ENTRY, potrs, POTRS_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_letter(&c, uplo, "LlUu");
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, false);
    check_storage(&c, n, nrhs, &b, true);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, n, n, &a)) {
        ONE_BY_ONE(&c, NULL, ENTRY(potrs)(uplo, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b);
        if (c.status == 0)
            c.status = startile_potrs_batch(uplo, A, B);
    }
    return call_end(&c);
}

#define POSV_ARGUMENTS(X, N, A, IN, V, VIN)                                                        \
    X(char, uplo), N(n), N(nrhs), A(a), A(b), X(int64_t *, info)
FORMS(ENTRY, posv, POSV_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_letter(&c, uplo, "LlUu");
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, n, n, &a, true);
    check_storage(&c, n, nrhs, &b, true);
    check_numbers(&c, info);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, n, n, &a)) {
        ONE_BY_ONE(&c, info, ENTRY(posv)(uplo, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a),
                       *B = call_matrices(&c, DTYPE, n, nrhs, &b), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_posv_batch(uplo, A, B, I);
    }
    return call_end(&c);
}

#define PODET_ARGUMENTS(X, N, A, IN, V, VIN) N(n), IN(a), X(real *, logdet)
FORMS(ENTRY, podet, PODET_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_storage(&c, n, n, &a, false);
    check_numbers(&c, logdet);
    if (call_enter(&c)) {
        startile_batch *A = call_matrices(&c, DTYPE, n, n, &a), *L = call_numbers(&c, REAL, logdet);
        if (c.status == 0)
            c.status = startile_podet_batch(A, L);
    }
    return call_end(&c);
}
