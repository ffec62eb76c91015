/*
 * Results of kernels against sums in long double, at sampled places.
 */
#include "kernel.h"
#include "peer_cuda_state.h"
#include "random.h"
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* -- elements --------------------------------------------------------------------------------- */

/* As kernels/cpu/random.c has them, scaled. */
struct wide element_before(const struct trial *t, const struct array *a, int64_t i, int64_t j)
{
    if ((a->triangle == 'L' && i < j) || (a->triangle == 'U' && i > j))
        return (struct wide){0, 0};
    bool above = i < j && a->kind != STARTILE_GENERAL;
    int64_t row = above ? j : i, column = above ? i : j;
    double re = startile_uniform(a->seed, row, column, 0) + (i == j ? a->bump : 0), im = 0;
    if (dtype_is_complex(t->shape.dtype)) {
        im = startile_uniform(a->seed, row, column, 1);
        if (a->kind == STARTILE_HERMITIAN)
            im = i == j ? 0 : above ? -im : im;
    }
    const float scale = (float)ARRAY_SCALE;
    return dtype_is_single(t->shape.dtype) ? (struct wide){scale * (float)re, scale * (float)im}
                                           : (struct wide){ARRAY_SCALE * re, ARRAY_SCALE * im};
}

static bool fetch(struct trial *t, struct array *a, int64_t j)
{
    size_t column = a->bytes / (size_t)a->n;
    if (!a->host) {
        a->host = malloc(a->bytes);
        a->fetched = calloc((size_t)a->n, sizeof *a->fetched);
        if (!a->host || !a->fetched)
            return false;
    }
    if (!a->fetched[j])
        a->fetched[j] = !cuda_peer_to_host((char *)a->host + (size_t)j * column,
                                           (char *)a->device + (size_t)j * column, column) &&
                        !cuda_peer_wait();
    t->failed_to_read = t->failed_to_read || !a->fetched[j];
    return a->fetched[j];
}

struct wide element_after(struct trial *t, struct array *a, int64_t i, int64_t j)
{
    if (!(a->fetched && a->fetched[j]) && !fetch(t, a, j))
        return (struct wide){NAN, NAN};
    double _Complex value = element_get(t->shape.dtype, a->host, (size_t)(i + j * a->m));
    return (struct wide){creal(value), cimag(value)};
}

/* -- sums ------------------------------------------------------------------------------------- */

struct wide conjugate(struct wide x)
{
    return (struct wide){x.re, -x.im};
}

static long double size_of(struct wide x)
{
    return fabsl(x.re) + fabsl(x.im);
}

void add_product(struct sum *s, double scale, struct wide x, struct wide y)
{
    s->value.re += scale * (x.re * y.re - x.im * y.im);
    s->value.im += scale * (x.re * y.im + x.im * y.re);
    s->size += fabs(scale) * size_of(x) * size_of(y);
}

void add(struct sum *s, double scale, struct wide x)
{
    s->value.re += scale * x.re;
    s->value.im += scale * x.im;
    s->size += fabs(scale) * size_of(x);
}

double distance(const struct trial *t, const struct sum *s, struct wide x)
{
    struct wide difference = {x.re - s->value.re, x.im - s->value.im};
    long double off = size_of(difference);
    return off == 0 ? 0 : (double)(off / (s->size * dtype_unit_roundoff(t->shape.dtype)));
}

double unequal(struct wide x, struct wide y)
{
    return x.re == y.re && x.im == y.im ? 0 : INFINITY;
}

double worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* -- places ----------------------------------------------------------------------------------- */

int64_t sample(int64_t n, int c)
{
    const int64_t ends[] = {0, n - 1, n / 2};
    return c < 3 ? ends[c] : (int64_t)(startile_mix((uint64_t)c) % (uint64_t)n);
}

double worst(struct trial *t, int64_t m, int64_t n,
             double (*at)(struct trial *t, int64_t i, int64_t j))
{
    double found = 0;
    for (int c = 0; c < SAMPLES; c++)
        for (int r = 0; r < SAMPLES; r++)
            found = worse(at(t, sample(m, r), sample(n, c)), found);
    return found;
}
