/* Operations that decide at run time what to submit: vectors of numbers that a decision reads, and
 * requests for parts of an operation. */
#include "request/decision.h"

#include "data/handle.h"
#include "data/zero_init.h"
#include "grid/grid.h"
#include "library/thread_state.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

#include <stdlib.h>
#include <string.h>

/* -- values ---------------------------------------------------------------------------------- */

struct values {
    temporary owned;
    const startile_grid *grid; /* each process of it has its own numbers; or NULL */
    starpu_data_handle_t handle;
    int64_t n;
    double in_main_memory[];
};

static void release_values(temporary *owned)
{
    values *v = (values *)owned;
    release_handle(v->handle);
    free(v);
}

static values *new_values(context ctx, const startile_grid *grid, int64_t n)
{
    values *v = malloc(sizeof *v + (size_t)n * sizeof(double));
    if (v == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    v->grid = grid;
    v->n = n;
    memset(v->in_main_memory, 0, (size_t)n * sizeof(double));
    register_temporary(&v->handle, n, 1, sizeof(double));
    if (grid != NULL)
        set_per_process(v->handle);
    own_temporary(ctx, &v->owned, release_values);
    return v;
}

values *values_begin(context ctx, int64_t n)
{
    return new_values(ctx, NULL, n);
}

values *values_on_grid(context ctx, const startile_matrix *A, int64_t n)
{
    return new_values(ctx, A->grid, n);
}

/* element[i] := its largest value on all processes. The bits of numbers >= 0, as integers, have the
 * order of the numbers, and NaN is above all. */
static int largest_on_grid(const startile_grid *g, double *element, int count)
{
    int64_t bits[count];
    memcpy(bits, element, sizeof bits);
    for (int i = 0; i < count; i++)
        bits[i] = -(bits[i] & INT64_MAX); /* NaN may have a sign */
    int failed = grid_least(g, bits, count);
    for (int i = 0; i < count; i++)
        bits[i] = -bits[i];
    memcpy(element, bits, sizeof bits);
    return failed;
}

void values_join(context ctx, values *v, enum join_by how)
{
    enum { AT_ONCE = 4096 };
    if (v == NULL || v->grid == NULL)
        return;
    handle_zero_before_read(v->handle);
    if (handle_acquire_in_main_memory(v->handle, STARPU_RW) != 0) {
        request_fail(ctx.request, STARTILE_ERROR_STARPU);
        return;
    }
    double *number = starpu_data_handle_to_pointer(v->handle, STARPU_MAIN_RAM);
    struct floating_point caller = use_default_floating_point();
    for (int64_t i = 0; i < v->n; i += AT_ONCE) {
        int count = v->n - i < AT_ONCE ? (int)(v->n - i) : AT_ONCE;
        request_fail(ctx.request, how == JOIN_BY_SUM
                                      ? v->grid->network->sum(v->grid, number + i, count)
                                      : largest_on_grid(v->grid, number + i, count));
    }
    restore_floating_point(&caller);
    memcpy(v->in_main_memory, number, (size_t)v->n * sizeof *number);
    handle_release(v->handle, STARPU_MAIN_RAM);
}

const double *values_read(const values *v)
{
    return v->in_main_memory;
}

int values_access(struct starpu_task *t, const values *v, enum starpu_data_access_mode mode)
{
    if (v == NULL)
        return 0;
    task_access(t, v->handle, mode);
    return t->nbuffers;
}

double *values_in_buffer(void **buffers, int buffer, int64_t first)
{
    return buffer == 0 ? NULL : (double *)matrix_buffer(buffers[buffer - 1]).p + first;
}

/* -- decisions ------------------------------------------------------------------------------- */

struct pending_decision {
    struct stage *stage; /* counts the decision as unfinished */
    decision *decide;
    void *arg;
    int count;
    atomic_int missing; /* values not yet in main memory */
    values *v[];
};

/* Copies the vector that is in main memory. A simulation computes no numbers, and decides by zeros.
 */
static void copy_numbers(values *v)
{
#ifndef STARTILE_SIMULATION
    /* not starpu_data_get_local_ptr(): a GPU worker's thread may run this (StarPU quirk 13) */
    memcpy(v->in_main_memory, starpu_data_handle_to_pointer(v->handle, STARPU_MAIN_RAM),
           (size_t)v->n * sizeof(double));
#else
    (void)v;
#endif
}

/* All processes of a grid must decide alike, whatever environment their callers have. */
static void decide_in_default_environment(decision *decide, void *arg)
{
    struct floating_point caller = use_default_floating_point();
    decide(arg);
    restore_floating_point(&caller);
}

/* Callback: one vector is in main memory. After the last one, copies all and decides. */
static void values_arrived(void *arg)
{
    struct pending_decision *d = arg;
    struct stage *stage = d->stage;
    if (atomic_fetch_sub(&d->missing, 1) > 1)
        return;
    for (int i = 0; i < d->count; i++) {
        copy_numbers(d->v[i]);
        starpu_data_release_on_node(d->v[i]->handle, STARPU_MAIN_RAM);
    }
    decide_in_default_environment(d->decide, d->arg);
    free(d);
    request_end_one(stage);
}

void insert_decision(context ctx, int count, values *const *v, decision *decide, void *arg)
{
    if (v[0]->grid != NULL) { /* values_join() has waited */
        decide_in_default_environment(decide, arg);
        return;
    }
    struct pending_decision *d = malloc(sizeof *d + (size_t)count * sizeof(values *));
    if (d == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        decide(arg);
        return;
    }
    *d = (struct pending_decision){request_begin_one(ctx.request), decide, arg, count,
                                   .missing = count};
    memcpy(d->v, v, (size_t)count * sizeof(values *));
    for (int i = 0; i < count; i++)
        starpu_data_acquire_on_node_cb(v[i]->handle, STARPU_MAIN_RAM, STARPU_R, values_arrived, d);
}

/* -- requests for parts of an operation ------------------------------------------------------- */

struct part {
    temporary owned;
    startile_request *request;
};

static void release_part(temporary *owned)
{
    struct part *p = (struct part *)owned;
    startile_request_destroy(p->request);
    free(p);
}

startile_request *request_within(context ctx, startile_products products)
{
    struct part *p = malloc(sizeof *p);
    startile_request *r = NULL;
    int status = p == NULL ? STARTILE_ERROR_MEMORY : startile_request_create(&r);
    if (status != 0) {
        free(p);
        request_fail(ctx.request, status);
        return NULL;
    }
    r->priority = ctx.request->priority;
    if (products != STARTILE_PRODUCTS_AUTO)
        r->products = products;
    r->whole_operation = ctx.request;
    r->verify = 0;
    p->request = r;
    own_temporary(ctx, &p->owned, release_part);
    return r;
}

void request_use_products(startile_request *r, startile_products products)
{
    atomic_store(&r->products, products);
}
