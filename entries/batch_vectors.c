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

static int64_t nrm2(struct extent n, struct storage x, real *result, int64_t count)
{
    return reduce(n, x, result, REAL, count, startile_nrm2_batch);
}

int64_t ENTRY(nrm2_batch_strided)(int64_t n, const element *x, int64_t incx, int64_t stridex,
                                  real *result, int64_t count)
{
    return nrm2(one_size(n), strided(x, incx, stridex), result, count);
}

int64_t ENTRY(nrm2_batch)(int64_t n, element *const *x, int64_t incx, real *result, int64_t count)
{
    return nrm2(one_size(n), pointers(x, incx), result, count);
}

int64_t ENTRY(nrm2_vbatch)(const int64_t *n, element *const *x, const int64_t *incx, real *result,
                           int64_t count)
{
    return nrm2(each_size(n), sizes(x, incx), result, count);
}

static int64_t asum(struct extent n, struct storage x, real *result, int64_t count)
{
    return reduce(n, x, result, REAL, count, startile_asum_batch);
}

int64_t ENTRY(asum_batch_strided)(int64_t n, const element *x, int64_t incx, int64_t stridex,
                                  real *result, int64_t count)
{
    return asum(one_size(n), strided(x, incx, stridex), result, count);
}

int64_t ENTRY(asum_batch)(int64_t n, element *const *x, int64_t incx, real *result, int64_t count)
{
    return asum(one_size(n), pointers(x, incx), result, count);
}

int64_t ENTRY(asum_vbatch)(const int64_t *n, element *const *x, const int64_t *incx, real *result,
                           int64_t count)
{
    return asum(each_size(n), sizes(x, incx), result, count);
}

static int64_t iamax(struct extent n, struct storage x, int64_t *result, int64_t count)
{
    return reduce(n, x, result, REAL, count, startile_iamax_batch);
}

int64_t ENTRY(iamax_batch_strided)(int64_t n, const element *x, int64_t incx, int64_t stridex,
                                   int64_t *result, int64_t count)
{
    return iamax(one_size(n), strided(x, incx, stridex), result, count);
}

int64_t ENTRY(iamax_batch)(int64_t n, element *const *x, int64_t incx, int64_t *result,
                           int64_t count)
{
    return iamax(one_size(n), pointers(x, incx), result, count);
}

int64_t ENTRY(iamax_vbatch)(const int64_t *n, element *const *x, const int64_t *incx,
                            int64_t *result, int64_t count)
{
    return iamax(each_size(n), sizes(x, incx), result, count);
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

static int64_t dot(struct extent n, struct storage x, struct storage y, element *result,
                   int64_t count)
{
    return reduce_pairs(n, x, y, result, count, startile_dot_batch);
}

int64_t ENTRY(dot_batch_strided)(int64_t n, const element *x, int64_t incx, int64_t stridex,
                                 const element *y, int64_t incy, int64_t stridey, element *result,
                                 int64_t count)
{
    return dot(one_size(n), strided(x, incx, stridex), strided(y, incy, stridey), result, count);
}

int64_t ENTRY(dot_batch)(int64_t n, element *const *x, int64_t incx, element *const *y,
                         int64_t incy, element *result, int64_t count)
{
    return dot(one_size(n), pointers(x, incx), pointers(y, incy), result, count);
}

int64_t ENTRY(dot_vbatch)(const int64_t *n, element *const *x, const int64_t *incx,
                          element *const *y, const int64_t *incy, element *result, int64_t count)
{
    return dot(each_size(n), sizes(x, incx), sizes(y, incy), result, count);
}

static int64_t dotc(struct extent n, struct storage x, struct storage y, element *result,
                    int64_t count)
{
    return reduce_pairs(n, x, y, result, count, startile_dotc_batch);
}

int64_t ENTRY(dotc_batch_strided)(int64_t n, const element *x, int64_t incx, int64_t stridex,
                                  const element *y, int64_t incy, int64_t stridey, element *result,
                                  int64_t count)
{
    return dotc(one_size(n), strided(x, incx, stridex), strided(y, incy, stridey), result, count);
}

int64_t ENTRY(dotc_batch)(int64_t n, element *const *x, int64_t incx, element *const *y,
                          int64_t incy, element *result, int64_t count)
{
    return dotc(one_size(n), pointers(x, incx), pointers(y, incy), result, count);
}

int64_t ENTRY(dotc_vbatch)(const int64_t *n, element *const *x, const int64_t *incx,
                           element *const *y, const int64_t *incy, element *result, int64_t count)
{
    return dotc(each_size(n), sizes(x, incx), sizes(y, incy), result, count);
}

static int64_t scal(struct extent n, element alpha, struct storage x, int64_t count)
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

int64_t ENTRY(scal_batch_strided)(int64_t n, element alpha, element *x, int64_t incx,
                                  int64_t stridex, int64_t count)
{
    return scal(one_size(n), alpha, strided(x, incx, stridex), count);
}

int64_t ENTRY(scal_batch)(int64_t n, element alpha, element *const *x, int64_t incx, int64_t count)
{
    return scal(one_size(n), alpha, pointers(x, incx), count);
}

int64_t ENTRY(scal_vbatch)(const int64_t *n, element alpha, element *const *x, const int64_t *incx,
                           int64_t count)
{
    return scal(each_size(n), alpha, sizes(x, incx), count);
}

static int64_t axpy(struct extent n, element alpha, struct storage x, struct storage y,
                    int64_t count)
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

int64_t ENTRY(axpy_batch_strided)(int64_t n, element alpha, const element *x, int64_t incx,
                                  int64_t stridex, element *y, int64_t incy, int64_t stridey,
                                  int64_t count)
{
    return axpy(one_size(n), alpha, strided(x, incx, stridex), strided(y, incy, stridey), count);
}

int64_t ENTRY(axpy_batch)(int64_t n, element alpha, element *const *x, int64_t incx,
                          element *const *y, int64_t incy, int64_t count)
{
    return axpy(one_size(n), alpha, pointers(x, incx), pointers(y, incy), count);
}

int64_t ENTRY(axpy_vbatch)(const int64_t *n, element alpha, element *const *x, const int64_t *incx,
                           element *const *y, const int64_t *incy, int64_t count)
{
    return axpy(each_size(n), alpha, sizes(x, incx), sizes(y, incy), count);
}
