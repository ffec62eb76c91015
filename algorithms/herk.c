/* Rank-k updates of one triangle over tiles (BLAS xHERK, xSYRK). */
#include "algorithms.h"

/* Submits C := alpha A op(A) + beta C, with op 'C' or 'T', for the view C whose stored triangle is
 * lower. */
static void update(context ctx, char op, char uplo, startile_complex alpha, view A,
                   startile_complex beta, view C)
{
    int64_t steps = alpha == 0 ? 0 : A.nt;
    const tile none = {0};
    for (int64_t n = 0; n < C.nt; n++)
        for (int64_t m = n; m < C.nt; m++) {
            if (steps == 0 && m == n)
                insert_herk(ctx, 0, op, uplo, alpha, none, beta, at(C, n, n)); /* C(n,n) *= beta */
            else if (steps == 0)
                insert_gemm(ctx, 0, alpha, none, none, beta, at(C, m, n)); /* C(m,n) *= beta */
            for (int64_t k = 0; k < steps; k++) {
                startile_complex scale = k == 0 ? beta : 1;
                ctx.step = k;
                /* C(m,n) := alpha * A(m,k) * op(A(n,k)) + scale * C(m,n) */
                if (m == n)
                    insert_herk(ctx, steps - k, op, uplo, alpha, at(A, n, k), scale, at(C, n, n));
                else
                    insert_gemm(ctx, steps - k, alpha, at(A, m, k), tile_op(op, at(A, n, k)), scale,
                                at(C, m, n));
            }
            return_to_host(ctx, at(C, m, n));
        }
}

/* Validates the arguments and submits the update. The upper triangle of C is updated as the lower
 * triangle of op(C) by the same product, since op(A op(A)) = A op(A). alpha and beta stay, since
 * they are real for 'C'. */
static int submit(char op, char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                  startile_complex beta, startile_matrix *C, startile_request *request)
{
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    uplo = capital(uplo), trans = capital(trans);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL)
        return !is_one_of(trans, "NTC") ? -2 : -4;
    if (trans != 'N' && trans != op && (is_complex(A) || !is_one_of(trans, "TC")))
        return -2;
    if (C == NULL || A == C || !has_square_tiles(C) || !fit_together(A, C) ||
        c.n != (trans == 'N' ? a.m : a.n) || !same_tiles(c.n, c.nb, trans == 'N' ? a.mb : a.nb))
        return -6;
    if (request == NULL)
        return -7;
    if (has_capacity_of(context_of(request), TILE_PRODUCTS, A, C))
        update(context_of(request), op, uplo, alpha, view_of(A, trans), beta,
               view_of(C, uplo == 'L' ? 'N' : op));
    return 0;
}

int submit_herk(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                startile_matrix *C, startile_request *request)
{
    return submit('C', uplo, trans, alpha, A, beta, C, request);
}

int submit_syrk(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                startile_complex beta, startile_matrix *C, startile_request *request)
{
    return submit('T', uplo, trans, alpha, A, beta, C, request);
}
