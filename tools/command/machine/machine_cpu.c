/*
 * What the CPUs do: a copy through main memory and OpenBLAS's product, by one core and by all.
 */
#define _GNU_SOURCE
#include "command.h"
#include "machine.h"
#include "measure.h"
#include "peer_cpu.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3 };

/* More than caches hold, and no more than an eighth of what is free. */
static size_t copied_bytes(void)
{
    const size_t most = (size_t)1 << 29, eighth = memory_available() / 8;
    return (most < eighth ? most : eighth) & ~(size_t)4095;
}

static int cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* -- copy ------------------------------------------------------------------------------------- */

struct share {
    char *to;
    const char *from;
    size_t bytes;
    pthread_barrier_t *barrier;
};

/* The first round brings the pages in; all rounds begin and end together. */
static void *copy_share(void *argument)
{
    struct share *s = argument;
    for (int i = 0; i <= RUNS; i++) {
        pthread_barrier_wait(s->barrier);
        memcpy(s->to, s->from, s->bytes);
        pthread_barrier_wait(s->barrier);
    }
    return NULL;
}

/* Seconds of a round; NaN where threads cannot be had. */
static double time_rounds(pthread_barrier_t *barrier)
{
    double seconds[RUNS + 1];
    for (int i = 0; i <= RUNS; i++) {
        pthread_barrier_wait(barrier);
        double start = now_seconds();
        pthread_barrier_wait(barrier);
        seconds[i] = now_seconds() - start;
    }
    return median(seconds + 1, RUNS);
}

static double time_copy(int threads, char *to, char *from, size_t bytes)
{
    pthread_barrier_t barrier;
    pthread_t thread[threads];
    struct share share[threads];
    if (pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1))
        return NAN;
    for (int i = 0; i < threads; i++) {
        size_t first = bytes / (size_t)threads * (size_t)i;
        share[i] = (struct share){to + first, from + first, bytes / (size_t)threads, &barrier};
        int error = pthread_create(&thread[i], NULL, copy_share, &share[i]);
        if (error) {
            report("bench machine: thread %d of %d: %s", i + 1, threads, strerror(error));
            exit(EXIT_FAILED); /* the others would wait for it for ever */
        }
    }
    double seconds = time_rounds(&barrier);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
    return seconds;
}

static int measure_copy(FILE *csv, int threads)
{
    size_t bytes = copied_bytes();
    char *from = malloc(bytes), *to = malloc(bytes);
    if (from && to) {
        memset(from, 1, bytes);
        double rate = 2 * (double)bytes / time_copy(threads, to, from, bytes);
        machine_figure(
            csv, &(struct figure){"copy", "main memory", threads, "cores", rate, BYTES_PER_SECOND});
    }
    free(from);
    free(to);
    return from && to ? 0 : -1;
}

/* -- product ---------------------------------------------------------------------------------- */

static int measure_gemm(FILE *csv, int threads, int n)
{
    double seconds[RUNS + 1];
    size_t square = (size_t)n * (size_t)n;
    double *a = malloc(3 * square * sizeof *a);
    if (!a)
        return -1;
    for (size_t i = 0; i < 3 * square; i++)
        a[i] = (double)(i * 7919 % 10007) / 10007 - 0.5;
    cpu_peer_set_threads(threads);
    for (int i = 0; i <= RUNS; i++) {
        double start = now_seconds();
        cpu_peer_gemm(STARTILE_D, n, n, n, a, a + square, a + 2 * square);
        seconds[i] = now_seconds() - start;
    }
    free(a);
    double rate = 2 * pow(n, 3) / median(seconds + 1, RUNS);
    machine_figure(csv, &(struct figure){"dgemm", cpu_peer_name(), threads, "cores", rate,
                                         OPERATIONS_PER_SECOND});
    return 0;
}

int measure_cpu(FILE *csv)
{
    const int all = cores();
    int failed = measure_copy(csv, 1) || (all > 1 && measure_copy(csv, all));
    if (!cpu_peer_load()) {
        printf("# no OpenBLAS here\n");
        return failed;
    }
    return failed || measure_gemm(csv, 1, 1536) || (all > 1 && measure_gemm(csv, all, 3072));
}
