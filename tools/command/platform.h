/*
 * The description of a machine's devices and links that StarPU and SimGrid need for a simulation,
 * made from StarPU's measurements there.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>

/* The name of the simulated machine, and the longest path of a folder that StarPU takes. */
#define PLATFORM_NAME "simulated"
enum { PLATFORM_PATH = 200 };

struct link {
    double bandwidth, latency; /* bytes/s, s */
};

struct platform {
    int cores, gpus;
    unsigned long long memory; /* of a GPU, bytes */
    struct link to_gpu, to_ram, between_gpus;
    double gpu_hold;  /* see simulation.h */
    char reason[512]; /* of a failure */
};

/* Reads the measurements of a machine, and gives it at least so many GPUs like its first. Returns
 * whether it succeeds. */
bool platform_read(const char *models, const char *machine, int gpus, struct platform *p);
/* Writes a new folder. Returns whether it succeeds. */
bool platform_write(struct platform *p, char folder[PLATFORM_PATH]);
void platform_remove(const char *folder);

#endif
