/*
 * The peer of batches on a GPU.
 */
#include "batch_gpu.h"
#include "measure.h"
#include "peer_cuda_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool takes(const struct gpu_routine *r, const struct problem *c)
{
    return c->layout != BATCH_VARIABLE &&
           (!r->needs || c->size.m == c->size.n || (r->needs == 't' && c->size.m > c->size.n));
}

static const struct gpu_routine *routine_for(const struct problem *c)
{
    for (const struct gpu_routine *r = gpu_routines; r->name; r++)
        if (!strcmp(r->name, c->routine->name) && takes(r, c))
            return r;
    return NULL;
}

const char *batch_gpu_peer(const struct problem *c)
{
    const struct gpu_routine *r = routine_for(c);
    return r ? r->does : NULL;
}

/* -- what cuBLAS takes ---------------------------------------------------------------------- */

/* Of array i's matrices, which lie at `base` */
static int make_pointers(const struct gpu_batch *x, int i, void *base, void ***each)
{
    const struct batch_data *d = x->data;
    size_t size = operand_size(&d->batch->routine->operand[i], d->batch->dtype),
           bytes = (size_t)x->count * sizeof **each;
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
    return d->batch->routine->operand[1].is[0] == 'P';
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
    for (int i = 0; i < d->arrays && !failed; i++)
        if (d->batch->routine->operand[i].element == ELEMENTS)
            failed = make_pointers(x, i, x->array[i], &x->each[i]);
    if (!failed && has_pivots(d))
        failed = make_pivots(x);
    if (!failed && !strcmp(routine->name, "getri"))
        failed = cuda_peer_alloc(&x->spare, d->bytes[0]) ||
                 make_pointers(x, 0, x->spare, &x->each_spare);
    return failed;
}

static void close_batch(struct gpu_batch *x)
{
    for (int i = 0; i < OPERANDS; i++)
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
    for (int i = 0; i < race->data->arrays && !failed; i++)
        if (race->data->batch->routine->operand[i].read)
            failed =
                cuda_peer_to_device(race->x->array[i], race->data->now[i], race->data->bytes[i]);
    return failed;
}

static int fetch(const struct gpu_race *race)
{
    void *from[OPERANDS];
    memcpy(from, race->x->array, sizeof from);
    if (race->x->spare)
        from[0] = race->x->spare;
    return batch_gpu_fetch(race->data, from);
}

/* Where the batch resides in main memory, its way to the GPU and back is part of the time. */
static double run_peer_once(void *argument)
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
    for (int i = 0; i < d->arrays; i++) {
        if (on)
            (void)cuda_peer_pin(d->now[i], d->bytes[i]);
        else
            cuda_peer_unpin(d->now[i]);
    }
}

static void run_race(const struct bench_settings *s, struct gpu_race *race, struct team *team,
                     struct row *row)
{
    struct batch_times times = {NAN, NAN, NAN};
    if (!batch_time(s->repeats, run_peer_once, race, &times)) {
        row_fail(row, "error: peer: %.120s", cuda_peer_reason());
        return;
    }
    row->peer_seconds = times.median;
    snprintf(row->peer_name, sizeof row->peer_name, "%s", race->routine->does);
    if (!s->check)
        return;
    if (fetch_all(race))
        row_fail(row, "error: peer: %.120s", cuda_peer_reason());
    else
        row->lapack_residual = batch_check(race->data, team);
}

void batch_race_gpu(const struct bench_settings *s, struct batch_data *d, struct team *team,
                    struct row *row)
{
    const struct problem *c = d->batch;
    struct gpu_batch x = {.data = d,
                          .dtype = c->dtype,
                          .m = (int)c->size.m,
                          .n = (int)c->size.n,
                          .k = (int)c->size.k,
                          .count = (int)c->count};
    struct gpu_race race = {routine_for(c), &x, d, s->resident_on_gpu};
    if (!race.routine)
        return;
    if (open_batch(&x, race.routine)) {
        row_fail(row, "error: peer: %.120s", cuda_peer_reason());
    } else {
        pin(d, true);
        run_race(s, &race, team, row);
        pin(d, false);
    }
    close_batch(&x);
}
