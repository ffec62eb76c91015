/*
 * `startile bench --placement`: the report.
 */
#include "placement.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* A value, or a dash where there is none. */
static void print_value(int width, const char *format, double value)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    printf(" %*s", width, text);
}

static void print_share(const struct share *s)
{
    printf("#   %-20s", s->codelet);
    for (int k = 0; k < KINDS; k++) {
        bool any = s->tasks[k] > 0;
        print_value(8, "%.0f", any ? (double)s->tasks[k] : NAN);
        print_value(10, "%.4g", any ? s->seconds[k] : NAN);
        print_value(10, "%.4g", s->flops[k] > 0 ? 1e-9 * s->flops[k] / s->seconds[k] : NAN);
    }
    putchar('\n');
}

static void print_load(const char *name, const struct load *l, double seconds)
{
    double all = l->devices * seconds, percent = 100 / all;
    if (l->devices == 0)
        return;
    printf("#   %-20s %8d %10.4g %9.1f%% %10.4g %9.1f%% %10.4g\n", name, l->devices, l->busy,
           percent * l->busy, all - l->busy, percent * (all - l->busy), l->waiting);
}

static void print_bound(const char *name, double bound, double seconds)
{
    printf("#   %-20s %8.4g s, which the run exceeds by %.1f %%\n", name, bound,
           100 * (seconds / bound - 1));
}

void print_placement(const struct placement *p)
{
    printf("# placement in a further run, which took %.4g s\n", p->seconds);
    printf("#   %-20s %8s %10s %10s %8s %10s %10s\n", "codelet", "on CPUs", "seconds", "GFlop/s",
           "on GPUs", "seconds", "GFlop/s");
    for (int i = 0; i < p->count; i++)
        print_share(&p->share[i]);
    printf("#   %-20s %8s %10s %10s %10s %10s %10s\n", "devices", "number", "busy", "", "idle", "",
           "for data");
    print_load("CPU workers", &p->load[CPU], p->seconds);
    print_load("GPUs", &p->load[GPU], p->seconds);
    printf("#   bytes moved          %.4g to GPUs, %.4g from GPUs, %.4g between GPUs\n", p->to_gpus,
           p->from_gpus, p->between_gpus);
    print_bound("critical path", p->critical_path, p->seconds);
    print_bound("area bound", p->area_bound, p->seconds);
    print_bound("mixed bound", mixed_bound(p), p->seconds);
    fflush(stdout);
}
