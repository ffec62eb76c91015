/* How a batch is cut into chunks: each is the share of one task. */
#include "chunks.h"

#include <limits.h>
#include <stdlib.h>

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* -- how many ------------------------------------------------------------------------------- */

/*
 * Where the caller leaves it to the library. A CPU worker gets a few chunks, so that all end
 * together, of no less than 100 µs at a low rate, beside which StarPU's 11 µs a task (DESIGN.md,
 * section 2) do not count much. A GPU gets two, so that one is on its way while the other is worked
 * on, but not less than fills it, and not more than leaves room for the operands of several tasks.
 * Where both share a batch, a chunk is what keeps a GPU busy for a millisecond at about the rate of
 * cuSOLVER's batches of order 32 to 64 (DESIGN.md, section 2), but no more than leaves each CPU
 * worker one.
 */
enum { CHUNKS_A_CORE = 4, CHUNKS_A_GPU = 2, FILLS_GPU = 4096 };
static const double CPU_TASK = 100e-6 * 2e9, GPU_TASK = 1e-3 * 500e9;
static const double GPU_BYTES = 512 * 1024.0 * 1024.0;

/* Of one matrix, on average. */
struct share {
    double operations, bytes;
};

/* Operations that count for time: at least one for 8 bytes. */
static struct share share_of(double m, double n, size_t element_size)
{
    double bytes = m * n * (double)element_size, k = m < n ? m : n;
    return (struct share){2.0 / 3 * m * n * k + bytes / 8 + 1, bytes + 1};
}

static int gpus(void)
{
    bool seen[STARPU_MAXCUDADEVS] = {false};
    int found = 0;
    for (int w = 0; w < (int)starpu_worker_get_count(); w++) {
        int device = starpu_worker_get_devid(w);
        if (starpu_worker_get_type(w) != STARPU_CUDA_WORKER || seen[device])
            continue;
        seen[device] = true;
        found++;
    }
    return found;
}

static int64_t usual_per_task(int64_t count, struct share one)
{
    bool on_cpu = (runtime_where() & STARPU_CPU) != 0;
    int64_t cores = max(1, (int64_t)starpu_cpu_worker_get_count());
    if (!runtime_has_cuda())
        return max(ceil_div(count, CHUNKS_A_CORE * cores), (int64_t)(CPU_TASK / one.operations));
    int64_t devices = max(1, gpus()), fits = (int64_t)(GPU_BYTES / one.bytes) + 1;
    if (!on_cpu)
        return min(fits, max(ceil_div(count, CHUNKS_A_GPU * devices), FILLS_GPU));
    int64_t millisecond = (int64_t)(GPU_TASK / one.operations) + 1;
    return min(min(fits, millisecond), ceil_div(count, cores + CHUNKS_A_GPU * devices));
}

/* StarPU and the kernels count in 32 bits. */
static int64_t per_task_of(int64_t count, struct share one, int64_t per_task)
{
    int64_t said = per_task > 0 ? per_task : usual_per_task(count, one);
    return max(1, min(min(said, count), INT_MAX));
}

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

struct cut *cut_take(const startile_batch *like, int64_t count, int64_t m, int64_t n,
                     size_t element_size, int64_t per_task)
{
    if (like != NULL) {
        atomic_fetch_add(&like->cut->holders, 1);
        return like->cut;
    }
    struct share one = share_of((double)m, (double)n, element_size);
    return even_cut(count, per_task_of(count, one, per_task));
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

static struct share average(int64_t count, const int64_t *m, const int64_t *n, size_t element_size)
{
    struct share sum = {0, 0};
    for (int64_t i = 0; i < count; i++) {
        struct share one = share_of((double)m[i], (double)n[i], element_size);
        sum.operations += one.operations / (double)count;
        sum.bytes += one.bytes / (double)count;
    }
    return count > 0 ? sum : share_of(0, 0, element_size);
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
struct cut *cut_sort(int64_t count, const int64_t *m, const int64_t *n, size_t element_size,
                     int64_t per_task)
{
    int64_t *order = order_by_size(count, m, n);
    if (order == NULL)
        return NULL;
    struct share one = average(count, m, n, element_size);
    struct cut *c = even_cut(count, per_task_of(count, one, per_task));
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
