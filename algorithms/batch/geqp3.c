/* QR factorizations with column pivoting, and least squares of any rank, of a batch (LAPACK xGEQP3,
 * xGELSY). */
#include "batch/insert_batch.h"
#include "operands.h"

/* Returns whether P has n integers for each m × n matrix of A and may be written. */
static bool is_jpvt_of(const startile_batch *P, const startile_batch *A)
{
    return P != NULL && batch_has_integers(P) && is_writable(P) && same_partition(P, A) &&
           has_one_column_each(P) && same_dimension(P, batch_rows, A, batch_columns);
}

int64_t startile_geqp3_batch_async(startile_batch *A, startile_batch *jpvt, startile_batch *tau,
                                   startile_request *request)
{
    if (!has_matrices(A) || !is_writable(A))
        return -1;
    if (!is_jpvt_of(jpvt, A))
        return -2;
    if (!matches_and_is_writable(tau, A) || !has_one_column_each(tau) ||
        !same_dimension(tau, batch_rows, A, smaller_dimension))
        return -3;
    int refused = check_request(request, 4);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* A_i P_i = Q_i R_i for all matrices i of chunk q */
        insert_geqp3_batch(request, A, jpvt, tau, q);
    return 0;
}

int64_t startile_gelsy_batch_async(startile_batch *A, startile_batch *B, double rcond,
                                   startile_batch *rank, startile_request *request)
{
    if (!has_matrices(A) || !is_writable(A))
        return -1;
    if (!matches_and_is_writable(B, A) || !same_dimension(B, batch_rows, A, larger_dimension))
        return -2;
    if (!is_info_of(rank, A))
        return -4;
    int refused = check_request(request, 5);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(A); q++)
        /* B_i := X_i of least ||X_i|| among those of least ||A_i X_i - B_i|| for all i of chunk q
         */
        insert_gelsy_batch(request, A, B, rcond, rank, q);
    return 0;
}
