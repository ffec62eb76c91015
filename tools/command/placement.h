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

/* Of a kind of devices: CPU workers, or GPUs, each with all its workers. */
struct load {
    int devices;
    double busy;
    double waiting; /* for data, while no task ran: never more than it was idle; device-seconds */
};

struct bounds {
    double critical_path, area;
};

struct placement {
    double run_seconds; /* until the result was where it belongs, as of the timed runs */
    double seconds;     /* of it, from the first submission to the last task's end */
    struct bounds measured;
    struct bounds modelled; /* by calibrated models; NaN: there are none of all tasks */
    struct load load[KINDS];
    double to_gpus, from_gpus, between_gpus; /* bytes */
    double from_disk, to_disk;               /* and main memory; bytes */
    double volume; /* between the matrix and what holds a part of it, by a formula: bytes; NaN */
    double volume_between; /* GPUs; bytes by a formula, or NaN */
    int count;
    struct share *share;
};

/* Between these the library runs what is looked at; both return 0 or a startile_error. What ends
 * well is for placement_free(). */
int64_t placement_begin(void);
int64_t placement_end(double run_seconds, struct placement *p);
void placement_free(struct placement *p);

/* Bytes that volume is about: of GPUs, or of a disk where none took part. */
double moved_bytes(const struct placement *p);

/* The larger of both. */
double mixed_bound(struct bounds b);

void print_placement(const struct placement *p);

/* -- parts ---------------------------------------------------------------------------------- */

/* seconds[i]: what task i took of its device, where time in which a GPU runs k tasks counts for
 * each of them as 1/k. (placement_devices.c) */
void device_seconds(const startile_profile *profile, const int *device, double *seconds);

/* What p->measured and p->modelled are, of p whose load is there. (placement_bounds.c) */
int64_t find_bounds(const startile_profile *profile, const double *seconds, struct placement *p);

#endif
