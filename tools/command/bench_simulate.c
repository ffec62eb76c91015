/*
 * `startile bench --simulate`: finds the machine and hands over to the program that simulates.
 */
#include "bench.h"
#include "beside.h"
#include "command.h"
#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool set_environment(const char *models, const char *folder)
{
    /* These describe this machine. */
    static const char *const variables[] = {"STARPU_NCPU",           "STARPU_NCPUS",
                                            "STARPU_NCUDA",          "STARPU_WORKERS_CPUID",
                                            "STARPU_WORKERS_CUDAID", "STARPU_MAIN_THREAD_CPUID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return !setenv("STARTILE_MODELS", models, 1) && !setenv("STARPU_PERF_MODEL_DIR", folder, 1) &&
           !setenv("STARPU_HOSTNAME", PLATFORM_NAME, 1);
}

/* Finds the folder of the machine's models, and gives the path a '/' so that it is no name. */
static bool find_models(const char *machine, startile_models *m, char *folder)
{
    if (startile_models_named(machine, m))
        report("--simulate: a machine is needed");
    else if (m->refused)
        report("--simulate %s", m->words); /* which begin with its name */
    else if (realpath(m->folder, folder))
        return true;
    else
        report("%s: %s", m->folder, strerror(errno));
    return false;
}

/* SimGrid takes the first option, which keeps it from printing its configuration. A machine without
 * GPUs is simulated with its cores. */
static void execute(char *program, bool adds_cpu, int argc, char **argv)
{
    static char quiet[] = "--log=xbt_cfg.thres:warning", on_cpu[] = "--where=cpu";
    char *arguments[argc + 3];
    int count = 0;
    arguments[count++] = argv[0];
    arguments[count++] = quiet;
    if (adds_cpu)
        arguments[count++] = on_cpu;
    memcpy(arguments + count, argv + 1, (size_t)argc * sizeof *argv);
    execv(program, arguments);
}

void bench_simulate(const struct bench_arguments *a, int argc, char **argv)
{
    char program[PATH_MAX], models[PATH_MAX], folder[PLATFORM_PATH];
    struct platform p;
    startile_models m;
    const char *machine = a->settings.simulate;
    if (!find_simulator(program, sizeof program)) {
        report("--simulate: startile was built without simulation: tools/setup --with-simgrid "
               "builds the StarPU that it needs");
        return;
    }
    if (!find_models(machine, &m, models))
        return;
    if (!platform_read(models, m.machine, a->settings.library.ncuda, &p)) {
        report("--simulate %s: %s", machine, p.reason);
        return;
    }
    refuse_small_gpus(a, p.gpus);
    if (a->where_given && a->settings.where != WHERE_CPU && p.gpus == 0) {
        report("--simulate %s: --where gpu or hybrid: that machine has no GPU", machine);
        return;
    }
    if (!platform_write(&p, folder)) {
        report("--simulate %s: %s", machine, p.reason);
        return;
    }
    fflush(stdout);
    if (set_environment(models, folder)) {
        execute(program, !a->where_given && p.gpus == 0, argc, argv);
        report("%s: %s", program, strerror(errno));
    }
    platform_remove(folder);
}
