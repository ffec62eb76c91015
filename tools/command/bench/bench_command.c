/*
 * `startile bench`: starts the bench of kernels, the simulator or the bench of routines.
 */
#include "bench.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>

int bench_command(int argc, char **argv)
{
    struct bench_arguments a;
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "kernel"))
        return kernel_command(argc - 1, argv + 1);
    struct ranks *ranks = start_ranks("bench", argv, false);
    bench_parse(argc, argv, ranks, &a);
    if (a.grid && !ranks && !a.settings.simulate)
        start_ranks("bench", argv, true); /* does not return */
    bool good = false;
    if (a.settings.simulate)
        good = bench_simulate(&a, argc, argv);
    else
        good = bench(&a);
    bench_free(&a);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
