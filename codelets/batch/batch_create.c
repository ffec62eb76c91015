/* Batches in memory of the library, and in the caller's handles. */
#include "batch/batch_private.h"
#include "data/handle.h"
#include "library/integers.h"
#include "library/runtime.h"
#include "memory/memories.h"

#include <limits.h>

/* -- memory of the library ------------------------------------------------------------------ */

/* Creates a batch in memory of the library; its arguments are valid. Returns 0 or a
 * startile_error. */
static int create(startile_batch **out, const struct storage *s, int64_t per_task,
                  const startile_batch *like)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    double elements = (double)s->count * (double)s->m * (double)s->n;
    if (elements * (double)element_size(s->of) > memory_of_machine())
        return STARTILE_ERROR_MEMORY;
    startile_batch *b = batch_new(BATCH_OWNED, s, partition_take(like, s, per_task));
    if (b != NULL)
        batch_register(b, s, -1);
    return batch_finish(out, b);
}

int64_t startile_batch_create(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                              int64_t n, int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(dtype, count, m, n, 2);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 6);
    if (wrong != 0)
        return wrong;
    struct storage s = {
        .of = {dtype, false}, .count = count, .m = m, .n = n, .ld = max(1, m), .stride = m * n};
    return create(b, &s, per_task, like);
}

int64_t startile_batch_create_integers(startile_batch **b, int64_t count, int64_t m,
                                       int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(STARTILE_S, count, m, 1, 1);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 4);
    struct storage s = {
        .of = {STARTILE_S, true}, .count = count, .m = m, .n = 1, .ld = max(1, m), .stride = m};
    return wrong != 0 ? wrong : create(b, &s, per_task, like);
}

/* -- the caller's handles ------------------------------------------------------------------- */

/* Returns whether the handle is a vector of at least `elements` elements of `size` bytes. */
static bool holds_elements(starpu_data_handle_t handle, size_t size, int64_t elements)
{
    return starpu_data_get_interface_id(handle) == STARPU_VECTOR_INTERFACE_ID &&
           starpu_vector_get_elemsize(handle) == size &&
           (int64_t)starpu_vector_get_nx(handle) >= elements;
}

/* Checks chunks, handles and counts, arguments number `at` and following, and creates the batch. */
static int from_handles(startile_batch **out, const struct storage *s, int64_t chunks,
                        const starpu_data_handle_t *handles, const int64_t *counts, int at)
{
    if (chunks < 0)
        return -at;
    if (handles == NULL && chunks > 0)
        return -at - 1;
    for (int64_t q = 0; q < chunks; q++)
        if (counts == NULL || counts[q] < 1 || counts[q] > INT_MAX)
            return -at - 2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int64_t extent = batch_extent(s->m, s->n, s->ld);
    for (int64_t q = 0; q < chunks; q++)
        if (handles[q] == NULL || !handle_orders_tasks(handles[q]) ||
            !holds_elements(handles[q], element_size(s->of), (counts[q] - 1) * s->stride + extent))
            return -at - 1;
    startile_batch *b = batch_new(BATCH_CALLERS, s, partition_from_counts(chunks, counts));
    if (b == NULL)
        return batch_finish(out, NULL);
    for (int64_t q = 0; q < chunks; q++) {
        b->chunk[q].data = handles[q];
        b->chunk[q].layout = layout_of(s, counts[q]);
    }
    return batch_finish(out, b);
}

int64_t startile_batch_from_handles(startile_batch **b, startile_dtype dtype, int64_t m, int64_t n,
                                    int64_t ld, int64_t stride, int64_t chunks,
                                    const starpu_data_handle_t *handles, const int64_t *counts)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(dtype, 0, m, n, 2);
    if (wrong != 0)
        return wrong == -2 ? wrong : wrong + 1; /* this function has no argument count */
    if (!batch_is_ld(ld, m) || batch_extent(m, n, ld) > INT_MAX)
        return -5;
    if (stride < 1 || stride < batch_extent(m, n, ld) || stride > INT_MAX)
        return -6;
    struct storage s = {.of = {dtype, false}, .m = m, .n = n, .ld = ld, .stride = stride};
    return from_handles(b, &s, chunks, handles, counts, 7);
}

int64_t startile_batch_integers_from_handles(startile_batch **b, int64_t m, int64_t stride,
                                             int64_t chunks, const starpu_data_handle_t *handles,
                                             const int64_t *counts)
{
    if (b == NULL)
        return -1;
    if (m < 0 || m > INT_MAX)
        return -2;
    if (stride < 1 || stride < m || stride > INT_MAX)
        return -3;
    struct storage s = {
        .of = {STARTILE_S, true}, .m = m, .n = 1, .ld = max(1, m), .stride = stride};
    return from_handles(b, &s, chunks, handles, counts, 4);
}
