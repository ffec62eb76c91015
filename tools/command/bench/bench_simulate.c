/*
 * `startile bench --simulate`: finds the machine's models, and executes the simulator.
 */
#include "bench.h"
#include "command.h"
#include "peer/beside.h"
#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Finds the folder of the machine's models. Stores its absolute path, whose '/' tells it from a
 * name. Returns false after a report on failure. */
static bool find_models(const char *machine, startile_models *m, char *folder)
{
    if (startile_models_named(machine, m))
        report("--simulate: a machine is needed");
    else if (m->refused)
        report("--simulate %s", m->words); /* m->words begins with the name */
    else if (realpath(m->folder, folder))
        return true;
    else
        report("%s: %s", m->folder, strerror(errno));
    return false;
}

/* Executes the simulator of one machine. SimGrid consumes the first option, which suppresses
 * messages about its configuration. adds_cpu: true adds --where=cpu, for a machine without GPUs if
 * --where is not given */
static void execute_simulator(char *program, bool adds_cpu, int argc, char **argv)
{
    static char quiet[] = "--log=xbt_cfg.thres:warning", on_cpu[] = "--where=cpu";
    char *arguments[argc + 3];
    int count = 0;
    arguments[count++] = argv[0];
    arguments[count++] = quiet;
    if (adds_cpu)
        arguments[count++] = on_cpu;
    /* argc elements: argv[1] … argv[argc − 1] and the final NULL */
    memcpy(arguments + count, argv + 1, (size_t)argc * sizeof *argv);
    execv(program, arguments);
}

/* Executes SimGrid's smpirun on the platform; it starts the simulator once per process. The options
 * set SMPI's correction factors to 1, so that the network has the given rate and latency.
 * is_traced: gives each process its own FxT, whose buffer is a global variable */
static void execute_cluster(char *program, const struct platform *p, const char *folder,
                            bool is_traced, int argc, char **argv)
{
    static char *const options[] = {"-quiet",
                                    "--cfg=smpi/simulate-computation:no",
                                    "--cfg=contexts/stack-size:8192",
                                    "--cfg=smpi/shared-malloc-blocksize:67108864",
                                    "--cfg=smpi/bw-factor:0:1",
                                    "--cfg=smpi/lat-factor:0:1",
                                    "--cfg=network/latency-factor:1",
                                    "--cfg=network/bandwidth-factor:1",
                                    "--cfg=network/crosstraffic:0",
                                    "--cfg=network/TCP-gamma:-1",
                                    "--cfg=network/weight-S:0",
                                    "--log=xbt_cfg.thres:warning",
                                    "--log=smpi_config.thres:warning"};
    enum { OPTIONS = sizeof options / sizeof *options };
    static char on_cpu[] = "--where=cpu", own_fxt[] = "--cfg=smpi/privatize-libs:libfxt.so.2";
    char processes[16], platform[PLATFORM_PATH + 64], hosts[PLATFORM_PATH + 64];
    char *arguments[OPTIONS + argc + 11];
    int count = 0;
    snprintf(processes, sizeof processes, "%d", p->processes);
    platform_path(platform, folder, "platform.v4.xml");
    platform_path(hosts, folder, "hosts");
    arguments[count++] = "smpirun";
    memcpy(arguments + count, options, sizeof options);
    count += OPTIONS;
    if (is_traced)
        arguments[count++] = own_fxt;
    char *const places[] = {"-np", processes, "-platform", platform, "-hostfile", hosts, program};
    memcpy(arguments + count, places, sizeof places);
    count += sizeof places / sizeof *places;
    if (p->gpus == 0)
        arguments[count++] = on_cpu;
    /* argc elements: argv[1] … argv[argc − 1] and the final NULL */
    memcpy(arguments + count, argv + 1, (size_t)argc * sizeof *argv);
    execvp("smpirun", arguments);
}

/* Sets the processes of a node, one per GPU, but at least one; the number of all processes; and the
 * network. */
static void describe_cluster(const struct bench_arguments *a, struct platform *p)
{
    p->on_node = a->settings.library.ncuda > 0 ? a->settings.library.ncuda : 1;
    p->processes = a->nodes * p->on_node;
    network_read(a->network, &p->network);
}

/* What to simulate: the simulator, the folder of the models and the machine or cluster */
struct simulation {
    char program[PATH_MAX], models[PATH_MAX];
    struct platform platform;
};

/* Executes the simulator. Returns only after a report on failure. */
static void execute(const struct bench_arguments *a, struct simulation *s, int argc, char **argv)
{
    char folder[PLATFORM_PATH];
    struct platform *p = &s->platform;
    if (!platform_write(p, folder)) {
        report("--simulate %s: %s", a->settings.simulate, p->reason);
        return;
    }
    if (platform_use(s->models, folder)) {
        if (a->nodes)
            execute_cluster(s->program, p, folder, a->trace_folder, argc, argv);
        else
            execute_simulator(s->program, !a->where_given && p->gpus == 0, argc, argv);
        report("%s: %s", a->nodes ? "smpirun" : s->program, strerror(errno));
    }
    platform_remove(folder);
}

/* Executes the simulator once for each place of --where all, because StarPU starts once in a
 * simulation (StarPU quirk 43). Returns whether all runs succeeded. */
static bool execute_for_places(const struct bench_arguments *a, struct simulation *s, int argc,
                               char **argv)
{
    bool good = true;
    for (int i = 0; i < PLACES; i++) {
        char place[] = {(char)('0' + i), '\0'};
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            if (!setenv(SIMULATED_PLACE, place, 1))
                execute(a, s, argc, argv);
            _exit(EXIT_FAILED);
        }
        bool has_run = child > 0 && waitpid(child, &status, 0) == child;
        if (!has_run)
            report("--simulate: %s", strerror(errno));
        good = has_run && status == 0 && good;
    }
    return good;
}

/* Finds the simulator, the models and the machine. Returns false after a report on failure. */
static bool prepare(const struct bench_arguments *a, struct simulation *s)
{
    startile_models m;
    const char *machine = a->settings.simulate;
    struct platform *p = &s->platform;
    if (!find_simulator(a->nodes > 0, s->program, sizeof s->program)) {
        report(a->nodes ? "--nodes: startile was built without the simulation of clusters: "
                          "tools/setup --with-simgrid-mpi builds the StarPU that it needs"
                        : "--simulate: startile was built without simulation: tools/setup "
                          "--with-simgrid builds the StarPU that it needs");
        return false;
    }
    if (!find_models(machine, &m, s->models))
        return false;
    if (!platform_read(s->models, m.machine, a->nodes ? 1 : a->settings.library.ncuda, p)) {
        report("--simulate %s: %s", machine, p->reason);
        return false;
    }
    if (!a->nodes)
        refuse_small_gpus(a, p->gpus);
    if (a->where_given && a->settings.where != WHERE_CPU && p->gpus == 0) {
        report("--simulate %s: --where gpu, hybrid or all: that machine has no GPU", machine);
        return false;
    }
    if (a->nodes)
        describe_cluster(a, p);
    return true;
}

bool bench_simulate(const struct bench_arguments *a, int argc, char **argv)
{
    struct simulation s;
    if (!prepare(a, &s))
        return false;
    fflush(stdout);
    if (a->settings.where == WHERE_ALL)
        return execute_for_places(a, &s, argc, argv);
    execute(a, &s, argc, argv);
    return false;
}
