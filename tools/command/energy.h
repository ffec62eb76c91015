/*
 * Energy counters of the machine: Linux' powercap counters of the CPUs (RAPL), and those of the
 * GPUs in NVIDIA's NVML.
 */
#ifndef ENERGY_H
#define ENERGY_H

#include <stdbool.h>

/* Values of the energy counters in joules, of which only differences have a meaning. NaN: no
 * counter can be read */
struct joules {
    double cpu, gpu;
};

/* Finds the counters. For CPUs or GPUs without counters, prints a line with the reason. */
void energy_open(void);
/* Returns the counters. Must be called at least every quarter of an hour, because the counter of a
 * CPU package with 300 W may wrap after that time, and energy_read() corrects only one wrap. */
struct joules energy_read(void);
void energy_close(void);

/* -- functions for CPUs and for GPUs, declared for the test ----------------------------------- */

enum { MOST_PACKAGES = 16, MOST_GPUS = 16, WHY_SIZE = 160 };

/* Counters of the CPU packages. joules: energy since rapl_open() */
struct rapl {
    int packages;
    struct package {
        char path[96];
        double last, range; /* counter at the last read; value at which it wraps. Microjoules */
    } package[MOST_PACKAGES];
    double joules;
};
/* Opens the counters of all CPU packages in `folder` (/sys/class/powercap). Returns false, with the
 * reason in `why`, if there is no package, or if the counter of one cannot be read. */
bool rapl_open(struct rapl *r, const char *folder, char *why);
/* Returns the joules of all packages since rapl_open(), or NaN if a counter cannot be read. */
double rapl_read(struct rapl *r);

/* Opens the counters of the GPUs with these PCI addresses, or of all GPUs if count is 0. Returns
 * false, with the reason in `why`, if one of them or NVML cannot be used, or if there is no GPU. */
bool nvml_open(char bus_id[][32], int count, char *why);
/* Returns the sum of the GPUs' counters in joules, or NaN if one cannot be read. */
double nvml_read(void);
void nvml_close(void);

#endif
