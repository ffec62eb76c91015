/* Batches of matrices at any addresses, of one size or of different sizes. */
#include "batch/batch_private.h"

#include <limits.h>
#include <stdlib.h>

/* Returns whether the matrices are copied into chunks. Kernels on CPUs accept any addresses, except
 * for operands of one number a matrix, which must be contiguous. */
static bool has_to_be_packed(int64_t m, int64_t n)
{
    return runtime_has_cuda() || (m == 1 && n == 1);
}

static bool make_arrays(startile_batch *b, bool varies)
{
    size_t count = (size_t)b->partition->count + 1;
    b->members = malloc(count * sizeof *b->members);
    b->each = b->kind == BATCH_IN_PLACE ? malloc(count * sizeof *b->each) : NULL;
    b->sizes = varies ? malloc(3 * count * sizeof *b->sizes) : NULL;
    return b->members != NULL && (b->each != NULL || b->kind != BATCH_IN_PLACE) &&
           (b->sizes != NULL || !varies);
}

static struct member member_of(const struct source *s, int64_t i)
{
    char *a = s->each != NULL ? s->each[i] : s->a + (size_t)i * s->step;
    if (s->m == NULL)
        return (struct member){a, (int)s->same_m, (int)s->same_n, (int)s->same_ld};
    return (struct member){a, (int)s->m[i], (int)s->n[i], (int)s->ld[i]};
}

int batch_scatter(startile_batch **out, startile_dtype dtype, bool has_integers, int device,
                  struct partition *partition, const struct source *s, int64_t m, int64_t n)
{
    enum batch_kind kind = device < 0 && has_to_be_packed(m, n) ? BATCH_PACKED : BATCH_IN_PLACE;
    startile_batch *b = batch_new(kind, dtype, has_integers, partition, m, n);
    if (b == NULL || !make_arrays(b, s->m != NULL)) {
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

/* Returns the memory node of all matrices: that of the first one with elements. */
static int node_of_all(const struct source *s, int64_t count, int *device)
{
    *device = -1;
    for (int64_t i = 0; i < count; i++) {
        struct member m = member_of(s, i);
        if (m.a != NULL && m.m > 0 && m.n > 0)
            return memory_node_of(m.a, device);
    }
    return STARPU_MAIN_RAM;
}

int startile_batch_wrap_pointers(startile_batch **b, startile_dtype dtype, int64_t count, int64_t m,
                                 int64_t n, void *const *each, int64_t ld, int64_t per_task,
                                 const startile_batch *like)
{
    if (b == NULL)
        return -1;
    int device, wrong = batch_check_shape(dtype, count, m, n, 2);
    if (wrong != 0)
        return wrong;
    for (int64_t i = 0; i < count && m > 0 && n > 0; i++)
        if (each == NULL || each[i] == NULL)
            return -6;
    if (!batch_is_ld(ld, m))
        return -7;
    wrong = batch_check_partition(count, per_task, like, 8);
    if (wrong != 0)
        return wrong;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    struct source s = {.each = each, .same_m = m, .same_n = n, .same_ld = ld};
    if (node_of_all(&s, m > 0 && n > 0 ? count : 0, &device) < 0)
        return STARTILE_ERROR_NO_WORKER;
    struct partition *partition =
        partition_take(like, count, m, n, (struct elements){dtype, false}, per_task);
    return batch_scatter(b, dtype, false, device, partition, &s, m, n);
}

static int check_sizes(int64_t count, const int64_t *m, const int64_t *n, void *const *each,
                       const int64_t *ld)
{
    if (count > 0 && m == NULL)
        return -4;
    if (count > 0 && n == NULL)
        return -5;
    if (count > 0 && each == NULL)
        return -6;
    if (count > 0 && ld == NULL)
        return -7;
    for (int64_t i = 0; i < count; i++) {
        int wrong = batch_check_shape(STARTILE_S, 1, m[i], n[i], 2);
        if (wrong != 0)
            return wrong;
        if (each[i] == NULL && m[i] > 0 && n[i] > 0)
            return -6;
        if (!batch_is_ld(ld[i], m[i]))
            return -7;
    }
    return 0;
}

static int64_t largest(const int64_t *of, int64_t count)
{
    int64_t most = 0;
    for (int64_t i = 0; i < count; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

static int wrap_sizes(startile_batch **b, startile_dtype dtype, bool has_integers, int64_t count,
                      const struct source *s, int64_t per_task, const startile_batch *like)
{
    int device;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    if (node_of_all(s, count, &device) < 0)
        return STARTILE_ERROR_NO_WORKER;
    int64_t m = largest(s->m, count), n = largest(s->n, count);
    struct elements of = {dtype, has_integers};
    struct partition *partition = like != NULL || device >= 0
                                      ? partition_take(like, count, m, n, of, per_task)
                                      : partition_by_size(count, s->m, s->n, of, per_task);
    return batch_scatter(b, dtype, has_integers, device, partition, s, m, n);
}

int startile_batch_wrap_sizes(startile_batch **b, startile_dtype dtype, int64_t count,
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
    struct source s = {.each = each, .m = m, .n = n, .ld = ld};
    return wrong != 0 ? wrong : wrap_sizes(b, dtype, false, count, &s, per_task, like);
}

int startile_batch_wrap_integer_pointers(startile_batch **b, int64_t count, const int64_t *m,
                                         int64_t *const *each, int64_t per_task,
                                         const startile_batch *like)
{
    if (b == NULL)
        return -1;
    if (count < 0)
        return -2;
    if (m == NULL && count > 0)
        return -3;
    int64_t *ones = malloc(((size_t)count + 1) * sizeof *ones),
            *ld = malloc(((size_t)count + 1) * sizeof *ld);
    int wrong = ones == NULL || ld == NULL ? STARTILE_ERROR_MEMORY : 0;
    for (int64_t i = 0; i < count && wrong == 0; i++) {
        ones[i] = 1;
        ld[i] = m[i] > 1 ? m[i] : 1;
        wrong = m[i] < 0 || m[i] > INT_MAX                      ? -3
                : m[i] > 0 && (each == NULL || each[i] == NULL) ? -4
                                                                : 0;
    }
    if (wrong == 0)
        wrong = batch_check_partition(count, per_task, like, 5);
    struct source s = {.each = (void *const *)each, .m = m, .n = ones, .ld = ld};
    int status = wrong != 0 ? wrong : wrap_sizes(b, STARTILE_S, true, count, &s, per_task, like);
    free(ones);
    free(ld);
    return status;
}
