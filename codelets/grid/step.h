/* Steps of an algorithm: the memory of its messages and temporaries. */
#ifndef STARTILE_STEP_H
#define STARTILE_STEP_H

#include "data/view.h"
#include "request/context.h"
#include "startile.h"

/* begin_step() returns ctx for iteration k of an algorithm's outer loop; A is the largest operand
 * on a grid. end_step(), with that context, frees the temporaries made since, and all copies of
 * tiles that the step's sends and tasks have brought to other processes, after the tasks
 * submitted so far. In between, loops may leave out the tasks of other processes: no process has a
 * copy of a tile from an earlier step, and all have the request's info, which the tasks read.
 *
 * begin_step() waits for earlier steps of the request: until the unfinished ones and a further one,
 * as large as the largest so far, need at most the memory of a quarter of this process' part of A
 * and one block column, or until no step is unfinished. With another block column for messages that
 * arrive early, a process needs 1.25 times its part of A and two block columns, if no step alone
 * needs more. Without a grid it does not wait.
 *
 * begin_paced_step() also waits until all processes of the grid have come to it. A process that
 * only sends has nothing to wait for in begin_step(), and StarPU-MPI 1.4 allocates memory in the
 * others for messages that arrive before their receive was submitted. Factorizations call
 * begin_step(), because each process waits for results of the others. Collective. */
context begin_step(context ctx, const startile_matrix *A, int64_t k);
context begin_paced_step(context ctx, const startile_matrix *A, int64_t k);
void end_step(context ctx);

#endif
