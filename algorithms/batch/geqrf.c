/* QR factorizations, products with Q, and least squares of a batch (LAPACK xGEQRF, xORMQR,
 * xGELS). */
#include "batch/insert_batch.h"
#include "checks.h"
#include "operands.h"

int64_t startile_geqrf_batch_async(startile_batch *A, startile_batch *tau,
                                   startile_request *request)
{
    if (!has_matrices(A) || !is_writable(A))
        return -1;
    if (!matches_and_is_writable(tau, A) || !has_one_column_each(tau) ||
        !same_dimension(tau, batch_rows, A, smaller_dimension))
        return -2;
    int refused = check_request(request, 3);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* A_i = Q_i R_i for all matrices i of chunk q */
        insert_geqrf_batch(request, A, tau, q);
    return 0;
}

/* Returns whether tau has, for each matrix of A, at most min(m, n) elements. */
static bool is_tau_of(const startile_batch *tau, const startile_batch *A)
{
    if (!matches_batch(tau, A) || tau == A || !has_one_column_each(tau))
        return false;
    for (int64_t i = 0; i < matrices_to_compare(tau, A); i++)
        if (batch_rows(tau, i) > smaller_dimension(A, i))
            return false;
    return true;
}

int64_t startile_unmqr_batch_async(char side, char trans, const startile_batch *A,
                                   const startile_batch *tau, startile_batch *C,
                                   startile_request *request)
{
    side = capital(side);
    if (!is_one_of(side, "LR"))
        return -1;
    /* trans is checked before A: if A is wrong, its letters are those of a real type */
    char op = conjugating_letter(trans, has_matrices(A) ? batch_dtype(A) : STARTILE_S);
    if (op == '\0')
        return -2;
    if (!has_matrices(A))
        return -3;
    if (!is_tau_of(tau, A))
        return -4;
    if (!matches_and_is_writable(C, A) || C == tau ||
        !same_dimension(C, side == 'L' ? batch_rows : batch_columns, A, batch_rows))
        return -5;
    int refused = check_request(request, 6);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* C_i := op(Q_i) C_i or C_i op(Q_i) for all matrices i of chunk q */
        insert_ormqr_batch(request, side, op, A, tau, C, q);
    return 0;
}

int64_t startile_gels_batch_async(char trans, startile_batch *A, startile_batch *B,
                                  startile_batch *info, startile_request *request)
{
    /* trans is checked before A: if A is wrong, its letters are those of a real type */
    char op = conjugating_letter(trans, has_matrices(A) ? batch_dtype(A) : STARTILE_S);
    if (op == '\0')
        return -1;
    if (!has_matrices(A) || !is_writable(A))
        return -2;
    if (!matches_and_is_writable(B, A) || !same_dimension(B, batch_rows, A, larger_dimension))
        return -3;
    if (!is_info_of(info, A))
        return -4;
    int refused = check_request(request, 5);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* A_i = Q_i R_i, B_i := X_i of least ||op(A_i) X_i - B_i|| for all i of chunk q */
        insert_gels_batch(request, op, A, B, info, q);
    return 0;
}
