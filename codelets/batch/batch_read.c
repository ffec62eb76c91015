/* Copy of a batch to the caller's array. */
#include "batch/batch_private.h"
#include "data/handle.h"
#include "library/library.h"

#include <string.h>

#ifndef STARTILE_SIMULATION
/* Returns the elements from one matrix of the chunk to the next in main memory. The chunk is a
 * matrix of the library or a vector of the caller. */
static int64_t stride_of(const struct chunk *c)
{
    bool is_vector = starpu_data_get_interface_id(c->data) == STARPU_VECTOR_INTERFACE_ID;
    return is_vector || c->layout.stride == 0 ? c->layout.stride
                                              : (int64_t)starpu_matrix_get_local_ld(c->data);
}

/* Copies one matrix. */
static void copy_matrix(const startile_batch *b, const char *from, char *to, int64_t ld)
{
    size_t size = element_size(b->of), column = (size_t)b->m * size;
    for (int64_t j = 0; j < b->n; j++)
        memcpy(to + (size_t)(j * ld) * size, from + (size_t)(j * b->chunk[0].layout.ld) * size,
               column);
}

static int read_chunk(const startile_batch *b, int64_t q, char *a, int64_t ld, int64_t stride)
{
    const struct chunk *c = &b->chunk[q];
    size_t size = element_size(b->of);
    if (!handle_has_value(c->data))
        return STARTILE_ERROR_TILE;
    if (handle_acquire_in_main_memory(c->data, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    const char *from = starpu_data_get_local_ptr(c->data);
    size_t step = (size_t)stride_of(c) * size;
    for (int64_t i = 0; i < c->layout.count; i++) {
        int64_t original_index = partition_original_index(b->partition, chunk_first(b, q) + i);
        copy_matrix(b, from + (size_t)i * step, a + (size_t)(original_index * stride) * size, ld);
    }
    handle_release(c->data, STARPU_MAIN_RAM);
    return 0;
}
#else
/* Copies nothing: a simulation computes no results. */
static int read_chunk(const startile_batch *b, int64_t q, char *a, int64_t ld, int64_t stride)
{
    (void)b;
    (void)q;
    (void)a;
    (void)ld;
    (void)stride;
    return 0;
}
#endif

int64_t startile_batch_to_lapack(const startile_batch *b, void *a, int64_t ld, int64_t stride)
{
    if (b == NULL || b->kind == BATCH_PACKED || b->kind == BATCH_IN_PLACE)
        return -1;
    bool is_empty = b->m == 0 || b->n == 0 || b->partition->count == 0;
    if (a == NULL && !is_empty)
        return -2;
    if (!batch_is_ld(ld, b->m))
        return -3;
    if (b->partition->count > 1 && stride < batch_extent(b->m, b->n, ld))
        return -4;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    if (is_empty)
        return 0;
    int status = 0;
    for (int64_t q = 0; q < b->partition->chunks && status == 0; q++)
        status = read_chunk(b, q, a, ld, stride);
    return status;
}
