/*
 * Solutions, products: what they work on, LAPACK's and BLAS's, and how their results are checked.
 */
#include "batch.h"
#include "batch_probe.h"
#include "dense.h"
#include "flops.h"
#include "peer_cpu.h"

#include "startile_batch.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* y := A x for the matrix of a problem; x may get lost */
typedef void product_function(const struct batch_one *before, const struct batch_one *after,
                              double _Complex *y, double _Complex *x);

/* ‖(B − Y) V‖₁ where Y V = product(X V), the largest over the columns of V */
static double distance_from(const struct batch_one *before, const struct batch_one *after,
                            int array, int64_t b_rows, int64_t x_rows, int64_t ld, int64_t nrhs,
                            product_function *product)
{
    double worst = 0;
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *v = batch_scratch(after, 0), *x = batch_scratch(after, 1);
        double _Complex *y = batch_scratch(after, 2);
        batch_probe(nrhs, c, v);
        batch_product(after->dtype, 'N', x_rows, nrhs, after->array[array], ld, v, x);
        product(before, after, y, x);
        batch_product(after->dtype, 'N', b_rows, nrhs, before->array[array], ld, v, x);
        worst = batch_worse(batch_distance(b_rows, y, x), worst);
    }
    return worst;
}

/* ‖A V‖₁, the largest over the columns of V: some columns of A, and no more than ‖A‖₁ */
static double norm_of(const struct batch_one *before, const struct batch_one *after,
                      product_function *product)
{
    double largest = 0;
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *x = batch_scratch(after, 0), *y = batch_scratch(after, 1);
        batch_probe(after->shape.n, c, x);
        product(before, after, y, x);
        largest = batch_worse(batch_norm1(after->shape.n, y), largest);
    }
    return largest;
}

/* Of a solution in that array for a matrix of which there are factors */
static double residual_by_factors(const struct batch_one *before, const struct batch_one *after,
                                  int array, product_function *product)
{
    int64_t n = after->shape.n, nrhs = after->shape.k;
    double worst = distance_from(before, after, array, n, n, n, nrhs, product);
    return worst / (norm_of(before, after, product) *
                    dense_norm1(after->dtype, n, nrhs, after->array[array]) * batch_unit(after, n));
}

/* y := A x for the square matrix before it was factored */
static void by_matrix(const struct batch_one *before, const struct batch_one *after,
                      double _Complex *y, double _Complex *x)
{
    int64_t n = after->shape.n;
    batch_product(after->dtype, 'N', n, n, before->array[0], n, x, y);
}

/* ‖(B − A X) V‖₁ / (n ‖A‖₁ ‖X‖₁ eps) */
static double residual_of_solution(const struct batch_one *before, const struct batch_one *after,
                                   int array)
{
    int64_t n = after->shape.n, nrhs = after->shape.k;
    double worst = distance_from(before, after, array, n, n, n, nrhs, by_matrix);
    return worst / (dense_norm1(after->dtype, n, n, before->array[0]) *
                    dense_norm1(after->dtype, n, nrhs, after->array[array]) * batch_unit(after, n));
}

/* -- Cholesky ------------------------------------------------------------------------------- */

static void describe_po(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->n, s->n};
    extent[1] = (struct batch_extent){s->n, s->k};
    extent[2] = (struct batch_extent){1, 1};
}

static double count_potrs(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_potrs(dtype, (double)s->n, (double)s->k);
}

static double count_posv(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_potrf(dtype, (double)s->n) + count_potrs(dtype, s);
}

static int64_t prepare_potrs(const struct batch_one *x)
{
    return cpu_peer_potrf(x->dtype, x->uplo, (int)x->shape.n, x->array[0]);
}

static int submit_potrs(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    return startile_potrs_batch_async(c->uplo, array[0], array[1], r);
}

static int submit_posv(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    return startile_posv_batch_async(c->uplo, array[0], array[1], array[2], r);
}

static int64_t lapack_potrs(const struct batch_one *x)
{
    return cpu_peer_potrs(x->dtype, x->uplo, (int)x->shape.n, (int)x->shape.k, x->array[0],
                          x->array[1]);
}

static int64_t lapack_posv(const struct batch_one *x)
{
    return cpu_peer_posv(x->dtype, x->uplo, (int)x->shape.n, (int)x->shape.k, x->array[0],
                         x->array[1]);
}

/* y := L Lᴴ x; x is lost */
static void by_cholesky(const struct batch_one *before, const struct batch_one *after,
                        double _Complex *y, double _Complex *x)
{
    int64_t n = after->shape.n;
    bool lower = after->uplo == 'L';
    batch_triangle(after->dtype, after->uplo, lower ? 'C' : 'N', 'N', n, n, before->array[0], x, y);
    for (int64_t i = 0; i < n; i++)
        x[i] = y[i];
    batch_triangle(after->dtype, after->uplo, lower ? 'N' : 'C', 'N', n, n, before->array[0], x, y);
}

/* ‖(B − L Lᴴ X) V‖₁ / (n ‖L Lᴴ V‖₁ ‖X‖₁ eps) */
static double residual_potrs(const struct batch_one *before, const struct batch_one *after)
{
    return residual_by_factors(before, after, 1, by_cholesky);
}

static double residual_posv(const struct batch_one *before, const struct batch_one *after)
{
    return residual_of_solution(before, after, 1);
}

/* -- LU ------------------------------------------------------------------------------------- */

static void describe_ge(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->n, s->n};
    extent[1] = (struct batch_extent){s->n, 1};
    extent[2] = (struct batch_extent){s->n, s->k};
    extent[3] = (struct batch_extent){1, 1};
}

static double count_getrs(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_getrs(dtype, (double)s->n, (double)s->k);
}

static double count_gesv(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_getrf(dtype, (double)s->n, (double)s->n) + count_getrs(dtype, s);
}

static int64_t prepare_getrs(const struct batch_one *x)
{
    return cpu_batch_getrf(x->dtype, (int)x->shape.n, (int)x->shape.n, x->array[0], x->array[1],
                           x->work);
}

static int submit_getrs(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_getrs_batch_async('N', array[0], array[1], array[2], r);
}

static int submit_gesv(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_gesv_batch_async(array[0], array[1], array[2], array[3], r);
}

static int64_t lapack_getrs(const struct batch_one *x)
{
    return cpu_batch_getrs(x->dtype, (int)x->shape.n, (int)x->shape.k, x->array[0], x->array[1],
                           x->array[2], x->work);
}

static int64_t lapack_gesv(const struct batch_one *x)
{
    return cpu_batch_gesv(x->dtype, (int)x->shape.n, (int)x->shape.k, x->array[0], x->array[1],
                          x->array[2], x->work);
}

/* y := Pᵀ L U x; x is lost */
static void by_lu(const struct batch_one *before, const struct batch_one *after, double _Complex *y,
                  double _Complex *x)
{
    int64_t n = after->shape.n;
    batch_triangle(after->dtype, 'U', 'N', 'N', n, n, before->array[0], x, y);
    for (int64_t i = 0; i < n; i++)
        x[i] = y[i];
    batch_triangle(after->dtype, 'L', 'N', 'U', n, n, before->array[0], x, y);
    batch_interchange(n, before->array[1], true, y);
}

/* ‖(B − Pᵀ L U X) V‖₁ / (n ‖Pᵀ L U V‖₁ ‖X‖₁ eps) */
static double residual_getrs(const struct batch_one *before, const struct batch_one *after)
{
    return residual_by_factors(before, after, 2, by_lu);
}

static double residual_gesv(const struct batch_one *before, const struct batch_one *after)
{
    return residual_of_solution(before, after, 2);
}

/* -- QR ------------------------------------------------------------------------------------- */

static void describe_ormqr(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->m, s->n};
    extent[1] = (struct batch_extent){smaller(s->m, s->n), 1};
    extent[2] = (struct batch_extent){s->m, s->k};
}

static double count_ormqr(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_ormqr(dtype, (double)s->m, (double)s->k, (double)smaller(s->m, s->n));
}

static int64_t prepare_ormqr(const struct batch_one *x)
{
    return cpu_batch_geqrf(x->dtype, (int)x->shape.m, (int)x->shape.n, x->array[0], x->array[1],
                           x->work);
}

static int submit_ormqr(const struct batch_case *c, startile_batch *const *array,
                        startile_request *r)
{
    (void)c;
    return startile_ormqr_batch_async('L', 'C', array[0], array[1], array[2], r);
}

static int64_t lapack_ormqr(const struct batch_one *x)
{
    return cpu_batch_ormqr(x->dtype, (int)x->shape.m, (int)x->shape.k,
                           (int)smaller(x->shape.m, x->shape.n), x->array[0], x->array[1],
                           x->array[2], x->work);
}

/* y := Q x */
static void by_q(const struct batch_one *before, const struct batch_one *after, double _Complex *y,
                 double _Complex *x)
{
    int64_t m = after->shape.m;
    for (int64_t i = 0; i < m; i++)
        y[i] = x[i];
    batch_reflect(after->dtype, 'N', m, smaller(m, after->shape.n), before->array[0],
                  before->array[1], y);
}

/* ‖(C₀ − Q C) V‖₁ / (m ‖C₀‖₁ eps) */
static double residual_ormqr(const struct batch_one *before, const struct batch_one *after)
{
    int64_t m = after->shape.m, k = after->shape.k;
    double worst = distance_from(before, after, 2, m, m, m, k, by_q);
    return worst / (dense_norm1(after->dtype, m, k, before->array[2]) * batch_unit(after, m));
}

static void describe_gels(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->m, s->n};
    extent[1] = (struct batch_extent){larger(s->m, s->n), s->k};
    extent[2] = (struct batch_extent){1, 1};
}

static double count_gels(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_gels(dtype, (double)s->m, (double)s->n, (double)s->k);
}

static int submit_gels(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_gels_batch_async('N', array[0], array[1], array[2], r);
}

static int64_t lapack_gels(const struct batch_one *x)
{
    return cpu_batch_gels(x->dtype, (int)x->shape.m, (int)x->shape.n, (int)x->shape.k, x->array[0],
                          x->array[1], x->work);
}

/* y := A x */
static void by_rectangle(const struct batch_one *before, const struct batch_one *after,
                         double _Complex *y, double _Complex *x)
{
    batch_product(after->dtype, 'N', after->shape.m, after->shape.n, before->array[0],
                  after->shape.m, x, y);
}

/* ‖Aᴴ (B − A X) V‖₁, the largest over the columns of V */
static double distance_to_normal(const struct batch_one *before, const struct batch_one *after)
{
    int64_t m = after->shape.m, n = after->shape.n, k = after->shape.k;
    double worst = 0;
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *v = batch_scratch(after, 0), *x = batch_scratch(after, 1);
        double _Complex *y = batch_scratch(after, 2);
        batch_probe(k, c, v);
        batch_product(after->dtype, 'N', n, k, after->array[1], m, v, x);
        by_rectangle(before, after, y, x);
        batch_product(after->dtype, 'N', m, k, before->array[1], m, v, x);
        (void)batch_distance(m, y, x);
        batch_product(after->dtype, 'C', m, n, before->array[0], m, y, x);
        worst = batch_worse(batch_norm1(n, x), worst);
    }
    return worst;
}

/* By (max(m, n, nrhs) ‖A‖_F ‖B‖_F eps) for m > n, else ‖(B − A X) V‖₁ as for a solution */
static double residual_gels(const struct batch_one *before, const struct batch_one *after)
{
    int64_t m = after->shape.m, n = after->shape.n, k = after->shape.k, ld = larger(m, n);
    if (m > n)
        return distance_to_normal(before, after) /
               (dense_norm_frobenius(after->dtype, m, n, before->array[0]) *
                dense_norm_frobenius(after->dtype, m, k, before->array[1]) *
                batch_unit(after, larger(m, k)));
    double worst = distance_from(before, after, 1, m, n, ld, k, by_rectangle);
    return worst / (dense_norm1(after->dtype, m, n, before->array[0]) *
                    dense_norm1(after->dtype, ld, k, after->array[1]) * batch_unit(after, n));
}

/* -- products ------------------------------------------------------------------------------- */

static void describe_gemm(const struct batch_shape *s, struct batch_extent *extent)
{
    extent[0] = (struct batch_extent){s->m, s->k};
    extent[1] = (struct batch_extent){s->k, s->n};
    extent[2] = (struct batch_extent){s->m, s->n};
}

static double count_gemm(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_gemm(dtype, (double)s->m, (double)s->n, (double)s->k);
}

static int submit_gemm(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    (void)c;
    return startile_gemm_batch_async('N', 'N', -1, array[0], array[1], 1, array[2], r);
}

static int64_t lapack_gemm(const struct batch_one *x)
{
    cpu_peer_gemm(x->dtype, (int)x->shape.m, (int)x->shape.n, (int)x->shape.k, x->array[0],
                  x->array[1], x->array[2]);
    return 0;
}

/* ‖(C − C₀ + A B) V‖₁ / (max(m, n, k) (‖A‖₁ ‖B‖₁ + ‖C₀‖₁) eps) */
static double residual_gemm(const struct batch_one *before, const struct batch_one *after)
{
    int64_t m = after->shape.m, n = after->shape.n, k = after->shape.k;
    double worst = 0, norm = dense_norm1(after->dtype, m, k, before->array[0]) *
                                 dense_norm1(after->dtype, k, n, before->array[1]) +
                             dense_norm1(after->dtype, m, n, before->array[2]);
    for (int c = 0; c < BATCH_PROBES; c++) {
        double _Complex *v = batch_scratch(after, 0), *x = batch_scratch(after, 1);
        double _Complex *y = batch_scratch(after, 2);
        batch_probe(n, c, v);
        batch_product(after->dtype, 'N', k, n, before->array[1], k, v, x);
        batch_product(after->dtype, 'N', m, k, before->array[0], m, x, y);
        batch_product(after->dtype, 'N', m, n, before->array[2], m, v, x);
        (void)batch_distance(m, x, y);
        batch_product(after->dtype, 'N', m, n, after->array[2], m, v, y);
        worst = batch_worse(batch_distance(m, x, y), worst);
    }
    return worst / (norm * batch_unit(after, larger(larger(m, n), k)));
}

static double count_trsm(startile_dtype dtype, const struct batch_shape *s)
{
    return flops_trsm(dtype, (double)s->n, (double)s->k);
}

static int submit_trsm(const struct batch_case *c, startile_batch *const *array,
                       startile_request *r)
{
    return startile_trsm_batch_async('L', c->uplo, 'N', 'N', 1, array[0], array[1], r);
}

static int64_t lapack_trsm(const struct batch_one *x)
{
    cpu_peer_trsm(x->dtype, x->uplo, (int)x->shape.n, (int)x->shape.k, x->array[0], x->array[1]);
    return 0;
}

/* y := T x */
static void by_triangle(const struct batch_one *before, const struct batch_one *after,
                        double _Complex *y, double _Complex *x)
{
    int64_t n = after->shape.n;
    batch_triangle(after->dtype, after->uplo, 'N', 'N', n, n, before->array[0], x, y);
}

/* ‖(B − T X) V‖₁ / (n ‖T‖₁ ‖X‖₁ eps) */
static double residual_trsm(const struct batch_one *before, const struct batch_one *after)
{
    int64_t n = after->shape.n, k = after->shape.k;
    double worst = distance_from(before, after, 1, n, n, n, k, by_triangle);
    return worst / (batch_triangle_norm1(after->dtype, after->uplo, 'N', n, n, before->array[0]) *
                    dense_norm1(after->dtype, n, k, after->array[1]) * batch_unit(after, n));
}

#define CHANGED .read = true, .written = true
#define NUMBER .content = NOTHING, .written = true, .number = true

const struct batch_routine batch_solves[] = {
    {.name = "potrs_batch",
     .triangular = true,
     .meaning_of_k = BATCH_K_IS_1,
     .arrays = 2,
     .operand = {{.content = DEFINITE, .read = true}, {.content = UNIFORM, CHANGED}},
     .describe = describe_po,
     .flops = count_potrs,
     .prepare = prepare_potrs,
     .submit = submit_potrs,
     .lapack = lapack_potrs,
     .residual = residual_potrs},
    {.name = "posv_batch",
     .triangular = true,
     .meaning_of_k = BATCH_K_IS_1,
     .arrays = 3,
     .operand = {{.content = DEFINITE, CHANGED},
                 {.content = UNIFORM, CHANGED},
                 {.element = INTEGERS, NUMBER}},
     .describe = describe_po,
     .flops = count_posv,
     .submit = submit_posv,
     .lapack = lapack_posv,
     .residual = residual_posv},
    {.name = "getrs_batch",
     .meaning_of_k = BATCH_K_IS_1,
     .arrays = 3,
     .operand = {{.content = UNIFORM, .read = true},
                 {.element = INTEGERS, .content = NOTHING, .read = true},
                 {.content = UNIFORM, CHANGED}},
     .describe = describe_ge,
     .flops = count_getrs,
     .prepare = prepare_getrs,
     .submit = submit_getrs,
     .lapack = lapack_getrs,
     .residual = residual_getrs},
    {.name = "gesv_batch",
     .meaning_of_k = BATCH_K_IS_1,
     .arrays = 4,
     .operand = {{.content = UNIFORM, CHANGED},
                 {.element = INTEGERS, .content = NOTHING, .written = true},
                 {.content = UNIFORM, CHANGED},
                 {.element = INTEGERS, NUMBER}},
     .describe = describe_ge,
     .flops = count_gesv,
     .submit = submit_gesv,
     .lapack = lapack_gesv,
     .residual = residual_gesv},
    {.name = "ormqr_batch",
     .alias = "unmqr_batch",
     .meaning_of_k = BATCH_K_IS_N,
     .m_is_free = true,
     .arrays = 3,
     .operand = {{.content = UNIFORM, .read = true},
                 {.content = NOTHING, .read = true},
                 {.content = UNIFORM, CHANGED}},
     .describe = describe_ormqr,
     .flops = count_ormqr,
     .prepare = prepare_ormqr,
     .submit = submit_ormqr,
     .lapack = lapack_ormqr,
     .residual = residual_ormqr},
    {.name = "gels_batch",
     .meaning_of_k = BATCH_K_IS_1,
     .m_is_free = true,
     .arrays = 3,
     .operand = {{.content = UNIFORM, CHANGED},
                 {.content = UNIFORM, CHANGED},
                 {.element = INTEGERS, NUMBER}},
     .describe = describe_gels,
     .flops = count_gels,
     .submit = submit_gels,
     .lapack = lapack_gels,
     .residual = residual_gels},
    {.name = "gemm_batch",
     .meaning_of_k = BATCH_K_IS_N,
     .m_is_free = true,
     .arrays = 3,
     .operand = {{.content = UNIFORM, .read = true},
                 {.content = UNIFORM, .read = true},
                 {.content = UNIFORM, CHANGED}},
     .describe = describe_gemm,
     .flops = count_gemm,
     .submit = submit_gemm,
     .lapack = lapack_gemm,
     .residual = residual_gemm},
    {.name = "trsm_batch",
     .triangular = true,
     .meaning_of_k = BATCH_K_IS_N,
     .arrays = 2,
     .operand = {{.content = DOMINANT, .read = true}, {.content = UNIFORM, CHANGED}},
     .describe = describe_po,
     .flops = count_trsm,
     .submit = submit_trsm,
     .lapack = lapack_trsm,
     .residual = residual_trsm},
    {.name = NULL},
};
