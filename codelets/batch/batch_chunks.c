/* How a batch is cut into chunks: each is the share of one task. */
#include "batch/batch_private.h"
#include "runtime/integers.h"

#include <limits.h>
#include <stdlib.h>

/* -- making --------------------------------------------------------------------------------- */

static struct cut *new_cut(int64_t count, int64_t chunks)
{
    struct cut *c = calloc(1, sizeof *c);
    int64_t *first = calloc((size_t)chunks + 1, sizeof *first);
    if (c == NULL || first == NULL) {
        free(c);
        free(first);
        return NULL;
    }
    *c = (struct cut){.holders = 1, .count = count, .chunks = chunks, .first = first};
    return c;
}

static struct cut *even_cut(int64_t count, int64_t per_task)
{
    struct cut *c = new_cut(count, ceil_div(count, per_task));
    for (int64_t q = 0; c != NULL && q <= c->chunks; q++)
        c->first[q] = min(q * per_task, count);
    return c;
}

/* StarPU and the kernels count in 32 bits. */
static struct cut *cut_for(int64_t count, struct share one, int64_t per_task)
{
    int64_t said = per_task > 0 ? per_task : usual_per_task(count, one);
    return even_cut(count, max(1, min(min(said, count), INT_MAX)));
}

struct cut *cut_take(const startile_batch *like, int64_t count, int64_t m, int64_t n,
                     struct elements of, int64_t per_task)
{
    if (like != NULL) {
        atomic_fetch_add(&like->cut->holders, 1);
        return like->cut;
    }
    return cut_for(count, share_of((double)m, (double)n, of), per_task);
}

struct cut *cut_counts(int64_t chunks, const int64_t *counts)
{
    int64_t count = 0;
    for (int64_t q = 0; q < chunks; q++)
        count += counts[q];
    struct cut *c = new_cut(count, chunks);
    for (int64_t q = 0; c != NULL && q < chunks; q++)
        c->first[q + 1] = c->first[q] + counts[q];
    return c;
}

struct ranked {
    int64_t size, place;
};

/* Equal sizes stay as they come. */
static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static struct share average(int64_t count, const int64_t *m, const int64_t *n, struct elements of)
{
    struct share sum = {.of = of};
    for (int64_t i = 0; i < count; i++) {
        struct share one = share_of((double)m[i], (double)n[i], of);
        sum.m += one.m / (double)count;
        sum.n += one.n / (double)count;
        sum.operations += one.operations / (double)count;
        sum.bytes += one.bytes / (double)count;
    }
    return count > 0 ? sum : share_of(0, 0, of);
}

/* NULL without memory. */
static int64_t *order_by_size(int64_t count, const int64_t *m, const int64_t *n)
{
    struct ranked *ranked = malloc((size_t)max(1, count) * sizeof *ranked);
    int64_t *order = malloc((size_t)max(1, count) * sizeof *order);
    if (ranked == NULL || order == NULL) {
        free(ranked);
        free(order);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){m[i] * n[i], i};
    qsort(ranked, (size_t)count, sizeof *ranked, compare);
    for (int64_t i = 0; i < count; i++)
        order[i] = ranked[i].place;
    free(ranked);
    return order;
}

/* The largest go first, so that the last tasks are short. */
struct cut *cut_sort(int64_t count, const int64_t *m, const int64_t *n, struct elements of,
                     int64_t per_task)
{
    int64_t *order = order_by_size(count, m, n);
    if (order == NULL)
        return NULL;
    struct cut *c = cut_for(count, average(count, m, n, of), per_task);
    if (c == NULL)
        free(order);
    else
        c->order = order;
    return c;
}

void cut_release(struct cut *c)
{
    if (c == NULL || atomic_fetch_sub(&c->holders, 1) > 1)
        return;
    free(c->first);
    free(c->order);
    free(c);
}

int64_t cut_place(const struct cut *c, int64_t i)
{
    return c->order == NULL ? i : c->order[i];
}

/* -- looking -------------------------------------------------------------------------------- */

int64_t chunk_first(const startile_batch *b, int64_t q)
{
    return b->cut->first[q];
}

int64_t chunk_count(const startile_batch *b, int64_t q)
{
    return b->cut->first[q + 1] - b->cut->first[q];
}

int64_t batch_chunks(const startile_batch *b)
{
    return b->cut->chunks;
}

int64_t batch_matrices(const startile_batch *b)
{
    return b->cut->count;
}

bool same_cut(const startile_batch *a, const startile_batch *b)
{
    const struct cut *x = a->cut, *y = b->cut;
    if (x == y)
        return true;
    if (x->count != y->count || x->chunks != y->chunks || (x->order == NULL) != (y->order == NULL))
        return false;
    for (int64_t q = 0; q <= x->chunks; q++)
        if (x->first[q] != y->first[q])
            return false;
    for (int64_t i = 0; x->order != NULL && i < x->count; i++)
        if (x->order[i] != y->order[i])
            return false;
    return true;
}
