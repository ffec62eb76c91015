/* The partition of a batch into chunks, one for each task. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"
#include "library/integers.h"

#include <limits.h>
#include <stdlib.h>

/* -- making --------------------------------------------------------------------------------- */

static struct partition *new_partition(int64_t count, int64_t chunks)
{
    struct partition *c = calloc(1, sizeof *c);
    int64_t *first = calloc((size_t)chunks + 1, sizeof *first);
    if (c == NULL || first == NULL) {
        free(c);
        free(first);
        return NULL;
    }
    *c = (struct partition){.holders = 1, .count = count, .chunks = chunks, .first = first};
    return c;
}

static struct partition *even_partition(int64_t count, int64_t per_task)
{
    struct partition *c = new_partition(count, ceil_div(count, per_task));
    if (c == NULL)
        return NULL;
    for (int64_t q = 0; q <= c->chunks; q++)
        c->first[q] = min(q * per_task, count);
    return c;
}

/* Limits per_task to 32 bits, in which StarPU and the kernels count (StarPU quirk 11). */
static struct partition *partition_for(const struct storage *s, struct matrix_work one,
                                       int64_t per_task)
{
    int64_t count = s->count,
            requested = per_task > 0 ? per_task : default_per_task(count, one, s->on_gpu);
    return even_partition(count, max(1, min(min(requested, count), INT_MAX)));
}

struct partition *partition_take(const startile_batch *like, const struct storage *s,
                                 int64_t per_task)
{
    if (like != NULL) {
        atomic_fetch_add(&like->partition->holders, 1);
        return like->partition;
    }
    return partition_for(s, matrix_work_of((double)s->m, (double)s->n, s->of), per_task);
}

struct partition *partition_from_counts(int64_t chunks, const int64_t *counts)
{
    int64_t count = 0;
    for (int64_t q = 0; q < chunks; q++)
        count += counts[q];
    struct partition *c = new_partition(count, chunks);
    if (c == NULL)
        return NULL;
    for (int64_t q = 0; q < chunks; q++)
        c->first[q + 1] = c->first[q] + counts[q];
    return c;
}

struct ranked {
    int64_t size, original_index;
};

/* Sorts by decreasing size; equal sizes keep their order. */
static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->original_index < y->original_index ? -1 : x->original_index > y->original_index;
}

/* Returns the mean work of a matrix. */
static struct matrix_work average(const struct storage *s)
{
    double count = (double)s->count;
    struct matrix_work sum = {.of = s->of};
    for (int64_t i = 0; i < s->count; i++) {
        struct matrix_work one =
            matrix_work_of((double)storage_rows(s, i), (double)storage_columns(s, i), s->of);
        sum.m += one.m / count;
        sum.n += one.n / count;
        sum.operations += one.operations / count;
        sum.bytes += one.bytes / count;
    }
    return s->count > 0 ? sum : matrix_work_of(0, 0, s->of);
}

/* Returns the indices of the matrices by decreasing size, or NULL without memory. */
static int64_t *order_by_size(const struct storage *s)
{
    int64_t count = s->count;
    struct ranked *ranked = malloc((size_t)max(1, count) * sizeof *ranked);
    int64_t *order = malloc((size_t)max(1, count) * sizeof *order);
    if (ranked == NULL || order == NULL) {
        free(ranked);
        free(order);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){storage_rows(s, i) * storage_columns(s, i), i};
    qsort(ranked, (size_t)count, sizeof *ranked, compare);
    for (int64_t i = 0; i < count; i++)
        order[i] = ranked[i].original_index;
    free(ranked);
    return order;
}

/* Sorts by decreasing size, so that the last tasks are short. */
struct partition *partition_by_size(const struct storage *s, int64_t per_task)
{
    int64_t *order = order_by_size(s);
    if (order == NULL)
        return NULL;
    struct partition *c = partition_for(s, average(s), per_task);
    if (c == NULL)
        free(order);
    else
        c->order = order;
    return c;
}

void partition_release(struct partition *c)
{
    if (c == NULL || atomic_fetch_sub(&c->holders, 1) > 1)
        return;
    free(c->first);
    free(c->order);
    free(c);
}

int64_t partition_original_index(const struct partition *c, int64_t i)
{
    return c->order == NULL ? i : c->order[i];
}

/* -- queries -------------------------------------------------------------------------------- */

int64_t chunk_first(const startile_batch *b, int64_t q)
{
    return b->partition->first[q];
}

int64_t chunk_count(const startile_batch *b, int64_t q)
{
    return b->partition->first[q + 1] - b->partition->first[q];
}

int64_t batch_chunks(const startile_batch *b)
{
    return b->partition->chunks;
}

int64_t batch_matrices(const startile_batch *b)
{
    return b->partition->count;
}

bool same_partition(const startile_batch *a, const startile_batch *b)
{
    const struct partition *x = a->partition, *y = b->partition;
    if (x == y)
        return true;
    if (x->count != y->count || x->chunks != y->chunks || (x->order == NULL) != (y->order == NULL))
        return false;
    for (int64_t q = 0; q <= x->chunks; q++)
        if (x->first[q] != y->first[q])
            return false;
    if (x->order == NULL)
        return true;
    for (int64_t i = 0; i < x->count; i++)
        if (x->order[i] != y->order[i])
            return false;
    return true;
}
