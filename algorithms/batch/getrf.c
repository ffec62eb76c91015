/* LU factorizations, solutions and inverses of a batch (LAPACK xGETRF, xGETRS, xGESV, xGETRI). */
#include "batch/insert_batch.h"
#include "checks.h"
#include "operands.h"

/* Submits P_i A_i = L_i U_i for all matrices; P is NULL without pivoting. Returns 0. */
static int factor(startile_batch *A, startile_batch *P, startile_batch *info, startile_request *r)
{
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* P_i A_i = L_i U_i for all matrices i of chunk q; P_i = I without pivots */
        insert_getrf_batch(r, A, P, info, q);
    return 0;
}

int64_t startile_getrf_batch_async(startile_batch *A, startile_batch *ipiv, startile_batch *info,
                                   startile_request *request)
{
    if (!has_matrices(A) || !is_writable(A))
        return -1;
    if (!is_ipiv_of(ipiv, A) || !is_writable(ipiv))
        return -2;
    if (!is_info_of(info, A) || info == ipiv)
        return -3;
    int refused = check_request(request, 4);
    return refused != 0 ? refused : factor(A, ipiv, info, request);
}

int64_t startile_getrf_nopiv_batch_async(startile_batch *A, startile_batch *info,
                                         startile_request *request)
{
    if (!has_matrices(A) || !is_writable(A))
        return -1;
    if (!is_info_of(info, A))
        return -2;
    int refused = check_request(request, 3);
    return refused != 0 ? refused : factor(A, NULL, info, request);
}

/* Validates the arguments A and ipiv at positions `at` and `at` + 1; returns 0 or −i. */
static int check_square_and_ipiv(const startile_batch *A, const startile_batch *P, int at)
{
    if (!has_matrices(A) || !has_squares(A))
        return -at;
    return P != NULL && !is_ipiv_of(P, A) ? -at - 1 : 0;
}

int64_t startile_getrs_batch_async(char trans, const startile_batch *A, const startile_batch *ipiv,
                                   startile_batch *B, startile_request *request)
{
    trans = capital(trans);
    if (!is_one_of(trans, "NTC"))
        return -1;
    int wrong = check_square_and_ipiv(A, ipiv, 2);
    if (wrong != 0)
        return wrong;
    if (!are_right_hand_sides(B, A))
        return -4;
    int refused = check_request(request, 5);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* B_i := op(A_i)^-1 B_i for all matrices i of chunk q */
        insert_getrs_batch(request, trans, A, ipiv, B, NULL, q);
    return 0;
}

int64_t startile_gesv_batch_async(startile_batch *A, startile_batch *ipiv, startile_batch *B,
                                  startile_batch *info, startile_request *request)
{
    int wrong = check_square_and_ipiv(A, ipiv, 1);
    if (wrong != 0 || !is_writable(A))
        return wrong != 0 ? wrong : -1;
    if (!are_right_hand_sides(B, A))
        return -3;
    if (!is_info_of(info, A) || info == ipiv)
        return -4;
    int refused = check_request(request, 5);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++) {
        /* P_i A_i = L_i U_i, B_i := U_i^-1 L_i^-1 P_i B_i for all matrices i of chunk q */
        insert_getrf_batch(request, A, ipiv, info, q);
        insert_getrs_batch(request, 'N', A, ipiv, B, info, q);
    }
    return 0;
}

int64_t startile_getri_batch_async(startile_batch *A, const startile_batch *ipiv,
                                   startile_batch *info, startile_request *request)
{
    int wrong = check_square_and_ipiv(A, ipiv, 1);
    if (wrong != 0 || !is_writable(A))
        return wrong != 0 ? wrong : -1;
    if (!is_info_of(info, A) || info == ipiv)
        return -3;
    int refused = check_request(request, 4);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* A_i := U_i^-1 L_i^-1 P_i for all matrices i of chunk q */
        insert_getri_batch(request, A, ipiv, info, q);
    return 0;
}

int64_t startile_gedet_batch_async(const startile_batch *A, const startile_batch *ipiv,
                                   startile_batch *sign, startile_batch *logabsdet,
                                   startile_request *request)
{
    int wrong = check_square_and_ipiv(A, ipiv, 1);
    if (wrong != 0)
        return wrong;
    if (!is_result(sign, A, batch_dtype(A)))
        return -3;
    if (!is_result(logabsdet, A, real_of(batch_dtype(A))) || logabsdet == sign)
        return -4;
    int refused = check_request(request, 5);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* sign_i exp(logabsdet_i) := det P_i^T L_i U_i for all matrices i of chunk q */
        insert_det_batch(request, A, ipiv, sign, logabsdet, q);
    return 0;
}
