/* Contexts of tasks: gates, factorizations and temporaries of a request. */
#include "data/handle.h"
#include "request/state.h"

context context_of(startile_request *r)
{
    return (context){.request = r, .step = NO_STEP, .factorization = r->factorizations};
}

context opens_gate(context ctx)
{
    if (ctx.request->gate == NULL)
        register_order(&ctx.request->gate);
    ctx.gate = OPENS_GATE;
    return ctx;
}

context waits_for_gate(context ctx)
{
    ctx.gate = ctx.request->gate != NULL ? WAITS_FOR_GATE : NO_GATE;
    return ctx;
}

context after_factorization(context ctx)
{
    ctx.factorization = ++ctx.request->factorizations;
    return ctx;
}

context without_info(context ctx)
{
    ctx.is_duplicate = true;
    return ctx;
}

/* -- temporaries ----------------------------------------------------------------------------- */

void own_temporary(context ctx, temporary *t, void (*release)(temporary *t))
{
    t->release = release;
    t->stage = ctx.stage;
    starpu_pthread_mutex_lock(&ctx.request->mutex);
    t->next = ctx.request->temporaries;
    ctx.request->temporaries = t;
    starpu_pthread_mutex_unlock(&ctx.request->mutex);
}

temporary *newest_temporary(context ctx)
{
    return ctx.request->temporaries;
}

/* Unlocks the mutex for each release: a release calls StarPU, which may run a callback that locks
 * the mutex. */
void release_temporaries(context ctx, const temporary *oldest)
{
    startile_request *r = ctx.request;
    starpu_pthread_mutex_lock(&r->mutex);
    while (r->temporaries != oldest && r->temporaries != NULL) {
        temporary *t = r->temporaries;
        r->temporaries = t->next;
        starpu_pthread_mutex_unlock(&r->mutex);
        t->release(t);
        starpu_pthread_mutex_lock(&r->mutex);
    }
    starpu_pthread_mutex_unlock(&r->mutex);
}
