/* Contexts of tasks: step, gate, factorization. */
#ifndef STARTILE_CONTEXT_H
#define STARTILE_CONTEXT_H

#include "startile.h"

#include <stdatomic.h>
#include <stdbool.h>

struct stage;
struct temporary;

enum { NO_STEP = -1 };
/* Context of a task: request, stage, step, gate. It is passed by value: a function that changes its
 * copy changes only the tasks that it submits. */
typedef struct {
    startile_request *request;
    struct stage *stage;            /* stage of the step, from begin_step(), or NULL */
    const struct temporary *before; /* newest temporary before begin_step() */
    int64_t step;      /* iteration of the algorithm's outer loop, from 0, for traces; or NO_STEP */
    int factorization; /* number of earlier calls of after_factorization() in the request */
    bool is_factoring; /* set by begin_factorization(); tasks on a grid do not read the info */
    bool is_duplicate; /* no report of info: another process does the same work and reports it, or
                          see without_info() */
    const atomic_bool *superfluous; /* set before tasks that then do nothing; or NULL */
    enum gate { NO_GATE, OPENS_GATE, WAITS_FOR_GATE } gate;
} context;

/* Returns the context for the tasks that an algorithm submits next in the request: no step, no
 * gate. */
context context_of(startile_request *r);
/* Return a context whose tasks open the request's gate, or wait for it. Tasks that open the gate
 * run one after the other. Tasks that wait start after all tasks that open the gate and were
 * submitted before. The gate delays the first tasks of a block until the previous block is nearly
 * finished, and delays tasks until factors are checked. */
context opens_gate(context ctx);
context waits_for_gate(context ctx);
/* begin_factorization() returns ctx for the tasks of a new factorization and gives the request a
 * new info: insert_trsm() with after_info waits for the diagonal tiles of this factorization only.
 * after_factorization() returns ctx for the tasks after an LU factorization. They do nothing if the
 * factorization met a zero pivot. From then on context_of() returns contexts with the same
 * effect. */
context begin_factorization(context ctx);
context after_factorization(context ctx);
/* Returns ctx for tasks whose info > 0, a zero pivot, is no failure of the request. */
context without_info(context ctx);

enum { CRITICAL = 1 << 19 };
/* Returns the priority of a task on the critical path, above those of the request's tasks that are
 * not critical. A GPU with at least three workers reserves one for critical tasks. */
static inline int64_t critical(int64_t priority)
{
    return priority + CRITICAL;
}

#endif
