/*
 * `startile bench --placement`: the report.
 */
#include "placement.h"
#include "report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints number, seconds and rate of a codelet's tasks on CPUs and on GPUs. */
static void print_codelet(const struct codelet_load *s)
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

/* Prints the busy, idle and waiting time of the devices of one kind. seconds: time of the tasks */
static void print_load(const char *name, const struct device_load *l, double seconds)
{
    double all = l->devices * seconds, percent = 100 / all;
    if (l->devices == 0)
        return;
    printf("#   %-20s %8d %10.4g %9.1f%% %10.4g %9.1f%% %10.4g\n", name, l->devices, l->busy,
           percent * l->busy, all - l->busy, percent * (all - l->busy), l->waiting);
}

/* Prints a lower bound in seconds, and by how many percent the tasks and the run exceed it. */
static void print_bound(const char *name, double bound, const struct placement *p)
{
    printf("#   %-20s %8.4g", name, bound);
    printf(" %11.1f %%", 100 * (p->seconds / bound - 1));
    printf(" %11.1f %%\n", 100 * (p->run_seconds / bound - 1));
}

/* Prints the bounds, unless they are unknown. by: the times from which they follow */
static void print_bounds(const char *by, struct bounds b, const struct placement *p)
{
    if (isnan(b.area))
        return;
    printf("#   %-20s %8s %13s %13s\n", by, "seconds", "tasks above", "run above");
    print_bound("critical path", b.critical_path, p);
    print_bound("area bound", b.area, p);
    print_bound("mixed bound", b.mixed, p);
}

void print_placement(const struct placement *p)
{
    printf("# placement in a further run of %.4g s: its tasks took %.4g s, and after them it was "
           "%.4g s until the result was where it belongs\n",
           p->run_seconds, p->seconds, fmax(p->run_seconds - p->seconds, 0));
    printf("#   %-20s %8s %10s %10s %8s %10s %10s\n", "codelet", "on CPUs", "seconds", "GFlop/s",
           "on GPUs", "seconds", "GFlop/s");
    for (int i = 0; i < p->count; i++)
        print_codelet(&p->codelets[i]);
    printf("#   %-20s %8s %10s %10s %10s %10s %10s\n", "devices", "number", "busy", "", "idle", "",
           "for data");
    print_load("CPU workers", &p->load[CPU], p->seconds);
    print_load("GPUs", &p->load[GPU], p->seconds);
    printf("#   bytes moved          %.4g to GPUs, %.4g from GPUs, %.4g between GPUs\n", p->to_gpus,
           p->from_gpus, p->between_gpus);
    if (p->from_disk + p->to_disk > 0)
        printf("#   bytes of the disk    %.4g read, %.4g written\n", p->from_disk, p->to_disk);
    if (!isnan(p->volume))
        printf("#   bytes by the formula %.4g, so that what moved is %.3f of it\n", p->volume,
               p->volume_ratio);
    if (!isnan(p->volume_between))
        printf("#   and between GPUs     %.4g, so that what moved is %.3f of it\n",
               p->volume_between, p->between_ratio);
    print_bounds("by measured times", p->measured, p);
    print_bounds("by the models' times", p->modelled, p);
    fflush(stdout);
}
