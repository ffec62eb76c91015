/*
 * Placement of a run's tasks on devices, and lower bounds on the time of these tasks.
 */
#ifndef PLACEMENT_H
#define PLACEMENT_H

#include "startile.h"
#include "startile_trace.h"

enum kind { CPU, GPU, KINDS };

/* Number, time and operations of one codelet's tasks, by kind of device */
struct codelet_load {
    const char *codelet;
    int64_t tasks[KINDS];
    double seconds[KINDS];
    double flops[KINDS];
};

/* Load of the devices of one kind: CPU workers, or GPUs, each with all its workers */
struct device_load {
    int devices;
    double busy;    /* device-seconds in which tasks ran */
    double waiting; /* device-seconds of waiting for data; at most the idle time */
};

struct bounds {
    double critical_path, area, mixed; /* seconds; mixed: the larger of the two */
};

struct placement {
    double run_seconds;     /* time until the results are where they reside, as in timed runs */
    double seconds;         /* time from the first submission to the last task's end */
    struct bounds measured; /* by measured times */
    struct bounds modelled; /* by calibrated models; NaN: not all tasks have one */
    double gpu_hold;        /* `hold` in models/simulation.h, of the models in use */
    struct device_load load[KINDS];
    double to_gpus, from_gpus, between_gpus; /* bytes */
    double from_disk, to_disk;               /* bytes read from and written to files */
    double volume; /* bytes by formula between the matrix and a memory that holds a part of it; NaN:
                      no formula */
    double volume_ratio; /* bytes moved to and from GPUs, or a disk if no GPU took part, divided by
                            volume */
    double volume_between; /* bytes by formula between GPUs; NaN: no formula */
    double between_ratio;  /* between_gpus / volume_between */
    int count;             /* number of codelets */
    struct codelet_load *codelets;
};

/* Ends the recording that startile_profile_start() began, and stores the placement. Returns 0 or a
 * startile_error; after an error *p is unchanged. */
int64_t placement_end(double run_seconds, struct placement *p);
void placement_free(struct placement *p);

void print_placement(const struct placement *p);

/* -- placement_bounds.c ----------------------------------------------------------------------- */

/* seconds[i] := device time of task i. While a device runs k tasks, each of them gets 1/k of the
 * time. device[i]: device of task i; tasks that did not run get 0. */
void device_seconds(const startile_profile *profile, const int *device, double *seconds);

/* Computes p->measured and p->modelled from p->load and the tasks. */
int64_t find_bounds(const startile_profile *profile, const double *seconds, struct placement *p);

#endif
