/*
 * Description of a machine's devices and links for simulations with StarPU and SimGrid, made from
 * StarPU's measurements on that machine.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>

/* Host name of the simulated machine */
#define PLATFORM_NAME "simulated"
/* Name of an additional simulated host. The processes of a simulated cluster share its data, to
 * exchange values in no simulated time. */
#define PLATFORM_SHARED_HOST "meeting"
/* Largest length of a folder's path that StarPU takes, with the final '\0' */
enum { PLATFORM_PATH = 200 };

struct link {
    double bandwidth, latency; /* bytes/s, s */
};

struct platform {
    int cores, gpus;
    unsigned long long memory; /* bytes of one GPU */
    struct link to_gpu, to_ram, between_gpus;
    double gpu_hold; /* `hold` in models/simulation.h, from 0 to 1 */
    /* A cluster has `processes` processes, each with the devices above, and on_node of them on each
     * node. network: the link of each node to a switch with full bisection bandwidth.
     * processes = 0: a single machine */
    int processes, on_node;
    struct link network;
    char reason[512]; /* reason of the last failure */
};

/* Reads StarPU's measurements of a machine from the folder `models`. If the machine has fewer than
 * `gpus` GPUs, adds GPUs like its first one, and cores in proportion. Returns false, with
 * p->reason, on failure, also if GPUs are to be added to a machine without GPUs. */
bool platform_read(const char *models, const char *machine, int gpus, struct platform *p);
/* Returns gpu_hold of the models in the folder; 1 if they do not tell it. */
double platform_gpu_hold(const char *models);
/* Reads a network's bandwidth and latency from a text such as "50GB/s,2us" or "200Gb/s,2us".
 * Returns false if the text is malformed. */
bool network_read(const char *text, struct link *l);
/* Makes a temporary folder, stores its path, and writes the files of the platform. Returns false,
 * with p->reason, on failure. */
bool platform_write(struct platform *p, char folder[PLATFORM_PATH]);
/* Sets the environment of the simulator: the folder of the models and that of platform_write().
 * Returns false, with errno, on failure. */
bool platform_use(const char *models, const char *folder);
/* Deletes the folder of platform_write() and its files. */
void platform_remove(const char *folder);
/* Stores the path of one of these files: the platform for SimGrid (name "platform.v4.xml"), or the
 * list of the processes' hosts (name "hosts"). */
void platform_path(char path[PLATFORM_PATH + 64], const char *folder, const char *name);

#endif
