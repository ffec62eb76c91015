/* Reductions and updates of a batch of vectors (BLAS xNRM2, xASUM, IxAMAX, xDOT, xSCAL, xAXPY). */
#include "batch/insert_batch.h"
#include "operands.h"

/* Validates the arguments of a reduction to real numbers; returns 0 or −i. */
static int check_reduction(const startile_batch *X, const startile_batch *result,
                           const startile_request *request)
{
    if (!has_vectors(X))
        return -1;
    if (!is_result(result, X, real_of(batch_dtype(X))))
        return -2;
    return check_request(request, 3);
}

int64_t startile_nrm2_batch_async(const startile_batch *X, startile_batch *result,
                                  startile_request *request)
{
    int wrong = check_reduction(X, result, request);
    if (wrong != 0)
        return wrong;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        /* result_i := ||X_i||_2 for all vectors i of chunk q */
        insert_nrm2_batch(request, X, result, q);
    return 0;
}

int64_t startile_asum_batch_async(const startile_batch *X, startile_batch *result,
                                  startile_request *request)
{
    int wrong = check_reduction(X, result, request);
    if (wrong != 0)
        return wrong;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        /* result_i := sum_j |Re X_i(j)| + |Im X_i(j)| for all vectors i of chunk q */
        insert_asum_batch(request, X, result, q);
    return 0;
}

int64_t startile_iamax_batch_async(const startile_batch *X, startile_batch *result,
                                   startile_request *request)
{
    if (!has_vectors(X))
        return -1;
    if (!is_info_of(result, X))
        return -2;
    int refused = check_request(request, 3);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        /* result_i := argmax_j |Re X_i(j)| + |Im X_i(j)| for all vectors i of chunk q */
        insert_iamax_batch(request, X, result, q);
    return 0;
}

/* Returns whether Y has as many vectors as X, of the same lengths. */
static bool is_matching_vector(const startile_batch *Y, const startile_batch *X)
{
    return matches_batch(Y, X) && has_vectors(Y) &&
           same_dimension(Y, batch_columns, X, batch_columns);
}

/* Validates the arguments of dot and dotc, and submits the tasks; returns 0 or −i. */
static int dot(bool conjugate, const startile_batch *X, const startile_batch *Y,
               startile_batch *result, startile_request *request)
{
    if (!has_vectors(X))
        return -1;
    if (!is_matching_vector(Y, X))
        return -2;
    if (!is_result(result, X, batch_dtype(X)) || result == Y)
        return -3;
    int refused = check_request(request, 4);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        /* result_i := X_i^T Y_i or X_i^H Y_i for all vectors i of chunk q */
        insert_dot_batch(request, conjugate, X, Y, result, q);
    return 0;
}

int64_t startile_dot_batch_async(const startile_batch *X, const startile_batch *Y,
                                 startile_batch *result, startile_request *request)
{
    return dot(false, X, Y, result, request);
}

int64_t startile_dotc_batch_async(const startile_batch *X, const startile_batch *Y,
                                  startile_batch *result, startile_request *request)
{
    return dot(true, X, Y, result, request);
}

/* Returns whether alpha has one number for each vector of X, or one for all. */
static bool is_alpha_of(const startile_batch *alpha, const startile_batch *X)
{
    return matches_batch(alpha, X) && alpha != X && batch_has_numbers(alpha);
}

int64_t startile_scal_batch_async(const startile_batch *alpha, startile_batch *X,
                                  startile_request *request)
{
    /* the rest of the check of alpha needs a valid X */
    if (!has_matrices(alpha))
        return -1;
    if (!has_vectors(X) || !is_writable(X))
        return -2;
    if (!is_alpha_of(alpha, X))
        return -1;
    int refused = check_request(request, 3);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        /* X_i := alpha_i X_i for all vectors i of chunk q */
        insert_scal_batch(request, alpha, X, q);
    return 0;
}

int64_t startile_axpy_batch_async(const startile_batch *alpha, const startile_batch *X,
                                  startile_batch *Y, startile_request *request)
{
    /* the rest of the check of alpha needs a valid X */
    if (!has_matrices(alpha))
        return -1;
    if (!has_vectors(X))
        return -2;
    if (!is_alpha_of(alpha, X))
        return -1;
    if (!is_matching_vector(Y, X) || Y == X || Y == alpha || !is_writable(Y))
        return -3;
    int refused = check_request(request, 4);
    if (refused != 0)
        return refused;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        /* Y_i += alpha_i X_i for all vectors i of chunk q */
        insert_axpy_batch(request, alpha, X, Y, q);
    return 0;
}
