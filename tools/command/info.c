/*
 * `startile info`: what startile finds on this machine.
 */
#include "command.h"
#include "measure.h"
#include "models.h"
#include "peer_cpu.h"
#include "peer_cuda.h"
#include "startile.h"
#include "trace.h"

#include <dirent.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char command[] = "startile info";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    (void)state;
    if (key == ARGP_KEY_ARG)
        usage_error(command, "'%s': no argument is expected", argument);
    return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
    NULL,
    parse,
    "",
    "Prints what startile finds on this machine: versions, StarPU's options and environment, "
    "processors, GPUs, workers, BLAS and calibrated performance models.",
    NULL,
    NULL,
    NULL};

static void line(const char *what)
{
    printf("%-22s", what);
}

/* -- StarPU --------------------------------------------------------------------------------- */

static void print_starpu(void)
{
    int version[3];
    starpu_get_version(&version[0], &version[1], &version[2]);
    line("StarPU");
    printf("%d.%d.%d", version[0], version[1], version[2]);
#ifdef STARPU_USE_CUDA
    printf(", CUDA for up to %d GPUs", STARPU_MAXCUDADEVS);
#else
    printf(", without CUDA");
#endif
#ifdef STARPU_USE_FXT
    printf(", FxT traces");
#else
    printf(", without FxT traces");
#endif
#ifdef STARPU_USE_MPI
    printf(", MPI");
#endif
#ifdef STARPU_SIMGRID
    printf(", simulated by SimGrid");
#endif
#ifdef STARPU_NON_BLOCKING_DRIVERS
    printf(", idle workers spin");
#else
    printf(", idle workers sleep");
#endif
    printf(", up to %d cores\n", STARPU_MAXCPUS);
}

static void print_environment(void)
{
    static const char *const prefixes[] = {"STARPU_", "STARTILE_", "OPENBLAS_",
                                           "CUDA_VISIBLE_DEVICES="};
    bool found = false;
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (!strncmp(*variable, prefixes[i], strlen(prefixes[i]))) {
                line(found ? "" : "environment");
                puts(*variable);
                found = true;
            }
    if (!found) {
        line("environment");
        puts("no STARPU_ or STARTILE_ variable is set");
    }
}

static void print_workers(void)
{
    line("workers");
    printf("%d on cores, %d on GPUs\n", startile_cpu_workers(), startile_cuda_workers());
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        char name[64];
        starpu_worker_get_name((int)w, name, sizeof name);
        line("");
        puts(name);
    }
    struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    line("scheduler");
    puts(policy && policy->policy_name ? policy->policy_name : "unknown");
}

/* The words are why these, and then what else there is to know. */
static void print_chosen(const startile_models *m)
{
    const char *words = m->refused ? "with a warning" : m->words, *more = strstr(words, "; ");
    int length = (int)(more ? (size_t)(more - words) : strlen(words));
    printf("%s, %.*s: %s\n", m->machine, length, words, m->folder);
    if (more) {
        line("");
        puts(more + 2);
    }
}

static void print_calibration(void)
{
    startile_models m;
    startile_models_find(&m);
    line("calibrated models");
    if (m.machine[0])
        print_chosen(&m);
    else
        puts(m.refused ? "none that can be used" : m.words);
    fflush(stdout);
    warn_of_models();
}

/* Files that StarPU keeps for startile's codelets in one of its folders. */
static int count_models(const char *folder)
{
    int count = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        count += !strncmp(entry->d_name, "startile_", strlen("startile_"));
    if (stream)
        closedir(stream);
    return count;
}

/* StarPU prints its folders as "directory: <...>". The first is where it writes; others may be
 * missing. */
static void print_models(void)
{
    char *text = NULL, *rest;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return;
    starpu_perfmodel_directory(stream);
    fclose(stream);
    const char *label = "StarPU's own models";
    for (char *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        char *folder = strchr(at, '<'), *end = strrchr(at, '>');
        if (!folder || !end)
            continue;
        *end = '\0';
        if (!*label && access(folder + 1, F_OK))
            continue;
        line(label);
        printf("%d of startile in %s\n", count_models(folder + 1), folder + 1);
        label = "";
    }
    free(text);
}

/* -- the machine ---------------------------------------------------------------------------- */

static void print_processor(void)
{
    char text[256], model[128] = "unknown";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(text, sizeof text, f))
        if (sscanf(text, "model name : %127[^\n]", model) == 1)
            break;
    if (f)
        fclose(f);
    line("processor");
    printf("%s, %ld cores in use of %ld\n", model, sysconf(_SC_NPROCESSORS_ONLN),
           sysconf(_SC_NPROCESSORS_CONF));
    line("memory");
    printf("%.1f GiB, %.1f available\n", (double)memory_total() / 0x1p30,
           (double)memory_available() / 0x1p30);
}

static void print_gpus(void)
{
#ifdef STARTILE_HAVE_CUDA
    char versions[160];
    cuda_versions(versions, sizeof versions);
    line("CUDA");
    puts(versions);
    int count = cuda_count();
    line("GPUs");
    printf("%d\n", count);
    for (int i = 0; i < count; i++) {
        struct gpu gpu;
        line("");
        if (cuda_describe(i, &gpu))
            printf("%d: %s\n", i, cuda_peer_reason());
        else
            printf("%d: %s, compute capability %d.%d, %.1f GiB, %.1f available\n", i, gpu.name,
                   gpu.major, gpu.minor, (double)gpu.memory / 0x1p30,
                   (double)gpu.available / 0x1p30);
    }
#else
    line("CUDA");
    puts("startile was built without it");
#endif
}

static void print_blas(void)
{
    line("BLAS of the workers");
    puts("OpenBLAS, a private copy, one thread a worker");
    line("BLAS to compare with");
    puts(cpu_peer_load() ? cpu_peer_name() : "none: neither libopenblas.so.0 nor libblas.so.3");
}

int info_command(int argc, char **argv)
{
    refuse_trace(command, NO_TASKS_TO_TRACE, argc, argv);
    parse_command_line(&argp, command, argc, argv, NULL);
    line("startile");
    puts(startile_version());
    print_starpu();
    print_environment();
    print_processor();
    print_gpus();
    print_blas();
    startile_options o;
    startile_options_default(&o);
    o.pause_when_idle = 1;
    int status = startile_init(&o);
    if (status) {
        fflush(stdout);
        report("%s", start_strerror(status));
        return EXIT_FAILED;
    }
    print_workers();
    print_calibration();
    print_models();
    startile_finalize();
    return EXIT_SUCCESS;
}
