/* Replaces NVIDIA's management library: two GPUs, whose energy counters grow by 1 and 10 J with
 * each read. */

typedef struct nvmlDevice_st *nvmlDevice_t;
struct nvmlDevice_st {
    unsigned long long millijoules, step;
};

static struct nvmlDevice_st gpu[2] = {{5000, 1000}, {7000, 10000}};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device);
int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules);
const char *nvmlErrorString(int code);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
    *device = &gpu[index];
    return 0;
}

/* Accepts "0" and "1" only. 6 is NVML_ERROR_NOT_FOUND. */
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
    if ((id[0] != '0' && id[0] != '1') || id[1] != '\0')
        return 6;
    *device = &gpu[id[0] - '0'];
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules)
{
    device->millijoules += device->step;
    *millijoules = device->millijoules;
    return 0;
}

const char *nvmlErrorString(int code)
{
    return code == 6 ? "Not Found" : "?";
}
