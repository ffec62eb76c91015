/*
 * startile-simulate: `startile bench --simulate`, built with a StarPU that takes the time from
 * SimGrid. The command executes this program with an environment that describes the machine
 * (bench_simulate.c).
 */
#include "bench/bench.h"
#include "command.h"
#include "platform.h"
#include "trace.h"

#include <signal.h>
#include <starpu.h> /* renames main(): StarPU's own main() starts SimGrid, then calls it */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool ended; /* main() has reached its end */

/* Handler for exit(): if main() has not reached its end, reports a deadlock of the simulation and
 * ends the program with a failure. If no actor can continue, SimGrid lists the actors and ends the
 * program with an exit code of success. */
static void report_deadlock(void)
{
    if (ended)
        return;
    report("--simulate: the simulation stood still before its end");
    fflush(NULL);
    _exit(EXIT_FAILED);
}

/* Starts the library, with a trace if one is wanted, runs the benchmark and returns whether it
 * succeeded. The library runs until the end, because StarPU cannot start a second time in a
 * simulation (StarPU quirk 43). The folder with the machine's description is removed when StarPU
 * has started, which has then read it. */
static bool simulate(const struct bench_arguments *a, int argc, char **argv)
{
    const char *folder = getenv("STARPU_PERF_MODEL_DIR");
    struct bench_settings s = settings_for(a, a->settings.where);
    bool can_begin = !a->trace_folder || prepare_trace_folder(a->trace_folder);
    s.library.trace = a->trace_folder;
    int status = can_begin ? startile_init(&s.library) : 0;
    if (folder)
        platform_remove(folder);
    if (status)
        report("%s: %s", a->settings.simulate, startile_strerror(status));
    if (status || !can_begin)
        return false;
    if (a->trace_folder)
        describe_simulated_trace(a, argc, argv);
    bool good = bench(a);
    startile_finalize();
    return good && (!a->trace_folder || trace_list_files(a->trace_folder, stdout));
}

/* With --where all: takes the place of this run, one of several. */
static void take_place(struct bench_arguments *a)
{
    int64_t i;
    const char *place = getenv(SIMULATED_PLACE);
    if (a->settings.where != WHERE_ALL || !place || !parse_integer(place, 0, PLACES - 1, &i))
        return;
    a->settings.where = bench_places[i];
    a->continues = i > 0;
}

/* Is an exported symbol, because StarPU finds it by name. */
__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    struct bench_arguments a;
    signal(SIGINT, SIG_DFL); /* SimGrid's handler prints the state of all workers */
    bench_parse(argc, argv, NULL, &a);
    if (!a.settings.simulate)
        usage_error("startile bench", "this program is for --simulate");
    take_place(&a);
    atexit(report_deadlock);
    bool good = simulate(&a, argc, argv);
    bench_free(&a);
    ended = true;
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
