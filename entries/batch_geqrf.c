/* Typed entries xGEQRF, xORMQR (xUNMQR) and xGELS of batches. */
#include "batch_call.h"

#define GEQRF_ARGUMENTS(X, N, A, IN, V, VIN) N(m), N(n), A(a), V(element, tau)
FORMS(ENTRY, geqrf, GEQRF_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, m);
    check_extent(&c, n);
    check_storage(&c, m, n, &a, true);
    struct extent k = smaller_extent(&c, m, n);
    check_columns(&c, k, &tau, true);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, m, n, &a)) {
        ONE_BY_ONE(&c, NULL, ENTRY(geqrf)(SIZE(m), SIZE(n), MATRIX(a), VECTOR(tau, element)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a),
                       *T = call_columns(&c, DTYPE, k, &tau);
        if (c.status == 0)
            c.status = startile_geqrf_batch(A, T);
    }
    return call_end(&c);
}

/* Checks that k is a valid dimension and at most the order of Q. */
static void check_reflectors(struct call *c, struct extent k, struct extent order)
{
    check_extent(c, k);
    if (c->status != 0)
        return;
    /* k is argument number c->next − 1 */
    if (!k.varies && k.all > order.all)
        c->status = 1 - c->next;
    if (k.varies)
        for (int64_t i = 0; i < c->count; i++)
            if (k.each[i] > order.each[i])
                c->status = 1 - c->next;
}

#define MQR_ARGUMENTS(X, N, A, IN, V, VIN)                                                         \
    X(char, side), X(char, trans), N(m), N(n), N(k), IN(a), VIN(element, tau), A(c)
FORMS(UNITARY, mqr, MQR_ARGUMENTS)
{
    struct call call = call_begin(count);
    struct extent order = is_letter(side, "Ll") ? m : n;
    check_letter(&call, side, "LlRr");
    check_letter(&call, trans, ADJOINT);
    check_extent(&call, m);
    check_extent(&call, n);
    check_reflectors(&call, k, order);
    check_storage(&call, order, k, &a, false);
    check_columns(&call, k, &tau, false);
    check_storage(&call, m, n, &c, true);
    if (!call_enter(&call))
        return call_end(&call);
    if (call_is_one_by_one(&call, order, k, &a)) {
        ONE_BY_ONE(&call, NULL,
                   UNITARY(mqr)(side, trans, SIZE(m), SIZE(n), SIZE(k), MATRIX(a),
                                VECTOR(tau, element), MATRIX(c)));
    } else {
        startile_batch *A = call_matrices(&call, DTYPE, order, k, &a),
                       *T = call_columns(&call, DTYPE, k, &tau),
                       *C = call_matrices(&call, DTYPE, m, n, &c);
        if (call.status == 0)
            call.status = startile_unmqr_batch(side, trans, A, T, C);
    }
    return call_end(&call);
}

#define GELS_ARGUMENTS(X, N, A, IN, V, VIN)                                                        \
    X(char, trans), N(m), N(n), N(nrhs), A(a), A(b), X(int64_t *, info)
FORMS(ENTRY, gels, GELS_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_letter(&c, trans, ADJOINT);
    check_extent(&c, m);
    check_extent(&c, n);
    check_extent(&c, nrhs);
    check_storage(&c, m, n, &a, true);
    struct extent rows = larger_extent(&c, m, n);
    check_storage(&c, rows, nrhs, &b, true);
    check_numbers(&c, info);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, m, n, &a)) {
        ONE_BY_ONE(&c, info,
                   ENTRY(gels)(trans, SIZE(m), SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b)));
    } else {
        startile_batch *A = call_matrices(&c, DTYPE, m, n, &a),
                       *B = call_matrices(&c, DTYPE, rows, nrhs, &b), *I = call_info(&c, info);
        if (c.status == 0)
            c.status = startile_gels_batch(trans, A, B, I);
    }
    return call_end(&c);
}
