/*
 * Cholesky of a tile and LU of a panel.
 */
#include "flops.h"
#include "kernel.h"
#include "peer_cuda_state.h"

#include <math.h>
#include <stdlib.h>

enum { A, W };

/* A bit more than the norm of a random matrix: positive definite when Hermitian, no tiny pivots
 * when not, and yet well-conditioned. */
static double bump(int n)
{
    return 2 * sqrt(n) + 1;
}

/* -- potrf ------------------------------------------------------------------------------------ */

static void describe_potrf(const struct shape *s, struct array *array)
{
    array[A] = (struct array){
        .m = s->n, .n = s->n, .kind = STARTILE_HERMITIAN, .bump = bump(s->n), .changed = true};
}

static void describe_potrf_inverse(const struct shape *s, struct array *array)
{
    describe_potrf(s, array);
    array[W] = (struct array){.m = s->n, .n = s->n, .contents = NOTHING, .changed = true};
}

static double work_of_potrf(const struct trial *t)
{
    return flops_potrf(t->shape.dtype, t->shape.n);
}

/* The inverse of a triangle takes as many operations as Cholesky. */
static double work_of_potrf_inverse(const struct trial *t)
{
    return 2 * work_of_potrf(t);
}

static int run_potrf(struct trial *t, const startile_kernels *kernels)
{
    int n = t->shape.n;
    return kernels->potrf(t->exec, 'L', n, t->array[A].device, n, t->array[W].device, n ? n : 1,
                          t->panel);
}

static int prepare_peer_potrf(struct trial *t)
{
    return cuda_peer_prepare_potrf(t->shape.dtype, 'L', t->shape.n, t->array[A].device);
}

static int run_peer_potrf(struct trial *t)
{
    return cuda_peer_potrf(t->shape.dtype, 'L', t->shape.n, t->array[A].device);
}

static int prepare_peer_inverse(struct trial *t)
{
    return peer_prepare_inverse(t->shape.dtype, t->shape.n, t->array[A].device);
}

static int run_peer_inverse(struct trial *t)
{
    struct array *a = t->array;
    return run_peer_potrf(t) ||
           CUDA(cudaMemcpyAsync(a[W].device, a[A].device, a[A].bytes, cudaMemcpyDeviceToDevice,
                                cuda_peer.stream)) ||
           peer_inverse(t->shape.dtype, t->shape.n, a[W].device);
}

/* L Lᴴ against A */
static double error_of_potrf_at(struct trial *t, int64_t i, int64_t j)
{
    struct array *a = &t->array[A];
    int64_t row = i > j ? i : j, column = i > j ? j : i;
    struct sum sum = {{0, 0}, 0};
    for (int64_t l = 0; l <= column; l++)
        add_product(&sum, 1, element_after(t, a, row, l),
                    conjugate(element_after(t, a, column, l)));
    return distance(t, &sum, element_before(t, a, row, column));
}

static double error_of_potrf(struct trial *t)
{
    return worst(t, t->shape.n, t->shape.n, error_of_potrf_at);
}

/* W L against the identity; and zeros above W's diagonal */
static double error_of_inverse_at(struct trial *t, int64_t i, int64_t j)
{
    struct array *a = t->array;
    struct sum sum = {{0, 0}, 0};
    if (i < j)
        return unequal(element_after(t, &a[W], i, j), (struct wide){0, 0});
    for (int64_t l = j; l <= i; l++)
        add_product(&sum, 1, element_after(t, &a[W], i, l), element_after(t, &a[A], l, j));
    return distance(t, &sum, (struct wide){i == j, 0});
}

static double error_of_potrf_inverse(struct trial *t)
{
    return worse(error_of_potrf(t), worst(t, t->shape.n, t->shape.n, error_of_inverse_at));
}

/* -- getrf ------------------------------------------------------------------------------------ */

static void describe_getrf(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->m, .n = s->n, .changed = true};
}

static void describe_getrf_nopiv(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->n, .n = s->n, .bump = bump(s->n), .changed = true};
}

static double work_of_getrf(const struct trial *t)
{
    return flops_getrf(t->shape.dtype, t->array[A].m, t->shape.n);
}

static int run_getrf(struct trial *t, const startile_kernels *kernels)
{
    const struct shape *s = &t->shape;
    const startile_piece a = {t->array[A].device, s->m, s->m};
    return kernels->getrf(t->exec, 1, &a, s->n, 0, t->pivots, NULL, 1, t->panel);
}

static int run_getrf_nopiv(struct trial *t, const startile_kernels *kernels)
{
    int n = t->shape.n;
    return kernels->getrf_nopiv(t->exec, n, t->array[A].device, n, NULL, 1, NULL, 1, t->panel);
}

static int prepare_peer_getrf(struct trial *t)
{
    struct array *a = &t->array[A];
    return cuda_peer_prepare_getrf(t->shape.dtype, a->m, a->n, a->device);
}

static int run_peer_getrf(struct trial *t)
{
    return cuda_peer_getrf(t->shape.dtype, t->shape.m, t->shape.n, t->array[A].device,
                           t->pivots.of);
}

static int run_peer_getrf_nopiv(struct trial *t)
{
    return cuda_peer_getrf(t->shape.dtype, t->shape.n, t->shape.n, t->array[A].device, NULL);
}

static struct wide lower(struct trial *t, int64_t i, int64_t j)
{
    return i == j ? (struct wide){1, 0} : element_after(t, &t->array[A], i, j);
}

/* L U against row `from` of A, which has become row i */
static double error_of_lu(struct trial *t, int64_t from, int64_t i, int64_t j)
{
    struct sum sum = {{0, 0}, 0};
    for (int64_t l = 0; l <= (i < j ? i : j); l++)
        add_product(&sum, 1, lower(t, i, l), element_after(t, &t->array[A], l, j));
    return distance(t, &sum, element_before(t, &t->array[A], from, j));
}

static double error_of_getrf_nopiv_at(struct trial *t, int64_t i, int64_t j)
{
    return error_of_lu(t, i, i, j);
}

static double error_of_getrf_nopiv(struct trial *t)
{
    return worst(t, t->shape.n, t->shape.n, error_of_getrf_nopiv_at);
}

/* The interchanges are on the host by now. */
static int64_t row_before(const struct trial *t, int64_t i)
{
    int64_t k = t->shape.m < t->shape.n ? t->shape.m : t->shape.n;
    for (int64_t j = k - 1; j >= 0; j--) {
        int64_t other = t->hosted.of[j] - 1;
        i = i == j ? other : i == other ? j : i;
    }
    return i;
}

static double error_of_getrf_at(struct trial *t, int64_t i, int64_t j)
{
    return error_of_lu(t, row_before(t, i), i, j);
}

static double error_of_getrf(struct trial *t)
{
    size_t least = (size_t)(t->shape.m < t->shape.n ? t->shape.m : t->shape.n);
    if (cuda_peer_to_host(t->hosted.of, t->pivots.of, least * sizeof *t->hosted.of) ||
        cuda_peer_wait())
        return NAN;
    for (size_t j = 0; j < least; j++)
        if (t->hosted.of[j] <= (int64_t)j || t->hosted.of[j] > t->shape.m)
            return INFINITY;
    return worst(t, t->shape.m, t->shape.n, error_of_getrf_at);
}

const struct kernel factor_kernels[] = {
    {.name = "potrf",
     .does = "Cholesky of a tile, lower, n x n",
     .peer = "cuSOLVER potrf",
     .sizes = "n",
     .n = 2048,
     .alike = true,
     .by_vendor = true,
     .describe = describe_potrf,
     .work = work_of_potrf,
     .run = run_potrf,
     .prepare_peer = prepare_peer_potrf,
     .run_peer = run_peer_potrf,
     .error = error_of_potrf},
    {.name = "potrf_inverse",
     .does = "the same, the factor's inverse and its norm check",
     .peer = "cuSOLVER potrf, trtri",
     .sizes = "n",
     .n = 2048,
     .by_vendor = true,
     .describe = describe_potrf_inverse,
     .work = work_of_potrf_inverse,
     .run = run_potrf,
     .prepare_peer = prepare_peer_inverse,
     .run_peer = run_peer_inverse,
     .error = error_of_potrf_inverse},
    {.name = "getrf",
     .does = "LU of a panel with partial pivoting, m x n",
     .peer = "cuSOLVER getrf",
     .sizes = "mn",
     .m = 16384,
     .n = 256,
     .alike = true,
     .describe = describe_getrf,
     .work = work_of_getrf,
     .run = run_getrf,
     .prepare_peer = prepare_peer_getrf,
     .run_peer = run_peer_getrf,
     .error = error_of_getrf},
    {.name = "getrf_nopiv",
     .does = "LU of a tile without pivoting, n x n",
     .peer = "cuSOLVER getrf",
     .sizes = "n",
     .n = 1024,
     .alike = true,
     .describe = describe_getrf_nopiv,
     .work = work_of_getrf,
     .run = run_getrf_nopiv,
     .prepare_peer = prepare_peer_getrf,
     .run_peer = run_peer_getrf_nopiv,
     .error = error_of_getrf_nopiv},
    {.name = NULL},
};
