/*
 * Energy counters of the machine.
 */
#include "energy.h"

#include <math.h>
#include <stdio.h>
#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

static struct rapl rapl;
static bool has_cpus, has_gpus;

/* Of the GPUs that CUDA sees; in a program without CUDA 0, which stands for all. */
static int find_bus_ids(char bus_id[][32])
{
    int count = 0;
    (void)bus_id;
#ifdef STARTILE_HAVE_CUDA
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return 0;
    count = count < MOST_GPUS ? count : MOST_GPUS;
    for (int i = 0; i < count; i++)
        if (cudaDeviceGetPCIBusId(bus_id[i], sizeof bus_id[i], i) != cudaSuccess)
            return 0;
#endif
    return count;
}

void energy_open(void)
{
    char why[WHY_SIZE], bus_id[MOST_GPUS][32];
    has_cpus = rapl_open(&rapl, "/sys/class/powercap", why);
    if (!has_cpus)
        printf("# no energy of the CPUs: %s\n", why);
    has_gpus = nvml_open(bus_id, find_bus_ids(bus_id), why);
    if (!has_gpus)
        printf("# no energy of the GPUs: %s\n", why);
}

struct joules energy_read(void)
{
    return (struct joules){has_cpus ? rapl_read(&rapl) : NAN, has_gpus ? nvml_read() : NAN};
}

void energy_close(void)
{
    if (has_gpus)
        nvml_close();
    has_cpus = has_gpus = false;
}
