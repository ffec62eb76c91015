/* Products and triangular solves of a batch (BLAS xGEMM, xTRSM). */
#include "batch/insert_batch.h"
#include "checks.h"
#include "operands.h"

static batch_dimension *rows_of_op(char trans)
{
    return trans == 'N' ? batch_rows : batch_columns;
}

static batch_dimension *columns_of_op(char trans)
{
    return trans == 'N' ? batch_columns : batch_rows;
}

int64_t startile_gemm_batch_async(char transa, char transb, startile_complex alpha,
                                  const startile_batch *A, const startile_batch *B,
                                  startile_complex beta, startile_batch *C,
                                  startile_request *request)
{
    transa = capital(transa);
    transb = capital(transb);
    if (!is_one_of(transa, "NTC"))
        return -1;
    if (!is_one_of(transb, "NTC"))
        return -2;
    if (!has_matrices(A))
        return -4;
    if (!matches_batch(B, A) || !same_dimension(B, rows_of_op(transb), A, columns_of_op(transa)))
        return -5;
    if (!matches_and_is_writable(C, A) || C == B ||
        !same_dimension(C, batch_rows, A, rows_of_op(transa)) ||
        !same_dimension(C, batch_columns, B, columns_of_op(transb)))
        return -7;
    int refused = check_request(request, 8);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(C); q++)
        /* C_i := alpha op(A_i) op(B_i) + beta C_i for all matrices i of chunk q */
        insert_gemm_batch(request, transa, transb, alpha, A, B, beta, C, q);
    return 0;
}

int64_t startile_trsm_batch_async(char side, char uplo, char trans, char diag,
                                  startile_complex alpha, const startile_batch *A,
                                  startile_batch *B, startile_request *request)
{
    side = capital(side);
    uplo = capital(uplo);
    trans = capital(trans);
    diag = capital(diag);
    if (!is_one_of(side, "LR"))
        return -1;
    if (!is_one_of(uplo, "LU"))
        return -2;
    if (!is_one_of(trans, "NTC"))
        return -3;
    if (!is_one_of(diag, "NU"))
        return -4;
    if (!has_matrices(A) || !has_squares(A))
        return -6;
    if (!matches_and_is_writable(B, A) ||
        !same_dimension(B, side == 'L' ? batch_rows : batch_columns, A, batch_rows))
        return -7;
    int refused = check_request(request, 8);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(B); q++)
        /* B_i := alpha op(A_i)^-1 B_i or alpha B_i op(A_i)^-1 for all matrices i of chunk q */
        insert_trsm_batch(request, side, uplo, trans, diag, alpha, A, B, q);
    return 0;
}
