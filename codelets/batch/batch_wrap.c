/* Batches in the caller's memory: at a constant stride, or at arbitrary addresses. */
#include "batch/batch_private.h"
#include "data/pointer.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"

#include <limits.h>
#include <stdlib.h>

/* -- from the storage to the batch ---------------------------------------------------------- */

/* Returns whether scattered matrices are copied into chunks: if there are GPUs, because StarPU then
 * transfers the chunks. Kernels on CPUs accept any addresses, except for operands of one number per
 * matrix, which must be contiguous. */
static bool has_to_be_packed(int64_t m, int64_t n)
{
    return runtime_has_cuda() || (m == 1 && n == 1);
}

/* Allocates the arrays that a batch of scattered matrices needs. Returns false without memory. */
static bool make_arrays(startile_batch *b, bool varies)
{
    size_t count = (size_t)b->partition->count + 1;
    b->members = malloc(count * sizeof *b->members);
    b->each = b->kind == BATCH_IN_PLACE ? malloc(count * sizeof *b->each) : NULL;
    b->sizes = varies ? malloc(3 * count * sizeof *b->sizes) : NULL;
    return b->members != NULL && (b->each != NULL || b->kind != BATCH_IN_PLACE) &&
           (b->sizes != NULL || !varies);
}

/* Returns matrix i in the caller's order. */
static struct member member_of(const struct storage *s, int64_t i)
{
    int64_t m = storage_rows(s, i), ld = s->ms == NULL ? s->ld : max(1, m);
    size_t skip = (size_t)(i * s->stride) * element_size(s->of);
    return (struct member){.a = s->each != NULL ? s->each[i]
                                : s->a != NULL  ? s->a + skip
                                                : NULL,
                           .m = (int)m,
                           .n = (int)storage_columns(s, i),
                           .ld = (int)(s->lds != NULL ? s->lds[i] : ld)};
}

/* Wraps scattered matrices; the new batch owns the partition. Returns 0 or a startile_error. */
static int wrap_scattered(startile_batch **out, const struct storage *s, int device,
                          struct partition *partition)
{
    bool packs = device < 0 && has_to_be_packed(s->m, s->n);
    startile_batch *b = batch_new(packs ? BATCH_PACKED : BATCH_IN_PLACE, s, partition);
    if (b == NULL || !make_arrays(b, s->ms != NULL)) {
        batch_free(b);
        return STARTILE_ERROR_MEMORY;
    }
    b->device = device;
    for (int64_t i = 0; i < b->partition->count; i++)
        b->members[i] = member_of(s, partition_original_index(b->partition, i));
    int status = batch_register_members(b);
    if (status != 0) {
        batch_free(b);
        return status;
    }
    return batch_finish(out, b);
}

/* Returns the address of the first matrix that has elements, or NULL. */
static const void *first_address(const struct storage *s)
{
    if (s->m == 0 || s->n == 0)
        return NULL;
    for (int64_t i = 0; i < s->count; i++) {
        struct member one = member_of(s, i);
        if (one.a != NULL && one.m > 0 && one.n > 0)
            return one.a;
    }
    return NULL;
}

/* Wraps the storage, whose description is valid: at a constant stride, or else as scattered
 * matrices. Returns 0 or a startile_error. */
static int wrap(startile_batch **out, const struct storage *s, int64_t per_task,
                const startile_batch *like)
{
    int device;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int node = memory_node_of(first_address(s), &device);
    if (node < 0)
        return STARTILE_ERROR_NO_WORKER;
    struct storage placed = *s;
    placed.on_gpu = device >= 0;
    bool sorts = s->ms != NULL && like == NULL && device < 0;
    struct partition *partition =
        sorts ? partition_by_size(s, per_task) : partition_take(like, &placed, per_task);
    /* in the order of a sorted `like` the strides are not constant */
    bool is_permuted = partition != NULL && partition->order != NULL && s->stride > 0;
    if (s->scattered || is_permuted)
        return wrap_scattered(out, s, device, partition);
    startile_batch *b = batch_new(BATCH_WRAPPED, s, partition);
    if (b != NULL)
        batch_register(b, s, node);
    return batch_finish(out, b);
}

/* -- constant stride ------------------------------------------------------------------------ */

/* Checks a, ld and stride from position `at` on. Matrices must not overlap, unless all are one
 * matrix (stride 0). The stride of a single matrix, or of matrices without elements, may have any
 * value; it is replaced by one that StarPU accepts. */
static int check_strided(struct storage *s, int at)
{
    if (s->a == NULL && s->count > 0 && s->m > 0 && s->n > 0)
        return -at;
    if (!batch_is_ld(s->ld, s->m))
        return -at - 1;
    int64_t extent = batch_extent(s->m, s->n, s->ld);
    if (extent > INT_MAX)
        return -at - 1;
    bool apart = s->stride >= extent && s->stride <= INT_MAX;
    if (s->count > 1 && extent > 0)
        return s->stride != 0 && !apart ? -at - 2 : 0;
    s->stride = max(1, extent);
    return 0;
}

int64_t startile_batch_wrap(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                            int64_t n, void *a, int64_t ld, int64_t stride, int64_t per_task,
                            const startile_batch *like)
{
    if (b == NULL)
        return -1;
    struct storage s = {
        .of = {dtype, false}, .count = count, .m = m, .n = n, .ld = ld, .stride = stride, .a = a};
    int wrong = batch_check_shape(dtype, count, m, n, 2);
    if (wrong == 0)
        wrong = check_strided(&s, 6);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 9);
    return wrong != 0 ? wrong : wrap(b, &s, per_task, like);
}

int64_t startile_batch_wrap_integers(startile_batch **b, int64_t count, int64_t m, int64_t *a,
                                     int64_t stride, int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    struct storage s = {.of = {STARTILE_S, true},
                        .count = count,
                        .m = m,
                        .n = 1,
                        .ld = max(1, m),
                        .stride = stride,
                        .a = (char *)a};
    int wrong = batch_check_shape(STARTILE_S, count, m, 1, 1);
    if (wrong == 0) {
        wrong = check_strided(&s, 4);
        wrong = wrong == -6 ? -5 : wrong; /* this function has no argument ld */
    }
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 6);
    return wrong != 0 ? wrong : wrap(b, &s, per_task, like);
}

/* -- arbitrary addresses -------------------------------------------------------------------- */

int64_t startile_batch_wrap_pointers(startile_batch **b, startile_dtype dtype, int64_t count,
                                     int64_t m, int64_t n, void *const *each, int64_t ld,
                                     int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(dtype, count, m, n, 2);
    if (wrong != 0)
        return wrong;
    if (m > 0 && n > 0)
        for (int64_t i = 0; i < count; i++)
            if (each == NULL || each[i] == NULL)
                return -6;
    if (!batch_is_ld(ld, m))
        return -7;
    wrong = batch_check_partition(count, per_task, like, 8);
    struct storage s = {.of = {dtype, false},
                        .count = count,
                        .m = m,
                        .n = n,
                        .ld = ld,
                        .scattered = true,
                        .each = each};
    return wrong != 0 ? wrong : wrap(b, &s, per_task, like);
}

/* Validates arguments 4 … 7 of startile_batch_wrap_sizes(); returns 0 or −i. */
static int check_sizes(int64_t count, const int64_t *m, const int64_t *n, void *const *each,
                       const int64_t *ld)
{
    if (count > 0 && m == NULL)
        return -4;
    if (count > 0 && n == NULL)
        return -5;
    if (count > 0 && ld == NULL)
        return -7;
    for (int64_t i = 0; i < count; i++) {
        int wrong = batch_check_shape(STARTILE_S, 1, m[i], n[i], 2);
        if (wrong != 0)
            return wrong;
        if (m[i] > 0 && n[i] > 0 && (each == NULL || each[i] == NULL))
            return -6;
        if (!batch_is_ld(ld[i], m[i]))
            return -7;
    }
    return 0;
}

/* Returns the largest of the values, 0 if there are none. */
static int64_t largest(const int64_t *values, int64_t count)
{
    int64_t most = 0;
    for (int64_t i = 0; i < count; i++)
        most = max(most, values[i]);
    return most;
}

int64_t startile_batch_wrap_sizes(startile_batch **b, startile_dtype dtype, int64_t count,
                                  const int64_t *m, const int64_t *n, void *const *each,
                                  const int64_t *ld, int64_t per_task, const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int wrong = batch_check_shape(dtype, count, 0, 0, 2);
    if (wrong == 0)
        wrong = check_sizes(count, m, n, each, ld);
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 8);
    if (wrong != 0)
        return wrong;
    struct storage s = {.of = {dtype, false},
                        .count = count,
                        .m = largest(m, count),
                        .n = largest(n, count),
                        .scattered = true,
                        .each = each,
                        .ms = m,
                        .ns = n,
                        .lds = ld};
    return wrap(b, &s, per_task, like);
}

int64_t startile_batch_wrap_integer_pointers(startile_batch **b, int64_t count, const int64_t *m,
                                             int64_t *const *each, int64_t per_task,
                                             const startile_batch *like)
{
    if (b == NULL)
        return -1;
    if (count < 0)
        return -2;
    if (m == NULL && count > 0)
        return -3;
    for (int64_t i = 0; i < count; i++) {
        if (m[i] < 0 || m[i] > INT_MAX)
            return -3;
        if (m[i] > 0 && (each == NULL || each[i] == NULL))
            return -4;
    }
    int wrong = batch_check_partition(count, per_task, like, 5);
    if (wrong != 0)
        return wrong;
    struct storage s = {.of = {STARTILE_S, true},
                        .count = count,
                        .m = largest(m, count),
                        .n = 1,
                        .scattered = true,
                        .each = (void *const *)each,
                        .ms = m};
    return wrap(b, &s, per_task, like);
}
