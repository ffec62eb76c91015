/*
 * Energy of GPUs since their driver was loaded, from NVIDIA's management library, which comes with
 * the driver and is looked for at run time.
 */
#include "energy.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* As in nvml.h, which only comes with the CUDA toolkit. */
typedef struct nvmlDevice_st *nvmlDevice_t;
enum { NVML_SUCCESS = 0 };

static struct {
    void *library;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *);
    int (*by_index)(unsigned, nvmlDevice_t *);
    int (*by_bus_id)(const char *, nvmlDevice_t *);
    int (*energy)(nvmlDevice_t, unsigned long long *); /* millijoules */
    const char *(*words)(int);
    int gpus;
    nvmlDevice_t gpu[MOST_GPUS];
} nvml;

static bool find_functions(void)
{
    const struct {
        const char *name;
        void *at;
    } functions[] = {
        {"nvmlInit_v2", &nvml.init},
        {"nvmlShutdown", &nvml.shutdown},
        {"nvmlDeviceGetCount_v2", &nvml.count},
        {"nvmlDeviceGetHandleByIndex_v2", &nvml.by_index},
        {"nvmlDeviceGetHandleByPciBusId_v2", &nvml.by_bus_id},
        {"nvmlDeviceGetTotalEnergyConsumption", &nvml.energy},
        {"nvmlErrorString", &nvml.words},
    };
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        void *found = dlsym(nvml.library, functions[f].name);
        if (!found)
            return false;
        memcpy(functions[f].at, &found, sizeof found);
    }
    return true;
}

/* NVML's code */
static int find_gpus(char bus_id[][32], int count)
{
    unsigned all = (unsigned)count;
    int status = count > 0 ? NVML_SUCCESS : nvml.count(&all);
    for (unsigned i = 0; i < all && i < MOST_GPUS && status == NVML_SUCCESS; i++) {
        unsigned long long unused;
        status =
            count > 0 ? nvml.by_bus_id(bus_id[i], &nvml.gpu[i]) : nvml.by_index(i, &nvml.gpu[i]);
        if (status == NVML_SUCCESS)
            status = nvml.energy(nvml.gpu[i], &unused);
        nvml.gpus += status == NVML_SUCCESS;
    }
    return status;
}

bool nvml_open(char bus_id[][32], int count, char *why)
{
    nvml.gpus = 0;
    nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml.library || !find_functions()) {
        snprintf(why, WHY_SIZE,
                 nvml.library ? "libnvidia-ml.so.1 is too old" : "no libnvidia-ml.so.1");
        if (nvml.library)
            dlclose(nvml.library);
        return false;
    }
    int status = nvml.init();
    bool up = status == NVML_SUCCESS;
    if (up)
        status = find_gpus(bus_id, count);
    snprintf(why, WHY_SIZE, "%s", status == NVML_SUCCESS ? "no GPU" : nvml.words(status));
    if (status == NVML_SUCCESS && nvml.gpus > 0)
        return true;
    if (up)
        nvml.shutdown();
    dlclose(nvml.library);
    return false;
}

double nvml_read(void)
{
    double joules = 0;
    for (int i = 0; i < nvml.gpus; i++) {
        unsigned long long millijoules;
        if (nvml.energy(nvml.gpu[i], &millijoules) != NVML_SUCCESS)
            return NAN;
        joules += 1e-3 * (double)millijoules;
    }
    return joules;
}

void nvml_close(void)
{
    nvml.gpus = 0;
    nvml.shutdown();
    dlclose(nvml.library);
}
