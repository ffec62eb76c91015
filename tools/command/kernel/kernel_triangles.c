/*
 * Products with a triangle from the right, and triangular solves: B := B Lᴴ, B := B L⁻ᴴ.
 */
#include "flops.h"
#include "kernel.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>

static const startile_scalar one = {1, 0};

enum { L, B };

/* Large enough on the diagonal for a well-conditioned triangle: then the solve that the product is
 * compared with stays in range. */
static void describe(const struct shape *s, struct array *array)
{
    array[L] = (struct array){.m = s->n, .n = s->n, .bump = 2 * sqrt(s->n), .triangle = 'L'};
    array[B] = (struct array){.m = s->m, .n = s->n, .changed = true};
}

static void describe_group(const struct shape *s, struct array *array)
{
    describe(s, array);
    array[B].n *= s->pieces;
}

static double work(const struct trial *t)
{
    return flops_trsm(t->shape.dtype, t->shape.n, t->shape.m);
}

static double work_of_group(const struct trial *t)
{
    return t->shape.pieces * work(t);
}

static void *piece(const struct trial *t, int q)
{
    size_t column = (size_t)t->shape.m * dtype_size(t->shape.dtype);
    return (char *)t->array[B].device + (size_t)q * (size_t)t->shape.n * column;
}

static int run_trsm(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    return kernels->trsm(t->exec, 'R', 'L', 'C', 'N', s->m, s->n, one, t->array[L].device, s->n,
                         t->array[B].device, s->m);
}

static int run_trmm(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    return kernels->trmm(t->exec, 'R', 'L', 'C', s->m, s->n, one, t->array[L].device, s->n,
                         t->array[B].device, s->m);
}

static int run_trmm_group(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    startile_piece pieces[STARTILE_MOST_PRODUCTS];
    for (int q = 0; q < s->pieces; q++)
        pieces[q] = (startile_piece){piece(t, q), s->m, s->m};
    return kernels->trmm_group(t->exec, 'R', 'L', 'C', s->n, one, t->array[L].device, s->n,
                               s->pieces, pieces);
}

static int run_peer(struct trial *t)
{
    return peer_trsm_right(t->shape.dtype, t->shape.m, t->shape.n, t->array[L].device,
                           t->array[B].device);
}

static int run_peer_group(struct trial *t)
{
    const struct shape *s = &t->shape;
    int failed = 0;
    for (int q = 0; q < s->pieces && !failed; q++)
        failed = peer_trsm_right(s->dtype, s->m, s->n, t->array[L].device, piece(t, q));
    return failed;
}

/* -- checks ----------------------------------------------------------------------------------- */

static double error_of_trmm_at(struct trial *t, int64_t i, int64_t j)
{
    int64_t column = j % t->shape.n, column0 = j - column;
    struct sum sum = {{0, 0}, 0};
    for (int64_t l = 0; l <= column; l++)
        add_product(&sum, 1, element_before(t, &t->array[B], i, column0 + l),
                    conjugate(element_before(t, &t->array[L], column, l)));
    return distance(t, &sum, element_after(t, &t->array[B], i, j));
}

static double error_of_trmm(struct trial *t)
{
    return worst(t, t->shape.m, t->array[B].n, error_of_trmm_at);
}

/* The residual, X Lᴴ against B */
static double error_of_trsm_at(struct trial *t, int64_t i, int64_t j)
{
    struct sum sum = {{0, 0}, 0};
    for (int64_t l = 0; l <= j; l++)
        add_product(&sum, 1, element_after(t, &t->array[B], i, l),
                    conjugate(element_before(t, &t->array[L], j, l)));
    return distance(t, &sum, element_before(t, &t->array[B], i, j));
}

static double error_of_trsm(struct trial *t)
{
    return worst(t, t->shape.m, t->shape.n, error_of_trsm_at);
}

const struct kernel triangle_kernels[] = {
    {.name = "trmm",
     .does = "B := B L^H, m x n: a solve by the inverse of a triangle",
     .peer = "cuBLAS trsm",
     .sizes = "mn",
     .m = 8192,
     .n = 512,
     .by_vendor = true,
     .splits = true,
     .describe = describe,
     .work = work,
     .run = run_trmm,
     .run_peer = run_peer,
     .error = error_of_trmm},
    {.name = "trmm_group",
     .does = "the same for p matrices B, in one launch",
     .peer = "cuBLAS trsm in a loop",
     .sizes = "mnp",
     .m = 1024,
     .n = 512,
     .by_vendor = true,
     .splits = true,
     .describe = describe_group,
     .work = work_of_group,
     .run = run_trmm_group,
     .run_peer = run_peer_group,
     .error = error_of_trmm},
    {.name = "trsm",
     .does = "B := B L^-H, m x n",
     .peer = "cuBLAS trsm",
     .sizes = "mn",
     .m = 8192,
     .n = 512,
     .alike = true,
     .describe = describe,
     .work = work,
     .run = run_trsm,
     .run_peer = run_peer,
     .error = error_of_trsm},
    {.name = NULL},
};
