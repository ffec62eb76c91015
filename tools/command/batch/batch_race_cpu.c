/*
 * The peer of batches on CPUs: LAPACK in a loop, a problem a thread, on all cores.
 */
#include "batch.h"
#include "measure.h"
#include "peer_cpu.h"

struct race {
    struct batch_data *data;
    struct team *team;
    struct batch_worker *workers;
};

static void call_lapack(void *argument, int thread, int64_t q)
{
    struct race *race = argument;
    struct batch_one one = batch_data_at(race->data, race->data->now, q, &race->workers[thread]);
    /* Where a result is not right, the residual says so. */
    (void)race->data->batch->routine->lapack(&one);
}

static double run_once(void *argument)
{
    struct race *race = argument;
    batch_data_restore(race->data);
    double start = now_seconds();
    team_run(race->team, race->data->batch->count, call_lapack, race);
    return now_seconds() - start;
}

bool batch_race_cpu(struct batch_data *d, int threads, int repeats, struct batch_times *times)
{
    struct race race = {.data = d, .team = team_open(threads)};
    bool good = race.team != NULL;
    if (good)
        race.workers = batch_workers_open(d->batch, team_threads(race.team));
    good = good && race.workers && batch_time(repeats, run_once, &race, times);
    if (race.workers)
        batch_workers_close(race.workers, team_threads(race.team));
    team_close(race.team);
    return good;
}
