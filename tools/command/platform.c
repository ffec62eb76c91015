/*
 * Description of a simulated machine: reads StarPU's measurements of a real machine and writes the
 * files that StarPU and SimGrid read. The simulated machine may have more GPUs than the real one.
 */
#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Formats p->reason. Returns false. */
__attribute__((format(printf, 2, 3))) static bool fail(struct platform *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->reason, sizeof p->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* Returns whether the link exists and its values are valid. */
static bool is_valid_link(struct link l)
{
    return l.bandwidth > 0 && l.latency >= 0;
}

/* Returns whether a number in the text may be hexadecimal. sscanf() reads such numbers. */
static bool has_hexadecimal(const char *text)
{
    return strpbrk(text, "xX");
}

/* `used` is 0 if the final "s" is missing, and time[1] is not '\0' after more than one letter
 * before it; a unit that is not known makes the value NaN. */
bool network_read(const char *text, struct link *l)
{
    char unit[5], time[3];
    int used = 0;
    if (has_hexadecimal(text) ||
        sscanf(text, "%lf%4[GMBb/]s,%lf%2[mun]s%n", &l->bandwidth, unit, &l->latency, time, &used) <
            4 ||
        text[used] || !used)
        return false;
    double scale = !strcmp(unit, "GB/")   ? 1e9
                   : !strcmp(unit, "MB/") ? 1e6
                   : !strcmp(unit, "Gb/") ? 1e9 / 8
                                          : NAN;
    l->bandwidth *= scale;
    l->latency *= time[1] ? NAN : *time == 'm' ? 1e-3 : *time == 'u' ? 1e-6 : 1e-9;
    return is_valid_link(*l) && isfinite(l->bandwidth) && isfinite(l->latency);
}

/* -- measurements: the platform file that StarPU writes for SimGrid --------------------------- */

/* Parses a line of the platform file: counts hosts, and stores the memory and the links of the
 * first GPU. Ignores other lines. */
static void parse_measured_line(const char *line, struct platform *p)
{
    struct link l;
    char from[16], to[16];
    unsigned device;
    if (sscanf(line, " <host id=\"CPU%u\"", &device) == 1)
        p->cores++;
    else if (sscanf(line, " <host id=\"CUDA%u\"", &device) == 1)
        p->gpus++;
    else if (sscanf(line, " <prop id=\"memsize\" value=\"%llu\"", &p->memory) == 1)
        return;
    else if (sscanf(line,
                    " <link id=\"%15[A-Z0-9]-%15[A-Z0-9]\" bandwidth=\"%lfBps\" latency=\"%lfs\"",
                    from, to, &l.bandwidth, &l.latency) == 4) {
        if (!strcmp(from, "RAM") && !strcmp(to, "CUDA0"))
            p->to_gpu = l;
        else if (!strcmp(from, "CUDA0") && !strcmp(to, "RAM"))
            p->to_ram = l;
        else if (!strcmp(from, "CUDA0") && !strcmp(to, "CUDA1"))
            p->between_gpus = l;
    }
}

/* Reads a line of the models' file `simulation`, which is written by hand. The file contains
 * properties that measurements of one GPU cannot show: "gpu_link: BANDWIDTH LATENCY", the link
 * between GPUs in bytes/s and s, which is used if StarPU has not measured one, and "gpu_hold:
 * FRACTION" (`hold` in models/simulation.h). Ignores other lines. Returns false, with a reason, if
 * the line is wrong. */
static bool read_simulation_line(const char *line, struct platform *p)
{
    struct link l = {0, 0};
    char rest;
    if (!strncmp(line, "gpu_hold:", 9)) {
        if (has_hexadecimal(line) || sscanf(line + 9, "%lf %c", &p->gpu_hold, &rest) != 1 ||
            !(p->gpu_hold >= 0 && p->gpu_hold <= 1))
            return fail(p, "its gpu_hold must be a number from 0 to 1");
    } else if (!strncmp(line, "gpu_link:", 9)) {
        if (has_hexadecimal(line) ||
            sscanf(line + 9, "%lf %lf %c", &l.bandwidth, &l.latency, &rest) != 2 ||
            !is_valid_link(l) || isinf(l.bandwidth) || isinf(l.latency))
            return fail(p, "its gpu_link must be bytes/s and seconds");
        if (!is_valid_link(p->between_gpus))
            p->between_gpus = l;
    }
    return true;
}

/* Reads the file `simulation`, if there is one. */
static bool read_simulation(const char *models, struct platform *p)
{
    char path[PATH_MAX + 16], line[512];
    bool good = true;
    snprintf(path, sizeof path, "%s/simulation", models);
    FILE *f = fopen(path, "r");
    while (f && good && fgets(line, sizeof line, f))
        good = read_simulation_line(line, p);
    if (f)
        fclose(f);
    return good;
}

double platform_gpu_hold(const char *models)
{
    struct platform p = {.gpu_hold = 1};
    return read_simulation(models, &p) ? p.gpu_hold : 1;
}

/* Reads the measurements of the machine, and the file `simulation`. */
static bool read_measured(const char *models, const char *machine, struct platform *p)
{
    char path[PATH_MAX + 128], line[512];
    *p = (struct platform){.gpu_hold = 1};
    snprintf(path, sizeof path, "%s/bus/%s.platform.v4.xml", models, machine);
    FILE *f = fopen(path, "r");
    if (!f)
        return fail(p, "%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, f))
        parse_measured_line(line, p);
    fclose(f);
    if (p->cores == 0 || (p->gpus > 0 && (!is_valid_link(p->to_gpu) || !is_valid_link(p->to_ram))))
        return fail(p, "%s: not StarPU's description of a machine", path);
    return read_simulation(models, p);
}

bool platform_read(const char *models, const char *machine, int gpus, struct platform *p)
{
    if (!read_measured(models, machine, p))
        return false;
    if (gpus <= p->gpus)
        return true;
    if (p->gpus == 0)
        return fail(p, "that machine has no GPU");
    /* An additional GPU adds its share of the cores, which the threads of its workers need. */
    p->cores = p->cores * gpus / p->gpus;
    p->gpus = gpus;
    return true;
}

/* -- StarPU's and SimGrid's files ------------------------------------------------------------- */

/* Index of main memory among StarPU's memory nodes; GPUs follow. */
enum { RAM = 0 };

/* Returns the link between two memory nodes. It is not valid (is_valid_link()) from a node to
 * itself, and between GPUs without direct links. */
static struct link link_between(const struct platform *p, int from, int to)
{
    static const struct link itself = {0, 0};
    return from == to ? itself : from == RAM ? p->to_gpu : to == RAM ? p->to_ram : p->between_gpus;
}

static const char *node_name(int node, char name[16])
{
    snprintf(name, 16, node == RAM ? "RAM" : "CUDA%d", node - 1);
    return name;
}

static void write_hosts(FILE *f, const struct platform *p, const char *machine)
{
    bool direct = is_valid_link(p->between_gpus);
    fprintf(f, " <host id=\"%sMAIN\" speed=\"1f\"/>\n <host id=\"%sRAM\" speed=\"1f\"/>\n", machine,
            machine);
    for (int c = 0; c < p->cores; c++)
        fprintf(f, " <host id=\"%sCPU%d\" speed=\"1Gf\"/>\n", machine, c);
    for (int g = 0; g < p->gpus; g++)
        fprintf(f,
                " <host id=\"%sCUDA%d\" speed=\"1Gf\">\n"
                "  <prop id=\"memsize\" value=\"%llu\"/>\n"
                "  <prop id=\"memcpy_peer\" value=\"%d\"/>\n"
                "  <prop id=\"gpu_hold\" value=\"%g\"/>\n </host>\n",
                machine, g, p->memory, direct, p->gpu_hold);
}

/* Write a link and the route over it, as functions for for_links(). */
static void write_link(FILE *f, const char *machine, const char *from, const char *to,
                       struct link l)
{
    fprintf(f, " <link id=\"%s%s-%s\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n", machine, from,
            to, l.bandwidth, l.latency);
}

static void write_route(FILE *f, const char *machine, const char *from, const char *to,
                        struct link l)
{
    (void)l;
    fprintf(f,
            " <route src=\"%s%s\" dst=\"%s%s\" symmetrical=\"NO\"><link_ctn id=\"%s%s-%s\"/>"
            "</route>\n",
            machine, from, machine, to, machine, from, to);
}

/* Calls write() for the link in each direction between main memory and each GPU, and between each
 * pair of GPUs if GPUs have direct links. */
static void for_links(FILE *f, const struct platform *p, const char *machine,
                      void (*write)(FILE *f, const char *machine, const char *from, const char *to,
                                    struct link l))
{
    char from[16], to[16];
    for (int i = 0; i <= p->gpus; i++)
        for (int j = 0; j <= p->gpus; j++)
            if (is_valid_link(link_between(p, i, j)))
                write(f, machine, node_name(i, from), node_name(j, to), link_between(p, i, j));
}

static void write_machine(FILE *f, const struct platform *p, const char *zone, const char *machine)
{
    fprintf(f, "<zone id=\"%s\" routing=\"Full\">\n", zone);
    write_hosts(f, p, machine);
    for_links(f, p, machine, write_link);
    for_links(f, p, machine, write_route);
    fputs("</zone>\n", f);
}

/* Writes a single machine, after the configuration that SimGrid needs for it. */
static void write_configured_machine(FILE *f, const struct platform *p)
{
    fputs("<config>\n <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n"
          " <prop id=\"network/latency-factor\" value=\"1\"/>\n"
          " <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
          " <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
          " <prop id=\"network/weight-S\" value=\"0.0\"/>\n</config>\n",
          f);
    write_machine(f, p, "machine", "");
}

/* Writes a cluster. StarPU-MPI finds the devices of a process by a prefix with the process' rank,
 * such as "StarPU-MPI0-". Messages travel between the hosts of the zone "network", one host per
 * node; the processes of a node share its link. A message uses the links of two nodes, so that each
 * has half the latency. Messages inside a node have the rate of a transfer from a GPU to main
 * memory; without GPUs, that of the network. */
static void write_cluster(FILE *f, const struct platform *p)
{
    char zone[32], machine[40];
    struct link loopback = is_valid_link(p->to_ram) ? p->to_ram : p->network;
    fprintf(f,
            "<zone id=\"root\" routing=\"None\">\n"
            "<cluster id=\"network\" prefix=\"node\" suffix=\"\" radical=\"0-%d\" speed=\"1Gf\""
            " bw=\"%.0fBps\" lat=\"%.9fs\" loopback_bw=\"%.0fBps\" loopback_lat=\"%.9fs\"/>\n"
            "<zone id=\"outside\" routing=\"None\"><host id=\"" PLATFORM_SHARED_HOST
            "\" speed=\"1f\"/></zone>\n",
            p->processes / p->on_node - 1, p->network.bandwidth, p->network.latency / 2,
            loopback.bandwidth, loopback.latency);
    for (int r = 0; r < p->processes; r++) {
        snprintf(zone, sizeof zone, "StarPU-MPI%d", r);
        snprintf(machine, sizeof machine, "%s-", zone);
        write_machine(f, p, zone, machine);
    }
    fputs("</zone>\n", f);
}

static void write_platform(FILE *f, const struct platform *p)
{
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
          "<platform version=\"4.1\">\n",
          f);
    if (p->processes > 0) /* smpirun gets a cluster's configuration as arguments */
        write_cluster(f, p);
    else
        write_configured_machine(f, p);
    fputs("</platform>\n", f);
}

/* Writes smpirun's host file: process r runs on host r / on_node. */
static void write_process_hosts(FILE *f, const struct platform *p)
{
    for (int r = 0; r < p->processes; r++)
        fprintf(f, "node%d\n", r / p->on_node);
}

/* Returns the link between two memory nodes; without a direct link, the path through main memory.
 */
static struct link path_between(const struct platform *p, int from, int to)
{
    struct link l = link_between(p, from, to);
    if (from == to || is_valid_link(l))
        return l;
    return (struct link){1 / (1 / p->to_ram.bandwidth + 1 / p->to_gpu.bandwidth),
                         p->to_ram.latency + p->to_gpu.latency};
}

/* Writes StarPU's file of bandwidths, in MB/s. */
static void write_bandwidths(FILE *f, const struct platform *p)
{
    for (int i = 0; i <= p->gpus; i++)
        for (int j = 0; j <= p->gpus; j++)
            fprintf(f, "%f%c", 1e-6 * path_between(p, i, j).bandwidth, j < p->gpus ? '\t' : '\n');
}

/* Writes StarPU's file of latencies, in microseconds. */
static void write_latencies(FILE *f, const struct platform *p)
{
    for (int i = 0; i <= p->gpus; i++)
        for (int j = 0; j <= p->gpus; j++)
            fprintf(f, "%f%c", 1e6 * path_between(p, i, j).latency, j < p->gpus ? '\t' : '\n');
}

/* Writes the file from whose existence StarPU concludes that the other files exist. */
static void write_config(FILE *f, const struct platform *p)
{
    fprintf(f, "%d # CPU cores\n%d # GPUs\n", p->cores, p->gpus);
}

static const struct {
    const char *name; /* suffix after the machine's name and a dot */
    void (*write)(FILE *f, const struct platform *p);
} files[] = {
    {"platform.v4.xml", write_platform}, {"bandwidth", write_bandwidths},
    {"latency", write_latencies},        {"config", write_config},
    {"hosts", write_process_hosts},
};

enum { FILES = sizeof files / sizeof *files, PATH_SIZE = PLATFORM_PATH + 64 };

void platform_path(char path[PATH_SIZE], const char *folder, const char *name)
{
    snprintf(path, PATH_SIZE, "%s/bus/" PLATFORM_NAME ".%s", folder, name);
}

/* Returns false, with errno, on failure. */
static bool write_files(const struct platform *p, const char *folder)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/bus", folder);
    bool good = mkdir(path, S_IRWXU) == 0;
    for (int i = 0; i < FILES && good; i++) {
        platform_path(path, folder, files[i].name);
        FILE *f = fopen(path, "w");
        if (!f)
            return false;
        files[i].write(f, p);
        good = !ferror(f);
        good = fclose(f) == 0 && good;
    }
    return good;
}

bool platform_write(struct platform *p, char folder[PLATFORM_PATH])
{
    const char *temporary = getenv("TMPDIR");
    int length = snprintf(folder, PLATFORM_PATH, "%s/startile-XXXXXX",
                          temporary && *temporary ? temporary : "/tmp");
    if (length >= PLATFORM_PATH)
        return fail(p, "TMPDIR is too long a path for StarPU");
    if (mkdtemp(folder) && write_files(p, folder))
        return true;
    fail(p, "%s: %s", folder, strerror(errno));
    platform_remove(folder);
    return false;
}

bool platform_use(const char *models, const char *folder)
{
    /* These variables describe this machine, not the simulated one. */
    static const char *const variables[] = {"STARPU_NCPU",           "STARPU_NCPUS",
                                            "STARPU_NCUDA",          "STARPU_WORKERS_CPUID",
                                            "STARPU_WORKERS_CUDAID", "STARPU_MAIN_THREAD_CPUID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return !setenv("STARTILE_MODELS", models, 1) && !setenv("STARPU_PERF_MODEL_DIR", folder, 1) &&
           !setenv("STARPU_HOSTNAME", PLATFORM_NAME, 1) && !setenv("STARPU_SILENT", "1", 0);
}

void platform_remove(const char *folder)
{
    /* Folders of platform_write() and of StarPU, each before the folder that contains it. 45:
     * version of StarPU's model files */
    static const char *const folders[] = {"/bus", "/codelets/45", "/codelets", "/debug", ""};
    char path[PATH_SIZE];
    for (int i = 0; i < FILES; i++) {
        platform_path(path, folder, files[i].name);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        rmdir(path);
    }
}
