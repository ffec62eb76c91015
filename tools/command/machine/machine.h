/*
 * What the parts of `startile bench machine` share: figures, which they print as they find them.
 */
#ifndef MACHINE_BENCH_H
#define MACHINE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum unit { SECONDS, BYTES_PER_SECOND, OPERATIONS_PER_SECOND, RATIO };

struct figure {
    const char *quantity, *where;
    double parameter; /* NaN: none */
    const char *parameter_is;
    double value;
    enum unit unit;
};

/* machine_report.c */
void machine_heading(FILE *csv);
/* One line on standard output and, unless csv is NULL, in that file */
void machine_figure(FILE *csv, const struct figure *f);

/* machine_fit.c: *latency and *rate such that latency + bytes / rate is near `seconds`, by least
 * squares of the relative deviations; the largest of these */
double fit_transfer(size_t count, const double *bytes, const double *seconds, double *latency,
                    double *rate);

/* machine_cpu.c: 0 where nothing failed */
int measure_cpu(FILE *csv);

/* machine_gpu.c, where CUDA is: 0, or −1 with cuda_peer_reason() */
int measure_gpu(FILE *csv);

#endif
