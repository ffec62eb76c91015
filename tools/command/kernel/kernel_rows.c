/*
 * Row interchanges.
 */
#include "kernel.h"
#include "peer_cuda_state.h"
#include "random.h"
#include "scalar.h"

#include <stdlib.h>

enum { A };

static void describe_laswp(const struct shape *s, struct array *array)
{
    array[A] = (struct array){.m = s->m, .n = s->n, .changed = true};
}

/* Random interchanges, as partial pivoting makes them */
static int prepare_laswp(struct trial *t)
{
    int k = t->shape.k, of[k];
    t->pivots.k = t->hosted.k = k;
    for (int j = 0; j < k; j++) {
        of[j] = j + 1 + (int)(startile_mix((uint64_t)j) % (uint64_t)(t->shape.m - j));
        t->hosted.of[j] = of[j];
    }
    return startile_moves_of_pivots(0, t->hosted) ||
           CUDA(cudaMemcpyAsync(t->pivots.of, t->hosted.of, 5 * (size_t)k * sizeof *t->hosted.of,
                                cudaMemcpyHostToDevice, cuda_peer.stream)) ||
           CUDA(cudaMemcpyAsync(t->short_pivots, of, sizeof of, cudaMemcpyHostToDevice,
                                cuda_peer.stream)) ||
           cuda_peer_wait();
}

static double work_of_laswp(const struct trial *t)
{
    int moved = 0;
    for (int i = 0; i < 2 * t->shape.k; i++)
        moved += t->hosted.of[t->shape.k + i] >= 0;
    return 2.0 * moved * t->shape.n * (double)dtype_size(t->shape.dtype);
}

static int run_laswp(struct trial *t, const startile_kernels *kernels)
{
    const startile_piece a = {t->array[A].device, t->shape.m, t->shape.m};
    return kernels->laswp(t->exec, 1, &a, t->shape.n, 0, 1, &t->pivots, 0);
}

static int run_peer_laswp(struct trial *t)
{
    const struct shape *s = &t->shape;
    return peer_laswp(s->dtype, s->m, s->n, s->k, t->short_pivots, t->array[A].device);
}

/* Half of the places are among the rows that the interchanges begin with. */
static double error_of_laswp_at(struct trial *t, int64_t i, int64_t j)
{
    const int64_t *to = t->hosted.of + t->shape.k, *from = to + 2 * (ptrdiff_t)t->shape.k;
    int64_t row = i % 2 ? i % t->shape.k : i, was = row;
    for (int64_t l = 0; l < 2 * (int64_t)t->shape.k; l++)
        was = to[l] == row ? from[l] : was;
    return unequal(element_before(t, &t->array[A], was, j), element_after(t, &t->array[A], row, j));
}

static double error_of_laswp(struct trial *t)
{
    return worst(t, t->shape.m, t->shape.n, error_of_laswp_at);
}

const struct kernel row_kernels[] = {
    {.name = "laswp",
     .does = "k random row interchanges, m x n",
     .peer = "cuSOLVER laswp",
     .sizes = "mnk",
     .tall = true,
     .m = 16384,
     .n = 8192,
     .k = 512,
     .moves = true,
     .alike = true,
     .describe = describe_laswp,
     .work = work_of_laswp,
     .prepare = prepare_laswp,
     .run = run_laswp,
     .run_peer = run_peer_laswp,
     .error = error_of_laswp},
    {.name = NULL},
};
