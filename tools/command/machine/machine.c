/*
 * `startile bench machine`: options, and what is measured in which order.
 */
#include "machine.h"
#include "command.h"
#include "peer_cuda.h"
#include "startile.h"

#include <errno.h>
#include <string.h>

static const char command[] = "startile bench machine";

enum { KEY_CSV = 256 };

static const struct argp_option options[] = {
    {"csv", KEY_CSV, "FILE", 0, "write all figures there, as CSV", 0},
    {0},
};

static const char doc[] =
    "Measures this machine: its cores and main memory, and its first GPU, after section 3 of "
    "Volkov & Demmel, \"Benchmarking GPUs to tune dense linear algebra\" (2008): what launches, "
    "barriers, transfers and accesses to memory cost, and the ceilings of copies and products. "
    "It takes less than half a minute."
    "\v"
    "Figures, by the name of the quantity:\n"
    "  copy            read + written, by one core and all (main memory); by\n"
    "                  cudaMemcpy and by a kernel with 16, 8 and 4 bytes a thread\n"
    "  copy_misaligned the same, 8 bytes a thread, from an address that many bytes\n"
    "                  past a multiple of 256\n"
    "  copy_strided    every so many doubles; useful bytes\n"
    "  read, write     by a kernel with 16 bytes a thread\n"
    "  dgemm ...       OpenBLAS's by one core and all; cuBLAS's of order 8192\n"
    "  launch          of an empty kernel: one of many enqueued at once\n"
    "  launch_wait     the same when each is waited for\n"
    "  grid_barrier    of so many blocks of 256 threads inside one kernel\n"
    "  cluster_barrier of so many blocks of 256 threads, a thread block cluster\n"
    "  atomic          one addition when all threads add to so many places\n"
    "  transfer        of so many bytes; from what to what: where\n"
    "  transfer_latency, transfer_rate, transfer_misfit\n"
    "                  time = latency + bytes / rate, fitted to the transfers, and\n"
    "                  the largest relative deviation of these from it\n"
    "  transfer_both   both ways at once, each in that time: bytes of both by it\n"
    "  latency         of a load that waits for the load before, in a walk through\n"
    "                  so many bytes in steps of 128 bytes: by way of the L1 cache,\n"
    "                  past it (L2), in shared memory\n\n"
    "The CSV file has the columns quantity, where, parameter, parameter_is (its unit, or "
    "what is counted), value and unit: s, bytes/s, operations/s or 1. Values that do not exist "
    "here are empty.\n\n"
    "Exit code 1 when a measurement failed; without a GPU the CPUs are measured.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const char **csv_file = state->input;
    switch (key) {
    case KEY_CSV:
        *csv_file = argument;
        return 0;
    case ARGP_KEY_ARG:
        usage_error(command, "'%s': takes no arguments", argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, NULL, doc, NULL, NULL, NULL};

static bool measure(FILE *csv)
{
    printf("# startile %s\n", startile_version());
    machine_heading(csv);
    if (measure_cpu(csv)) {
        report("bench machine: not enough memory");
        return false;
    }
    if (!cuda_count()) {
        printf("# no GPU that CUDA can use here\n");
        return true;
    }
#ifdef STARTILE_HAVE_CUDA
    if (measure_gpu(csv)) {
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
    parse_command_line(&argp, command, argc, argv, &csv_file);
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
