/* Determinants from the factors of LU or Cholesky: the task of a diagonal block multiplies its
 * elements, and the products of all blocks are multiplied in main memory. */
#include "data/partial_results.h"
#include "operations/insert_norms.h"
#include "task/operands.h"
#include "wide.h"

#include <complex.h>

struct determinant {
    struct partial_results parts; /* one for each diagonal block: re, im, exponent (wide.h) */
    startile_complex *sign;
    double *logabsdet;
};

struct diagonal_product_args {
    struct task_args task;
    int64_t row0, skip; /* rows of the matrix above the block; rows of the tile above the block */
    bool has_pivots;
};

static struct operation diagonal_product = {.name = "diagonal_product", .color = 0x76b7b2};

static int run_diagonal_product(const startile_kernels *K, startile_exec *x, void **buffers,
                                struct task_args *task)
{
    struct diagonal_product_args *d = (struct diagonal_product_args *)task;
    struct buffer a = matrix_buffer(buffers[0]);
    const char *diagonal =
        (const char *)a.p + (size_t)d->skip * (size_t)startile_element_size[task->dtype];
    startile_pivots_of_panel none = {NULL, 0};
    return K->diagonal_product(x, a.n, diagonal, a.ld, d->row0,
                               d->has_pivots ? pivots_buffer(buffers[2]) : none,
                               matrix_buffer(buffers[1]).p);
}

determinant *determinant_begin(context ctx, const startile_matrix *A)
{
    return partial_results_begin(ctx, sizeof(determinant), A->grid, A->shape.nt, 3);
}

void insert_diagonal_product(context ctx, const startile_matrix *A, const startile_pivots *P,
                             int64_t k, determinant *d)
{
    const startile_shape *a = &A->shape;
    struct starpu_task *t =
        d == NULL ? NULL
                  : task_new(&diagonal_product, ctx, 0, a->dtype, run_diagonal_product,
                             sizeof(struct diagonal_product_args));
    if (t == NULL)
        return;
    struct diagonal_product_args *args = t->cl_arg;
    args->row0 = k * a->nb;
    args->skip = args->row0 % a->mb;
    args->has_pivots = P != NULL;
    task_tile(t, (tile){A, args->row0 / a->mb, k, 'N'}, STARPU_R);
    task_access(t, d->parts.part[k], STARPU_RW);
    if (P != NULL)
        task_access(t, pivots_handle(P, k), STARPU_R);
    task_submit(t, (struct work){.m = a->nb, .n = 1});
}

/* Stores log |det A| and, with d->sign, the sign. d->sign NULL: the factor is Cholesky's, so that
 * det A is the square of the product. */
static void combine(const struct partial_results *parts)
{
    const determinant *d = (const determinant *)parts;
    startile_wide product = {1, 0, 0};
    for (int64_t k = 0; k < parts->count; k++) {
        const double *v = part_values(parts, k);
        product = startile_wide_product(product, (startile_wide){v[0], v[1], v[2]});
    }
    startile_wide sign = startile_wide_sign(product);
    *d->logabsdet = (d->sign == NULL ? 2 : 1) * startile_wide_logarithm(product);
    if (d->sign != NULL)
        *d->sign = CMPLX(sign.re, sign.im);
}

void insert_determinant_end(context ctx, determinant *d, startile_complex *sign, double *logabsdet)
{
    if (d == NULL)
        return;
    d->sign = sign;
    d->logabsdet = logabsdet;
    partial_results_end(ctx, &d->parts, combine);
}
