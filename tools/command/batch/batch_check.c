/*
 * Residuals of all problems of a batch.
 */
#include "batch.h"

#include "scalar.h"

#include <math.h>
#include <stdlib.h>

double batch_unit(const struct batch_one *x, int64_t dimension)
{
    return (double)dimension * dtype_unit_roundoff(x->dtype);
}

double _Complex *batch_scratch(const struct batch_one *x, int c)
{
    int64_t largest = x->shape.m > x->shape.n ? x->shape.m : x->shape.n;
    return x->scratch + c * (largest > x->shape.k ? largest : x->shape.k);
}

struct check {
    struct batch_data *data;
    struct batch_worker *workers;
    double *largest; /* of a thread */
};

static void check_one(void *argument, int thread, int64_t q)
{
    struct check *c = argument;
    struct batch_worker *worker = &c->workers[thread];
    struct batch_one before = batch_data_at(c->data, c->data->original, q, worker);
    struct batch_one after = batch_data_at(c->data, c->data->now, q, worker);
    double residual = c->data->batch->routine->residual(&before, &after);
    if (!(residual <= c->largest[thread]))
        c->largest[thread] = isnan(c->largest[thread]) ? NAN : residual;
}

double batch_check(struct batch_data *d, struct team *team)
{
    int threads = team_threads(team);
    struct check c = {.data = d,
                      .workers = batch_workers_open(d->batch, threads),
                      .largest = calloc((size_t)threads, sizeof *c.largest)};
    double largest = NAN;
    if (c.workers && c.largest) {
        team_run(team, d->batch->count, check_one, &c);
        largest = 0;
        for (int i = 0; i < threads; i++)
            if (!(c.largest[i] <= largest))
                largest = isnan(largest) ? NAN : c.largest[i];
    }
    batch_workers_close(c.workers, threads);
    free(c.largest);
    return largest;
}
