/*
 * `startile bench --energy`: joules of a run.
 */
#include "bench.h"
#include "measure.h"

#include <math.h>
#include <time.h>

/* Counters step every tenth of a second or so; but nobody wants to wait for long. */
static const double enough_seconds = 2, most_seconds = 15;
enum { MOST_RUNS = 10000 };

static struct joules since(struct joules start)
{
    struct joules now = energy_read();
    return (struct joules){now.cpu - start.cpu, now.gpu - start.gpu};
}

static bool has_none(struct joules j)
{
    return isnan(j.cpu) && isnan(j.gpu);
}

void find_idle_power(struct bench_settings *s)
{
    const struct timespec second = {1, 0};
    struct joules start = energy_read();
    double begin = now_seconds();
    if (!has_none(start))
        nanosleep(&second, NULL);
    struct joules used = since(start);
    double seconds = now_seconds() - begin;
    s->idle_watts = (struct joules){used.cpu / seconds, used.gpu / seconds};
}

/* Runs, each on a fresh matrix, and how long they took without making the matrices. */
static int64_t repeat(struct operands *x, int *runs, double *seconds)
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

/* Making the matrices alone, which is what the counters cannot tell apart. */
static int64_t repeat_fill(struct operands *x, int runs)
{
    int64_t outcome = 0;
    for (int i = 0; i < runs && !outcome; i++)
        outcome = operands_fill(x);
    return outcome;
}

int64_t find_energy(struct operands *x, struct row *row)
{
    int runs;
    double seconds;
    struct joules start = energy_read();
    if (has_none(start))
        return 0;
    int64_t outcome = repeat(x, &runs, &seconds);
    struct joules both = since(start);
    if (outcome)
        return outcome;
    start = energy_read();
    outcome = repeat_fill(x, runs);
    struct joules fill = since(start);
    row->joules = (struct joules){(both.cpu - fill.cpu) / runs, (both.gpu - fill.gpu) / runs};
    row->energy_seconds = seconds / runs;
    return outcome;
}
