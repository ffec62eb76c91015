/*
 * `startile bench`: which bench is meant.
 */
#include "bench.h"
#include "command.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* The benches below the library: of its kernels, and of the machine. */
static bool other_bench(int argc, char **argv, int *outcome)
{
    const char *name = argc > 1 ? argv[1] : "";
    bool machine = !strcmp(name, "machine"), kernel = !strcmp(name, "kernel");
    if (machine || kernel)
        refuse_trace(machine ? "startile bench machine" : "startile bench kernel",
                     NO_TASKS_TO_TRACE, argc, argv);
    if (machine)
        *outcome = machine_command(argc - 1, argv + 1);
    if (kernel)
        *outcome = kernel_command(argc - 1, argv + 1);
    return machine || kernel;
}

int bench_command(int argc, char **argv)
{
    struct bench_arguments a;
    int outcome;
    if (other_bench(argc, argv, &outcome))
        return outcome;
    bench_parse(argc, argv, &a);
    bool good = false;
    if (a.settings.simulate)
        bench_simulate(&a, argc, argv);
    else
        good = bench(&a);
    bench_free(&a);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
