/*
 * `startile bench`: which bench is meant.
 */
#include "bench.h"
#include "command.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* A routine's name stands first, or anywhere if it is one. */
static bool means_batch(int argc, char **argv)
{
    static const char end[] = "_batch";
    size_t length = argc > 1 ? strlen(argv[1]) : 0;
    if (length >= sizeof end && !strcmp(argv[1] + length - (sizeof end - 1), end))
        return true;
    for (int i = 2; i < argc; i++)
        if (is_batch_routine(argv[i]))
            return true;
    return false;
}

/* The benches of batches, and below the library: of its kernels, and of the machine; or NULL. */
static int (*other_bench(int argc, char **argv))(int, char **)
{
    const char *name = argc > 1 ? argv[1] : "";
    bool machine = !strcmp(name, "machine"), kernel = !strcmp(name, "kernel");
    if (machine || kernel)
        refuse_trace(machine ? "startile bench machine" : "startile bench kernel",
                     NO_TASKS_TO_TRACE, argc, argv);
    return machine                   ? machine_command
           : kernel                  ? kernel_command
           : means_batch(argc, argv) ? batch_command
                                     : NULL;
}

int bench_command(int argc, char **argv)
{
    struct bench_arguments a;
    int (*other)(int, char **) = other_bench(argc, argv);
    if (other == batch_command)
        return batch_command(argc, argv);
    if (other)
        return other(argc - 1, argv + 1);
    bench_parse(argc, argv, &a);
    bool good = false;
    if (a.settings.simulate)
        bench_simulate(&a, argc, argv);
    else
        good = bench(&a);
    bench_free(&a);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
