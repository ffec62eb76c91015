/*
 * Batches of `startile bench`: fills a row with the runs of the library and of the peer.
 */
#include "batch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double batch_memory(const struct problem *p)
{
    double sizes = (double)OPERANDS * (double)(p->count + 1) * (double)sizeof(size_t);
    return 2 * (double)p->count * batch_bytes_of_one(p) + sizes;
}

int64_t default_batch_count(const struct problem *p)
{
    const double bytes = 100e6, most_problems = 1e6;
    return (int64_t)fmin(fmax(bytes / batch_bytes_of_one(p), 1), most_problems);
}

/* -- LAPACK in a loop ------------------------------------------------------------------------- */

static int open_team(struct peer_run *run)
{
    run->team = team_open(run->threads);
    return run->team ? 0 : peer_fail(run, "no host memory for LAPACK");
}

static void close_team(struct peer_run *run)
{
    team_close(run->team);
}

static int restore(struct peer_run *run, bool all)
{
    (void)all; /* the inputs that the routine does not change are always in place */
    batch_data_restore(run->batch);
    return 0;
}

/* Calls LAPACK for problem q. Called by team_run(). */
static void call_lapack(void *argument, int thread, int64_t q)
{
    struct batch_data *d = argument;
    (void)thread;
    /* ignores info: the residual shows a wrong result */
    (void)batch_call_lapack(d, d->current, q, d->batch->routine->cpu_peer);
}

static int run_lapack(struct peer_run *run)
{
    team_run(run->team, run->batch->batch->count, call_lapack, run->batch);
    return 0;
}

/* The CPU peer: each thread calls LAPACK for one problem at a time. */
static const struct peer_device lapack = {.takes_in_place = true,
                                          .open = open_team,
                                          .close = close_team,
                                          .load = restore,
                                          .run = run_lapack};

/* Runs the peer, and adds its time and residual to the row. LAPACK gets as many threads as the
 * library had workers. */
static void run_peer(const struct bench_settings *s, struct batch_data *d, struct team *team,
                     struct row *row)
{
    const struct peer_device *device = s->where == WHERE_CPU ? &lapack : gpu_device(s, d->batch);
    struct reference reference = {.seconds = {NAN, NAN, NAN}};
    char reason[120];
    struct peer_run run = {.settings = s,
                           .problem = d->batch,
                           .batch = d,
                           .threads = row->workers ? row->workers : team_threads(team),
                           .keep = s->check,
                           .reason = reason,
                           .size = sizeof reason};
    if (!device)
        return;
    if (time_peer(device, &run, &reference)) {
        row_fail(row, "error: peer: %s", reason);
        return;
    }
    row->peer_seconds = reference.seconds;
    name_peer(s, d->batch, row->peer_name);
    if (s->check)
        row->lapack_residual = batch_check(d, team);
}

/* -- one row ---------------------------------------------------------------------------------- */

/* Runs the library and the peer, and computes the rates. */
static void fill_row(const struct bench_settings *s, struct batch_data *d, struct team *team,
                     struct row *row)
{
    double flops, bytes;
    bool ran = batch_run_library(s, d, row);
    if (ran && s->check) {
        row->scaled_residual = batch_check(d, team);
        row_check_residual(row);
    }
    if (ran && s->peer)
        run_peer(s, d, team, row);
    batch_totals(d->batch, &flops, &bytes, &row->mean_n);
    row_rate(row, flops);
    row->gbyte_s = 1e-9 * bytes / row->seconds.median;
}

void run_batch(const struct bench_settings *s, const struct problem *p, struct row *row)
{
    struct batch_data d = {.batch = p};
    struct team *team = team_open(team_cores());
    bool calls_lapack = (s->peer && s->where == WHERE_CPU) || p->routine->cpu_prepare;
    if (calls_lapack && load_cpu_routine(p->routine, p->dtype))
        cpu_peer_set_threads(1);
    int64_t info = team ? batch_data_open(&d, p, team) : STARTILE_ERROR_MEMORY;
    if (info < 0)
        row_fail(row, "error: %s", startile_strerror(info));
    else if (info)
        row_fail(row, "error: info %" PRId64 " from LAPACK on the input", info);
    else
        fill_row(s, &d, team, row);
    batch_data_close(&d);
    team_close(team);
}
