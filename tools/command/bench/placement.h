/*
 * Where the tasks of a run went, and how far the run is from what the same tasks allow.
 */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "startile.h"

enum kind { CPU, GPU, KINDS };

/* What the tasks of one codelet took. */
struct share {
    const char *codelet;
    int64_t tasks[KINDS];
    double seconds[KINDS];
    double flops[KINDS];
};

/* Devices of one kind: CPU workers, or GPUs, each with all its workers. */
struct load {
    int devices;
    double busy;
    double waiting; /* for data, while no task ran: never more than it was idle; device-seconds */
};

struct bounds {
    double critical_path, area, mixed; /* mixed: the larger of both */
};

struct placement {
    double run_seconds; /* until the result was where it belongs, as in timed runs */
    double seconds;     /* of it, from the first submission to the last task's end */
    struct bounds measured;
    struct bounds modelled; /* by calibrated models; NaN: not all tasks have one */
    struct load load[KINDS];
    double to_gpus, from_gpus, between_gpus; /* bytes */
    double from_disk, to_disk;               /* bytes read from and written to files */
    double volume;         /* bytes by a formula between the matrix and a memory that holds a part
                              of it; NaN: there is no formula */
    double volume_ratio;   /* bytes of GPUs, or of a disk where no GPU took part, by volume */
    double volume_between; /* bytes by a formula between GPUs; or NaN */
    double between_ratio;  /* between_gpus / volume_between */
    int count;
    struct share *share;
};

/* Ends the recording that startile_profile_start() began; returns 0 or a startile_error, after
 * which *p is as it was. */
int64_t placement_end(double run_seconds, struct placement *p);
void placement_free(struct placement *p);

void print_placement(const struct placement *p);

/* -- placement_bounds.c ----------------------------------------------------------------------- */

/* seconds[i] := the time that task i took of its device, where time in which a GPU runs k tasks
 * counts for each of them as 1/k. */
void device_seconds(const startile_profile *profile, const int *device, double *seconds);

/* Computes p->measured and p->modelled from p->load and the tasks. */
int64_t find_bounds(const startile_profile *profile, const double *seconds, struct placement *p);

#endif
