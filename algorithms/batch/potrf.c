/* Cholesky factorizations and solves of a batch (LAPACK xPOTRF, xPOTRS, xPOSV). */
#include "batch/insert_batch.h"
#include "checks.h"
#include "operands.h"

/* Validates the arguments uplo and A, numbers 1 and 2; returns 0 or −i. */
static int check_uplo_and_square(char uplo, const startile_batch *A)
{
    if (!is_one_of(capital(uplo), "LU"))
        return -1;
    return !has_matrices(A) || !has_squares(A) ? -2 : 0;
}

int64_t startile_potrf_batch_async(char uplo, startile_batch *A, startile_batch *info,
                                   startile_request *request)
{
    int wrong = check_uplo_and_square(uplo, A);
    if (wrong != 0 || !is_writable(A))
        return wrong != 0 ? wrong : -2;
    if (!is_info_of(info, A))
        return -3;
    int refused = check_request(request, 4);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* A_i = L_i L_i^H or U_i^H U_i for all matrices i of chunk q */
        insert_potrf_batch(request, capital(uplo), A, info, q);
    return 0;
}

int64_t startile_potrs_batch_async(char uplo, const startile_batch *A, startile_batch *B,
                                   startile_request *request)
{
    int wrong = check_uplo_and_square(uplo, A);
    if (wrong != 0)
        return wrong;
    if (!are_right_hand_sides(B, A))
        return -3;
    int refused = check_request(request, 4);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* B_i := A_i^-1 B_i for all matrices i of chunk q */
        insert_potrs_batch(request, capital(uplo), A, B, NULL, q);
    return 0;
}

int64_t startile_posv_batch_async(char uplo, startile_batch *A, startile_batch *B,
                                  startile_batch *info, startile_request *request)
{
    int wrong = check_uplo_and_square(uplo, A);
    if (wrong != 0 || !is_writable(A))
        return wrong != 0 ? wrong : -2;
    if (!are_right_hand_sides(B, A))
        return -3;
    if (!is_info_of(info, A))
        return -4;
    int refused = check_request(request, 5);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++) {
        /* A_i = L_i L_i^H or U_i^H U_i, B_i := A_i^-1 B_i for all matrices i of chunk q */
        insert_potrf_batch(request, capital(uplo), A, info, q);
        insert_potrs_batch(request, capital(uplo), A, B, info, q);
    }
    return 0;
}

int64_t startile_podet_batch_async(const startile_batch *A, startile_batch *logdet,
                                   startile_request *request)
{
    if (!has_matrices(A) || !has_squares(A))
        return -1;
    if (!is_result(logdet, A, real_of(batch_dtype(A))))
        return -2;
    int refused = check_request(request, 3);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* exp(logdet_i) := det L_i L_i^H for all matrices i of chunk q */
        insert_det_batch(request, A, NULL, NULL, logdet, q);
    return 0;
}
