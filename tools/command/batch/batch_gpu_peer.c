/*
 * Batches in GPU memory, and their peer: the vendor's batched routines.
 */
#include "batch_gpu.h"
#include "peer/peer_cuda_state.h"

#include <stdlib.h>
#include <string.h>

/* -- memory --------------------------------------------------------------------------------- */

int batch_gpu_open(struct gpu_arrays *g)
{
    return cuda_peer_open() || cuda_flood_open() || gpu_arrays_open(g);
}

void batch_gpu_close(struct gpu_arrays *g)
{
    gpu_arrays_close(g);
    cuda_flood_close();
    cuda_peer_close();
}

int batch_gpu_load_and_flush_l2(const struct gpu_arrays *g, bool all)
{
    return gpu_arrays_load(g, all) || cuda_flood_read();
}

/* -- the routine ---------------------------------------------------------------------------- */

/* Returns whether the vendor's routine takes the layout and the shape of the batch. */
static bool supports(const struct gpu_routine *r, const struct problem *batch)
{
    return batch->layout != BATCH_VARIABLE && (!r->needs || batch->size.m == batch->size.n ||
                                               (r->needs == 't' && batch->size.m > batch->size.n));
}

/* Returns the vendor's routine for the batch; NULL: there is none. */
static const struct gpu_routine *routine_for(const struct problem *batch)
{
    for (const struct gpu_routine *r = gpu_routines; r->name; r++)
        if (!strcmp(r->name, batch->routine->name) && supports(r, batch))
            return r;
    return NULL;
}

const char *batch_gpu_peer_name(const struct problem *batch)
{
    const struct gpu_routine *r = routine_for(batch);
    return r ? r->description : "";
}

/* -- pointers and pivots for cuBLAS --------------------------------------------------------- */

/* The batch that is open */
static struct gpu_batch x;

/* Allocates *pointers in GPU memory, and stores there the addresses of array i's matrices, which
 * begin at `base`. */
static int make_pointers(int i, void *base, void ***pointers)
{
    const struct batch_data *d = x.data;
    size_t size = operand_size(&d->batch->routine->operand[i], d->batch->dtype),
           bytes = (size_t)x.count * sizeof **pointers;
    void **host = malloc(bytes);
    if (!host)
        return library_check("malloc", 1);
    for (int q = 0; q < x.count; q++)
        host[q] = (char *)base + d->start[i][q] * size;
    int failed = cuda_peer_alloc((void **)pointers, bytes) ||
                 CUDA(cudaMemcpy(*pointers, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return failed;
}

/* Copies the pivots to int, which the vendor takes, and makes *g transfer the copy. Array 1 has the
 * pivots in all routines that have any. */
static int narrow_pivots(struct gpu_arrays *g)
{
    const struct batch_data *d = x.data;
    struct gpu_array *a = &g->array[1];
    const int64_t *wide = d->original[1];
    size_t count = d->start[1][x.count];
    a->bytes = count * sizeof *x.host_ipiv;
    x.host_ipiv = malloc(a->bytes);
    if (!x.host_ipiv)
        return library_check("malloc", 1);
    for (size_t i = 0; i < count; i++)
        x.host_ipiv[i] = (int)wide[i];
    a->in = a->in ? x.host_ipiv : NULL;
    a->out = a->out ? x.host_ipiv : NULL;
    return 0;
}

/* Copies the pivots back from int, and frees the copy. */
static void widen_pivots(void)
{
    int64_t *wide = x.data->current[1];
    for (size_t i = 0; x.host_ipiv && i < x.data->start[1][x.count]; i++)
        wide[i] = x.host_ipiv[i];
    free(x.host_ipiv);
}

/* -- the device ----------------------------------------------------------------------------- */

/* Allocates the arrays on the GPU. Arrays that the routine does not read get no input. */
static int open_arrays(struct gpu_arrays *g)
{
    const struct operand *operand = x.data->batch->routine->operand;
    bool pivots = operand[1].letters[0] == 'P';
    for (int i = 0; i < g->count; i++)
        g->array[i].in = operand[i].read ? g->array[i].in : NULL;
    if ((pivots && narrow_pivots(g)) || batch_gpu_open(g))
        return -1;
    gpu_arrays_pin(g, true);
    for (int i = 0; i < g->count; i++)
        x.array[i] = g->array[i].device;
    x.ipiv = pivots ? x.array[1] : NULL;
    return 0;
}

static int open_batch(struct peer_run *run)
{
    const struct batch_data *d = run->batch;
    const struct routine *routine = d->batch->routine;
    x = (struct gpu_batch){.data = d,
                           .dtype = d->batch->dtype,
                           .m = (int)d->batch->m,
                           .n = (int)d->batch->n,
                           .k = (int)d->batch->k,
                           .count = (int)d->batch->count};
    run->arrays = batch_arrays(d);
    int failed = open_arrays(&run->arrays) ||
                 cuda_peer_alloc((void **)&x.info, (size_t)x.count * sizeof *x.info);
    for (int i = 0; i < d->arrays && !failed; i++)
        if (routine->operand[i].element == ELEMENTS)
            failed = make_pointers(i, x.array[i], &x.pointers[i]);
    if (!failed && !strcmp(routine->name, "getri"))
        failed =
            cuda_peer_alloc(&x.spare, d->bytes[0]) || make_pointers(0, x.spare, &x.spare_pointers);
    return failed;
}

static void close_batch(struct peer_run *run)
{
    for (int i = 0; i < OPERANDS; i++)
        cuda_peer_free((void *)x.pointers[i]);
    cuda_peer_free(x.info);
    cuda_peer_free(x.spare);
    cuda_peer_free((void *)x.spare_pointers);
    gpu_arrays_pin(&run->arrays, false);
    batch_gpu_close(&run->arrays);
    widen_pivots();
}

/* With `all` the load may be a part of a timed run, so that it does not read the flood. */
static int load_arrays(struct peer_run *run, bool all)
{
    return all ? gpu_arrays_load(&run->arrays, true)
               : batch_gpu_load_and_flush_l2(&run->arrays, false);
}

static int run_routine(struct peer_run *run)
{
    return routine_for(run->problem)->run(&x);
}

/* Enqueues copies of the results to main memory; getri's are in x.spare. */
static int fetch_arrays(struct peer_run *run)
{
    struct gpu_arrays from = run->arrays;
    if (x.spare)
        from.array[0].device = x.spare;
    return gpu_arrays_fetch(&from);
}

const struct peer_device *batch_gpu_device(const struct problem *p)
{
    static const struct peer_device device = {false,          open_batch,  close_batch,
                                              load_arrays,    run_routine, fetch_arrays,
                                              cuda_peer_wait, NULL,        cuda_peer_reason};
    return routine_for(p) ? &device : NULL;
}
