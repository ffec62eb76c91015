/*
 * `startile bench --trace`: one more run, of which StarPU writes a trace.
 */
#include "bench.h"
#include "command.h"
#include "task_count.h"
#include "trace.h"

#include <inttypes.h>

static int64_t traced_run(struct operands *x, int64_t *tasks)
{
    struct times times;
    int64_t outcome = operands_fill(x);
    if (outcome)
        return outcome;
    task_count_begin();
    (void)startile_trace_start();
    outcome = run_once(x, &times);
    (void)startile_trace_stop();
    *tasks = task_count_end();
    return outcome;
}

static int64_t run(const struct bench_arguments *a, startile_options *o, struct problem *p,
                   int64_t *tasks)
{
    struct operands x;
    int64_t outcome = startile_init(o);
    if (outcome)
        return outcome;
    outcome = operands_open(&x, p, a->settings.resident_on_gpu, a->settings.disk);
    if (!outcome)
        outcome = traced_run(&x, tasks);
    operands_close(&x);
    startile_finalize();
    return outcome;
}

bool trace_problem(const struct bench_arguments *a, struct problem p)
{
    startile_options o = a->settings.library;
    int64_t tasks = 0;
    p.mb = a->mb;
    p.nb = a->nb.values[0];
    o.trace = a->trace_folder;
    int64_t outcome = run(a, &o, &p, &tasks);
    if (outcome) {
        report("--trace %s: %s", a->trace_folder, startile_strerror(outcome));
        return false;
    }
    printf("traced tasks            %" PRId64 "\n", tasks);
    return trace_end(a->trace_folder, stdout);
}
