/*
 * What the parts of `startile bench machine` share.
 */
#ifndef MACHINE_BENCH_H
#define MACHINE_BENCH_H

#include <stdio.h>

/* Of a value: bytes/s, operations/s, seconds */
enum unit { BYTES_PER_SECOND, OPERATIONS_PER_SECOND, SECONDS };

/* Prints one line, and one in the CSV file unless that is NULL. */
void machine_figure(FILE *csv, const char *quantity, const char *where, double value,
                    enum unit unit);

/* machine_gpu.c, where CUDA is; returns 0, or −1 with cuda_peer_reason(). */
int measure_gpus(FILE *csv);

#endif
