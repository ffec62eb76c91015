/* Typed entries xNRM2, xASUM, IxAMAX, xDOT, xSCAL and xAXPY of batches. */
#include "batch_call.h"

/* Runs a reduction; LAPACK's arguments are n, x, incx, result. The results are integers for iamax,
 * else of type of_result. */
static int64_t reduce(struct extent n, struct storage x, void *result, startile_dtype of_result,
                      int64_t count, int64_t (*routine)(const startile_batch *, startile_batch *))
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_vectors(&c, n, &x, false);
    check_numbers(&c, result);
    if (call_enter(&c)) {
        startile_batch *X = call_vectors(&c, DTYPE, n, &x);
        startile_batch *R = routine == startile_iamax_batch ? call_info(&c, result)
                                                            : call_numbers(&c, of_result, result);
        if (c.status == 0)
            c.status = routine(X, R);
    }
    return call_end(&c);
}

#define NRM2_ARGUMENTS(X, N, A, IN, V, VIN) N(n), IN(x), X(real *, result)
FORMS(ENTRY, nrm2, NRM2_ARGUMENTS)
{
    return reduce(n, x, result, REAL, count, startile_nrm2_batch);
}

#define ASUM_ARGUMENTS(X, N, A, IN, V, VIN) N(n), IN(x), X(real *, result)
FORMS(ENTRY, asum, ASUM_ARGUMENTS)
{
    return reduce(n, x, result, REAL, count, startile_asum_batch);
}

#define IAMAX_ARGUMENTS(X, N, A, IN, V, VIN) N(n), IN(x), X(int64_t *, result)
FORMS(ENTRY, iamax, IAMAX_ARGUMENTS)
{
    return reduce(n, x, result, REAL, count, startile_iamax_batch);
}

/* Runs a reduction of pairs of vectors; LAPACK's arguments are n, x, incx, y, incy, result. */
static int64_t reduce_pairs(struct extent n, struct storage x, struct storage y, element *result,
                            int64_t count,
                            int64_t (*routine)(const startile_batch *, const startile_batch *,
                                               startile_batch *))
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_vectors(&c, n, &x, false);
    check_vectors(&c, n, &y, false);
    check_numbers(&c, result);
    if (call_enter(&c)) {
        startile_batch *X = call_vectors(&c, DTYPE, n, &x), *Y = call_vectors(&c, DTYPE, n, &y),
                       *R = call_numbers(&c, DTYPE, result);
        if (c.status == 0)
            c.status = routine(X, Y, R);
    }
    return call_end(&c);
}

#define DOT_ARGUMENTS(X, N, A, IN, V, VIN) N(n), IN(x), IN(y), X(element *, result)
FORMS(ENTRY, dot, DOT_ARGUMENTS)
{
    return reduce_pairs(n, x, y, result, count, startile_dot_batch);
}

#define DOTC_ARGUMENTS(X, N, A, IN, V, VIN) N(n), IN(x), IN(y), X(element *, result)
FORMS(ENTRY, dotc, DOTC_ARGUMENTS)
{
    return reduce_pairs(n, x, y, result, count, startile_dotc_batch);
}

#define SCAL_ARGUMENTS(X, N, A, IN, V, VIN) N(n), X(element, alpha), A(x)
FORMS(ENTRY, scal, SCAL_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_scalar(&c);
    check_vectors(&c, n, &x, true);
    if (call_enter(&c)) {
        startile_batch *X = call_vectors(&c, DTYPE, n, &x), *S = call_scalar(&c, DTYPE, &alpha);
        if (c.status == 0)
            c.status = startile_scal_batch(S, X);
    }
    return call_end(&c);
}

#define AXPY_ARGUMENTS(X, N, A, IN, V, VIN) N(n), X(element, alpha), IN(x), A(y)
FORMS(ENTRY, axpy, AXPY_ARGUMENTS)
{
    struct call c = call_begin(count);
    check_extent(&c, n);
    check_scalar(&c);
    check_vectors(&c, n, &x, false);
    check_vectors(&c, n, &y, true);
    if (call_enter(&c)) {
        startile_batch *Y = call_vectors(&c, DTYPE, n, &y), *X = call_vectors(&c, DTYPE, n, &x),
                       *S = call_scalar(&c, DTYPE, &alpha);
        if (c.status == 0)
            c.status = startile_axpy_batch(S, X, Y);
    }
    return call_end(&c);
}
