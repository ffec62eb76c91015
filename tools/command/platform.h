/*
 * The description of a machine's devices and links that StarPU and SimGrid want for a simulation,
 * made from what StarPU measured there.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The name of the machine in it; and room for a folder's path, which StarPU allows not much. */
#define PLATFORM_NAME "simulated"
enum { PLATFORM_PATH = 200 };

struct link {
    double bandwidth, latency; /* bytes/s, s */
};

static inline bool is_link(struct link l)
{
    return l.bandwidth > 0 && l.latency >= 0;
}

struct platform {
    int cores, gpus;
    unsigned long long memory; /* of a GPU, bytes */
    struct link to_gpu, to_ram, between_gpus;
    double gpu_hold; /* see simulation.h */
};

/* platform_write.c: StarPU's files, by what comes behind the machine's name. */
struct platform_file {
    const char *name;
    void (*write)(FILE *f, const struct platform *p);
};
enum { PLATFORM_FILES = 4 };
extern const struct platform_file platform_files[PLATFORM_FILES];

/* platform.c: writes a new folder for a number of GPUs like the first one there; 0: as many as were
 * there, which it becomes. */
bool platform_make(const char *models, const char *machine, int *gpus, char folder[PLATFORM_PATH],
                   char *reason, size_t size);
void platform_remove(const char *folder);

#endif
