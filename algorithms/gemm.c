/* C := alpha op(A) op(B) + beta C over tiles (BLAS xGEMM). */
#include "algorithms.h"

static void multiply(context ctx, startile_complex alpha, view A, view B, startile_complex beta,
                     view C)
{
    int64_t steps = alpha == 0 ? 0 : A.nt;
    const tile none = {0};
    for (int64_t n = 0; n < C.nt; n++)
        for (int64_t m = 0; m < C.mt; m++) {
            if (steps == 0)
                insert_gemm(ctx, 0, alpha, none, none, beta, at(C, m, n)); /* C(m,n) *= beta */
            for (int64_t k = 0; k < steps; k++) {
                ctx.step = k;
                /* C(m,n) := alpha * A(m,k) * B(k,n) + (k == 0 ? beta : 1) * C(m,n) */
                insert_gemm(ctx, steps - k, alpha, at(A, m, k), at(B, k, n), k == 0 ? beta : 1,
                            at(C, m, n));
            }
            return_to_host(ctx, at(C, m, n));
        }
}

/* Returns the shape of op(X). */
static startile_shape shape_of_op(char op, const startile_matrix *X)
{
    startile_shape s = startile_matrix_shape(X), t = s;
    if (op != 'N') {
        t.m = s.n, t.mb = s.nb, t.mt = s.nt;
        t.n = s.m, t.nb = s.mb, t.nt = s.mt;
    }
    return t;
}

int submit_gemm(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                const startile_matrix *B, startile_complex beta, startile_matrix *C,
                startile_request *request)
{
    transa = capital(transa), transb = capital(transb);
    startile_shape a = shape_of_op(transa, A), b = shape_of_op(transb, B),
                   c = startile_matrix_shape(C);
    if (!is_one_of(transa, "NTC"))
        return -1;
    if (!is_one_of(transb, "NTC"))
        return -2;
    if (A == NULL)
        return -4;
    if (B == NULL || !fit_together(A, B) || b.m != a.n || !same_tiles(a.n, a.nb, b.mb))
        return -5;
    if (C == NULL || C == A || C == B || !fit_together(A, C) || c.m != a.m || c.n != b.n ||
        !same_tiles(c.m, c.mb, a.mb) || !same_tiles(c.n, c.nb, b.nb))
        return -7;
    if (request == NULL)
        return -8;
    context ctx = context_of(request);
    if (has_capacity_of(ctx, TILE_PRODUCTS, A, B) && has_capacity_of(ctx, TILE_PRODUCTS, C, NULL))
        multiply(ctx, alpha, view_of(A, transa), view_of(B, transb), beta, view_of(C, 'N'));
    return 0;
}
