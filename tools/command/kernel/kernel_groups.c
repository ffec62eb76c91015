/*
 * Groups of products in one launch: a column of tiles is updated.
 */
#include "flops.h"
#include "kernel_products.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>

static const startile_scalar minus_one = {-1, 0}, one = {1, 0};

/* Matrix q of a row of matrices of n columns each. */
static void *tile(const struct trial *t, const struct array *a, int n, int q)
{
    return (char *)a->device + (size_t)q * (size_t)n * (size_t)a->m * dtype_size(t->shape.dtype);
}

/* -- every product has an A and a C of its own, and all the same B ------------------------------
 */

static void describe_gemm_group(const struct shape *s, struct array *array)
{
    describe_gemm(s, array);
    array[A].n *= s->pieces;
    array[C].n *= s->pieces;
}

static double work_of_gemm_group(const struct trial *t)
{
    return t->shape.pieces * work_of_gemm(t);
}

static int run_gemm_group(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    const struct array *a = t->array;
    startile_product products[STARTILE_MOST_PRODUCTS];
    for (int q = 0; q < s->pieces; q++)
        products[q] = (startile_product){.a = tile(t, &a[A], a[A].n / s->pieces, q),
                                         .b = a[B].device,
                                         .c = tile(t, &a[C], s->n, q),
                                         .lda = a[A].m,
                                         .ldb = a[B].m,
                                         .ldc = a[C].m,
                                         .m = s->m,
                                         .n = s->n};
    return kernels->gemm_group(t->exec, s->transa, s->transb, s->k, minus_one, s->pieces, products,
                               one, 'G');
}

static int run_peer_gemm_group(struct trial *t)
{
    const struct shape *s = &t->shape;
    const struct array *a = t->array;
    int failed = 0;
    for (int q = 0; q < s->pieces && !failed; q++)
        failed = peer_gemm(s, s->m, s->n, tile(t, &a[A], a[A].n / s->pieces, q), a[A].m,
                           a[B].device, a[B].m, tile(t, &a[C], s->n, q));
    return failed;
}

static double error_of_gemm_group_at(struct trial *t, int64_t i, int64_t j)
{
    return error_of_product(t, (int)(j / t->shape.n), i, j % t->shape.n);
}

static double error_of_gemm_group(struct trial *t)
{
    return worst(t, t->shape.m, t->array[C].n, error_of_gemm_group_at);
}

/* -- Cholesky's column: square tiles, B is the first A, and the first C a triangle ---------------
 */

static void describe_herk_group(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->n, .n = s->k * s->pieces};
    array[C] = (struct array){.m = s->n, .n = s->n * s->pieces, .changed = true};
}

static double work_of_herk_group(const struct trial *t)
{
    const struct shape *s = &t->shape;
    return flops_herk(s->dtype, s->n, s->k) +
           (s->pieces - 1) * flops_gemm(s->dtype, s->n, s->n, s->k);
}

static int run_herk_group(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    const struct array *a = t->array;
    int n = s->n;
    startile_product products[STARTILE_MOST_PRODUCTS];
    for (int q = 0; q < s->pieces; q++)
        products[q] = (startile_product){.a = tile(t, &a[A], s->k, q),
                                         .b = a[A].device,
                                         .c = tile(t, &a[C], n, q),
                                         .lda = n,
                                         .ldb = n,
                                         .ldc = n,
                                         .m = n,
                                         .n = n};
    return kernels->gemm_group(t->exec, 'N', 'C', s->k, minus_one, s->pieces, products, one, 'L');
}

static int run_peer_herk_group(struct trial *t)
{
    const struct array *a = t->array;
    struct shape s = t->shape;
    s.transa = 'N';
    s.transb = 'C';
    int failed = cuda_peer_herk(s.dtype, 'L', s.n, s.k, a[A].device, a[C].device);
    for (int q = 1; q < s.pieces && !failed; q++)
        failed = peer_gemm(&s, s.n, s.n, tile(t, &a[A], s.k, q), s.n, a[A].device, s.n,
                           tile(t, &a[C], s.n, q));
    return failed;
}

/* The first tile's diagonal becomes real and loses an imaginary part that Hermitian matrices do not
 * have; above it, nothing changes. */
static double error_of_herk_group_at(struct trial *t, int64_t i, int64_t j)
{
    struct array *a = t->array;
    const int64_t n = t->shape.n, k = t->shape.k, q = j / n, column = j % n;
    const bool diagonal = j == i;
    struct wide c = element_before(t, &a[C], i, j);
    struct sum sum = {{0, 0}, 0};
    if (i < j && q == 0)
        return unequal(c, element_after(t, &a[C], i, j));
    add(&sum, 1, (struct wide){c.re, diagonal ? 0 : c.im});
    for (int64_t l = 0; l < k; l++)
        add_product(&sum, -1, element_before(t, &a[A], i, q * k + l),
                    conjugate(element_before(t, &a[A], column, l)));
    return distance(t, &sum, element_after(t, &a[C], i, j)) / (diagonal ? sqrt((double)k) : 1);
}

static double error_of_herk_group(struct trial *t)
{
    return worst(t, t->shape.n, t->array[C].n, error_of_herk_group_at);
}

const struct kernel group_kernels[] = {
    {.name = "gemm_group",
     .does = "gemm for p products with one B, in one launch",
     .peer = "cuBLAS gemm in a loop",
     .sizes = "mnkpab",
     .m = 2048,
     .n = 512,
     .k = 512,
     .alike = true,
     .by_vendor = true,
     .splits = true,
     .describe = describe_gemm_group,
     .work = work_of_gemm_group,
     .run = run_gemm_group,
     .run_peer = run_peer_gemm_group,
     .error = error_of_gemm_group},
    {.name = "herk_group",
     .does = "a column of p tiles n x n of Cholesky: herk and gemm over k, in one launch",
     .peer = "cuBLAS herk, gemm in a loop",
     .sizes = "nkp",
     .n = 1024,
     .k = 1024,
     .alike = true,
     .by_vendor = true,
     .splits = true,
     .describe = describe_herk_group,
     .work = work_of_herk_group,
     .run = run_herk_group,
     .run_peer = run_peer_herk_group,
     .error = error_of_herk_group},
    {.name = NULL},
};
