/*
 * `startile bench --trace`: one more run, which StarPU traces.
 */
#include "bench.h"
#include "command.h"
#include "startile_trace.h"
#include "trace.h"

/* Starts the library with tracing, runs the problem once, and stops the library. */
static int64_t run_traced(const struct bench_arguments *a, struct problem *p, double *tasks)
{
    struct operands x;
    struct times times;
    startile_options o = a->settings.library;
    o.trace = a->trace_folder;
    int64_t outcome = startile_init(&o);
    if (outcome)
        return outcome;
    outcome = operands_open(&x, p, &a->settings);
    if (!outcome)
        outcome = operands_fill(&x);
    if (!outcome) {
        (void)startile_trace_start();
        outcome = run_counted(&x, &times, tasks);
        (void)startile_trace_stop();
    }
    operands_close(&x);
    startile_finalize();
    return outcome;
}

bool trace_problem(const struct bench_arguments *a, struct problem p)
{
    double tasks = 0;
    p.mb = a->mb;
    p.nb = a->nb.count ? a->nb.values[0] : 0;
    int64_t outcome = run_traced(a, &p, &tasks);
    if (outcome) {
        report("--trace %s: %s", a->trace_folder, startile_strerror(outcome));
        return false;
    }
    printf("traced tasks            %.0f\n", tasks);
    return trace_list_files(a->trace_folder, stdout);
}
