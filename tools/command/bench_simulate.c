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

/* What a user may have told StarPU of this machine. */
static const char *const of_this_machine[] = {"STARPU_NCPU",           "STARPU_NCPUS",
                                              "STARPU_NCUDA",          "STARPU_WORKERS_CPUID",
                                              "STARPU_WORKERS_CUDAID", "STARPU_MAIN_THREAD_CPUID"};

static bool set_environment(const char *models, const char *platform)
{
    for (size_t i = 0; i < sizeof of_this_machine / sizeof *of_this_machine; i++)
        unsetenv(of_this_machine[i]);
    return !setenv("STARTILE_MODELS", models, 1) && !setenv("STARPU_PERF_MODEL_DIR", platform, 1) &&
           !setenv("STARPU_HOSTNAME", PLATFORM_NAME, 1);
}

static bool find_program(char *path, size_t size)
{
    static const char *const places[] = {"startile-simulate", SIMULATE_INSTALLED};
    return find_beside_command(places, 2, path, size);
}

/* The folder's path gets a '/', so that nothing takes it for a name. */
static bool find_models(const char *machine, startile_models *m, char *folder)
{
    if (startile_models_named(machine, m)) {
        report("--simulate: a machine is needed");
        return false;
    }
    if (m->refused) {
        report("--simulate %s", m->words); /* which begin with its name */
        return false;
    }
    if (!realpath(m->folder, folder)) {
        report("%s: %s", m->folder, strerror(errno));
        return false;
    }
    return true;
}

/* Of a machine without GPUs the cores, unless the user asks for something else. */
static bool choose_place(const struct bench_arguments *a, int gpus, bool *adds_cpu)
{
    bool wants_gpu = a->where_given && a->settings.where != WHERE_CPU;
    *adds_cpu = !a->where_given && gpus == 0;
    if (wants_gpu && gpus == 0)
        report("--simulate %s: --where gpu or hybrid: that machine has no GPU",
               a->settings.simulate);
    return !wants_gpu || gpus > 0;
}

/* SimGrid takes the first option off, which keeps it from telling how it is configured. */
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
    char program[PATH_MAX], models[PATH_MAX], platform[PLATFORM_PATH], reason[512];
    startile_models m;
    const char *machine = a->settings.simulate;
    int gpus = a->settings.library.ncuda;
    bool adds_cpu;
    if (!find_program(program, sizeof program)) {
        report("--simulate: startile was built without simulation: tools/setup --with-simgrid "
               "builds the StarPU that it needs");
        return;
    }
    if (!find_models(machine, &m, models))
        return;
    if (!platform_make(models, m.machine, &gpus, platform, reason, sizeof reason)) {
        report("--simulate %s: %s", machine, reason);
        return;
    }
    if (!gpus_have_room(a, gpus)) {
        platform_remove(platform);
        refuse_gpus_without_room(a, gpus);
    }
    fflush(stdout);
    if (choose_place(a, gpus, &adds_cpu) && set_environment(models, platform)) {
        execute(program, adds_cpu, argc, argv);
        report("%s: %s", program, strerror(errno));
    }
    platform_remove(platform);
}
