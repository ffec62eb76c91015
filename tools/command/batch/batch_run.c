/*
 * Batches of `startile bench`: one row, by the library and by the peer.
 */
#include "batch.h"
#include "measure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool batch_time(int repeats, double (*work)(void *argument), void *argument,
                struct batch_times *times)
{
    double seconds[repeats + 1];
    for (int i = 0; i <= repeats; i++)
        if ((seconds[i] = work(argument)) < 0)
            return false;
    *times = (struct batch_times){.median = median(seconds + 1, (size_t)repeats),
                                  .least = seconds[1], /* median() has sorted them */
                                  .most = seconds[repeats]};
    return true;
}

double batch_memory(const struct problem *p)
{
    double sizes = (double)OPERANDS * (double)(p->count + 1) * (double)sizeof(size_t);
    return 2 * (double)p->count * batch_bytes_of_one(p) + sizes;
}

int64_t usual_count(const struct problem *p)
{
    const double bytes = 100e6, most = 1e6;
    return (int64_t)fmin(fmax(bytes / batch_bytes_of_one(p), 1), most);
}

/* -- LAPACK in a loop ------------------------------------------------------------------------- */

struct lapack_race {
    struct batch_data *data;
    struct team *team;
};

static void call_lapack(void *argument, int thread, int64_t q)
{
    struct batch_data *d = argument;
    (void)thread;
    /* Where a result is not right, the residual says so. */
    (void)batch_call_lapack(d, d->now, q, d->batch->routine->cpu_peer);
}

static double run_lapack(void *argument)
{
    struct lapack_race *race = argument;
    batch_data_restore(race->data);
    double start = now_seconds();
    team_run(race->team, race->data->batch->count, call_lapack, race->data);
    return now_seconds() - start;
}

/* A problem a thread, on as many threads as the library had workers */
static void race_cpu(const struct bench_settings *s, struct batch_data *d, struct team *team,
                     struct row *row)
{
    struct batch_times times;
    struct lapack_race race = {d, team_open(row->workers ? row->workers : team_threads(team))};
    if (!race.team || !batch_time(s->repeats, run_lapack, &race, &times)) {
        row_fail(row, "error: no host memory for LAPACK");
    } else {
        row->peer_seconds = times.median;
        snprintf(row->peer_name, sizeof row->peer_name, "%.60s in a loop", cpu_peer_name());
        if (s->check)
            row->lapack_residual = batch_check(d, team);
    }
    team_close(race.team);
}

/* -- one row ---------------------------------------------------------------------------------- */

static void run_on(const struct bench_settings *s, struct batch_data *d, struct team *team,
                   struct row *row)
{
    double flops, bytes;
    bool ran = batch_run_library(s, d, row);
    if (ran && s->check) {
        row->scaled_residual = batch_check(d, team);
        row_check_residual(row);
    }
    if (ran && s->peer && s->where == WHERE_CPU)
        race_cpu(s, d, team, row);
    else if (ran && s->peer)
        batch_race_gpu(s, d, team, row);
    batch_totals(d->batch, &flops, &bytes, &row->mean_n);
    row_rate(row, flops);
    row->gbyte_s = 1e-9 * bytes / row->seconds;
}

void run_batch(const struct bench_settings *s, const struct problem *p, struct row *row)
{
    struct batch_data d = {.batch = p};
    struct team *team = team_open(team_cores());
    bool calls_lapack = (s->peer && s->where == WHERE_CPU) || p->routine->cpu_prepare;
    if (calls_lapack && cpu_load(p->routine, p->dtype))
        cpu_peer_set_threads(1);
    int64_t info = team ? batch_data_open(&d, p, team) : STARTILE_ERROR_MEMORY;
    if (info < 0)
        row_fail(row, "error: %s", startile_strerror(info));
    else if (info)
        row_fail(row, "error: info %" PRId64 " from LAPACK on the input", info);
    else
        run_on(s, &d, team, row);
    batch_data_close(&d);
    team_close(team);
}
