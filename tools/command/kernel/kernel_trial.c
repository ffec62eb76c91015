/*
 * The arrays of one trial.
 */
#include "kernel.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <stdlib.h>

static void set_bytes(const struct shape *s, struct array *a, int i)
{
    a->seed = (uint64_t)i + 1;
    a->bytes = (size_t)a->m * (size_t)a->n * dtype_size(s->dtype);
}

size_t trial_bytes(const struct kernel *kernel, const struct shape *shape)
{
    struct array array[MAX_ARRAYS] = {{0}};
    size_t bytes = 0;
    kernel->describe(shape, array);
    for (int i = 0; i < MAX_ARRAYS; i++) {
        set_bytes(shape, &array[i], i);
        bytes += array[i].bytes * (array[i].changed && array[i].contents == RANDOM ? 2 : 1);
    }
    return bytes;
}

/* The other half begins with the second column, or the second row. */
static int clear_other_half(struct trial *t, const struct array *a)
{
    const startile_kernels *k = startile_cuda_kernels[t->shape.dtype];
    const startile_scalar zero = {0, 0};
    size_t skipped = a->triangle == 'L' ? (size_t)a->m : 1;
    char *half = (char *)a->device + skipped * dtype_size(t->shape.dtype);
    return library_check("laset", k->laset(t->exec, a->triangle == 'L' ? 'U' : 'L', a->m - 1,
                                           a->n - 1, 0, zero, zero, half, a->m));
}

static int fill(struct trial *t, struct array *a)
{
    const startile_kernels *k = startile_cuda_kernels[t->shape.dtype];
    const startile_scalar zero = {0, 0}, scale = {ARRAY_SCALE, 0};
    int failed = library_check("random", k->random(t->exec, a->kind, a->seed, a->bump, 0, 0, a->m,
                                                   a->n, a->device, a->m)) ||
                 library_check("geadd", k->geadd(t->exec, a->m, a->n, scale, a->device, a->m, zero,
                                                 a->device, a->m)) ||
                 (a->triangle && clear_other_half(t, a));
    if (!failed && a->changed)
        failed = cuda_peer_alloc(&a->original, a->bytes) ||
                 CUDA(cudaMemcpyAsync(a->original, a->device, a->bytes, cudaMemcpyDeviceToDevice,
                                      cuda_peer.stream));
    return failed;
}

static int open_array(struct trial *t, int i)
{
    struct array *a = &t->array[i];
    set_bytes(&t->shape, a, i);
    if (!a->bytes)
        return 0;
    return cuda_peer_alloc(&a->device, a->bytes) || (a->contents == RANDOM && fill(t, a));
}

/* As many interchanges as any kernel makes at this shape. */
static int open_pivots(struct trial *t)
{
    const struct shape *s = &t->shape;
    int least = s->m < s->n ? s->m : s->n, count = s->k > least ? s->k : least;
    size_t bytes = 5 * (size_t)count * sizeof *t->pivots.of;
    t->pivots.k = t->hosted.k = count;
    t->hosted.of = malloc(bytes);
    return library_check("malloc", t->hosted.of ? 0 : STARTILE_ERROR_MEMORY) ||
           cuda_peer_alloc((void **)&t->pivots.of, bytes) ||
           cuda_peer_alloc((void **)&t->short_pivots, (size_t)count * sizeof *t->short_pivots) ||
           cuda_peer_alloc((void **)&t->sums, 2 * sizeof *t->sums);
}

bool trial_open(struct trial *t, const struct kernel *kernel, const struct shape *shape)
{
    *t = (struct trial){.kernel = kernel, .shape = *shape};
    kernel->describe(shape, t->array);
    t->exec = startile_exec_create(cuda_peer.stream);
    if (library_check("startile_exec_create", t->exec ? 0 : STARTILE_ERROR_MEMORY) ||
        CUDA(cudaMallocHost((void **)&t->panel, sizeof *t->panel)) || open_pivots(t))
        return false;
    for (int i = 0; i < MAX_ARRAYS; i++)
        if (open_array(t, i))
            return false;
    return !(kernel->prepare && library_check("preparing", kernel->prepare(t))) &&
           !cuda_peer_wait();
}

void trial_close(struct trial *t)
{
    if (t->exec)
        startile_exec_destroy(t->exec);
    trial_forget(t);
    for (int i = 0; i < MAX_ARRAYS; i++) {
        cuda_peer_free(t->array[i].device);
        cuda_peer_free(t->array[i].original);
    }
    cuda_peer_free(t->pivots.of);
    cuda_peer_free(t->short_pivots);
    cuda_peer_free(t->sums);
    free(t->hosted.of);
    if (t->panel)
        cudaFreeHost(t->panel);
}

int trial_restore(struct trial *t)
{
    int failed = 0;
    for (int i = 0; i < MAX_ARRAYS && !failed; i++) {
        struct array *a = &t->array[i];
        if (a->changed && a->contents == NOTHING)
            failed = CUDA(cudaMemsetAsync(a->device, 0xff, a->bytes, cuda_peer.stream));
        else if (a->changed)
            failed = CUDA(cudaMemcpyAsync(a->device, a->original, a->bytes,
                                          cudaMemcpyDeviceToDevice, cuda_peer.stream));
    }
    return failed || CUDA(cudaMemsetAsync(t->sums, 0, 2 * sizeof *t->sums, cuda_peer.stream));
}

void trial_forget(struct trial *t)
{
    for (int i = 0; i < MAX_ARRAYS; i++) {
        free(t->array[i].host);
        free(t->array[i].fetched);
        t->array[i].host = NULL;
        t->array[i].fetched = NULL;
    }
    t->failed_to_read = false;
}
