/*
 * Kernels that memory bounds: copies, transpositions, sums and norms.
 */
#include "kernel.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>

enum { A, B };

static const startile_scalar two = {2, 0}, half = {0.5, 0};

static double elements(const struct trial *t)
{
    return (double)t->shape.m * t->shape.n * (double)dtype_size(t->shape.dtype);
}

static double read_and_written(const struct trial *t)
{
    return 2 * elements(t);
}

static double two_read_and_written(const struct trial *t)
{
    return 3 * elements(t);
}

/* -- lacpy, transpose, geadd ------------------------------------------------------------------- */

static void describe_copy(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->m, .n = s->n};
    array[B] = (struct array){.m = s->m, .n = s->n, .contents = NOTHING, .changed = true};
}

static void describe_transpose(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->m, .n = s->n};
    array[B] = (struct array){.m = s->n, .n = s->m, .contents = NOTHING, .changed = true};
}

static void describe_geadd(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->m, .n = s->n};
    array[B] = (struct array){.m = s->m, .n = s->n, .changed = true};
}

static int run_lacpy(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    return kernels->lacpy(t->exec, 'G', s->m, s->n, t->array[A].device, s->m, t->array[B].device,
                          s->m);
}

static int run_transpose(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    return kernels->transpose(t->exec, s->m, s->n, t->array[A].device, s->m, t->array[B].device,
                              s->n);
}

static int run_geadd(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    return kernels->geadd(t->exec, s->m, s->n, two, t->array[A].device, s->m, half,
                          t->array[B].device, s->m);
}

static int run_peer_lacpy(struct trial *t)
{
    return CUDA(cudaMemcpyAsync(t->array[B].device, t->array[A].device, t->array[A].bytes,
                                cudaMemcpyDeviceToDevice, cuda_peer.stream));
}

static int run_peer_transpose(struct trial *t)
{
    return peer_geam(t->shape.dtype, 'C', t->shape.n, t->shape.m, 1, t->array[A].device, 0,
                     t->array[B].device);
}

static int run_peer_geadd(struct trial *t)
{
    return peer_geam(t->shape.dtype, 'N', t->shape.m, t->shape.n, two.re, t->array[A].device,
                     half.re, t->array[B].device);
}

static double error_of_lacpy_at(struct trial *t, int64_t i, int64_t j)
{
    return unequal(element_before(t, &t->array[A], i, j), element_after(t, &t->array[B], i, j));
}

static double error_of_transpose_at(struct trial *t, int64_t i, int64_t j)
{
    return unequal(conjugate(element_before(t, &t->array[A], j, i)),
                   element_after(t, &t->array[B], i, j));
}

static double error_of_geadd_at(struct trial *t, int64_t i, int64_t j)
{
    struct sum sum = {{0, 0}, 0};
    add(&sum, two.re, element_before(t, &t->array[A], i, j));
    add(&sum, half.re, element_before(t, &t->array[B], i, j));
    return distance(t, &sum, element_after(t, &t->array[B], i, j));
}

static double error_of_lacpy(struct trial *t)
{
    return worst(t, t->shape.m, t->shape.n, error_of_lacpy_at);
}

static double error_of_transpose(struct trial *t)
{
    return worst(t, t->shape.n, t->shape.m, error_of_transpose_at);
}

static double error_of_geadd(struct trial *t)
{
    return worst(t, t->shape.m, t->shape.n, error_of_geadd_at);
}

/* -- lange ------------------------------------------------------------------------------------ */

static void describe_lange(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->m, .n = s->n};
}

static int run_lange(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    return kernels->lange(t->exec, 'F', s->m, s->n, 1, t->array[A].device, s->m, t->sums);
}

static int run_peer_lange(struct trial *t)
{
    return peer_nrm2(t->shape.dtype, (int64_t)t->shape.m * t->shape.n, t->array[A].device, t->sums);
}

/* One sum of them all would be less precise than what it is to check. */
static long double squares_of_column(const struct trial *t, int64_t j)
{
    long double squares = 0;
    for (int64_t i = 0; i < t->shape.m; i++) {
        struct wide x = element_before(t, &t->array[A], i, j);
        squares += x.re * x.re + x.im * x.im;
    }
    return squares;
}

static double error_of_lange(struct trial *t)
{
    double found[2];
    long double squares = 0;
    if (cuda_peer_to_host(found, t->sums, sizeof found) || cuda_peer_wait())
        return NAN;
    for (int64_t j = 0; j < t->shape.n; j++)
        squares += squares_of_column(t, j);
    long double norm = sqrtl(squares);
    return (double)(fabsl(found[0] * sqrtl(found[1]) - norm) /
                    (norm * dtype_unit_roundoff(t->shape.dtype)));
}

const struct kernel move_kernels[] = {
    {.name = "transpose",
     .does = "B := A^H, A being m x n",
     .peer = "cuBLAS geam",
     .sizes = "mn",
     .n = 8192,
     .moves = true,
     .alike = true,
     .describe = describe_transpose,
     .work = read_and_written,
     .run = run_transpose,
     .run_peer = run_peer_transpose,
     .error = error_of_transpose},
    {.name = "lacpy",
     .does = "B := A, m x n",
     .peer = "cudaMemcpy",
     .sizes = "mn",
     .n = 8192,
     .moves = true,
     .alike = true,
     .describe = describe_copy,
     .work = read_and_written,
     .run = run_lacpy,
     .run_peer = run_peer_lacpy,
     .error = error_of_lacpy},
    {.name = "geadd",
     .does = "B := 2 A + B / 2, m x n",
     .peer = "cuBLAS geam",
     .sizes = "mn",
     .n = 8192,
     .moves = true,
     .alike = true,
     .describe = describe_geadd,
     .work = two_read_and_written,
     .run = run_geadd,
     .run_peer = run_peer_geadd,
     .error = error_of_geadd},
    {.name = "lange",
     .does = "the Frobenius norm, m x n",
     .peer = "cuBLAS nrm2",
     .sizes = "mn",
     .n = 8192,
     .moves = true,
     .describe = describe_lange,
     .work = elements,
     .run = run_lange,
     .run_peer = run_peer_lange,
     .error = error_of_lange},
    {.name = NULL},
};
