/*
 * The first matrix of a batch whose info is not 0, for blocking calls. Infos in the memory of a GPU
 * stay there: the task that writes them also finds the first one, and reports it as the request's
 * info. (With a copy the call for 100,000 matrices of order 8 took 0.7 ms more, H100.)
 */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"
#include "data/handle.h"
#include "request/request.h"
#include "request/state.h"

#ifdef STARTILE_SIMULATION
void batch_note_failure(struct starpu_task *t, const startile_batch *info)
{
    (void)t;
    (void)info;
}

/* Returns 0: a simulation computes no results. */
int64_t batch_first_failure(startile_batch *info)
{
    (void)info;
    return 0;
}
#else

/* Returns whether the task that writes the infos finds the first failure. A request keeps the info
 * of one chunk. */
static bool is_found_by_task(const startile_batch *info)
{
    return batch_chunks(info) == 1 &&
           starpu_data_get_home_node(info->chunk[0].data) > STARPU_MAIN_RAM;
}

void batch_note_failure(struct starpu_task *t, const startile_batch *info)
{
    struct task_args *task = t->cl_arg;
    startile_request *r = task->ctx.request;
    if (!r->is_blocking || !is_found_by_task(info))
        return;
    task->tile_status = request_tile_status(r);
    task->continues_on_zero_pivot = true;
    if (task->tile_status == NULL)
        request_fail(r, STARTILE_ERROR_MEMORY);
}

/* Returns the index in the caller's order, from 1, of the first failure in chunk q; 0; or a
 * startile_error. */
static int64_t first_failure_of_chunk(const startile_batch *info, int64_t q)
{
    starpu_data_handle_t handle = info->chunk[q].data;
    int64_t first = INT64_MAX;
    if (!handle_has_value(handle))
        return STARTILE_ERROR_TILE;
    if (handle_acquire_in_main_memory(handle, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    const int64_t *values = starpu_data_get_local_ptr(handle);
    for (int64_t i = 0; i < chunk_count(info, q); i++) {
        int64_t original_index =
            partition_original_index(info->partition, chunk_first(info, q) + i);
        if (values[i] != 0 && original_index + 1 < first)
            first = original_index + 1;
    }
    handle_release(handle, STARPU_MAIN_RAM);
    return first == INT64_MAX ? 0 : first;
}

int64_t batch_first_failure(startile_batch *info)
{
    int64_t first = 0;
    if (is_found_by_task(info))
        return 0;
    for (int64_t q = 0; q < batch_chunks(info) && first >= 0; q++) {
        int64_t found = first_failure_of_chunk(info, q);
        first = found < 0 || first == 0 || (found > 0 && found < first) ? found : first;
    }
    return first;
}
#endif

int batch_find_failure(const struct batch_args *b, startile_exec *x, const int64_t *info)
{
    startile_tile_status *status = b->task.tile_status;
    return status == NULL
               ? 0
               : batch_kernels(x, b->task.dtype)->first_failure(x, batch_count(b), info, status);
}
