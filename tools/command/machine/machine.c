/*
 * `startile bench machine`: what the cores, main memory and the GPUs of this machine do at best.
 */
#include "machine.h"

#include "command.h"
#include "measure.h"
#include "options.h"
#include "peer_cpu.h"
#include "peer_cuda.h"
#include "team.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 4 };

static const struct option_row options[] = {
    {"csv", "FILE", "write all figures there, as CSV", OPTION_TEXT, .field = 0},
    REFUSED("trace", NO_TASKS_TO_TRACE),
    {.name = NULL},
};

static const char doc[] =
    "Measures the ceilings of this machine: copies, products and transfers of its cores and GPUs. "
    "It takes less than half a minute."
    "\v"
    "  copy           bytes read and written, in main memory by one core and all;\n"
    "                 in GPU memory by cudaMemcpy\n"
    "  dgemm ...      OpenBLAS's by one core and all; cuBLAS's of order 8192\n"
    "  transfer       of 64 MiB between main memory, pageable or page-locked, and\n"
    "                 GPU 0, and from GPU 0 to each other GPU\n"
    "  transfer_both  both ways at once, bytes of both\n"
    "  latency        time of a transfer of 4 KiB\n\n"
    "The CSV file has the columns quantity, where, value and unit. Exit code 1 when a measurement "
    "failed; without a GPU the CPUs are measured.";

static const struct command_options command_options = {
    .command = "startile bench machine", .options = options, .doc = doc};

void machine_figure(FILE *csv, const char *quantity, const char *where, double value,
                    enum unit unit)
{
    static const struct {
        double scale;
        const char *people, *csv;
    } units[] = {{1e-9, "GB/s", "bytes/s"}, {1e-9, "GFlop/s", "operations/s"}, {1e6, "us", "s"}};
    printf("%-14s %-36s %10.4g %s\n", quantity, where, units[unit].scale * value,
           units[unit].people);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%.9g,%s\n", quantity, where, value, units[unit].csv);
}

/* -- cores ---------------------------------------------------------------------------------- */

struct copy {
    char *to;
    const char *from;
    size_t bytes; /* of one thread */
};

static void copy_share(void *argument, int thread, int64_t share)
{
    const struct copy *c = argument;
    (void)thread;
    memcpy(c->to + (size_t)share * c->bytes, c->from + (size_t)share * c->bytes, c->bytes);
}

/* More than caches hold, and no more than an eighth of what is free. The first run brings the pages
 * in. */
static int measure_copy(FILE *csv, int threads, const char *where)
{
    const size_t most = (size_t)1 << 29, eighth = memory_available() / 8;
    const size_t bytes = (most < eighth ? most : eighth) & ~(size_t)4095;
    double seconds[RUNS];
    char *from = malloc(bytes), *to = malloc(bytes);
    struct team *team = team_open(threads);
    if (from && to && team) {
        struct copy c = {to, from, bytes / (size_t)threads};
        memset(from, 1, bytes);
        for (int i = 0; i < RUNS; i++) {
            double start = now_seconds();
            team_run(team, threads, copy_share, &c);
            seconds[i] = now_seconds() - start;
        }
        machine_figure(csv, "copy", where, 2 * (double)bytes / median(seconds + 1, RUNS - 1),
                       BYTES_PER_SECOND);
    }
    team_close(team);
    free(from);
    free(to);
    return from && to && team ? 0 : -1;
}

static int measure_gemm(FILE *csv, int threads, int n)
{
    double seconds[RUNS];
    char where[96];
    size_t square = (size_t)n * (size_t)n;
    double *a = malloc(3 * square * sizeof *a);
    if (!a)
        return -1;
    for (size_t i = 0; i < 3 * square; i++)
        a[i] = (double)(i * 7919 % 10007) / 10007 - 0.5;
    cpu_peer_set_threads(threads);
    for (int i = 0; i < RUNS; i++) {
        double start = now_seconds();
        cpu_peer_gemm(STARTILE_D, n, a, a + square, a + 2 * square);
        seconds[i] = now_seconds() - start;
    }
    free(a);
    snprintf(where, sizeof where, "%s", cpu_peer_name());
    machine_figure(csv, "dgemm", where, 2.0 * n * n * n / median(seconds + 1, RUNS - 1),
                   OPERATIONS_PER_SECOND);
    return 0;
}

static int measure_cpu(FILE *csv)
{
    const int all = team_cores();
    char where[32];
    snprintf(where, sizeof where, "main memory, %d cores", all);
    int failed =
        measure_copy(csv, 1, "main memory, 1 core") || (all > 1 && measure_copy(csv, all, where));
    if (!cpu_peer_load()) {
        printf("# no OpenBLAS here\n");
        return failed;
    }
    return failed || measure_gemm(csv, 1, 1536) || (all > 1 && measure_gemm(csv, all, 3072));
}

/* -- all ------------------------------------------------------------------------------------ */

static bool measure(FILE *csv)
{
    if (csv)
        fputs("quantity,where,value,unit\n", csv);
    if (measure_cpu(csv)) {
        report("bench machine: not enough memory");
        return false;
    }
    if (!cuda_count()) {
        printf("# no GPU that CUDA can use here\n");
        return true;
    }
#ifdef STARTILE_HAVE_CUDA
    if (measure_gpus(csv)) {
        report("bench machine: %s", cuda_peer_reason());
        return false;
    }
#endif
    return true;
}

int machine_command(int argc, char **argv)
{
    const char *csv_file = NULL;
    FILE *csv = NULL;
    parse_options(&command_options, argc, argv, &csv_file);
    if (csv_file && !(csv = fopen(csv_file, "w"))) {
        report("%s: %s", csv_file, strerror(errno));
        return EXIT_FAILED;
    }
    bool good = measure(csv);
    bool written = !csv || !ferror(csv);
    if (csv && (fclose(csv) || !written)) {
        report("%s: %s", csv_file, strerror(errno));
        good = false;
    }
    return good ? 0 : EXIT_FAILED;
}
