/* Typed entries xGEQP3 and xGELSY of batches. */
#include "batch_call.h"

#define GEQP3_ARGUMENTS(X, N, A, IN, V, VIN) N(m), N(n), A(a), V(int64_t, jpvt), V(element, tau)
FORMS(ENTRY, geqp3, GEQP3_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    check_columns(&c, n, &jpvt, true);
    struct extent k = smaller_extent(&c, m, n);
    check_columns(&c, k, &tau, true);
    if (!call_enter(&c))
        return call_end(&c);
    startile_batch *A = call_matrices(&c, DTYPE, m, n, &a), *P = call_integers(&c, n, &jpvt),
                   *T = call_columns(&c, DTYPE, k, &tau);
    if (c.status == 0)
        c.status = startile_geqp3_batch(A, P, T);
    return call_end(&c);
}

#define GELSY_ARGUMENTS(X, N, A, IN, V, VIN)                                                       \
    N(m), N(n), N(nrhs), A(a), A(b), X(real, rcond), X(int64_t *, rank)
FORMS(ENTRY, gelsy, GELSY_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, m, n, &a, true);
    struct extent rows = larger_extent(&c, m, n);
    check_storage(&c, rows, nrhs, &b, true);
    check_scalar(&c);
    check_numbers(&c, rank);
    if (!call_enter(&c))
        return call_end(&c);
    startile_batch *A = call_matrices(&c, DTYPE, m, n, &a),
                   *B = call_matrices(&c, DTYPE, rows, nrhs, &b), *R = call_info(&c, rank);
    if (c.status == 0)
        c.status = startile_gelsy_batch(A, B, rcond, R);
    return call_end(&c);
}
