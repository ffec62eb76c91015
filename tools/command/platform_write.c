/*
 * A simulated machine in the files that StarPU and SimGrid read.
 */
#include "platform.h"

/* StarPU's memory nodes: main memory, then GPUs. */
enum { RAM = 0 };

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

/* The models are of tasks that have a GPU to themselves: together they get no more of it. */
static void write_hosts(FILE *f, const struct platform *p)
{
    bool direct = is_link(p->between_gpus);
    fputs(" <host id=\"MAIN\" speed=\"1f\"/>\n <host id=\"RAM\" speed=\"1f\"/>\n", f);
    for (int c = 0; c < p->cores; c++)
        fprintf(f, " <host id=\"CPU%d\" speed=\"1Gf\"/>\n", c);
    for (int g = 0; g < p->gpus; g++)
        fprintf(f,
                " <host id=\"CUDA%d\" speed=\"1Gf\">\n"
                "  <prop id=\"memsize\" value=\"%llu\"/>\n"
                "  <prop id=\"memcpy_peer\" value=\"%d\"/>\n"
                "  <prop id=\"gpu_hold\" value=\"%g\"/>\n </host>\n",
                g, p->memory, direct, p->gpu_hold);
}

static void write_link(FILE *f, const char *from, const char *to, struct link l)
{
    fprintf(f, " <link id=\"%s-%s\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n", from, to,
            l.bandwidth, l.latency);
}

static void write_route(FILE *f, const char *from, const char *to, struct link l)
{
    (void)l;
    fprintf(f,
            " <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\"><link_ctn id=\"%s-%s\"/></route>\n",
            from, to, from, to);
}

/* Links are full duplex, and each pair of GPUs has its own. */
static void for_links(FILE *f, const struct platform *p,
                      void (*write)(FILE *f, const char *from, const char *to, struct link l))
{
    char from[16], to[16];
    for (int i = 0; i <= p->gpus; i++)
        for (int j = 0; j <= p->gpus; j++)
            if (is_link(link_between(p, i, j)))
                write(f, node_name(i, from), node_name(j, to), link_between(p, i, j));
}

static void write_platform(FILE *f, const struct platform *p)
{
    fputs(
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version=\"4.1\">\n"
        "<config>\n <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n"
        " <prop id=\"network/latency-factor\" value=\"1\"/>\n"
        " <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
        " <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
        " <prop id=\"network/weight-S\" value=\"0.0\"/>\n</config>\n"
        "<zone id=\"machine\" routing=\"Full\">\n",
        f);
    write_hosts(f, p);
    for_links(f, p, write_link);
    for_links(f, p, write_route);
    fputs("</zone>\n</platform>\n", f);
}

/* Also where there is none: by way of main memory. */
static struct link path_between(const struct platform *p, int from, int to)
{
    struct link l = link_between(p, from, to);
    if (from == to || is_link(l))
        return l;
    return (struct link){1 / (1 / p->to_ram.bandwidth + 1 / p->to_gpu.bandwidth),
                         p->to_ram.latency + p->to_gpu.latency};
}

/* As StarPU has it: MB/s. */
static void write_bandwidths(FILE *f, const struct platform *p)
{
    for (int i = 0; i <= p->gpus; i++)
        for (int j = 0; j <= p->gpus; j++)
            fprintf(f, "%f%c", 1e-6 * path_between(p, i, j).bandwidth, j < p->gpus ? '\t' : '\n');
}

/* Microseconds. */
static void write_latencies(FILE *f, const struct platform *p)
{
    for (int i = 0; i <= p->gpus; i++)
        for (int j = 0; j <= p->gpus; j++)
            fprintf(f, "%f%c", 1e6 * path_between(p, i, j).latency, j < p->gpus ? '\t' : '\n');
}

/* That it is there tells StarPU that the others are. */
static void write_config(FILE *f, const struct platform *p)
{
    fprintf(f, "%d # CPU cores\n%d # GPUs\n", p->cores, p->gpus);
}

const struct platform_file platform_files[PLATFORM_FILES] = {
    {"platform.v4.xml", write_platform},
    {"bandwidth", write_bandwidths},
    {"latency", write_latencies},
    {"config", write_config},
};
