/*
 * What the parts of the GPU's measurements share. Functions return 0, or −1 with
 * cuda_peer_reason().
 */
#ifndef MACHINE_GPU_H
#define MACHINE_GPU_H

#include "machine.h"
#include "machine_kernels.h"
#include "peer_cuda_state.h"

struct gpu_bench {
    FILE *csv;
    startile_exec *exec; /* on the stream of the peer */
    char *a, *b;         /* GPU memory, GPU_BYTES each */
};

static const size_t gpu_bytes = (size_t)1 << 30;

void gpu_figure(const struct gpu_bench *g, const char *quantity, double parameter,
                const char *parameter_is, double value, enum unit unit);
/* A kernel's status as the peer's failures are */
int machine_check(const char *what, int status);

int measure_synchronisation(const struct gpu_bench *g);
int measure_memory(const struct gpu_bench *g);
int measure_latency(const struct gpu_bench *g);
int measure_transfers(const struct gpu_bench *g);
int measure_products(const struct gpu_bench *g);

#endif
