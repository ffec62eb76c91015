/* Partial results of an operation, combined in main memory. */
#include "data/partial_results.h"

#include "data/handle.h"
#include "grid/exchange.h"
#include "library/thread_state.h"
#include "request/request.h"
#include "request/state.h"

#include <stdlib.h>

void *partial_results_begin(context ctx, size_t size, const startile_grid *grid, int64_t count,
                            int64_t length)
{
    struct partial_results *p = calloc(1, size);
    starpu_data_handle_t *part = malloc((size_t)(count + 1) * sizeof(starpu_data_handle_t));
    if (p == NULL || part == NULL) {
        free(p);
        free(part);
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    p->request = ctx.request;
    p->grid = grid;
    p->factorization = ctx.factorization;
    p->count = count;
    p->part = part;
    atomic_init(&p->missing, count);
    for (int64_t q = 0; q < count; q++)
        register_temporary(&part[q], length, 1, sizeof(double));
    return p;
}

const double *part_values(const struct partial_results *p, int64_t q)
{
    /* not starpu_data_get_local_ptr(): a GPU worker's thread may run this (StarPU quirk 13) */
    return starpu_data_handle_to_pointer(p->part[q], STARPU_MAIN_RAM);
}

int64_t part_length(const struct partial_results *p, int64_t q)
{
    return starpu_matrix_get_nx(p->part[q]);
}

static void free_partial_results(struct partial_results *p)
{
    free(p->part);
    free(p);
}

/* Callback: one part is in main memory. After the last one, stores the results and frees all. */
static void part_arrived(void *arg)
{
    struct partial_results *p = arg;
    struct stage *stage = p->stage;
    if (atomic_fetch_sub(&p->missing, 1) > 1)
        return;
    struct floating_point caller = use_default_floating_point();
    if (!request_skips(p->request, p->factorization))
        p->combine(p);
    restore_floating_point(&caller);
    for (int64_t q = 0; q < p->count; q++) {
        starpu_data_release_on_node(p->part[q], STARPU_MAIN_RAM);
        release_handle(p->part[q]);
    }
    free_partial_results(p);
    request_end_one(stage);
}

void partial_results_end(context ctx, struct partial_results *p,
                         void (*combine)(const struct partial_results *p))
{
    int64_t count = p->count;
    if (count == 0) {
        combine(p);
        free_partial_results(p);
        return;
    }
    p->combine = combine;
    p->stage = request_begin_one(ctx.request);
    if (p->grid != NULL)
        for (int64_t q = 0; q < count; q++)
            exchange_with_all(ctx, p->grid, p->part[q]);
    for (int64_t q = 0; q < count; q++)
        starpu_data_acquire_on_node_cb(p->part[q], STARPU_MAIN_RAM, STARPU_R, part_arrived, p);
}
