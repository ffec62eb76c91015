/* Lists of the workers that may run a task: where GPUs own tiles, the workers of the GPU that owns
 * its largest tile, else those of all devices of its kinds. Only the first worker of a GPU runs
 * critical tasks. */
#include "library/library.h"
#include "library/runtime.h"

#include <string.h>

static struct {
    /* index 1 for critical tasks, 0 for others; `shared`: of tasks that CPUs and GPUs share */
    uint32_t all[2][WORKER_WORDS], on_gpus[2][WORKER_WORDS], shared[WORKER_WORDS];
    uint32_t device[2][STARPU_MAXCUDADEVS][WORKER_WORDS]; /* the workers of one GPU */
    int gpus;
    int gpu[STARPU_MAXCUDADEVS]; /* device numbers */
    bool own_tiles;              /* GPUs own tiles */
} groups;

uint32_t *runtime_workers(bool is_critical, uint32_t where)
{
    return where == STARPU_CUDA                  ? groups.on_gpus[is_critical]
           : where == (STARPU_CPU | STARPU_CUDA) ? groups.shared
                                                 : groups.all[is_critical];
}

uint32_t *runtime_workers_of_batches(void)
{
    return groups.all[0];
}

uint32_t *runtime_workers_of_device(int device)
{
    return groups.device[0][device];
}

int runtime_gpus(void)
{
    return groups.gpus;
}

int runtime_owners(void)
{
    return groups.own_tiles ? groups.gpus : 0;
}

uint32_t *runtime_workers_of_owner(int64_t owner_index, bool is_critical)
{
    return groups.device[is_critical][groups.gpu[owner_index % groups.gpus]];
}

/* Critical tasks use only the first worker of a GPU. On other workers they would wait for tasks
 * that have started or have fetched data, such as long updates. If a GPU has
 * MIN_WORKERS_TO_RESERVE workers or more, its first worker takes no other tasks. */
enum { MIN_WORKERS_TO_RESERVE = 3 };

static void add_worker(int w, bool critical)
{
    uint32_t bit = UINT32_C(1) << w % 32;
    groups.all[critical][w / 32] |= bit;
    if (starpu_worker_get_type(w) == STARPU_CUDA_WORKER) {
        groups.on_gpus[critical][w / 32] |= bit;
        groups.device[critical][starpu_worker_get_devid(w)][w / 32] |= bit;
    }
}

static bool takes_part_as_cpu(int w)
{
    return starpu_worker_get_type(w) != STARPU_CUDA_WORKER &&
           (runtime_where_of_batches() & STARPU_CPU) != 0;
}

static void assign_workers(void)
{
    int workers = (int)starpu_worker_get_count(), on_device[STARPU_MAXCUDADEVS] = {0};
    bool is_first[STARPU_NMAXWORKERS] = {false};
    memset(groups.all, 0, sizeof groups.all);
    memset(groups.on_gpus, 0, sizeof groups.on_gpus);
    memset(groups.shared, 0, sizeof groups.shared);
    memset(groups.device, 0, sizeof groups.device);
    for (int w = 0; w < workers; w++) {
        bool is_cuda = starpu_worker_get_type(w) == STARPU_CUDA_WORKER;
        is_first[w] = is_cuda && on_device[starpu_worker_get_devid(w)]++ == 0;
        if (is_first[w] || takes_part_as_cpu(w)) {
            add_worker(w, true);
            groups.shared[w / 32] |= UINT32_C(1) << w % 32;
        }
    }
    for (int w = 0; w < workers; w++)
        if (is_first[w] ? on_device[starpu_worker_get_devid(w)] < MIN_WORKERS_TO_RESERVE
                        : starpu_worker_get_type(w) == STARPU_CUDA_WORKER || takes_part_as_cpu(w))
            add_worker(w, false);
}

bool scheduler_uses_models(void)
{
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    return policy != NULL && (strstr(policy->policy_name, "dm") != NULL ||
                              strstr(policy->policy_name, "heft") != NULL);
}

static void find_gpus(void)
{
    bool has_workers[STARPU_MAXCUDADEVS] = {false};
    groups.gpus = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (starpu_worker_get_type(w) == STARPU_CUDA_WORKER)
            has_workers[starpu_worker_get_devid(w)] = true;
    for (int d = 0; d < STARPU_MAXCUDADEVS; d++)
        if (has_workers[d])
            groups.gpu[groups.gpus++] = d;
}

void workers_assign(void)
{
    assign_workers();
    find_gpus();
    groups.own_tiles =
        groups.gpus > 1 && runtime_where() == STARPU_CUDA && !scheduler_uses_models();
}

int64_t task_workers(void)
{
    int64_t count = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
        bool is_cuda = starpu_worker_get_type(w) == STARPU_CUDA_WORKER;
        count += (runtime_where() & (is_cuda ? STARPU_CUDA : STARPU_CPU)) != 0;
    }
    return count;
}
