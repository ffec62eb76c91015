/* Steps of an algorithm: the memory of its messages and temporaries. */
#ifndef STARTILE_STEP_H
#define STARTILE_STEP_H

#include "data/view.h"
#include "request/context.h"
#include "startile.h"

/* begin_step() returns the context of iteration k of an algorithm's outer loop; A is the largest
 * operand on a grid. end_step() takes that context, and frees
 * the step's temporaries, and the copies of tiles that the step's sends and tasks have brought to
 * other processes, after the tasks submitted so far. Between the two, loops may leave out the tasks
 * of other processes, because no process has a copy of a tile from an earlier step, and all have
 * the request's info, which the tasks read.
 *
 * begin_step() bounds the memory on a grid. It waits until the unfinished steps of the request, and
 * another step as large as the largest so far, need at most a quarter of this process' part of A
 * and one block column, or until no step is unfinished. A second block column is left for messages
 * that arrive early. So a process needs 1.25 times its part of A and two block columns, if no step
 * alone needs more. Without a grid it does not wait.
 *
 * begin_paced_step() also waits until all processes of the grid have called it; collective. Without
 * that, a process that only sends never waits in begin_step(), and StarPU-MPI 1.4 allocates memory
 * in the others for messages that arrive before their receive was submitted. Factorizations call
 * begin_step(), because each process waits for results of the others. */
context begin_step(context ctx, const startile_matrix *A, int64_t k);
context begin_paced_step(context ctx, const startile_matrix *A, int64_t k);
void end_step(context ctx);

#endif
