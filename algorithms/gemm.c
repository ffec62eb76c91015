/* C := alpha op(A) op(B) + beta C over tiles (BLAS xGEMM). */
#include "algorithms.h"

static void multiply(startile_request *r, startile_complex alpha, view A, view B,
                     startile_complex beta, view C)
{
    int64_t steps = alpha == 0 ? 0 : A.nt;
    const tile none = {0};
    for (int64_t n = 0; n < C.nt; n++)
        for (int64_t m = 0; m < C.mt; m++) {
            if (steps == 0)
                insert_gemm(r, 0, alpha, none, none, beta, at(C, m, n)); /* C(m,n) *= beta */
            for (int64_t k = 0; k < steps; k++) {
                begin_step(r, k);
                /* C(m,n) := alpha * A(m,k) * B(k,n) + (k == 0 ? beta : 1) * C(m,n) */
                insert_gemm(r, steps - k, alpha, at(A, m, k), at(B, k, n), k == 0 ? beta : 1,
                            at(C, m, n));
            }
            end_steps(r);
            return_to_host(r, at(C, m, n));
        }
}

/* Returns the shape of op(X). */
static startile_shape seen(char op, const startile_matrix *X)
{
    startile_shape s = startile_matrix_shape(X), t = s;
    if (op != 'N') {
        t.m = s.n, t.mb = s.nb, t.mt = s.nt;
        t.n = s.m, t.nb = s.mb, t.nt = s.mt;
    }
    return t;
}

int startile_gemm_async(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                        const startile_matrix *B, startile_complex beta, startile_matrix *C,
                        startile_request *request)
{
    transa = capital(transa), transb = capital(transb);
    startile_shape a = seen(transa, A), b = seen(transb, B), c = startile_matrix_shape(C);
    if (!is_one_of(transa, "NTC"))
        return -1;
    if (!is_one_of(transb, "NTC"))
        return -2;
    if (A == NULL)
        return -4;
    if (B == NULL || b.dtype != a.dtype || b.m != a.n || !same_tiles(a.n, a.nb, b.mb))
        return -5;
    if (C == NULL || C == A || C == B || c.dtype != a.dtype || c.m != a.m || c.n != b.n ||
        !same_tiles(c.m, c.mb, a.mb) || !same_tiles(c.n, c.nb, b.nb))
        return -7;
    if (request == NULL)
        return -8;
    if (has_capacity_for_product(request, A) && has_capacity_for_product(request, B) &&
        has_capacity_for_product(request, C))
        multiply(request, alpha, view_of(A, transa), view_of(B, transb), beta, view_of(C, 'N'));
    return 0;
}

int64_t startile_gemm(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C)
{
    startile_request *r = request_start();
    return request_finish(r, startile_gemm_async(transa, transb, alpha, A, B, beta, C, r));
}
