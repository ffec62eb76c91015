/* Division of a host's GPUs among the processes that a launcher started there. */
#include "library/local_gpus.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

struct gpu_share share_gpus(int gpus, int rank, int processes)
{
    if (processes > gpus) {
        int gpu = rank % gpus;
        return (struct gpu_share){gpu, 1, (processes - gpu + gpus - 1) / gpus};
    }
    int first = (int)((int64_t)rank * gpus / processes);
    int next = (int)((int64_t)(rank + 1) * gpus / processes);
    return (struct gpu_share){first, next - first, 1};
}

/* Reads a number ≥ 0 and advances *text behind it. Returns −1 if there is none or if it exceeds an
 * int. */
static int read_number(const char **text)
{
    char *end;
    if (**text < '0' || **text > '9')
        return -1;
    long number = strtol(*text, &end, 10);
    *text = end;
    return number <= INT_MAX ? (int)number : -1;
}

/* Reads "(xN)" and advances *text behind it. Returns N, 1 if there is no parenthesis, −1 for
 * another text in it. */
static int read_repetitions(const char **text)
{
    if (**text != '(')
        return 1;
    if (*++*text != 'x')
        return -1;
    ++*text;
    int number = read_number(text);
    return number >= 1 && *(*text)++ == ')' ? number : -1;
}

int slurm_tasks_on_node(const char *list, int node)
{
    for (;;) {
        int tasks = read_number(&list);
        int nodes = tasks >= 0 ? read_repetitions(&list) : -1;
        if (nodes < 0)
            return 0;
        if (node < nodes)
            return tasks;
        node -= nodes;
        if (*list++ != ',')
            return 0;
    }
}

/* Returns the number ≥ 0 in an environment variable, or −1. */
static int env_number(const char *name)
{
    const char *text = getenv(name);
    int number = text != NULL ? read_number(&text) : -1;
    return number >= 0 && *text == '\0' ? number : -1;
}

static int slurm_local_processes(void)
{
    const char *list = getenv("SLURM_STEP_TASKS_PER_NODE");
    int node = env_number("SLURM_NODEID");
    return list != NULL && node >= 0 ? slurm_tasks_on_node(list, node) : -1;
}

/* Slurm comes last: mpirun and mpiexec in a Slurm job start one Slurm task per node, whose
 * variables their processes inherit. */
bool find_local_rank(int *rank, int *processes)
{
    const struct {
        int rank, processes;
    } launchers[] = {
        /* Open MPI */
        {env_number("OMPI_COMM_WORLD_LOCAL_RANK"), env_number("OMPI_COMM_WORLD_LOCAL_SIZE")},
        /* MPICH, Intel MPI */
        {env_number("MPI_LOCALRANKID"), env_number("MPI_LOCALNRANKS")},
        /* srun */
        {env_number("SLURM_LOCALID"), slurm_local_processes()},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (launchers[i].rank >= 0 && launchers[i].rank < launchers[i].processes) {
            *rank = launchers[i].rank;
            *processes = launchers[i].processes;
            return true;
        }
    return false;
}
