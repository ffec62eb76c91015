/*
 * `startile bench --trace`: one more run, which StarPU traces.
 */
#include "bench.h"
#include "command.h"
#include "gantt/gantt.h"
#include "startile_trace.h"
#include "trace.h"

/* Runs the problem once, traced. *tasks := number of tasks, of all processes */
static int64_t trace_run(const struct bench_arguments *a, struct problem *p, double *tasks)
{
    struct operands x;
    struct times times;
    int64_t outcome = operands_open(&x, p, &a->settings);
    if (!outcome)
        outcome = operands_fill(&x);
    if (!outcome) {
        (void)startile_trace_start();
        outcome = run_counted(&x, &times, tasks);
        (void)startile_trace_stop();
    }
    operands_close(&x);
    if (p->ranks)
        p->ranks->sum(tasks, 1);
    return outcome;
}

/* Starts the library with tracing, runs the problem once, and stops the library. In a simulation
 * the library traces already, and goes on. */
static int64_t start_and_trace(const struct bench_arguments *a, struct problem *p, double *tasks)
{
    startile_options o = a->settings.library;
    o.trace = a->trace_folder;
    int64_t outcome = startile_init(&o);
    if (outcome)
        return outcome;
    outcome = p->ranks ? p->ranks->open(p->ranks, 0) : 0;
    if (!outcome)
        outcome = trace_run(a, p, tasks);
    if (p->ranks)
        p->ranks->close(p->ranks);
    startile_finalize();
    return outcome;
}

bool trace_problem(const struct bench_arguments *a, struct problem p)
{
    double tasks = 0;
    p.mb = a->mb;
    p.nb = a->nb.count ? a->nb.values[0] : 0;
    int64_t outcome = start_and_trace(a, &p, &tasks);
    if (outcome) {
        report("--trace %s: %s", a->trace_folder, startile_strerror(outcome));
        return false;
    }
    printf("traced tasks            %.0f\n", tasks);
    /* a simulation's files are written when it ends */
    return a->settings.simulate || trace_list_files(a->trace_folder, stdout);
}

void describe_simulated_trace(const struct bench_arguments *a, int argc, char **argv)
{
    FILE *out = trace_open(a->trace_folder, "about.txt", "w");
    if (!out)
        return;
    fputs("startile bench", out);
    for (int i = 1; i < argc; i++)
        fprintf(out, " %s", argv[i]);
    fprintf(out, "\nsimulated: %s, ", a->settings.simulate);
    if (a->nodes)
        fprintf(out, "%d nodes, %s processes\n", a->nodes, a->grid);
    else
        fprintf(out, "%d workers of CPU cores, %d of GPUs\n", startile_cpu_workers(),
                startile_cuda_workers());
    fclose(out);
}
