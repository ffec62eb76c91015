/* The names of this machine's processors, as manifests have them. */
#include "models/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

/* Returns the value if the line of /proc/cpuinfo is "key : value", else NULL. */
static const char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || strchr("\t :", line[length]) == NULL)
        return NULL;
    char *colon = strchr(line, ':');
    line[strcspn(line, "\n")] = '\0';
    return colon == NULL ? NULL : colon + 1 + strspn(colon + 1, " ");
}

/* Stores the CPU's name with family and model, because virtual machines may report only the maker.
 */
static void find_cpu(char *name, size_t size)
{
    char line[512], model_name[80] = "unknown";
    long family = -1, model = -1;
    FILE *f = fopen("/proc/cpuinfo", "r");
    /* an empty line ends the first core; the others have the same name */
    while (f != NULL && fgets(line, sizeof line, f) != NULL && line[0] != '\n') {
        const char *value;
        if ((value = value_of(line, "model name")) != NULL)
            snprintf(model_name, sizeof model_name, "%s", value);
        else if ((value = value_of(line, "cpu family")) != NULL)
            family = strtol(value, NULL, 10);
        else if ((value = value_of(line, "model")) != NULL)
            model = strtol(value, NULL, 10);
    }
    if (f != NULL)
        fclose(f);
    if (family >= 0 && model >= 0)
        snprintf(name, size, "%s (family %ld model %ld)", model_name, family, model);
    else
        snprintf(name, size, "%s", model_name);
}

/* Stores the name of the first GPU, or "" without one. */
static void find_gpu(char *name, size_t size)
{
    name[0] = '\0';
#ifdef STARTILE_SIMULATION
    snprintf(name, size, "simulated");
#endif
#ifdef STARTILE_HAVE_CUDA
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess)
        snprintf(name, size, "%s", properties.name);
    else
        cudaGetLastError(); /* clears the error for the next CUDA call of the program */
#else
    (void)size;
#endif
}

void machine_find(struct machine *m, bool uses_cpu, bool uses_gpu)
{
    *m = (struct machine){.uses_cpu = uses_cpu, .cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    find_cpu(m->cpu, sizeof m->cpu);
    if (uses_gpu)
        find_gpu(m->gpu, sizeof m->gpu);
}
