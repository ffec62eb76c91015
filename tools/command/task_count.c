/*
 * How many tasks StarPU's workers executed: each worker counts, whether profiling is on or not.
 * (The performance counter starpu.task.g_total_submitted would be an alternative, but StarPU 1.4.10
 * crashes when it is read after StarPU was stopped and started again.)
 */
#include "task_count.h"

#include <starpu.h>

/* Reading a worker's count sets it to zero. */
static int64_t read_counts(void)
{
    int64_t tasks = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        struct starpu_profiling_worker_info info = {.executed_tasks = 0};
        if (!starpu_profiling_worker_get_info((int)w, &info))
            tasks += info.executed_tasks;
    }
    return tasks;
}

void task_count_begin(void)
{
    read_counts();
}

int64_t task_count_end(void)
{
    return read_counts();
}
