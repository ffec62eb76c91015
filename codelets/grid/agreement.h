/* Agreement between processes on the call of a routine. */
#ifndef STARTILE_AGREEMENT_H
#define STARTILE_AGREEMENT_H

#include "startile.h"

#include <stdbool.h>

/* An argument of a public function. `hash` is equal on all processes if they pass the same
 * argument. */
typedef struct {
    bool is_operand;          /* a matrix, pivots or a tree, not NULL */
    startile_matrix *written; /* a matrix that the call writes, or NULL */
    startile_grid *grid;      /* grid of the operand, or NULL */
    uint64_t hash;
} argument;

typedef struct {
    const char *routine;
    const argument *list;
    int count;
} call;

argument integer_argument(uint64_t i);
argument number_argument(startile_complex z);
argument matrix_argument(const startile_matrix *A);
argument written_argument(startile_matrix *A);
argument pivots_argument(const startile_pivots *P);
argument permutation_argument(const startile_permutation *P);
argument symmetric_pivots_argument(const startile_symmetric_pivots *P);
/* Returns the argument for a pointer to a result. Processes may pass different pointers. */
argument result_argument(const void *p);

/* Returns whether several processes make the call together: an operand is distributed, or all
 * operands are NULL and the grids of all matrices of this process have the same processes. */
bool is_distributed(const call *c);
/* Returns the status of a distributed call, the same on all processes of its grid: the least
 * `status` (0 or −i) that a process passes, unless all pass 0; then STARTILE_ERROR_MISMATCH if
 * routines or arguments differ, else 0. Returns `status` for a call that is not distributed.
 * Collective. */
int agree_on_call(const call *c, int status);
/* Begins a distributed call that submits tasks. Returns 0 on all processes, which then submit the
 * tasks, or an error on all. `checked`: return value of the routine's check without a request,
 * −(c->count + 1) if the arguments are right. Collective.
 *
 * Drops the copies of written matrices' tiles that the program's own tasks have brought to
 * processes that do not own them. Such a process would go on using an outdated copy, because its
 * loops leave out the tasks that write the tile. */
int begin_call(const call *c, int checked, startile_request *request);

#endif
