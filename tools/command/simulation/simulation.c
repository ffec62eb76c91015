/*
 * startile-simulate: `startile bench --simulate`, built with a StarPU for which SimGrid tells the
 * time. The command starts it with an environment that describes the machine (bench_simulate.c).
 */
#include "bench/bench.h"
#include "command.h"
#include "platform.h"

#include <signal.h>
#include <starpu.h> /* makes this main() one of StarPU's, which starts SimGrid first */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool ended;

/* Where no actor can go on SimGrid lists them, and the program would end as if all were well. */
static void tell_of_standstill(void)
{
    if (ended)
        return;
    report("--simulate: the simulation stood still before its end");
    fflush(NULL);
    _exit(EXIT_FAILED);
}

/* The library stays up for all runs: StarPU does not start a second time in a simulation. Once it
 * has started it has read all of the machine. */
static bool simulate(const struct bench_arguments *a)
{
    const char *folder = getenv("STARPU_PERF_MODEL_DIR");
    struct bench_settings s = settings_for(a, a->settings.where);
    int status = startile_init(&s.library);
    if (folder)
        platform_remove(folder);
    if (status) {
        report("%s: %s", a->settings.simulate, startile_strerror(status));
        return false;
    }
    bool good = bench(a);
    startile_finalize();
    return good;
}

/* StarPU looks for it among the symbols that are seen from outside. */
__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    struct bench_arguments a;
    signal(SIGINT, SIG_DFL); /* SimGrid's handler prints the state of all workers */
    bench_parse(argc, argv, NULL, &a);
    if (!a.settings.simulate)
        usage_error("startile bench", "this program is for --simulate");
    atexit(tell_of_standstill);
    bool good = simulate(&a);
    bench_free(&a);
    ended = true;
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
