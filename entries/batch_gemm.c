/* Typed entries xGEMM and xTRSM of batches. */
#include "batch_call.h"

#define GEMM_ARGUMENTS(X, N, A, IN, V, VIN)                                                        \
    X(char, transa), X(char, transb), N(m), N(n), N(k), X(element, alpha), IN(a), IN(b),           \
        X(element, beta), A(c)
FORMS(ENTRY, gemm, GEMM_ARGUMENTS)
{
    struct call call = call_begin(count);
    bool plain_a = is_letter(transa, "Nn"), plain_b = is_letter(transb, "Nn");
    struct extent am = plain_a ? m : k, an = plain_a ? k : m, bm = plain_b ? k : n,
                  bn = plain_b ? n : k;
    check_letter(&call, transa, "NnTtCc");
    check_letter(&call, transb, "NnTtCc");
    check_extent(&call, m);
    check_extent(&call, n);
    check_extent(&call, k);
    check_scalar(&call);
    check_storage(&call, am, an, &a, false);
    check_storage(&call, bm, bn, &b, false);
    check_scalar(&call);
    check_storage(&call, m, n, &c, true);
    if (!call_enter(&call))
        return call_end(&call);
    if (call_is_one_by_one(&call, m, n, &a)) {
        ONE_BY_ONE(&call, NULL,
                   ENTRY(gemm)(transa, transb, SIZE(m), SIZE(n), SIZE(k), alpha, MATRIX(a),
                               MATRIX(b), beta, MATRIX(c)));
    } else {
        startile_batch *C = call_matrices(&call, DTYPE, m, n, &c),
                       *A = call_matrices(&call, DTYPE, am, an, &a),
                       *B = call_matrices(&call, DTYPE, bm, bn, &b);
        if (call.status == 0)
            call.status = startile_gemm_batch(transa, transb, alpha, A, B, beta, C);
    }
    return call_end(&call);
}

#define TRSM_ARGUMENTS(X, N, A, IN, V, VIN)                                                        \
    X(char, side), X(char, uplo), X(char, trans), X(char, diag), N(m), N(n), X(element, alpha),    \
        IN(a), A(b)
FORMS(ENTRY, trsm, TRSM_ARGUMENTS)
{
    struct call c = call_begin(count);
    struct extent order = is_letter(side, "Ll") ? m : n;
    check_letter(&c, side, "LlRr");
    check_letter(&c, uplo, "LlUu");
    check_letter(&c, trans, "NnTtCc");
    check_letter(&c, diag, "NnUu");
    check_extent(&c, m);
    check_extent(&c, n);
    check_scalar(&c);
    check_storage(&c, order, order, &a, false);
    check_storage(&c, m, n, &b, true);
    if (!call_enter(&c))
        return call_end(&c);
    if (call_is_one_by_one(&c, m, n, &a)) {
        ONE_BY_ONE(
            &c, NULL,
            ENTRY(trsm)(side, uplo, trans, diag, SIZE(m), SIZE(n), alpha, MATRIX(a), MATRIX(b)));
    } else {
        startile_batch *B = call_matrices(&c, DTYPE, m, n, &b),
                       *A = call_matrices(&c, DTYPE, order, order, &a);
        if (c.status == 0)
            c.status = startile_trsm_batch(side, uplo, trans, diag, alpha, A, B);
    }
    return call_end(&c);
}
