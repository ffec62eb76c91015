/* Cholesky factorization A = L Lᴴ, right-looking (LAPACK xPOTRF; Volkov & Demmel 2008, 5). */
#include "codelets.h"

/* The number of block columns that still hang on step k is what a task's delay costs. */
static void factor(startile_request *r, char uplo, view A)
{
    for (int64_t k = 0; k < A.nt; k++) {
        int64_t urgency = 2 * (A.nt - k);
        tile L = at(A, k, k);
        inverse *W = insert_potrf(r, urgency, uplo, L, k + 1 < A.nt);

        for (int64_t m = k + 1; m < A.nt; m++) {
            insert_trsm_inverse(r, urgency - (m - k), uplo, tile_op('C', L), W, at(A, m, k));
            insert_send_home(r, at(A, m, k));
        }
        for (int64_t n = k + 1; n < A.nt; n++) {
            insert_herk(r, urgency - 2 * (n - k) + 1, 'C', uplo, -1, at(A, n, k), 1, at(A, n, n));
            for (int64_t m = n + 1; m < A.nt; m++)
                insert_gemm(r, urgency - (n - k) - (m - k), -1, at(A, m, k),
                            tile_op('C', at(A, n, k)), 1, at(A, m, n));
        }
        insert_send_home(r, L);
        forget(W);
    }
}

int startile_potrf_async(char uplo, startile_matrix *A, startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A))
        return -2;
    if (request == NULL)
        return -3;
    begin_factorization(request);
    factor(request, uplo, view_of(A, uplo == 'L' ? 'N' : 'C'));
    return 0;
}

int64_t startile_potrf(char uplo, startile_matrix *A)
{
    startile_request *r = request_start();
    return request_finish(r, startile_potrf_async(uplo, A, r));
}
