/*
 * QR of a panel, and its block reflector applied.
 */
#include "flops.h"
#include "kernel.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>

enum { V, T, TAU, C };

/* A column takes m k products, so only some are checked. */
enum { COLUMNS = 4 };

/* -- geqrf ------------------------------------------------------------------------------------ */

static void describe_geqrf(const struct shape *s, struct array *array)
{
    array[V] = (struct array){.m = s->m, .n = s->n, .changed = true};
    array[T] = (struct array){.m = s->n, .n = s->n, .contents = NOTHING, .changed = true};
    array[TAU] = (struct array){.m = s->n, .n = 1, .contents = NOTHING, .changed = true};
}

static double work_of_geqrf(const struct trial *t)
{
    return flops_geqrf(t->shape.dtype, t->shape.m, t->shape.n);
}

static int run_geqrf(struct trial *t, const startile_kernels *kernels)
{
    const startile_piece a = {t->array[V].device, t->array[V].m, t->array[V].m};
    return kernels->geqrf(t->exec, 1, &a, t->array[V].n, t->array[T].device, t->array[T].m);
}

static int prepare_peer_geqrf(struct trial *t)
{
    return cuda_peer_prepare_geqrf(t->shape.dtype, t->shape.m, t->shape.n, t->array[V].device,
                                   t->array[TAU].device);
}

static int run_peer_geqrf(struct trial *t)
{
    return cuda_peer_geqrf(t->shape.dtype, t->shape.m, t->shape.n, t->array[V].device,
                           t->array[TAU].device);
}

/* -- larfb ------------------------------------------------------------------------------------ */

static void describe_larfb(const struct shape *s, struct array *array)
{
    array[V] = (struct array){.m = s->m, .n = s->k};
    array[T] = (struct array){.m = s->k, .n = s->k, .contents = NOTHING};
    array[TAU] = (struct array){.m = s->k, .n = 1, .contents = NOTHING};
    array[C] = (struct array){.m = s->m, .n = s->n, .changed = true};
}

static double work_of_larfb(const struct trial *t)
{
    return flops_ormqr(t->shape.dtype, t->shape.m, t->shape.n, t->shape.k);
}

static int prepare_larfb(struct trial *t)
{
    struct array *a = t->array;
    size_t size = dtype_size(t->shape.dtype), k = (size_t)t->shape.k;
    return run_geqrf(t, startile_cuda_kernels[t->shape.dtype]) ||
           CUDA(cudaMemcpy2DAsync(a[TAU].device, size, a[T].device, (k + 1) * size, size, k,
                                  cudaMemcpyDeviceToDevice, cuda_peer.stream));
}

static int run_larfb(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    const startile_piece v = {t->array[V].device, s->m, s->m}, c = {t->array[C].device, s->m, s->m};
    return kernels->larfb(t->exec, 'C', 1, &v, s->k, t->array[T].device, s->k, 1, &c, s->n);
}

static int prepare_peer_larfb(struct trial *t)
{
    const struct shape *s = &t->shape;
    return cuda_peer_prepare_ormqr(s->dtype, s->m, s->n, s->k, t->array[V].device,
                                   t->array[TAU].device, t->array[C].device);
}

static int run_peer_larfb(struct trial *t)
{
    const struct shape *s = &t->shape;
    return cuda_peer_ormqr(s->dtype, 'C', s->m, s->n, s->k, t->array[V].device,
                           t->array[TAU].device, t->array[C].device);
}

/* -- checks ----------------------------------------------------------------------------------- */

static struct wide reflector(struct trial *t, int64_t i, int64_t j)
{
    return i < j    ? (struct wide){0, 0}
           : i == j ? (struct wide){1, 0}
                    : element_after(t, &t->array[V], i, j);
}

/* y := op(T) Vᴴ x for k reflectors; T is upper triangular */
static void project(struct trial *t, char trans, int64_t k, const struct wide *x, struct wide *y)
{
    struct sum z[k];
    for (int64_t l = 0; l < k; l++) {
        z[l] = (struct sum){{0, 0}, 0};
        for (int64_t i = l; i < t->shape.m; i++)
            add_product(&z[l], 1, conjugate(reflector(t, i, l)), x[i]);
    }
    for (int64_t l = 0; l < k; l++) {
        struct sum sum = {{0, 0}, 0};
        int64_t first = trans == 'N' ? l : 0, last = trans == 'N' ? k - 1 : l;
        for (int64_t i = first; i <= last; i++) {
            struct wide of_t = trans == 'N' ? element_after(t, &t->array[T], l, i)
                                            : conjugate(element_after(t, &t->array[T], i, l));
            add_product(&sum, 1, of_t, z[i].value);
        }
        y[l] = sum.value;
    }
}

/* ‖(I − V op(T) Vᴴ) x − column j of `expected`‖ / (‖x‖ √k roundoff) */
static double error_of_reflection(struct trial *t, char trans, int64_t k, const struct wide *x,
                                  struct wide (*expected)(struct trial *, int64_t, int64_t),
                                  int64_t j)
{
    struct wide y[k];
    long double off = 0, norm = 0;
    project(t, trans, k, x, y);
    for (int64_t i = 0; i < t->shape.m; i++) {
        struct sum sum = {{0, 0}, 0};
        struct wide e = expected(t, i, j);
        add(&sum, 1, x[i]);
        add(&sum, -1, e);
        for (int64_t l = 0; l < k && l <= i; l++)
            add_product(&sum, -1, reflector(t, i, l), y[l]);
        off += sum.value.re * sum.value.re + sum.value.im * sum.value.im;
        norm += x[i].re * x[i].re + x[i].im * x[i].im;
    }
    return (double)(sqrtl(off / (norm * k)) / dtype_unit_roundoff(t->shape.dtype));
}

/* The columns that are reflected, and what they have to become. */
static double error_of_columns(struct trial *t, char trans, int64_t k,
                               struct wide (*given)(struct trial *, int64_t, int64_t),
                               struct wide (*expected)(struct trial *, int64_t, int64_t))
{
    double found = 0;
    struct wide *x = malloc((size_t)t->shape.m * sizeof *x);
    for (int c = 0; x && c < COLUMNS; c++) {
        int64_t j = sample(t->shape.n, c);
        for (int64_t i = 0; i < t->shape.m; i++)
            x[i] = given(t, i, j);
        found = worse(error_of_reflection(t, trans, k, x, expected, j), found);
    }
    free(x);
    return x ? found : NAN;
}

static struct wide of_r(struct trial *t, int64_t i, int64_t j)
{
    return i > j ? (struct wide){0, 0} : element_after(t, &t->array[V], i, j);
}

static struct wide of_a(struct trial *t, int64_t i, int64_t j)
{
    return element_before(t, &t->array[V], i, j);
}

static struct wide of_c(struct trial *t, int64_t i, int64_t j)
{
    return element_before(t, &t->array[C], i, j);
}

static struct wide of_product(struct trial *t, int64_t i, int64_t j)
{
    return element_after(t, &t->array[C], i, j);
}

static double error_of_geqrf(struct trial *t)
{
    return error_of_columns(t, 'N', t->shape.n, of_r, of_a);
}

static double error_of_larfb(struct trial *t)
{
    return error_of_columns(t, 'C', t->shape.k, of_c, of_product);
}

const struct kernel qr_kernels[] = {
    {.name = "geqrf",
     .does = "QR of a panel with its triangle T, m x n (m >= n)",
     .peer = "cuSOLVER geqrf, no T",
     .sizes = "mn",
     .tall = true,
     .m = 16384,
     .n = 256,
     .describe = describe_geqrf,
     .work = work_of_geqrf,
     .run = run_geqrf,
     .prepare_peer = prepare_peer_geqrf,
     .run_peer = run_peer_geqrf,
     .error = error_of_geqrf},
    {.name = "larfb",
     .does = "C := Q^H C, m x n, for k <= m reflectors",
     .peer = "cuSOLVER ormqr, unmqr",
     .sizes = "mnk",
     .tall = true,
     .m = 8192,
     .n = 8192,
     .k = 256,
     .alike = true,
     .describe = describe_larfb,
     .work = work_of_larfb,
     .prepare = prepare_larfb,
     .run = run_larfb,
     .prepare_peer = prepare_peer_larfb,
     .run_peer = run_peer_larfb,
     .error = error_of_larfb},
    {.name = NULL},
};
