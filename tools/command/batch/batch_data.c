/*
 * The arrays of a batch in main memory, and what is in them.
 */
#include "batch.h"
#include "scalar.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* -- sizes ---------------------------------------------------------------------------------- */

/* Sebastiano Vigna's splitmix64: 64 bits that differ with every number. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* The same part of a dimension as n is of the largest */
static int64_t part(int64_t size, int64_t n, int64_t largest)
{
    return (size * n + largest - 1) / largest;
}

struct batch_shape batch_shape_of(const struct batch_case *c, int64_t q)
{
    struct batch_shape s = c->shape;
    if (c->layout != BATCH_VARIABLE)
        return s;
    s.n = 1 + (int64_t)(mix((uint64_t)q) % (uint64_t)c->shape.n);
    s.m = part(c->shape.m, s.n, c->shape.n);
    if (c->routine->meaning_of_k == BATCH_K_IS_N)
        s.k = part(c->shape.k, s.n, c->shape.n);
    return s;
}

size_t batch_element_size(const struct batch_case *c, int array)
{
    switch (c->routine->operand[array].element) {
    case ELEMENTS:
        break;
    case REALS:
        return dtype_is_single(c->dtype) ? sizeof(float) : sizeof(double);
    case INTEGERS:
        return sizeof(int64_t);
    }
    return dtype_size(c->dtype);
}

static double bytes_of(const struct batch_case *c, const struct batch_shape *s, bool as_moved)
{
    struct batch_extent extent[BATCH_ARRAYS];
    double bytes = 0;
    c->routine->describe(s, extent);
    for (int i = 0; i < c->routine->arrays; i++) {
        const struct batch_operand *o = &c->routine->operand[i];
        int times = as_moved ? o->read + o->written : 1;
        bytes +=
            times * (double)extent[i].m * (double)extent[i].n * (double)batch_element_size(c, i);
    }
    return bytes;
}

double batch_bytes_of_one(const struct batch_case *c)
{
    return bytes_of(c, &c->shape, false);
}

void batch_totals(const struct batch_case *c, double *flops, double *bytes, double *mean_n)
{
    *flops = *bytes = *mean_n = 0;
    for (int64_t q = 0; q < c->count; q++) {
        struct batch_shape s = batch_shape_of(c, q);
        *flops += c->routine->flops ? c->routine->flops(c->dtype, &s) : NAN;
        *bytes += bytes_of(c, &s, true);
        *mean_n += (double)s.n / (double)c->count;
    }
}

/* -- contents ------------------------------------------------------------------------------- */

/* In [−1, 1) */
static double uniform(uint64_t seed, uint64_t i, uint64_t j)
{
    return (double)(mix(seed ^ mix(i << 32 ^ j)) >> 11) * 0x1p-52 - 1;
}

static double _Complex random_element(uint64_t seed, int64_t i, int64_t j)
{
    return CMPLX(uniform(seed, (uint64_t)i, (uint64_t)j), uniform(~seed, (uint64_t)i, (uint64_t)j));
}

/* Both parts of an element are at most 1 in size: that diagonal dominates `most` others, and no
 * pivot is exchanged for one of them. */
static double _Complex content_at(enum batch_content content, uint64_t seed, int64_t most,
                                  int64_t i, int64_t j)
{
    double diagonal = 2 * (double)most + 2;
    switch (content) {
    case UNIFORM:
    case NOTHING:
        break;
    case DEFINITE:
        return i == j  ? diagonal
               : i > j ? random_element(seed, i, j)
                       : conj(random_element(seed, j, i));
    case DOMINANT:
        return random_element(seed, i, j) + (i == j ? diagonal : 0);
    }
    return random_element(seed, i, j);
}

struct generation {
    struct batch_data *data;
    struct batch_worker *workers;
    atomic_llong info;
};

static void generate_array(const struct batch_data *d, int array, int64_t q,
                           const struct batch_extent *extent)
{
    const struct batch_case *c = d->batch;
    enum batch_content content = c->routine->operand[array].content;
    size_t at = d->start[array][q];
    int64_t most = extent->m > extent->n ? extent->m : extent->n;
    uint64_t seed = mix((uint64_t)q * BATCH_ARRAYS + (uint64_t)array);
    for (int64_t j = 0; j < extent->n && content != NOTHING; j++)
        for (int64_t i = 0; i < extent->m; i++)
            element_set(c->dtype, d->original[array], at++, content_at(content, seed, most, i, j));
}

static void generate(void *argument, int thread, int64_t q)
{
    struct generation *g = argument;
    const struct batch_routine *routine = g->data->batch->routine;
    struct batch_extent extent[BATCH_ARRAYS];
    struct batch_shape shape = batch_shape_of(g->data->batch, q);
    routine->describe(&shape, extent);
    for (int i = 0; i < routine->arrays; i++)
        generate_array(g->data, i, q, &extent[i]);
    if (!routine->prepare)
        return;
    struct batch_one one = batch_data_at(g->data, g->data->original, q, &g->workers[thread]);
    int64_t info = routine->prepare(&one);
    if (info)
        atomic_store(&g->info, info);
}

/* -- storage -------------------------------------------------------------------------------- */

static bool lay_out(struct batch_data *d)
{
    const struct batch_case *c = d->batch;
    for (int i = 0; i < c->routine->arrays; i++) {
        d->start[i] = malloc(((size_t)c->count + 1) * sizeof *d->start[i]);
        if (!d->start[i])
            return false;
        d->start[i][0] = 0;
    }
    for (int64_t q = 0; q < c->count; q++) {
        struct batch_extent extent[BATCH_ARRAYS];
        struct batch_shape shape = batch_shape_of(c, q);
        c->routine->describe(&shape, extent);
        for (int i = 0; i < c->routine->arrays; i++)
            d->start[i][q + 1] = d->start[i][q] + (size_t)extent[i].m * (size_t)extent[i].n;
    }
    return true;
}

static bool allocate(struct batch_data *d)
{
    const struct batch_case *c = d->batch;
    if (!lay_out(d))
        return false;
    for (int i = 0; i < c->routine->arrays; i++) {
        d->bytes[i] = d->start[i][c->count] * batch_element_size(c, i);
        if (posix_memalign(&d->original[i], 4096, d->bytes[i]))
            d->original[i] = NULL;
        if (posix_memalign(&d->now[i], 4096, d->bytes[i]))
            d->now[i] = NULL;
        if (!d->original[i] || !d->now[i])
            return false;
        memset(d->original[i], 0, d->bytes[i]);
    }
    return true;
}

bool batch_data_open(struct batch_data *d, const struct batch_case *c, struct team *team,
                     int64_t *info)
{
    *d = (struct batch_data){.batch = c};
    struct generation g = {.data = d, .workers = batch_workers_open(c, team_threads(team))};
    bool good = g.workers && allocate(d);
    if (good) {
        team_run(team, c->count, generate, &g);
        for (int i = 0; i < c->routine->arrays; i++)
            memcpy(d->now[i], d->original[i], d->bytes[i]);
    }
    *info = atomic_load(&g.info);
    batch_workers_close(g.workers, team_threads(team));
    return good;
}

void batch_data_close(struct batch_data *d)
{
    for (int i = 0; i < BATCH_ARRAYS; i++) {
        free(d->start[i]);
        free(d->original[i]);
        free(d->now[i]);
    }
}

void batch_data_restore(struct batch_data *d)
{
    const struct batch_routine *routine = d->batch->routine;
    for (int i = 0; i < routine->arrays; i++)
        if (routine->operand[i].written)
            memcpy(d->now[i], d->original[i], d->bytes[i]);
}

struct batch_one batch_data_at(const struct batch_data *d, void *const *arrays, int64_t q,
                               struct batch_worker *worker)
{
    const struct batch_case *c = d->batch;
    struct batch_one one = {.dtype = c->dtype,
                            .uplo = c->uplo,
                            .shape = batch_shape_of(c, q),
                            .work = &worker->work,
                            .scratch = worker->scratch};
    for (int i = 0; i < c->routine->arrays; i++)
        one.array[i] = (char *)arrays[i] + d->start[i][q] * batch_element_size(c, i);
    return one;
}

struct batch_worker *batch_workers_open(const struct batch_case *c, int threads)
{
    const struct batch_shape *s = &c->shape;
    /* Vectors need neither, and may be too long for workspace to have a size. */
    int64_t columns = c->routine->vectors ? 1 : s->n > s->k ? s->n : s->k;
    int64_t largest = s->m > columns && !c->routine->vectors ? s->m : columns;
    struct batch_worker *workers = calloc((size_t)threads, sizeof *workers);
    bool good = workers;
    for (int i = 0; i < threads && good; i++) {
        good = peer_work_open(&workers[i].work, c->dtype, columns);
        workers[i].scratch = malloc(BATCH_COLUMNS * (size_t)largest * sizeof *workers[i].scratch);
        good = good && workers[i].scratch;
    }
    if (good)
        return workers;
    batch_workers_close(workers, threads);
    return NULL;
}

void batch_workers_close(struct batch_worker *workers, int threads)
{
    for (int i = 0; i < threads && workers; i++) {
        peer_work_close(&workers[i].work);
        free(workers[i].scratch);
    }
    free(workers);
}
