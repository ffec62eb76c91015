/*
 * Products: C := C − op(A) op(B), as a factorization updates.
 */
#include "kernel_products.h"
#include "flops.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>

static const startile_scalar minus_one = {-1, 0}, one = {1, 0};

static struct wide transposed(char trans, struct wide x)
{
    return trans == 'C' ? conjugate(x) : x;
}

/* op(A)'s element, where A's first column in the array is column0 */
static struct wide element_of(const struct trial *t, const struct array *a, char trans,
                              int64_t column0, int64_t i, int64_t j)
{
    return trans == 'N' ? element_before(t, a, i, column0 + j)
                        : transposed(trans, element_before(t, a, j, column0 + i));
}

/* -- gemm ------------------------------------------------------------------------------------- */

void describe_gemm(const struct shape *s, struct array *array)
{
    bool a = s->transa == 'N', b = s->transb == 'N';
    array[A] = (struct array){.m = a ? s->m : s->k, .n = a ? s->k : s->m};
    array[B] = (struct array){.m = b ? s->k : s->n, .n = b ? s->n : s->k};
    array[C] = (struct array){.m = s->m, .n = s->n, .changed = true};
}

double work_of_gemm(const struct trial *t)
{
    const struct shape *s = &t->shape;
    return flops_gemm(s->dtype, s->m, s->n, s->k);
}

static int run_gemm(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    struct array *a = t->array;
    return kernels->gemm(t->exec, s->transa, s->transb, s->m, s->n, s->k, minus_one, a[A].device,
                         a[A].m, a[B].device, a[B].m, one, a[C].device, a[C].m);
}

static int run_peer_gemm(struct trial *t)
{
    const struct array *a = t->array;
    return peer_gemm(&t->shape, t->shape.m, t->shape.n, a[A].device, a[A].m, a[B].device, a[B].m,
                     a[C].device);
}

double error_of_product(struct trial *t, int q, int64_t i, int64_t j)
{
    const struct shape *s = &t->shape;
    const struct array *a = t->array;
    struct sum sum = {{0, 0}, 0};
    add(&sum, 1, element_before(t, &a[C], i, (int64_t)q * s->n + j));
    for (int64_t l = 0; l < s->k; l++)
        add_product(
            &sum, -1,
            element_of(t, &a[A], s->transa, (int64_t)q * (s->transa == 'N' ? s->k : s->m), i, l),
            element_of(t, &a[B], s->transb, 0, l, j));
    return distance(t, &sum, element_after(t, &t->array[C], i, (int64_t)q * s->n + j));
}

static double error_of_gemm_at(struct trial *t, int64_t i, int64_t j)
{
    return error_of_product(t, 0, i, j);
}

static double error_of_gemm(struct trial *t)
{
    return worst(t, t->shape.m, t->shape.n, error_of_gemm_at);
}

/* -- herk, syrk ------------------------------------------------------------------------------- */

static void describe_syrk(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->n, .n = s->k};
    array[C] = (struct array){.m = s->n, .n = s->n, .kind = STARTILE_SYMMETRIC, .changed = true};
}

static void describe_herk(const struct shape *s, struct array *array)
{
    describe_syrk(s, array);
    array[C].kind = STARTILE_HERMITIAN;
}

static double work_of_herk(const struct trial *t)
{
    return flops_herk(t->shape.dtype, t->shape.n, t->shape.k);
}

static int run_herk(struct trial *t, const startile_kernels *kernels)
{
    struct array *a = t->array;
    return kernels->herk(t->exec, 'L', 'N', t->shape.n, t->shape.k, minus_one, a[A].device, a[A].m,
                         one, a[C].device, a[C].m);
}

static int run_syrk(struct trial *t, const startile_kernels *kernels)
{
    struct array *a = t->array;
    return kernels->syrk(t->exec, 'L', 'N', t->shape.n, t->shape.k, minus_one, a[A].device, a[A].m,
                         one, a[C].device, a[C].m);
}

static int run_peer_herk(struct trial *t)
{
    return cuda_peer_herk(t->shape.dtype, 'L', t->shape.n, t->shape.k, t->array[A].device,
                          t->array[C].device);
}

static int run_peer_syrk(struct trial *t)
{
    return peer_syrk(t->shape.dtype, t->shape.n, t->shape.k, t->array[A].device,
                     t->array[C].device);
}

/* The other triangle has to be as it was. Sums of squares on the diagonal have no terms that
 * cancel: their rounding errors grow with the root of k. */
static double error_of_rank_k(struct trial *t, int64_t i, int64_t j, bool hermitian)
{
    const struct array *a = t->array;
    struct wide c = element_before(t, &a[C], i, j), after = element_after(t, &t->array[C], i, j);
    struct sum sum = {{0, 0}, 0};
    if (i < j)
        return unequal(c, after);
    add(&sum, 1, c);
    for (int64_t l = 0; l < t->shape.k; l++) {
        struct wide y = element_before(t, &a[A], j, l);
        add_product(&sum, -1, element_before(t, &a[A], i, l), hermitian ? conjugate(y) : y);
    }
    return distance(t, &sum, after) / (i == j ? sqrt(t->shape.k) : 1);
}

static double error_of_herk_at(struct trial *t, int64_t i, int64_t j)
{
    return error_of_rank_k(t, i, j, true);
}

static double error_of_syrk_at(struct trial *t, int64_t i, int64_t j)
{
    return error_of_rank_k(t, i, j, false);
}

static double error_of_herk(struct trial *t)
{
    return worst(t, t->shape.n, t->shape.n, error_of_herk_at);
}

static double error_of_syrk(struct trial *t)
{
    return worst(t, t->shape.n, t->shape.n, error_of_syrk_at);
}

const struct kernel product_kernels[] = {
    {.name = "gemm",
     .does = "C := C - op(A) op(B), m x n, over k",
     .peer = "cuBLAS gemm",
     .sizes = "mnkab",
     .n = 8192,
     .alike = true,
     .by_vendor = true,
     .splits = true,
     .describe = describe_gemm,
     .work = work_of_gemm,
     .run = run_gemm,
     .run_peer = run_peer_gemm,
     .error = error_of_gemm},
    {.name = "herk",
     .does = "C := C - A A^H, lower, n x n, over k",
     .peer = "cuBLAS herk, syrk",
     .sizes = "nk",
     .n = 16384,
     .k = 512,
     .alike = true,
     .by_vendor = true,
     .splits = true,
     .describe = describe_herk,
     .work = work_of_herk,
     .run = run_herk,
     .run_peer = run_peer_herk,
     .error = error_of_herk},
    {.name = "syrk",
     .does = "C := C - A A^T, lower, n x n, over k",
     .peer = "cuBLAS syrk",
     .sizes = "nk",
     .n = 16384,
     .k = 512,
     .alike = true,
     .by_vendor = true,
     .splits = true,
     .describe = describe_syrk,
     .work = work_of_herk,
     .run = run_syrk,
     .run_peer = run_peer_syrk,
     .error = error_of_syrk},
    {.name = NULL},
};
