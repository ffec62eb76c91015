/* Operations that decide at run time what to submit: vectors of numbers that a decision reads, and
 * requests for parts of an operation. */
#include "library/runtime.h"

#include "library/thread_state.h"

#include <stdlib.h>
#include <string.h>

/* -- values ---------------------------------------------------------------------------------- */

struct values {
    temporary owned;
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

values *values_begin(context ctx, int64_t n)
{
    values *v = malloc(sizeof *v + (size_t)n * sizeof(double));
    if (v == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    v->n = n;
    memset(v->in_main_memory, 0, (size_t)n * sizeof(double));
    register_temporary(&v->handle, n, 1, sizeof(double));
    own_temporary(ctx, &v->owned, release_values);
    return v;
}

const double *values_read(const values *v)
{
    return v->in_main_memory;
}

starpu_data_handle_t values_handle(const values *v)
{
    return v->handle;
}

int values_access(struct starpu_task *t, const values *v, enum starpu_data_access_mode mode)
{
    if (v == NULL)
        return 0;
    task_access(t, values_handle(v), mode);
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

/* Callback: one vector is in main memory. After the last one, copies all and decides. */
static void values_arrived(void *arg)
{
    struct pending_decision *d = arg;
    struct stage *stage = d->stage;
    if (atomic_fetch_sub(&d->missing, 1) > 1)
        return;
    for (int i = 0; i < d->count; i++) {
        values *v = d->v[i];
        /* not starpu_data_get_local_ptr(): a GPU worker's thread may run this (StarPU quirk 13) */
        memcpy(v->in_main_memory, starpu_data_handle_to_pointer(v->handle, STARPU_MAIN_RAM),
               (size_t)v->n * sizeof(double));
        starpu_data_release_on_node(v->handle, STARPU_MAIN_RAM);
    }
    struct floating_point caller = use_default_floating_point();
    d->decide(d->arg);
    restore_floating_point(&caller);
    free(d);
    request_end_one(stage);
}

void insert_decision(context ctx, int count, values *const *v, decision *decide, void *arg)
{
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
