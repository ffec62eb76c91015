/* Division of a host's GPUs among the processes that a launcher started there. */
#ifndef STARTILE_LOCAL_GPUS_H
#define STARTILE_LOCAL_GPUS_H

#include <stdbool.h>

/* The GPUs of one process: first, first + 1, …, first + count − 1. */
struct gpu_share {
    int first, count;
    int users; /* number of the host's processes that use GPU `first`; 1 if no GPU is shared */
};

/* Returns the GPUs of process `rank` of `processes` on a host with `gpus` ≥ 1 GPUs. With at least
 * as many GPUs as processes: floor(rank·gpus / processes) … floor((rank + 1)·gpus / processes) − 1;
 * else GPU rank mod gpus. */
struct gpu_share share_gpus(int gpus, int rank, int processes);

/* Returns the number of tasks on node `node`, counted from 0, by Slurm's list, for example
 * "2(x3),1": two on each of three nodes, one on the fourth; 0 for a list that is malformed or has
 * no such node. */
int slurm_tasks_on_node(const char *list, int node);

/* Reads the rank of this process among those of its host, and their number, from the launcher's
 * environment variables. Returns false if no known launcher has started the process. */
bool find_local_rank(int *rank, int *processes);

#endif
