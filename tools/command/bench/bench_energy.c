/*
 * `startile bench --energy`: joules of a run.
 */
#include "bench.h"

#include <math.h>
#include <time.h>

/* Runs repeat until they took enough_seconds, because the counters step only about every tenth of a
 * second. They end earlier if, with the generation of the matrices, most_seconds have passed, or
 * after MOST_RUNS runs. */
static const double enough_seconds = 2, most_seconds = 15;
enum { MOST_RUNS = 10000 };

/* Returns the joules consumed since the counters had the values `start`. */
static struct joules joules_since(struct joules start)
{
    struct joules now = energy_read();
    return (struct joules){now.cpu - start.cpu, now.gpu - start.gpu};
}

static bool are_unknown(struct joules j)
{
    return isnan(j.cpu) && isnan(j.gpu);
}

void measure_idle_power(struct bench_settings *s)
{
    const struct timespec second = {1, 0};
    struct joules start = energy_read();
    double begin = now_seconds();
    if (!are_unknown(start))
        nanosleep(&second, NULL);
    struct joules used = joules_since(start);
    double seconds = now_seconds() - begin;
    s->idle_watts = (struct joules){used.cpu / seconds, used.gpu / seconds};
}

/* Repeats runs, each on fresh matrices. *runs: number of runs; *seconds: their time without the
 * generation of the matrices */
static int64_t repeat_runs(struct operands *x, int *runs, double *seconds)
{
    double begin = now_seconds();
    int64_t outcome = 0;
    for (*runs = 0, *seconds = 0; *runs < MOST_RUNS && *seconds < enough_seconds &&
                                  now_seconds() - begin < most_seconds && !outcome;
         ++*runs) {
        struct times times = {0};
        outcome = operands_fill(x);
        if (!outcome)
            outcome = run_once(x, &times);
        *seconds += times.total;
    }
    return outcome;
}

/* Generates the matrices as often as repeat_runs() does. The counters of those runs include this
 * energy, so it is measured alone and subtracted. */
static int64_t repeat_fill(struct operands *x, int runs)
{
    int64_t outcome = 0;
    for (int i = 0; i < runs && !outcome; i++)
        outcome = operands_fill(x);
    return outcome;
}

int64_t measure_energy(struct operands *x, struct row *row)
{
    int runs;
    double seconds;
    struct joules start = energy_read();
    if (are_unknown(start))
        return 0;
    int64_t outcome = repeat_runs(x, &runs, &seconds);
    struct joules both = joules_since(start);
    if (outcome)
        return outcome;
    start = energy_read();
    outcome = repeat_fill(x, runs);
    struct joules fill = joules_since(start);
    row->joules = (struct joules){(both.cpu - fill.cpu) / runs, (both.gpu - fill.gpu) / runs};
    row->energy_seconds = seconds / runs;
    return outcome;
}
