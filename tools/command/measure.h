/*
 * Time, memory and folders of this machine.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the time in seconds since some point in the past; in a simulation, simulated time. */
double now_seconds(void);

/* Returns the median of n ≥ 1 values. Sorts the values. */
double median(double *values, size_t n);

struct spread {
    double median, min, max;
};
/* Returns median, minimum and maximum of n ≥ 1 values. Sorts the values. */
struct spread spread_of(double *values, size_t n);

/* Returns the bytes of main memory that this process may use: all of the machine's memory, or the
 * limit of the process' control group if that is less. */
size_t memory_total(void);

/* Returns the bytes of memory that the machine has available for new programs, at most the limit of
 * the control group. */
size_t memory_available(void);

/* Makes a folder and all folders above it. Returns whether it is a folder that can be written; if
 * not, sets errno. */
bool make_folder(const char *folder);

#endif
