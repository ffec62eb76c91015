/*
 * `startile info`: prints the properties of the machine and of its software that startile uses.
 */
#include "bench/bench.h"
#include "command.h"
#include "measure.h"
#include "models.h"
#include "models/model.h"
#include "options.h"
#include "peer/beside.h"
#include "peer/peer_cpu.h"
#include "peer/peer_cuda.h"
#include "predict.h"
#include "startile.h"
#include "trace.h"

#include <glob.h>
#include <limits.h>
#include <starpu.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const struct option_row options[] = {REFUSED("trace", NO_TASKS_TO_TRACE), {.name = NULL}};

static const struct command_options command_options = {
    .command = "startile info",
    .options = options,
    .doc =
        "Prints what startile finds on this machine: versions, StarPU's options and environment, "
        "processors, GPUs, workers, BLAS, simulation, calibrated performance models and the times "
        "that they predict; under mpirun also the processes, their binding and MPI."};

/* Prints one line. An empty label means that the line belongs to the label above it. */
__attribute__((format(printf, 2, 3))) static void print_line(const char *label, const char *format,
                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%-22s", label);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

/* -- StarPU --------------------------------------------------------------------------------- */

#define STRING(x) #x
#define VALUE(x) STRING(x)
#ifdef STARPU_USE_CUDA
#define WITH_CUDA "CUDA for up to " VALUE(STARPU_MAXCUDADEVS) " GPUs"
#else
#define WITH_CUDA "without CUDA"
#endif
#ifdef STARPU_USE_FXT
#define WITH_FXT "FxT traces"
#else
#define WITH_FXT "without FxT traces"
#endif
#ifdef STARPU_USE_MPI
#define WITH_MPI ", MPI"
#else
#define WITH_MPI ""
#endif
#ifdef STARPU_NON_BLOCKING_DRIVERS
#define IDLE "spin"
#else
#define IDLE "sleep"
#endif

static void print_starpu(void)
{
    print_line("StarPU", "%s", startile_starpu_version());
    print_line("", "%s, %s%s, idle workers %s, up to %d cores", WITH_CUDA, WITH_FXT, WITH_MPI, IDLE,
               STARPU_MAXCPUS);
}

static void print_simulation(void)
{
    char program[PATH_MAX];
    if (find_simulator(false, program, sizeof program))
        print_line("simulation", "StarPU with SimGrid: startile bench --simulate MACHINE");
    else
        print_line("simulation",
                   "none: startile was built without a StarPU with SimGrid (tools/setup "
                   "--with-simgrid)");
}

static void print_environment(void)
{
    static const char *const prefixes[] = {"STARPU_", "STARTILE_", "OPENBLAS_",
                                           "CUDA_VISIBLE_DEVICES="};
    const char *label = "environment";
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (!strncmp(*variable, prefixes[i], strlen(prefixes[i]))) {
                print_line(label, "%s", *variable);
                label = "";
            }
    if (*label)
        print_line(label, "no STARPU_ or STARTILE_ variable is set");
}

/* Prints the workers and the scheduler. StarPU must be running. */
static void print_workers(void)
{
    print_line("workers", "%d on cores, %d on GPUs", startile_cpu_workers(),
               startile_cuda_workers());
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        char name[64];
        starpu_worker_get_name((int)w, name, sizeof name);
        print_line("", "%s", name);
    }
    struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    print_line("scheduler", "%s", policy && policy->policy_name ? policy->policy_name : "unknown");
}

/* -- models --------------------------------------------------------------------------------- */

/* Prints the calibrated models and why they were chosen; if models were refused, the reason goes to
 * stderr instead. The part of `words` after "; " goes to a second line. */
static void print_calibration(void)
{
    startile_models m;
    startile_models_in_use(&m);
    const char *words = m.refused ? "with a warning" : m.words, *more = strstr(words, "; ");
    int length = (int)(more ? (size_t)(more - words) : strlen(words));
    if (m.machine[0])
        print_line("calibrated models", "%s, %.*s: %s", m.machine, length, words, m.folder);
    else
        print_line("calibrated models", "%s", m.refused ? "none that can be used" : m.words);
    if (m.machine[0] && more)
        print_line("", "%s", more + 2);
    fflush(stdout);
    warn_of_models();
}

/* Returns the number of StarPU's model files for startile's codelets in the folder. */
static size_t count_models(const char *folder)
{
    char pattern[PATH_MAX + 16];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/startile_*", folder);
    (void)glob(pattern, GLOB_NOSORT, NULL, &found);
    size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

/* Prints StarPU's folders of performance models. StarPU lists them as "directory: <...>". It writes
 * to the first folder; others are printed only if they exist. */
static void print_models(void)
{
    char *text = NULL, *strtok_state, folder[PATH_MAX];
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return;
    starpu_perfmodel_directory(stream);
    fclose(stream);
    const char *label = "StarPU's own models";
    for (char *text_line = strtok_r(text, "\n", &strtok_state); text_line;
         text_line = strtok_r(NULL, "\n", &strtok_state))
        if (sscanf(text_line, "%*[^<]<%4095[^>]", folder) == 1 &&
            (*label || !access(folder, F_OK))) {
            print_line(label, "%zu of startile in %s", count_models(folder), folder);
            label = "";
        }
    free(text);
}

static void print_prediction(const char *line)
{
    print_line("", "%s", line);
}

/* Prints what the models predict for this machine. gpus: number of GPUs in use. The library must be
 * stopped, because its cores run the simulations. */
static void print_predictions(const startile_models *m, int gpus)
{
    static const char label[] = "predicted times";
    char simulator[PATH_MAX];
    if (!m->machine[0])
        print_line(label, "none without calibrated models");
    else if (!find_simulator(false, simulator, sizeof simulator))
        print_line(label, "none: startile was built without simulation");
    else {
        print_line(label,
                   "simulated: double precision, matrix in main memory; the fastest place first");
        predict(m->folder, gpus, print_prediction);
    }
}

/* -- the machine ---------------------------------------------------------------------------- */

static void print_processor(void)
{
    struct machine m;
    machine_find(&m, true, false); /* only the CPUs */
    print_line("processor", "%s, %d cores in use of %ld", m.cpu, m.cores,
               sysconf(_SC_NPROCESSORS_CONF));
    print_line("memory", "%.1f GiB, %.1f available", (double)memory_total() / 0x1p30,
               (double)memory_available() / 0x1p30);
}

static void print_gpus(void)
{
#ifdef STARTILE_HAVE_CUDA
    char versions[160];
    cuda_versions(versions, sizeof versions);
    print_line("CUDA", "%s", versions);
    int count = cuda_count();
    print_line("GPUs", "%d", count);
    for (int i = 0; i < count; i++) {
        struct gpu gpu;
        if (cuda_describe(i, &gpu))
            print_line("", "%d: %s", i, cuda_peer_reason());
        else
            print_line("", "%d: %s, compute capability %d.%d, %.1f GiB, %.1f available", i,
                       gpu.name, gpu.major, gpu.minor, (double)gpu.memory / 0x1p30,
                       (double)gpu.available / 0x1p30);
    }
#else
    print_line("CUDA", "startile was built without it");
#endif
}

static void print_blas(void)
{
    print_line("BLAS of the workers", "%s, a private copy, one thread per worker",
               startile_blas_version());
    print_line("BLAS to compare with", "%s",
               cpu_peer_load() ? cpu_peer_name()
                               : "none: neither libopenblas.so.0 nor libblas.so.3");
}

int info_command(int argc, char **argv)
{
    struct ranks *ranks = start_ranks("info", argv, false);
    parse_options(&command_options, argc, argv, NULL);
    print_line("startile", "%s", startile_version());
    print_starpu();
    print_environment();
    print_processor();
    print_gpus();
    print_blas();
    print_simulation();
    startile_options o;
    startile_options_default(&o, sizeof o);
    o.pause_when_idle = 1;
    int64_t status = startile_init(&o);
    if (ranks)
        status = -(int64_t)ranks->maximum((double)-status); /* the least status of all processes */
    if (status) {
        fflush(stdout);
        report("%s", startile_strerror(status));
        return EXIT_FAILED;
    }
    print_workers();
    print_calibration();
    print_models();
    if (ranks)
        ranks->describe(ranks);
    startile_models models;
    struct bench_settings used = {.where = WHERE_GPU, .library = o};
    int gpus = startile_cuda_workers() > 0 ? gpus_in_use(&used) : 0;
    startile_models_in_use(&models);
    startile_finalize();
    if (!ranks)
        print_predictions(&models, gpus);
    return EXIT_SUCCESS;
}
