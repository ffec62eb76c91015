/* Batch descriptors: checks of arguments, allocation and release. */
#include "batch/batch_private.h"

#include <limits.h>
#include <stdlib.h>

size_t batch_size_of(startile_dtype dtype, bool has_integers)
{
    return has_integers ? sizeof(int64_t) : (size_t)startile_element_size[dtype];
}

size_t batch_element_size(const startile_batch *b)
{
    return batch_size_of(b->dtype, b->has_integers);
}

/* -- checks --------------------------------------------------------------------------------- */

/* Arguments from position `at` on: dtype, count, m, n. */
int batch_check_shape(startile_dtype dtype, int64_t count, int64_t m, int64_t n, int at)
{
    if (dtype < STARTILE_S || dtype > STARTILE_Z)
        return -at;
    if (count < 0)
        return -at - 1;
    if (m < 0 || m > INT_MAX)
        return -at - 2;
    /* StarPU counts elements in 32 bits (StarPU quirk 11) */
    return n < 0 || n > INT_MAX || m * n > INT_MAX ? -at - 3 : 0;
}

/* Arguments from position `at` on: per_task and like. */
int batch_check_partition(int64_t count, int64_t per_task, const startile_batch *like, int at)
{
    if (per_task < 0)
        return -at;
    return like != NULL && like->partition->count != count ? -at - 1 : 0;
}

bool batch_is_ld(int64_t ld, int64_t m)
{
    return ld >= (m > 1 ? m : 1) && ld <= INT_MAX;
}

/* Returns the elements from the first to the last of a matrix. */
int64_t batch_extent(int64_t m, int64_t n, int64_t ld)
{
    return m == 0 || n == 0 ? 0 : (n - 1) * ld + m;
}

/* -- making --------------------------------------------------------------------------------- */

void batch_free(startile_batch *b)
{
    if (b == NULL)
        return;
    partition_release(b->partition);
    free(b->members);
    free(b->each);
    free(b->sizes);
    free(b->chunk);
    free(b);
}

/* Takes over the partition, which may be NULL. */
startile_batch *batch_new(enum batch_kind kind, startile_dtype dtype, bool has_integers,
                          struct partition *partition, int64_t m, int64_t n)
{
    startile_batch *b = calloc(1, sizeof *b);
    if (b == NULL || partition == NULL) {
        partition_release(partition);
        free(b);
        return NULL;
    }
    *b = (startile_batch){.dtype = dtype,
                          .has_integers = has_integers,
                          .kind = kind,
                          .device = -1,
                          .partition = partition,
                          .m = m,
                          .n = n};
    b->chunk = calloc((size_t)partition->chunks + 1, sizeof *b->chunk);
    if (b->chunk == NULL) {
        batch_free(b);
        return NULL;
    }
    return b;
}

int batch_finish(startile_batch **out, startile_batch *b)
{
    if (b == NULL)
        return STARTILE_ERROR_MEMORY;
    runtime_hold();
    *out = b;
    return 0;
}

void startile_batch_destroy(startile_batch *b)
{
    /* at the library's end StarPU has released the chunks */
    if (b == NULL || !runtime_is_up())
        return;
    batch_unregister(b);
    batch_free(b);
    runtime_release();
}
