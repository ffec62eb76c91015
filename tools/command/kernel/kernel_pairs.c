/*
 * QR of a triangle on top of a matrix, as reduction trees take it, and its reflectors applied.
 */
#include "kernel.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>

/* The pair is R on top of B (tpqrt), A on top of B (tpmqrt); then the reflectors are V and T. */
enum { TOP, BOTTOM, T, V };

/* A column takes m k products, so only some are checked. */
enum { COLUMNS = 4 };

static double pairs_of_operations(const struct trial *t)
{
    return dtype_is_complex(t->shape.dtype) ? 8 : 2;
}

/* -- tpqrt ------------------------------------------------------------------------------------ */

static void describe_tpqrt(const struct shape *s, struct array *array)
{
    array[TOP] = (struct array){.m = s->n, .n = s->n, .changed = true};
    array[BOTTOM] = (struct array){.m = s->m, .n = s->n, .changed = true};
    array[T] = (struct array){.m = s->n, .n = s->n, .contents = NOTHING, .changed = true};
}

/* The reflectors on the columns behind them, and T's products Vᴴ V are not counted. */
static double work_of_tpqrt(const struct trial *t)
{
    return pairs_of_operations(t) * t->shape.m * (double)t->shape.n * t->shape.n;
}

static int run_tpqrt(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    struct array *a = t->array;
    return kernels->tpqrt(t->exec, 'G', s->m, s->n, a[TOP].device, s->n, a[BOTTOM].device, s->m,
                          a[T].device, s->n);
}

/* -- tpmqrt ----------------------------------------------------------------------------------- */

/* T and V are random enough as they are: the products are the same whatever they hold. */
static void describe_tpmqrt(const struct shape *s, struct array *array)
{
    array[TOP] = (struct array){.m = s->k, .n = s->n, .changed = true};
    array[BOTTOM] = (struct array){.m = s->m, .n = s->n, .changed = true};
    array[T] = (struct array){.m = s->k, .n = s->k, .triangle = 'U'};
    array[V] = (struct array){.m = s->m, .n = s->k};
}

static double work_of_tpmqrt(const struct trial *t)
{
    const struct shape *s = &t->shape;
    return 2 * pairs_of_operations(t) * s->m * (double)s->n * s->k;
}

static int run_tpmqrt(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    struct array *a = t->array;
    return kernels->tpmqrt(t->exec, 'G', 'C', s->m, s->n, s->k, a[V].device, s->m, a[T].device,
                           s->k, a[TOP].device, s->k, a[BOTTOM].device, s->m);
}

/* -- checks ----------------------------------------------------------------------------------- */

/* y := T r, r being column j of R */
static void times_r(struct trial *t, int64_t j, struct wide *y)
{
    for (int64_t i = 0; i <= j; i++) {
        struct sum sum = {{0, 0}, 0};
        for (int64_t l = i; l <= j; l++)
            add_product(&sum, 1, element_after(t, &t->array[T], i, l),
                        element_after(t, &t->array[TOP], l, j));
        y[i] = sum.value;
    }
}

/* Q [r; 0] = [r − T r; −V T r] against column j of what was there, by the norm of that */
static double error_of_factor(struct trial *t, int64_t j)
{
    struct array *a = t->array;
    const int64_t n = t->shape.n;
    struct wide y[n];
    long double off = 0, norm = 0;
    times_r(t, j, y);
    for (int64_t i = 0; i <= j + t->shape.m; i++) {
        const bool above = i <= j;
        struct wide was =
            above ? element_before(t, &a[TOP], i, j) : element_before(t, &a[BOTTOM], i - j - 1, j);
        struct sum sum = {{0, 0}, 0};
        add(&sum, -1, was);
        if (above)
            add(&sum, 1, element_after(t, &a[TOP], i, j));
        if (above)
            add(&sum, -1, y[i]);
        for (int64_t l = 0; l <= j && !above; l++)
            add_product(&sum, -1, element_after(t, &a[BOTTOM], i - j - 1, l), y[l]);
        off += sum.value.re * sum.value.re + sum.value.im * sum.value.im;
        norm += was.re * was.re + was.im * was.im;
    }
    return (double)(sqrtl(off / (norm * n)) / dtype_unit_roundoff(t->shape.dtype));
}

static double error_of_tpqrt(struct trial *t)
{
    double found = 0;
    for (int c = 0; c < COLUMNS; c++)
        found = worse(error_of_factor(t, sample(t->shape.n, c)), found);
    return found;
}

/* w := Tᴴ (a + Vᴴ b) for column j, with the sizes of the terms */
static void reflect(struct trial *t, int64_t j, struct sum *w)
{
    struct array *a = t->array;
    const int64_t m = t->shape.m, k = t->shape.k;
    struct sum z[k];
    for (int64_t l = 0; l < k; l++) {
        z[l] = (struct sum){{0, 0}, 0};
        add(&z[l], 1, element_before(t, &a[TOP], l, j));
        for (int64_t i = 0; i < m; i++)
            add_product(&z[l], 1, conjugate(element_before(t, &a[V], i, l)),
                        element_before(t, &a[BOTTOM], i, j));
    }
    for (int64_t l = 0; l < k; l++) {
        w[l] = (struct sum){{0, 0}, 0};
        for (int64_t i = 0; i <= l; i++) {
            struct wide of_t = conjugate(element_before(t, &a[T], i, l));
            add_product(&w[l], 1, of_t, z[i].value);
            w[l].size += (fabsl(of_t.re) + fabsl(of_t.im)) * z[i].size;
        }
    }
}

/* Column j of [a − w; b − V w], at sampled rows of its lower part */
static double error_of_column(struct trial *t, int64_t j)
{
    struct array *a = t->array;
    const int64_t k = t->shape.k;
    struct sum w[k];
    double found = 0;
    reflect(t, j, w);
    for (int64_t l = 0; l < k; l++) {
        struct sum sum = w[l];
        add(&sum, -1, element_before(t, &a[TOP], l, j));
        struct wide after = element_after(t, &a[TOP], l, j);
        found = worse(distance(t, &sum, (struct wide){-after.re, -after.im}), found);
    }
    for (int r = 0; r < SAMPLES; r++) {
        int64_t i = sample(t->shape.m, r);
        struct sum sum = {{0, 0}, 0};
        add(&sum, 1, element_before(t, &a[BOTTOM], i, j));
        for (int64_t l = 0; l < k; l++) {
            struct wide v = element_before(t, &a[V], i, l);
            add_product(&sum, -1, v, w[l].value);
            sum.size += (fabsl(v.re) + fabsl(v.im)) * w[l].size;
        }
        found = worse(distance(t, &sum, element_after(t, &a[BOTTOM], i, j)), found);
    }
    return found;
}

static double error_of_tpmqrt(struct trial *t)
{
    double found = 0;
    for (int c = 0; c < COLUMNS; c++)
        found = worse(error_of_column(t, sample(t->shape.n, c)), found);
    return found;
}

const struct kernel pair_kernels[] = {
    {.name = "tpqrt",
     .does = "QR of a triangle n x n on top of B, m x n",
     .sizes = "mn",
     .m = 4096,
     .n = 256,
     .describe = describe_tpqrt,
     .work = work_of_tpqrt,
     .run = run_tpqrt,
     .error = error_of_tpqrt},
    {.name = "tpmqrt",
     .does = "its k reflectors on [A; B], k x n on top of m x n",
     .sizes = "mnk",
     .m = 4096,
     .n = 4096,
     .k = 256,
     .describe = describe_tpmqrt,
     .work = work_of_tpmqrt,
     .run = run_tpmqrt,
     .error = error_of_tpmqrt},
    {.name = NULL},
};
