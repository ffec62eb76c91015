/*
 * The description of a machine's devices and links that StarPU and SimGrid need for a simulation,
 * made from StarPU's measurements there.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>

/* The name of the simulated machine, and the longest path of a folder that StarPU takes. */
#define PLATFORM_NAME "simulated"
/* The host whose data is shared by the processes of a simulated cluster. */
#define PLATFORM_MEETING "meeting"
enum { PLATFORM_PATH = 200 };

struct link {
    double bandwidth, latency; /* bytes/s, s */
};

struct platform {
    int cores, gpus;
    unsigned long long memory; /* of a GPU, bytes */
    struct link to_gpu, to_ram, between_gpus;
    double gpu_hold; /* see simulation.h */
    /* A cluster: processes, each with such a machine, and the link of each node to a switch of
     * full bisection. 0: one machine */
    int processes, on_node;
    struct link network;
    char reason[512]; /* of a failure */
};

/* Reads the measurements of a machine, and gives it at least so many GPUs like its first. Returns
 * whether it succeeds. */
bool platform_read(const char *models, const char *machine, int gpus, struct platform *p);
/* Reads a network's rate and latency, such as "50GB/s,2us" or "200Gb/s,2us". Returns whether it is
 * one. */
bool network_read(const char *text, struct link *l);
/* Writes a new folder. Returns whether it succeeds. */
bool platform_write(struct platform *p, char folder[PLATFORM_PATH]);
void platform_remove(const char *folder);
/* Stores the path of the platform's description for SimGrid (name: "platform.v4.xml"), or of the
 * list of the processes' hosts (name: "hosts"). */
void platform_path(char path[PLATFORM_PATH + 64], const char *folder, const char *name);

#endif
