/*
 * Energy counters of the machine: RAPL's of the CPUs, as Linux shows them, and NVML's of the GPUs.
 */
#ifndef ENERGY_H
#define ENERGY_H

#include <stdbool.h>

/* Consumed since some point in the past; NaN: there is no counter. */
struct joules {
    double cpu, gpu;
};

/* Finds the counters; prints a line for each kind that is missing, and why. */
void energy_open(void);
/* Counters of CPUs wrap, of a package with 300 W after a quarter of an hour or more: they must be
 * read more often. */
struct joules energy_read(void);
void energy_close(void);

/* -- parts, for the test ---------------------------------------------------------------------- */

enum { MOST_PACKAGES = 16, MOST_GPUS = 16, WHY_SIZE = 160 };

struct rapl {
    int packages;
    struct package {
        char path[96];
        double last, range; /* microjoules */
    } package[MOST_PACKAGES];
    double joules;
};
/* Opens the counters of all CPU packages in `folder` (/sys/class/powercap). Returns false, with the
 * reason in `why`, if none can be read. */
bool rapl_open(struct rapl *r, const char *folder, char *why);
double rapl_read(struct rapl *r);

/* The GPUs of these PCI addresses, or all for a count of 0. */
bool nvml_open(char bus_id[][32], int count, char *why);
double nvml_read(void);
void nvml_close(void);

#endif
