/* Reductions and updates of a batch of vectors (BLAS xNRM2, xASUM, IxAMAX, xDOT, xSCAL, xAXPY). */
#include "operands.h"

static startile_dtype real_of(startile_dtype dtype)
{
    return dtype == STARTILE_C ? STARTILE_S : dtype == STARTILE_Z ? STARTILE_D : dtype;
}

static bool is_result(const startile_batch *b, const startile_batch *X, startile_dtype dtype)
{
    return b != NULL && b != X && batch_has_elements(b, dtype) && batch_has_numbers(b) &&
           is_writable(b) && same_partition(b, X);
}

/* Validates X, result and request of a reduction to real numbers; returns 0 or −i. */
static int check(const startile_batch *X, const startile_batch *result,
                 const startile_request *request)
{
    if (X == NULL || !has_vectors(X))
        return -1;
    if (!is_result(result, X, real_of(batch_dtype(X))))
        return -2;
    return request == NULL ? -3 : 0;
}

int startile_nrm2_batch_async(const startile_batch *X, startile_batch *result,
                              startile_request *request)
{
    int wrong = check(X, result, request);
    if (wrong != 0)
        return wrong;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        insert_nrm2_batch(request, X, result, q);
    return 0;
}

int startile_asum_batch_async(const startile_batch *X, startile_batch *result,
                              startile_request *request)
{
    int wrong = check(X, result, request);
    if (wrong != 0)
        return wrong;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        insert_asum_batch(request, X, result, q);
    return 0;
}

int startile_iamax_batch_async(const startile_batch *X, startile_batch *result,
                               startile_request *request)
{
    if (X == NULL || !has_vectors(X))
        return -1;
    if (!is_info_of(result, X))
        return -2;
    if (request == NULL)
        return -3;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        insert_iamax_batch(request, X, result, q);
    return 0;
}

/* Returns whether Y has as many vectors as X, of the same lengths. */
static bool is_matching_vector(const startile_batch *Y, const startile_batch *X)
{
    return matches_batch(Y, X) && has_vectors(Y) &&
           same_dimension(Y, batch_columns, X, batch_columns);
}

static int dot(bool conjugate, const startile_batch *X, const startile_batch *Y,
               startile_batch *result, startile_request *request)
{
    if (X == NULL || !has_vectors(X))
        return -1;
    if (!is_matching_vector(Y, X))
        return -2;
    if (!is_result(result, X, batch_dtype(X)) || result == Y)
        return -3;
    if (request == NULL)
        return -4;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        insert_dot_batch(request, conjugate, X, Y, result, q);
    return 0;
}

int startile_dot_batch_async(const startile_batch *X, const startile_batch *Y,
                             startile_batch *result, startile_request *request)
{
    return dot(false, X, Y, result, request);
}

int startile_dotc_batch_async(const startile_batch *X, const startile_batch *Y,
                              startile_batch *result, startile_request *request)
{
    return dot(true, X, Y, result, request);
}

static bool is_factor_of(const startile_batch *alpha, const startile_batch *X)
{
    return matches_batch(alpha, X) && alpha != X && batch_has_numbers(alpha);
}

int startile_scal_batch_async(const startile_batch *alpha, startile_batch *X,
                              startile_request *request)
{
    if (alpha == NULL || batch_has_integers(alpha))
        return -1;
    if (X == NULL || !has_vectors(X) || !is_writable(X))
        return -2;
    if (!is_factor_of(alpha, X))
        return -1;
    if (request == NULL)
        return -3;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        insert_scal_batch(request, alpha, X, q);
    return 0;
}

int startile_axpy_batch_async(const startile_batch *alpha, const startile_batch *X,
                              startile_batch *Y, startile_request *request)
{
    if (alpha == NULL || batch_has_integers(alpha))
        return -1;
    if (X == NULL || !has_vectors(X))
        return -2;
    if (!is_factor_of(alpha, X))
        return -1;
    if (!is_matching_vector(Y, X) || Y == X || Y == alpha || !is_writable(Y))
        return -3;
    if (request == NULL)
        return -4;
    for (int64_t q = 0; q < batch_chunks(X); q++)
        insert_axpy_batch(request, alpha, X, Y, q);
    return 0;
}

int64_t startile_nrm2_batch(const startile_batch *X, startile_batch *result)
{
    startile_request *r = request_start();
    return request_finish(r, startile_nrm2_batch_async(X, result, r));
}

int64_t startile_asum_batch(const startile_batch *X, startile_batch *result)
{
    startile_request *r = request_start();
    return request_finish(r, startile_asum_batch_async(X, result, r));
}

int64_t startile_iamax_batch(const startile_batch *X, startile_batch *result)
{
    startile_request *r = request_start();
    return request_finish(r, startile_iamax_batch_async(X, result, r));
}

int64_t startile_dot_batch(const startile_batch *X, const startile_batch *Y, startile_batch *result)
{
    startile_request *r = request_start();
    return request_finish(r, startile_dot_batch_async(X, Y, result, r));
}

int64_t startile_dotc_batch(const startile_batch *X, const startile_batch *Y,
                            startile_batch *result)
{
    startile_request *r = request_start();
    return request_finish(r, startile_dotc_batch_async(X, Y, result, r));
}

int64_t startile_scal_batch(const startile_batch *alpha, startile_batch *X)
{
    startile_request *r = request_start();
    return request_finish(r, startile_scal_batch_async(alpha, X, r));
}

int64_t startile_axpy_batch(const startile_batch *alpha, const startile_batch *X, startile_batch *Y)
{
    startile_request *r = request_start();
    return request_finish(r, startile_axpy_batch_async(alpha, X, Y, r));
}
