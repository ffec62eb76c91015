/*
 * Time, memory and folders of this machine.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* Of the machine that is simulated, in a simulation. */
double now_seconds(void);

/* Of n ≥ 1 values, which get sorted. */
double median(double *values, size_t n);

/* Bytes of main memory that this process may use: the machine's, or its control group's limit. */
size_t memory_total(void);

/* What the machine has free for new programs, within the same limit. */
size_t memory_available(void);

/* Makes a folder and those above it. Returns whether it is one to write into; else errno says why
 * not. */
bool make_folder(const char *folder);

#endif
