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
 * operands are NULL and the process has matrices on grids of one group of processes only. */
bool is_distributed(const call *c);
/* Returns the same status of a distributed call on all processes of its grid: the least `status` (0
 * or −i) of any process; if all are 0, STARTILE_ERROR_MISMATCH where routines or arguments differ,
 * else 0. Returns `status` for other calls. Collective. */
int agree_on_call(const call *c, int status);
/* Makes all processes submit the tasks of a distributed call, or none. Drops the copies that other
 * processes have of the tiles of written matrices, from tasks of the program: they would go on
 * using them, because loops leave out the tasks by which they would see that a copy is out of date.
 * `checked` is the result of the routine without a request: −(c->count + 1) if the arguments are
 * right. Returns 0 or the error on all processes. Collective. */
int begin_call(const call *c, int checked, startile_request *request);

#endif
