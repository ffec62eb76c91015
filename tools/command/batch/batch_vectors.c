/*
 * Operations on vectors: what they work on, BLAS's, and how their results are checked. A vector is
 * a matrix of one row.
 */
#include "batch.h"
#include "batch_probe.h"
#include "scalar.h"

#include "startile_batch.h"

#include <math.h>

static void describe(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){1, s->n};
    extent[1] = (struct batch_extent){1, 1};
}

static void describe_two(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = extent[1] = (struct batch_extent){1, s->n};
    extent[2] = (struct batch_extent){1, 1};
}

/* |x − reference| by the size of the terms and the roundoff of a sum of as many */
static double relative(const struct batch_one *x, double difference, double size)
{
    return difference == 0 ? 0 : difference / (size * batch_unit(x, x->shape.n));
}

static double real_at(const struct batch_one *x, int array)
{
    return dtype_is_single(x->dtype) ? *(const float *)x->array[array]
                                     : *(const double *)x->array[array];
}

/* As BLAS has it where only an order matters: |re| + |im| */
static double size_of(startile_dtype dtype, const void *x, int64_t i)
{
    double _Complex value = element_get(dtype, x, (size_t)i);
    return fabs(creal(value)) + fabs(cimag(value));
}

/* -- nrm2 ----------------------------------------------------------------------------------- */

static double count_squares(startile_dtype dtype, const struct batch_shape *s)
{
    return (dtype_is_complex(dtype) ? 4 : 2) * (double)s->n;
}

static int submit_nrm2(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_nrm2_batch_async(array[0], array[1], r);
}

static int64_t blas_nrm2(const struct batch_one *x)
{
    cpu_batch_nrm2(x->dtype, (int)x->shape.n, x->array[0], x->array[1]);
    return 0;
}

static double residual_nrm2(const struct batch_one *before, const struct batch_one *after)
{
    long double sum = 0;
    for (int64_t i = 0; i < after->shape.n; i++) {
        long double size = element_abs(after->dtype, before->array[0], (size_t)i);
        sum += size * size;
    }
    double norm = (double)sqrtl(sum);
    return relative(after, fabs(real_at(after, 1) - norm), norm);
}

/* -- asum ----------------------------------------------------------------------------------- */

static double count_elements(startile_dtype dtype, const struct batch_shape *s)
{
    return (dtype_is_complex(dtype) ? 2 : 1) * (double)s->n;
}

static int submit_asum(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_asum_batch_async(array[0], array[1], r);
}

static int64_t blas_asum(const struct batch_one *x)
{
    cpu_batch_asum(x->dtype, (int)x->shape.n, x->array[0], x->array[1]);
    return 0;
}

static double residual_asum(const struct batch_one *before, const struct batch_one *after)
{
    long double sum = 0;
    for (int64_t i = 0; i < after->shape.n; i++)
        sum += size_of(after->dtype, before->array[0], i);
    return relative(after, fabs(real_at(after, 1) - (double)sum), (double)sum);
}

/* -- dot ------------------------------------------------------------------------------------ */

static double count_products(startile_dtype dtype, const struct batch_shape *s)
{
    return (dtype_is_complex(dtype) ? 8 : 2) * (double)s->n;
}

static int submit_dot(const struct batch_case *c, startile_batch *const *array, startile_request *r)
{
    (void)c;
    return startile_dotc_batch_async(array[0], array[1], array[2], r);
}

static int64_t blas_dot(const struct batch_one *x)
{
    cpu_batch_dot(x->dtype, (int)x->shape.n, x->array[0], x->array[1], x->array[2]);
    return 0;
}

static double residual_dot(const struct batch_one *before, const struct batch_one *after)
{
    long double _Complex sum = 0;
    double size = 0;
    for (int64_t i = 0; i < after->shape.n; i++) {
        double _Complex x = element_get(after->dtype, before->array[0], (size_t)i);
        double _Complex y = element_get(after->dtype, before->array[1], (size_t)i);
        sum += (long double _Complex)conj(x) * y;
        size += cabs(x) * cabs(y);
    }
    return relative(
        after, cabs(element_get(after->dtype, after->array[2], 0) - (double _Complex)sum), size);
}

/* -- iamax ---------------------------------------------------------------------------------- */

static int submit_iamax(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_iamax_batch_async(array[0], array[1], r);
}

static int64_t blas_iamax(const struct batch_one *x)
{
    *(int64_t *)x->array[1] = cpu_batch_iamax(x->dtype, (int)x->shape.n, x->array[0]);
    return 0;
}

/* 0 or infinity: in the type itself the sum of two sizes may round to a tie. */
static double residual_iamax(const struct batch_one *before, const struct batch_one *after)
{
    int64_t found = *(const int64_t *)after->array[1], n = after->shape.n;
    double largest = 0, tie = 4 * dtype_unit_roundoff(after->dtype);
    if (found < 1 || found > n)
        return INFINITY;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, size_of(after->dtype, before->array[0], i));
    double size = size_of(after->dtype, before->array[0], found - 1);
    return size >= largest * (1 - (dtype_is_complex(after->dtype) ? tie : 0)) ? 0 : INFINITY;
}

/* -- scal, axpy ----------------------------------------------------------------------------- */

static int submit_scal(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_scal_batch_async(array[BATCH_ARRAYS], array[0], r);
}

static int64_t blas_scal(const struct batch_one *x)
{
    cpu_batch_scal(x->dtype, (int)x->shape.n, BATCH_FACTOR, x->array[0]);
    return 0;
}

static double count_scal(startile_dtype dtype, const struct batch_shape *s)
{
    return (dtype_is_complex(dtype) ? 6 : 1) * (double)s->n;
}

/* The largest difference of an element, in units of the roundoff */
static double residual_scal(const struct batch_one *before, const struct batch_one *after)
{
    double worst = 0;
    for (int64_t i = 0; i < after->shape.n; i++) {
        double _Complex x = BATCH_FACTOR * element_get(after->dtype, before->array[0], (size_t)i);
        double difference = cabs(element_get(after->dtype, after->array[0], (size_t)i) - x);
        worst =
            batch_worse(difference == 0 ? 0 : difference / (cabs(x) * batch_unit(after, 1)), worst);
    }
    return worst;
}

static int submit_axpy(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_axpy_batch_async(array[BATCH_ARRAYS], array[0], array[1], r);
}

static int64_t blas_axpy(const struct batch_one *x)
{
    cpu_batch_axpy(x->dtype, (int)x->shape.n, BATCH_FACTOR, x->array[0], x->array[1]);
    return 0;
}

/* The same, by the size of the terms */
static double residual_axpy(const struct batch_one *before, const struct batch_one *after)
{
    double worst = 0;
    for (int64_t i = 0; i < after->shape.n; i++) {
        double _Complex x = BATCH_FACTOR * element_get(after->dtype, before->array[0], (size_t)i);
        double _Complex y = element_get(after->dtype, before->array[1], (size_t)i);
        double difference = cabs(element_get(after->dtype, after->array[1], (size_t)i) - (x + y));
        double size = (cabs(x) + cabs(y)) * batch_unit(after, 1);
        worst = batch_worse(difference == 0 ? 0 : difference / size, worst);
    }
    return worst;
}

#define CHANGED .read = true, .written = true
#define NUMBER .content = NOTHING, .written = true, .number = true

const struct batch_routine batch_vectors[] = {
    {.name = "nrm2_batch",
     .vectors = true,
     .ceiling = READING,
     .arrays = 2,
     .operand = {{.content = UNIFORM, .read = true}, {.element = REALS, NUMBER}},
     .describe = describe,
     .flops = count_squares,
     .submit = submit_nrm2,
     .lapack = blas_nrm2,
     .residual = residual_nrm2},
    {.name = "asum_batch",
     .vectors = true,
     .ceiling = READING,
     .arrays = 2,
     .operand = {{.content = UNIFORM, .read = true}, {.element = REALS, NUMBER}},
     .describe = describe,
     .flops = count_elements,
     .submit = submit_asum,
     .lapack = blas_asum,
     .residual = residual_asum},
    {.name = "dot_batch",
     .alias = "dotc_batch",
     .vectors = true,
     .ceiling = READING,
     .arrays = 3,
     .operand = {{.content = UNIFORM, .read = true}, {.content = UNIFORM, .read = true}, {NUMBER}},
     .describe = describe_two,
     .flops = count_products,
     .submit = submit_dot,
     .lapack = blas_dot,
     .residual = residual_dot},
    {.name = "iamax_batch",
     .vectors = true,
     .ceiling = READING,
     .arrays = 2,
     .operand = {{.content = UNIFORM, .read = true}, {.element = INTEGERS, NUMBER}},
     .describe = describe,
     .submit = submit_iamax,
     .lapack = blas_iamax,
     .residual = residual_iamax},
    {.name = "scal_batch",
     .vectors = true,
     .scaled = true,
     .ceiling = COPYING,
     .arrays = 1,
     .operand = {{.content = UNIFORM, CHANGED}},
     .describe = describe,
     .flops = count_scal,
     .submit = submit_scal,
     .lapack = blas_scal,
     .residual = residual_scal},
    {.name = "axpy_batch",
     .vectors = true,
     .scaled = true,
     .ceiling = COPYING,
     .arrays = 2,
     .operand = {{.content = UNIFORM, .read = true}, {.content = UNIFORM, CHANGED}},
     .describe = describe_two,
     .flops = count_products,
     .submit = submit_axpy,
     .lapack = blas_axpy,
     .residual = residual_axpy},
    {.name = NULL},
};
