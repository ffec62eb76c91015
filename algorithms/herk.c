/* Rank-k updates of one triangle over tiles (BLAS xHERK, xSYRK). */
#include "algorithms.h"

/* Submits C := alpha A op(A) + beta C, with op 'C' or 'T', for the view C whose stored triangle is
 * lower. */
static void update(startile_request *r, char op, char uplo, startile_complex alpha, view A,
                   startile_complex beta, view C)
{
    int64_t steps = alpha == 0 ? 0 : A.nt;
    const tile none = {0};
    for (int64_t n = 0; n < C.nt; n++)
        for (int64_t m = n; m < C.nt; m++) {
            if (steps == 0 && m == n)
                insert_herk(r, 0, op, uplo, alpha, none, beta, at(C, n, n)); /* C(n,n) *= beta */
            else if (steps == 0)
                insert_gemm(r, 0, alpha, none, none, beta, at(C, m, n)); /* C(m,n) *= beta */
            for (int64_t k = 0; k < steps; k++) {
                startile_complex scale = k == 0 ? beta : 1;
                begin_step(r, k);
                /* C(m,n) := alpha * A(m,k) * op(A(n,k)) + scale * C(m,n) */
                if (m == n)
                    insert_herk(r, steps - k, op, uplo, alpha, at(A, n, k), scale, at(C, n, n));
                else
                    insert_gemm(r, steps - k, alpha, at(A, m, k), tile_op(op, at(A, n, k)), scale,
                                at(C, m, n));
            }
            end_steps(r);
            return_to_host(r, at(C, m, n));
        }
}

/* Validates the arguments and submits the update. The upper triangle of C is the lower one of
 * op(C). The update of op(C) is the same one: op(A op(A)) = A op(A), and the scalars of the
 * Hermitian case are real. */
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
    if (C == NULL || A == C || !has_square_tiles(C) || a.dtype != c.dtype ||
        c.n != (trans == 'N' ? a.m : a.n) || !same_tiles(c.n, c.nb, trans == 'N' ? a.mb : a.nb))
        return -6;
    if (request == NULL)
        return -7;
    if (has_capacity_for_product(request, A) && has_capacity_for_product(request, C))
        update(request, op, uplo, alpha, view_of(A, trans), beta,
               view_of(C, uplo == 'L' ? 'N' : op));
    return 0;
}

int startile_herk_async(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                        startile_matrix *C, startile_request *request)
{
    return submit('C', uplo, trans, alpha, A, beta, C, request);
}

int64_t startile_herk(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                      startile_matrix *C)
{
    startile_request *r = request_start();
    return request_finish(r, startile_herk_async(uplo, trans, alpha, A, beta, C, r));
}

int startile_syrk_async(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                        startile_complex beta, startile_matrix *C, startile_request *request)
{
    return submit('T', uplo, trans, alpha, A, beta, C, request);
}

int64_t startile_syrk(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                      startile_complex beta, startile_matrix *C)
{
    startile_request *r = request_start();
    return request_finish(r, startile_syrk_async(uplo, trans, alpha, A, beta, C, r));
}
