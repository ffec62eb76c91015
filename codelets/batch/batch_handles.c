/* Registration of chunks as StarPU's data, and copies of results to the caller's memory. */
#include "batch/batch_private.h"
#include "data/handle.h"
#include "library/integers.h"
#include "library/library.h"
#include "trace/profile.h"

#include <stdlib.h>
#include <string.h>

/* Memory of handles without elements and of handles that only order tasks (StarPU quirk 8). */
static char nothing[16];

/* -- matrices at a constant stride ---------------------------------------------------------- */

/* Registers a handle that has no elements of the batch. */
static void register_empty_handle(starpu_data_handle_t *handle)
{
    register_matrix(handle, STARPU_MAIN_RAM, (uintptr_t)nothing, 1, 1, 1, sizeof nothing);
}

/* Registers a chunk as a matrix with one column for each matrix of the chunk: a column includes the
 * elements between the matrix' own columns, but not those between two matrices. With stride 0 all
 * chunks share the handle of the first. */
static void register_chunk(startile_batch *b, int64_t q, char *a, int node)
{
    struct chunk *c = &b->chunk[q];
    const struct layout *l = &c->layout;
    size_t size = element_size(b->of);
    int64_t extent = (int64_t)(l->n - 1) * l->ld + l->m;
    bool one_for_all = l->stride == 0;
    if (l->m == 0 || l->n == 0) {
        register_empty_handle(&c->data);
    } else if (one_for_all && q > 0) {
        c->data = b->chunk[0].data;
    } else {
        int64_t count = one_for_all ? 1 : l->count, stride = one_for_all ? extent : l->stride;
        int64_t skip = one_for_all ? 0 : chunk_first(b, q) * l->stride;
        register_matrix(&c->data, node, a == NULL ? 0 : (uintptr_t)(a + (size_t)skip * size),
                        stride, extent, count, size);
    }
    starpu_data_set_coordinates(c->data, 1, (int)q);
}

struct layout layout_of(const struct storage *s, int64_t count)
{
    return (struct layout){
        .count = (int)count, .m = (int)s->m, .n = (int)s->n, .ld = (int)s->ld, .stride = s->stride};
}

void batch_register(startile_batch *b, const struct storage *s, int node)
{
    for (int64_t q = 0; q < b->partition->chunks; q++) {
        b->chunk[q].layout = layout_of(s, chunk_count(b, q));
        register_chunk(b, q, s->a, node);
    }
}

/* -- scattered matrices --------------------------------------------------------------------- */

/* Returns the stride of a packed chunk: the number of elements of its largest matrix. */
static int64_t packed_stride(const startile_batch *b, int64_t q)
{
    int64_t most = 1;
    for (int64_t i = chunk_first(b, q); i < b->partition->first[q + 1]; i++)
        most = max(most, (int64_t)b->members[i].m * b->members[i].n);
    return most;
}

/* Returns the size of all packed chunks in bytes. */
static size_t packed_bytes(const startile_batch *b)
{
    size_t elements = 0;
    for (int64_t q = 0; q < b->partition->chunks; q++)
        elements += (size_t)(packed_stride(b, q) * chunk_count(b, q));
    return elements * element_size(b->of);
}

/* Copies one matrix to its place in a packed chunk (`pack`), or back. A matrix without elements may
 * have no address. */
static void copy_columns(const struct member *m, size_t size, char *packed, bool pack)
{
    size_t column = (size_t)m->m * size, step = (size_t)m->ld * size;
    if (m->m == 0)
        return;
    for (int j = 0; j < m->n; j++) {
        char *copy = packed + (size_t)j * column, *original = m->a + (size_t)j * step;
        memcpy(pack ? copy : original, pack ? original : copy, column);
    }
}

/* Copies the matrices of a chunk to the packed chunk (`pack`), or back. */
static void copy_chunk(const startile_batch *b, int64_t q, char *packed, bool pack)
{
    size_t size = element_size(b->of), step = (size_t)b->chunk[q].layout.stride * size;
    for (int64_t i = chunk_first(b, q); i < b->partition->first[q + 1]; i++, packed += step)
        copy_columns(&b->members[i], size, packed, pack);
}

/* Registers the addresses and sizes of a chunk's matrices, if its layout has them. */
static void register_arrays(startile_batch *b, int64_t q)
{
    struct chunk *c = &b->chunk[q];
    int64_t first = chunk_first(b, q);
    int64_t count = c->layout.count;
    if (c->layout.scattered)
        register_vector(&c->each, b->each + first, count, sizeof *b->each);
    if (c->layout.varies)
        register_vector(&c->sizes, b->sizes + 3 * first, count, 3 * sizeof *b->sizes);
}

/* Returns the layout of chunk q of scattered matrices. */
static struct layout layout_of_members(const startile_batch *b, int64_t q)
{
    bool packed = b->kind == BATCH_PACKED;
    struct layout l = {
        .count = (int)chunk_count(b, q), .scattered = !packed, .varies = b->sizes != NULL};
    for (int64_t i = chunk_first(b, q); i < b->partition->first[q + 1]; i++) {
        l.m = (int)max(l.m, b->members[i].m);
        l.n = (int)max(l.n, b->members[i].n);
        l.ld = packed ? (int)max(1, l.m) : b->members[i].ld;
    }
    l.stride = packed ? packed_stride(b, q) : 0;
    return l;
}

/* Fills b->each and b->sizes, where they exist, from b->members. */
static void fill_arrays(startile_batch *b)
{
    for (int64_t i = 0; i < b->partition->count; i++) {
        const struct member *m = &b->members[i];
        if (b->each != NULL)
            b->each[i] = m->a;
        if (b->sizes == NULL)
            continue;
        b->sizes[3 * i] = m->m;
        b->sizes[3 * i + 1] = m->n;
        b->sizes[3 * i + 2] = b->kind == BATCH_PACKED ? (int)max(1, m->m) : m->ld;
    }
}

int batch_register_members(startile_batch *b)
{
    char *to = NULL;
    if (b->kind == BATCH_PACKED) {
        b->bytes = packed_bytes(b) + 1; /* not 0 */
        to = b->memory = startile_malloc(b->bytes);
        if (to == NULL)
            return STARTILE_ERROR_MEMORY;
    }
    fill_arrays(b);
    for (int64_t q = 0; q < b->partition->chunks; q++) {
        struct chunk *c = &b->chunk[q];
        c->layout = layout_of_members(b, q);
        if (b->kind == BATCH_PACKED) {
            size_t size = element_size(b->of);
            copy_chunk(b, q, to, true);
            register_matrix(&c->data, STARPU_MAIN_RAM, (uintptr_t)to, c->layout.stride,
                            c->layout.stride, c->layout.count, size);
            to += (size_t)(c->layout.stride * c->layout.count) * size;
        } else {
            register_empty_handle(&c->data);
        }
        register_arrays(b, q);
        starpu_data_set_coordinates(c->data, 1, (int)q);
    }
    return 0;
}

/* -- copies to the caller ------------------------------------------------------------------- */

/* Copies a chunk to the caller's memory if a task has written it. */
static int unpack(startile_batch *b, int64_t q)
{
    struct chunk *c = &b->chunk[q];
    if (!c->written)
        return 0;
    if (handle_acquire_in_main_memory(c->data, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    char *packed = starpu_data_get_local_ptr(c->data);
    copy_chunk(b, q, packed, false);
    handle_release(c->data, STARPU_MAIN_RAM);
    return 0;
}

/* Waits for the tasks on a chunk and for the copy of its data to the home node. */
static int acquire_at_home_node(starpu_data_handle_t handle)
{
    int node = starpu_data_get_home_node(handle);
    if (starpu_data_acquire_on_node(handle, node, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    starpu_data_release_on_node(handle, node);
    return 0;
}

int64_t startile_batch_gather(startile_batch *b)
{
    if (b == NULL || b->kind == BATCH_OWNED || b->kind == BATCH_CALLERS)
        return -1;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    int status = 0;
    for (int64_t q = 0; q < b->partition->chunks && status == 0; q++)
        status = b->kind == BATCH_PACKED ? unpack(b, q) : acquire_at_home_node(b->chunk[q].data);
    return status;
}

static void unregister_chunk(startile_batch *b, int64_t q)
{
    struct chunk *c = &b->chunk[q];
    if (q > 0 && c->data == b->chunk[0].data) /* stride 0: all chunks share the first handle */
        return;
    profile_forget(c->data);
    if (b->kind == BATCH_OWNED)
        starpu_data_unregister_no_coherency(c->data);
    else
        starpu_data_unregister(c->data);
    if (c->each != NULL)
        starpu_data_unregister_no_coherency(c->each);
    if (c->sizes != NULL)
        starpu_data_unregister_no_coherency(c->sizes);
}

void batch_unregister(startile_batch *b)
{
    if (b->kind == BATCH_CALLERS)
        return;
    if (b->kind == BATCH_PACKED)
        startile_batch_gather(b);
    for (int64_t q = b->partition->chunks - 1; q >= 0; q--)
        if (b->chunk[q].data != NULL)
            unregister_chunk(b, q);
    startile_free(b->memory, b->bytes);
}
