/*
 * The peer of batches on a GPU.
 */
#include "batch_gpu.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct gpu_routine *routine_for(const struct batch_case *c)
{
    static const struct gpu_routine *const lists[] = {gpu_matrix_routines, gpu_vector_routines};
    bool one_size = c->layout != BATCH_VARIABLE;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct gpu_routine *r = lists[i]; r->name; r++)
            if (!strcmp(r->name, c->routine->name))
                return (one_size || c->routine->vectors) && (!r->has || r->has(c)) ? r : NULL;
    return NULL;
}

const char *batch_gpu_peer(const struct batch_case *c)
{
    const struct gpu_routine *r = routine_for(c);
    return r ? r->does : NULL;
}

/* -- what cuBLAS takes ---------------------------------------------------------------------- */

/* Of array i's matrices, which lie at `base` */
static int make_pointers(const struct gpu_batch *x, int i, void *base, void ***each)
{
    const struct batch_data *d = x->data;
    size_t size = batch_element_size(d->batch, i), bytes = (size_t)x->count * sizeof **each;
    void **host = malloc(bytes);
    if (!host)
        return library_check("malloc", 1);
    for (int q = 0; q < x->count; q++)
        host[q] = (char *)base + d->start[i][q] * size;
    int failed = cuda_peer_alloc((void **)each, bytes) ||
                 CUDA(cudaMemcpy(*each, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return failed;
}

/* The array of pivots is the second one of all routines that have them. */
static bool has_pivots(const struct batch_data *d)
{
    const struct batch_routine *r = d->batch->routine;
    return !r->vectors && r->arrays > 2 && r->operand[1].element == INTEGERS;
}

static int make_pivots(struct gpu_batch *x)
{
    const struct batch_data *d = x->data;
    size_t count = d->start[1][x->count], bytes = count * sizeof *x->ipiv;
    const int64_t *wide = d->original[1];
    int *host = malloc(bytes);
    if (!host)
        return library_check("malloc", 1);
    for (size_t i = 0; i < count; i++)
        host[i] = (int)wide[i];
    int failed = cuda_peer_alloc((void **)&x->ipiv, bytes) ||
                 CUDA(cudaMemcpy(x->ipiv, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    return failed;
}

static int open_batch(struct gpu_batch *x, const struct gpu_routine *routine)
{
    const struct batch_data *d = x->data;
    int failed = batch_gpu_alloc(d, x->array) ||
                 cuda_peer_alloc((void **)&x->info, (size_t)x->count * sizeof *x->info);
    for (int i = 0; i < d->batch->routine->arrays && !failed && !d->batch->routine->vectors; i++)
        if (d->batch->routine->operand[i].element == ELEMENTS)
            failed = make_pointers(x, i, x->array[i], &x->each[i]);
    if (!failed && has_pivots(d))
        failed = make_pivots(x);
    if (!failed && routine->in_spare)
        failed = cuda_peer_alloc(&x->spare, d->bytes[0]) ||
                 make_pointers(x, 0, x->spare, &x->each_spare);
    return failed;
}

static void close_batch(struct gpu_batch *x)
{
    for (int i = 0; i < BATCH_ARRAYS; i++)
        cuda_peer_free((void *)x->each[i]);
    cuda_peer_free(x->ipiv);
    cuda_peer_free(x->info);
    cuda_peer_free(x->spare);
    cuda_peer_free((void *)x->each_spare);
    batch_gpu_free(x->array);
}

/* -- the race ------------------------------------------------------------------------------- */

struct gpu_race {
    const struct gpu_routine *routine;
    struct gpu_batch *x;
    struct batch_data *data;
    bool resident;
};

static int copy_in(const struct gpu_race *race)
{
    int failed = 0;
    for (int i = 0; i < race->data->batch->routine->arrays && !failed; i++)
        if (race->data->batch->routine->operand[i].read)
            failed =
                cuda_peer_to_device(race->x->array[i], race->data->now[i], race->data->bytes[i]);
    return failed;
}

static int fetch(const struct gpu_race *race)
{
    void *from[BATCH_ARRAYS];
    memcpy(from, race->x->array, sizeof from);
    if (race->x->spare)
        from[0] = race->x->spare;
    return batch_gpu_fetch(race->data, from);
}

/* Where the batch resides in main memory, its way to the GPU and back is part of the time. */
static double run_once(void *argument)
{
    struct gpu_race *race = argument;
    if (!race->resident)
        batch_data_restore(race->data);
    if (batch_gpu_restore(race->data, race->x->array))
        return -1;
    double start = now_seconds();
    int failed = (!race->resident && copy_in(race)) || race->routine->run(race->x) ||
                 (race->resident ? cuda_peer_wait() : fetch(race));
    double seconds = now_seconds() - start;
    return failed ? -1 : seconds;
}

/* What the vendor has as int */
static int fetch_pivots(const struct gpu_race *race)
{
    size_t count = race->data->start[1][race->x->count], bytes = count * sizeof *race->x->ipiv;
    int64_t *wide = race->data->now[1];
    int *host = malloc(bytes);
    if (!host)
        return library_check("malloc", 1);
    int failed = CUDA(cudaMemcpy(host, race->x->ipiv, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count && !failed; i++)
        wide[i] = host[i];
    free(host);
    return failed;
}

static int fetch_all(const struct gpu_race *race)
{
    return fetch(race) || (race->x->ipiv && fetch_pivots(race));
}

static void pin(struct batch_data *d, bool on)
{
    for (int i = 0; i < d->batch->routine->arrays; i++) {
        if (on)
            (void)cuda_peer_pin(d->now[i], d->bytes[i]);
        else
            cuda_peer_unpin(d->now[i]);
    }
}

/* A loop that ends early stands for all vectors. */
static double part_of_batch(const struct batch_case *c)
{
    bool cut = c->routine->vectors && c->count > MOST_GPU_CALLS;
    return cut ? (double)MOST_GPU_CALLS / (double)c->count : 1;
}

static void run_race(const struct batch_settings *s, struct gpu_race *race, struct team *team,
                     struct batch_row *row)
{
    struct batch_times times = {NAN, NAN, NAN};
    double part = part_of_batch(row->batch);
    if (!batch_time(s->repeats, run_once, race, &times)) {
        batch_fail(row, "error: peer: %.120s", cuda_peer_reason());
        return;
    }
    row->peer_seconds = times.median / part;
    snprintf(row->peer_name, sizeof row->peer_name, "%s", race->routine->does);
    if (!s->check || part < 1)
        return;
    if (fetch_all(race))
        batch_fail(row, "error: peer: %.120s", cuda_peer_reason());
    else
        row->peer_residual = batch_check(race->data, team);
}

void batch_race_gpu(const struct batch_settings *s, struct batch_data *d, struct team *team,
                    struct batch_row *row)
{
    const struct batch_case *c = d->batch;
    struct gpu_batch x = {.data = d,
                          .m = (int)c->shape.m,
                          .n = (int)c->shape.n,
                          .k = (int)c->shape.k,
                          .count = (int)c->count};
    struct gpu_race race = {routine_for(c), &x, d, s->resident_on_gpu};
    if (!race.routine)
        return;
    if (open_batch(&x, race.routine)) {
        batch_fail(row, "error: peer: %.120s", cuda_peer_reason());
    } else {
        pin(d, true);
        run_race(s, &race, team, row);
        pin(d, false);
    }
    close_batch(&x);
}
