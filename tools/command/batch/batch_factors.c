/*
 * Factorizations, and inverses from them: what they work on, LAPACK's, and how their results are
 * checked.
 */
#include "batch.h"
#include "batch_probe.h"
#include "dense.h"
#include "flops.h"
#include "peer_cpu.h"
#include "scalar.h"

#include "startile_batch.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* -- Cholesky ------------------------------------------------------------------------------- */

static void describe_potrf(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->n, s->n};
    extent[1] = (struct batch_extent){1, 1};
}

static double count_potrf(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_potrf(dtype, (double)s->n);
}

static int submit_potrf(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    return startile_potrf_batch_async(c->uplo, array[0], array[1], r);
}

static int64_t lapack_potrf(const struct batch_one *x)
{
    return cpu_peer_potrf(x->dtype, x->uplo, (int)x->shape.n, x->array[0]);
}

/* ‖(A − L Lᴴ) V‖₁ */
static double residual_potrf(const struct batch_one *before, const struct batch_one *after)
{
    int64_t n = after->shape.n;
    const void *factor = after->array[0];
    double worst = 0, norm = dense_norm1(after->dtype, n, n, before->array[0]);
    bool lower = after->uplo == 'L';
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *x = batch_scratch(after, 0), *y = batch_scratch(after, 1),
                        *z = batch_scratch(after, 2);
        batch_probe(n, c, x);
        batch_triangle(after->dtype, after->uplo, lower ? 'C' : 'N', 'N', n, n, factor, x, y);
        batch_triangle(after->dtype, after->uplo, lower ? 'N' : 'C', 'N', n, n, factor, y, z);
        batch_product(after->dtype, 'N', n, n, before->array[0], n, x, y);
        worst = batch_worse(batch_distance(n, y, z) / norm, worst);
    }
    return worst / batch_unit(after, n);
}

/* -- LU ------------------------------------------------------------------------------------- */

static void describe_getrf(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->m, s->n};
    extent[1] = (struct batch_extent){smaller(s->m, s->n), 1};
    extent[2] = (struct batch_extent){1, 1};
}

static void describe_nopiv(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->m, s->n};
    extent[1] = (struct batch_extent){1, 1};
}

static double count_getrf(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_getrf(dtype, (double)s->m, (double)s->n);
}

static int submit_getrf(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_getrf_batch_async(array[0], array[1], array[2], r);
}

static int submit_nopiv(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_getrf_nopiv_batch_async(array[0], array[1], r);
}

static int64_t lapack_getrf(const struct batch_one *x)
{
    return cpu_batch_getrf(x->dtype, (int)x->shape.m, (int)x->shape.n, x->array[0], x->array[1],
                           x->work);
}

/* LAPACK pivots; a matrix dominated by its diagonal along columns needs none. */
static int64_t lapack_nopiv(const struct batch_one *x)
{
    int64_t pivots[smaller(x->shape.m, x->shape.n)];
    return cpu_batch_getrf(x->dtype, (int)x->shape.m, (int)x->shape.n, x->array[0], pivots,
                           x->work);
}

/* ‖(P A − L U) V‖₁; ipiv NULL: P = I */
static double residual_of_lu(const struct batch_one *before, const struct batch_one *after,
                             const int64_t *ipiv)
{
    int64_t m = after->shape.m, n = after->shape.n, k = smaller(m, n);
    const void *factors = after->array[0];
    double worst = 0, norm = dense_norm1(after->dtype, m, n, before->array[0]);
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *x = batch_scratch(after, 0), *y = batch_scratch(after, 1),
                        *z = batch_scratch(after, 2);
        batch_probe(n, c, x);
        batch_triangle(after->dtype, 'U', 'N', 'N', m, n, factors, x, y);
        batch_triangle(after->dtype, 'L', 'N', 'U', m, k, factors, y, z);
        batch_product(after->dtype, 'N', m, n, before->array[0], m, x, y);
        batch_interchange(ipiv ? k : 0, ipiv, false, y);
        worst = batch_worse(batch_distance(m, y, z) / norm, worst);
    }
    return worst / batch_unit(after, m > n ? m : n);
}

static double residual_getrf(const struct batch_one *before, const struct batch_one *after)
{
    return residual_of_lu(before, after, after->array[1]);
}

static double residual_nopiv(const struct batch_one *before, const struct batch_one *after)
{
    return residual_of_lu(before, after, NULL);
}

static double count_getri(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_getri(dtype, (double)s->n);
}

static int submit_getri(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_getri_batch_async(array[0], array[1], array[2], r);
}

static int64_t lapack_getri(const struct batch_one *x)
{
    return cpu_batch_getri(x->dtype, (int)x->shape.n, x->array[0], x->array[1], x->work);
}

/* y := A x = Pᵀ L U x */
static void apply_factors(const struct batch_one *f, const double _Complex *x, double _Complex *y,
                          double _Complex *z)
{
    int64_t n = f->shape.n;
    batch_triangle(f->dtype, 'U', 'N', 'N', n, n, f->array[0], x, z);
    batch_triangle(f->dtype, 'L', 'N', 'U', n, n, f->array[0], z, y);
    batch_interchange(n, f->array[1], true, y);
}

/* ‖(I − A X) V‖₁ or ‖(I − X A) V‖₁, the smaller: an algorithm makes one of them small. By
 * n ‖A V‖₁ ‖X‖₁ eps */
static double residual_getri(const struct batch_one *before, const struct batch_one *after)
{
    int64_t n = after->shape.n;
    const void *inverse = after->array[0];
    double left = 0, right = 0, norm = 0;
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *x = batch_scratch(after, 0), *y = batch_scratch(after, 1);
        double _Complex *z = batch_scratch(after, 2), *w = batch_scratch(after, 3);
        batch_probe(n, c, x);
        batch_product(after->dtype, 'N', n, n, inverse, n, x, y);
        apply_factors(before, y, z, w);
        right = batch_worse(batch_distance(n, z, x), right);
        apply_factors(before, x, y, w);
        norm = batch_worse(batch_norm1(n, y), norm);
        batch_product(after->dtype, 'N', n, n, inverse, n, y, z);
        left = batch_worse(batch_distance(n, z, x), left);
    }
    norm *= dense_norm1(after->dtype, n, n, inverse);
    return (left < right ? left : right) / (norm * batch_unit(after, n));
}

/* -- QR ------------------------------------------------------------------------------------- */

static double count_geqrf(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_geqrf(dtype, (double)s->m, (double)s->n);
}

static int submit_geqrf(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_geqrf_batch_async(array[0], array[1], r);
}

static int64_t lapack_geqrf(const struct batch_one *x)
{
    return cpu_batch_geqrf(x->dtype, (int)x->shape.m, (int)x->shape.n, x->array[0], x->array[1],
                           x->work);
}

/* ‖(A − Q R) V‖₁ by ‖A‖₁, or ‖(I − Qᴴ Q) V‖₁, the larger */
static double residual_geqrf(const struct batch_one *before, const struct batch_one *after)
{
    int64_t m = after->shape.m, n = after->shape.n, k = smaller(m, n);
    const void *factors = after->array[0], *tau = after->array[1];
    double worst = 0, norm = dense_norm1(after->dtype, m, n, before->array[0]);
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *x = batch_scratch(after, 0), *y = batch_scratch(after, 1),
                        *z = batch_scratch(after, 2);
        batch_probe(n, c, x);
        batch_triangle(after->dtype, 'U', 'N', 'N', m, n, factors, x, y);
        batch_reflect(after->dtype, 'N', m, k, factors, tau, y);
        batch_product(after->dtype, 'N', m, n, before->array[0], m, x, z);
        worst = batch_worse(batch_distance(m, y, z) / norm, worst);
        batch_probe(m, c, x);
        batch_probe(m, c, y);
        batch_reflect(after->dtype, 'N', m, k, factors, tau, y);
        batch_reflect(after->dtype, 'C', m, k, factors, tau, y);
        worst = batch_worse(batch_distance(m, y, x), worst);
    }
    return worst / batch_unit(after, m > n ? m : n);
}

#define CHANGED .read = true, .written = true
#define NUMBER .content = NOTHING, .written = true, .number = true

const struct batch_routine batch_factors[] = {
    {.name = "potrf_batch",
     .triangular = true,
     .arrays = 2,
     .operand = {{.content = DEFINITE, CHANGED}, {.element = INTEGERS, NUMBER}},
     .describe = describe_potrf,
     .flops = count_potrf,
     .submit = submit_potrf,
     .lapack = lapack_potrf,
     .residual = residual_potrf},
    {.name = "getrf_batch",
     .m_is_free = true,
     .arrays = 3,
     .operand = {{.content = UNIFORM, CHANGED},
                 {.element = INTEGERS, .content = NOTHING, .written = true},
                 {.element = INTEGERS, NUMBER}},
     .describe = describe_getrf,
     .flops = count_getrf,
     .submit = submit_getrf,
     .lapack = lapack_getrf,
     .residual = residual_getrf},
    {.name = "getrf_nopiv_batch",
     .m_is_free = true,
     .arrays = 2,
     .operand = {{.content = DOMINANT, CHANGED}, {.element = INTEGERS, NUMBER}},
     .describe = describe_nopiv,
     .flops = count_getrf,
     .submit = submit_nopiv,
     .lapack = lapack_nopiv,
     .residual = residual_nopiv,
     .lapack_does = "getrf, which pivots"},
    {.name = "getri_batch",
     .arrays = 3,
     .operand = {{.content = UNIFORM, CHANGED},
                 {.element = INTEGERS, .content = NOTHING, .read = true},
                 {.element = INTEGERS, NUMBER}},
     .describe = describe_getrf,
     .flops = count_getri,
     .prepare = lapack_getrf,
     .submit = submit_getri,
     .lapack = lapack_getri,
     .residual = residual_getri},
    {.name = "geqrf_batch",
     .m_is_free = true,
     .arrays = 2,
     .operand = {{.content = UNIFORM, CHANGED}, {.content = NOTHING, .written = true}},
     .describe = describe_getrf,
     .flops = count_geqrf,
     .submit = submit_geqrf,
     .lapack = lapack_geqrf,
     .residual = residual_geqrf},
    {.name = NULL},
};
