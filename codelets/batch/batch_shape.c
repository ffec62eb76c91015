/* Queries: shapes of batches, and the first failure in info. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

startile_batch_dims startile_batch_shape(const startile_batch *b)
{
    if (b == NULL)
        return (startile_batch_dims){0};
    return (startile_batch_dims){b->of.dtype, b->of.are_integers,   b->partition->count, b->m,
                                 b->n,        b->partition->chunks, batch_varies(b)};
}

starpu_data_handle_t startile_batch_handle(const startile_batch *b, int64_t chunk)
{
    bool is_regular = b != NULL && b->kind != BATCH_IN_PLACE && b->kind != BATCH_PACKED;
    return !is_regular || chunk < 0 || chunk >= b->partition->chunks ? NULL : b->chunk[chunk].data;
}

int64_t startile_batch_chunk_size(const startile_batch *b, int64_t chunk)
{
    return b == NULL || chunk < 0 || chunk >= b->partition->chunks ? 0 : chunk_count(b, chunk);
}

bool batch_varies(const startile_batch *b)
{
    return b->sizes != NULL;
}

int64_t batch_rows(const startile_batch *b, int64_t i)
{
    return b->members == NULL ? b->m : b->members[i].m;
}

int64_t batch_columns(const startile_batch *b, int64_t i)
{
    return b->members == NULL ? b->n : b->members[i].n;
}

bool batch_has_elements(const startile_batch *b, startile_dtype dtype)
{
    return !b->of.are_integers && b->of.dtype == dtype;
}

bool batch_has_integers(const startile_batch *b)
{
    return b->of.are_integers;
}

startile_dtype batch_dtype(const startile_batch *b)
{
    return b->of.dtype;
}

bool batch_is_shared(const startile_batch *b)
{
    return b->members == NULL && b->partition->count > 1 && b->m > 0 && b->n > 0 &&
           b->chunk[0].layout.stride == 0;
}

/* Returns whether each matrix is one number, contiguous in a chunk or shared. */
bool batch_has_numbers(const startile_batch *b)
{
    if (b->m != 1 || b->n != 1)
        return false;
    for (int64_t q = 0; q < b->partition->chunks; q++)
        if (b->chunk[q].layout.scattered || b->chunk[q].layout.varies ||
            (chunk_count(b, q) > 1 && b->chunk[q].layout.stride > 1))
            return false;
    return true;
}
