/* Batch descriptors: checks of arguments, allocation and release. */
#include "batch/batch_private.h"
#include "library/runtime.h"

#include <limits.h>
#include <stdlib.h>

size_t element_size(struct elements of)
{
    return of.are_integers ? sizeof(int64_t) : (size_t)startile_element_size[of.dtype];
}

int64_t storage_rows(const struct storage *s, int64_t i)
{
    return s->ms != NULL ? s->ms[i] : s->m;
}

int64_t storage_columns(const struct storage *s, int64_t i)
{
    return s->ns != NULL ? s->ns[i] : s->n;
}

/* -- checks --------------------------------------------------------------------------------- */

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

startile_batch *batch_new(enum batch_kind kind, const struct storage *s,
                          struct partition *partition)
{
    startile_batch *b = calloc(1, sizeof *b);
    if (b == NULL || partition == NULL) {
        partition_release(partition);
        free(b);
        return NULL;
    }
    *b = (startile_batch){
        .of = s->of, .kind = kind, .device = -1, .partition = partition, .m = s->m, .n = s->n};
    /* + 1, because calloc() may return NULL for 0 elements */
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
