/*
 * Energy counters of the machine.
 */
#include "energy.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

/* -- CPUs: Linux' powercap counters of CPU packages, named intel-rapl also on AMD ------------- */

/* Reads the first line of the file `name` in folder `zone`. If there is none, returns false and
 * sets errno. */
static bool read_line(const char *zone, const char *name, char *line, size_t size)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", zone, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    bool good = fgets(line, (int)size, f);
    fclose(f);
    errno = good ? 0 : EIO;
    return good;
}

/* Reads a number from the file `name` in folder `zone`. On failure returns false and sets errno. */
static bool read_number(const char *zone, const char *name, double *value)
{
    char line[32];
    if (!read_line(zone, name, line, sizeof line))
        return false;
    errno = EIO;
    return sscanf(line, "%lf", value) == 1;
}

bool rapl_open(struct rapl *r, const char *folder, char *why)
{
    char name[32];
    *r = (struct rapl){.packages = 0};
    snprintf(why, WHY_SIZE, "no package in %s", folder);
    for (int zone = 0; zone < MOST_PACKAGES; zone++) {
        struct package *p = &r->package[r->packages];
        snprintf(p->path, sizeof p->path, "%s/intel-rapl:%d", folder, zone);
        if (!read_line(p->path, "name", name, sizeof name) || strncmp(name, "package-", 8) != 0)
            continue; /* no such zone, or one that is no package, such as "psys" */
        if (!read_number(p->path, "max_energy_range_uj", &p->range) ||
            !read_number(p->path, "energy_uj", &p->last)) {
            /* Without one package's counter the sum would be wrong, so there is no result */
            snprintf(why, WHY_SIZE, "%s/energy_uj: %s", p->path, strerror(errno));
            r->packages = 0;
            return false;
        }
        r->packages++;
    }
    return r->packages > 0;
}

double rapl_read(struct rapl *r)
{
    for (int i = 0; i < r->packages; i++) {
        struct package *p = &r->package[i];
        double now;
        if (!read_number(p->path, "energy_uj", &now))
            return NAN;
        r->joules += 1e-6 * (now < p->last ? now - p->last + p->range : now - p->last);
        p->last = now;
    }
    return r->packages ? r->joules : NAN;
}

/* -- GPUs: NVIDIA's management library (NVML), which the driver contains ---------------------- */

/* Declarations as in nvml.h, which only the CUDA toolkit contains */
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
    const char *(*error_text)(int);
    int gpus;
    nvmlDevice_t gpu[MOST_GPUS];
} nvml;

/* Stores the addresses of NVML's functions. Returns false if the library lacks one. */
static bool find_functions(void)
{
    const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"nvmlInit_v2", &nvml.init},
        {"nvmlShutdown", &nvml.shutdown},
        {"nvmlDeviceGetCount_v2", &nvml.count},
        {"nvmlDeviceGetHandleByIndex_v2", &nvml.by_index},
        {"nvmlDeviceGetHandleByPciBusId_v2", &nvml.by_bus_id},
        {"nvmlDeviceGetTotalEnergyConsumption", &nvml.energy},
        {"nvmlErrorString", &nvml.error_text},
    };
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        void *found = dlsym(nvml.library, functions[f].name);
        if (!found)
            return false;
        memcpy(functions[f].address, &found, sizeof found);
    }
    return true;
}

/* Stores the handles of the GPUs with these PCI addresses, or of all GPUs if count is 0. Counts in
 * nvml.gpus those whose energy can be read. Stops at the first failure. Returns NVML's code. */
static int find_gpus(char bus_id[][32], int count)
{
    unsigned total = (unsigned)count;
    int status = count > 0 ? NVML_SUCCESS : nvml.count(&total);
    for (unsigned i = 0; i < total && i < MOST_GPUS && status == NVML_SUCCESS; i++) {
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
    if (!nvml.library) {
        snprintf(why, WHY_SIZE, "no libnvidia-ml.so.1");
        return false;
    }
    if (!find_functions()) {
        snprintf(why, WHY_SIZE, "libnvidia-ml.so.1 is too old");
        dlclose(nvml.library);
        return false;
    }
    int status = nvml.init();
    bool is_initialized = status == NVML_SUCCESS;
    if (is_initialized)
        status = find_gpus(bus_id, count);
    snprintf(why, WHY_SIZE, "%s", status == NVML_SUCCESS ? "no GPU" : nvml.error_text(status));
    if (status == NVML_SUCCESS && nvml.gpus > 0)
        return true;
    if (is_initialized)
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

/* -- CPUs and GPUs ---------------------------------------------------------------------------- */

static struct rapl rapl;
static bool has_cpus, has_gpus;

/* Stores the PCI addresses of the GPUs that CUDA sees, and returns their number. Without CUDA, or
 * if CUDA fails, returns 0, so that nvml_open() reads the counters of all GPUs. */
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
