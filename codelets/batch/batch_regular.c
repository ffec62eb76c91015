/* Batches of matrices at a regular distance: allocated by the library, in the caller's memory, or
 * in the caller's handles. */
#include "batch/batch_private.h"
#include "runtime/capacity.h"

#include <limits.h>

static int create(startile_batch **out, startile_dtype dtype, bool has_integers, int64_t count,
                  int64_t m, int64_t n, int64_t per_task, const startile_batch *like)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    double elements = (double)count * (double)m * (double)n;
    if (elements * (double)batch_size_of(dtype, has_integers) > memory_of_machine())
        return STARTILE_ERROR_MEMORY;
    struct partition *partition =
        partition_take(like, count, m, n, (struct elements){dtype, has_integers}, per_task);
    startile_batch *b = batch_new(BATCH_OWNED, dtype, has_integers, partition, m, n);
    if (b != NULL)
        batch_register(b, NULL, m > 1 ? m : 1, m * n, -1);
    return batch_finish(out, b);
}

int startile_batch_create(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                          int64_t n, int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(dtype, count, m, n, 2);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 6);
    return wrong != 0 ? wrong : create(b, dtype, false, count, m, n, per_task, like);
}

int startile_batch_create_integers(startile_batch **b, int64_t count, int64_t m, int64_t per_task,
                                   const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(STARTILE_S, count, m, 1, 1);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 4);
    return wrong != 0 ? wrong : create(b, STARTILE_S, true, count, m, 1, per_task, like);
}

/* -- in the caller's memory ----------------------------------------------------------------- */

static int wrap(startile_batch **out, startile_dtype dtype, bool has_integers, int64_t count,
                int64_t m, int64_t n, void *a, int64_t ld, int64_t stride, int64_t per_task,
                const startile_batch *like)
{
    int device;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int node = memory_node_of(m > 0 && n > 0 && count > 0 ? a : NULL, &device);
    if (node < 0)
        return STARTILE_ERROR_NO_WORKER;
    size_t size = batch_size_of(dtype, has_integers);
    struct partition *partition =
        partition_take(like, count, m, n, (struct elements){dtype, has_integers}, per_task);
    if (partition != NULL && partition->order != NULL && stride > 0) {
        struct source s = {
            .a = a, .step = (size_t)stride * size, .same_m = m, .same_n = n, .same_ld = ld};
        return batch_scatter(out, dtype, has_integers, device, partition, &s, m, n);
    }
    startile_batch *b = batch_new(BATCH_WRAPPED, dtype, has_integers, partition, m, n);
    if (b != NULL)
        batch_register(b, a, ld, stride, node);
    return batch_finish(out, b);
}

/* Checks a, ld and stride from position `at` on. Matrices must not overlap, unless one stands for
 * all (stride 0). */
static int check_storage(int64_t count, int64_t m, int64_t n, const void *a, int64_t ld,
                         int64_t stride, int at)
{
    if (a == NULL && count > 0 && m > 0 && n > 0)
        return -at;
    if (!batch_is_ld(ld, m) || batch_extent(m, n, ld) > INT_MAX)
        return -at - 1;
    bool apart = stride >= batch_extent(m, n, ld) && stride <= INT_MAX;
    return count > 1 && stride != 0 && !apart ? -at - 2 : 0;
}

int startile_batch_wrap(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                        int64_t n, void *a, int64_t ld, int64_t stride, int64_t per_task,
                        const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(dtype, count, m, n, 2);
    if (wrong == 0)
        wrong = check_storage(count, m, n, a, ld, stride, 6);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 9);
    return wrong != 0 ? wrong : wrap(b, dtype, false, count, m, n, a, ld, stride, per_task, like);
}

int startile_batch_wrap_integers(startile_batch **b, int64_t count, int64_t m, int64_t *a,
                                 int64_t stride, int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int64_t ld = m > 1 ? m : 1;
    int wrong = batch_check_shape(STARTILE_S, count, m, 1, 1);
    if (wrong == 0) {
        wrong = check_storage(count, m, 1, a, ld, stride, 4);
        wrong = wrong == -6 ? -5 : wrong;
    }
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 6);
    return wrong != 0 ? wrong
                      : wrap(b, STARTILE_S, true, count, m, 1, a, ld, stride, per_task, like);
}

/* -- the caller's handles ------------------------------------------------------------------- */

static bool holds_elements(starpu_data_handle_t handle, size_t size, int64_t elements)
{
    return starpu_data_get_interface_id(handle) == STARPU_VECTOR_INTERFACE_ID &&
           starpu_vector_get_elemsize(handle) == size &&
           (int64_t)starpu_vector_get_nx(handle) >= elements;
}

/* The contents of the caller's handles. */
struct content {
    startile_dtype dtype;
    bool has_integers;
    int64_t m, n, ld, stride;
};

/* Arguments from position `at` on: chunks, handles, counts. */
static int from_handles(startile_batch **b, const struct content *of, int64_t chunks,
                        const starpu_data_handle_t *handles, const int64_t *counts, int at)
{
    size_t size = batch_size_of(of->dtype, of->has_integers);
    if (chunks < 0)
        return -at;
    if (handles == NULL && chunks > 0)
        return -at - 1;
    for (int64_t q = 0; q < chunks; q++)
        if (counts == NULL || counts[q] < 1 || counts[q] > INT_MAX)
            return -at - 2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int64_t extent = batch_extent(of->m, of->n, of->ld);
    for (int64_t q = 0; q < chunks; q++)
        if (handles[q] == NULL || !handle_orders_tasks(handles[q]) ||
            !holds_elements(handles[q], size, (counts[q] - 1) * of->stride + extent))
            return -at - 1;
    startile_batch *made = batch_new(BATCH_CALLERS, of->dtype, of->has_integers,
                                     partition_from_counts(chunks, counts), of->m, of->n);
    for (int64_t q = 0; made != NULL && q < chunks; q++) {
        made->chunk[q].data = handles[q];
        made->chunk[q].layout = (struct layout){.count = (int)counts[q],
                                                .m = (int)of->m,
                                                .n = (int)of->n,
                                                .ld = (int)of->ld,
                                                .stride = of->stride};
    }
    return batch_finish(b, made);
}

int startile_batch_from_handles(startile_batch **b, startile_dtype dtype, int64_t m, int64_t n,
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
    struct content of = {dtype, false, m, n, ld, stride};
    return from_handles(b, &of, chunks, handles, counts, 7);
}

int startile_batch_integers_from_handles(startile_batch **b, int64_t m, int64_t stride,
                                         int64_t chunks, const starpu_data_handle_t *handles,
                                         const int64_t *counts)
{
    if (b == NULL)
        return -1;
    if (m < 0 || m > INT_MAX)
        return -2;
    if (stride < 1 || stride < m || stride > INT_MAX)
        return -3;
    struct content of = {STARTILE_S, true, m, 1, m > 1 ? m : 1, stride};
    return from_handles(b, &of, chunks, handles, counts, 4);
}
