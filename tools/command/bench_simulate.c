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
        report("--simulate %s: %s", machine, m->words);
        return false;
    }
    if (!realpath(m->folder, folder)) {
        report("%s: %s", m->folder, strerror(errno));
        return false;
    }
    return true;
}

/* SimGrid takes the option off, which keeps it from telling how it is configured. */
static void execute(char *program, int argc, char **argv)
{
    static char quiet[] = "--log=xbt_cfg.thres:warning";
    char *arguments[argc + 2];
    arguments[0] = argv[0];
    arguments[1] = quiet;
    memcpy(arguments + 2, argv + 1, (size_t)argc * sizeof *argv);
    execv(program, arguments);
}

void bench_simulate(const struct bench_settings *s, int argc, char **argv)
{
    char program[PATH_MAX], models[PATH_MAX], platform[PLATFORM_PATH], reason[512];
    startile_models m;
    int gpus = s->library.ncuda;
    if (!find_program(program, sizeof program)) {
        report("--simulate: startile was built without simulation: tools/setup --with-simgrid "
               "builds the StarPU that it needs");
        return;
    }
    if (!find_models(s->simulate, &m, models))
        return;
    if (!platform_make(models, m.machine, gpus, platform, reason, sizeof reason)) {
        report("--simulate %s: %s", s->simulate, reason);
        return;
    }
    fflush(stdout);
    if (set_environment(models, platform))
        execute(program, argc, argv);
    report("%s: %s", program, strerror(errno));
    platform_remove(platform);
}
