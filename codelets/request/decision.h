/* Operations that decide at run time what to submit. */
#ifndef STARTILE_DECISION_H
#define STARTILE_DECISION_H

#include "request/context.h"
#include "startile.h"

/* n real numbers, initially 0, that tasks write and a decision reads. A temporary of the request;
 * values_begin() fails the request and returns NULL without memory. */
typedef struct values values;
values *values_begin(context ctx, int64_t n);
/* As values_begin(), for tasks on the matrices of A's grid: each process has its own numbers, which
 * its tasks write, until values_join(). */
values *values_on_grid(context ctx, const startile_matrix *A, int64_t n);
/* Waits for the tasks submitted so far that write v, and gives all processes of the grid the
 * largest of their numbers, which are >= 0 or NaN, or the sums. All get the same bits. Collective;
 * without a grid, and for v NULL, it does nothing. */
enum join_by { JOIN_BY_LARGEST, JOIN_BY_SUM };
void values_join(context ctx, values *v, enum join_by how);
/* Returns the numbers in main memory, where a decision or values_join() has copied them. */
const double *values_read(const values *v);

typedef void decision(void *arg);
/* Calls decide(arg) when the tasks submitted so far that write the `count` values have ended and
 * the values are in main memory. decide() runs in a thread of StarPU. It may submit tasks, but must
 * not wait. ctx.request counts the decision as unfinished until decide() returns. Values on a
 * grid are joined: decide(arg) is called at once, on all processes. */
void insert_decision(context ctx, int count, values *const *v, decision *decide, void *arg);

/* Returns a request for a part of the operation of ctx: it has the priority of ctx.request and
 * fails or is cancelled with it, but its failure does not fail ctx.request. Its products in single
 * precision are computed as `products` says. A temporary of ctx.request; NULL without memory. */
startile_request *request_within(context ctx, startile_products products);
/* Changes the products of the tasks that r submits from now on. */
void request_use_products(startile_request *r, startile_products products);

#endif
