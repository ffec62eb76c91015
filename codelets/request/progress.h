/* Counts of the operations of submitted and finished tasks, for startile_options::progress. */
#ifndef STARTILE_PROGRESS_H
#define STARTILE_PROGRESS_H

#include "startile.h"

/* Sets the callback. Call it while no task is submitted. */
void progress_configure(const startile_options *o);
/* Count a task that will be submitted, and its end. progress_end() may call the callback. */
void progress_submit(double flops);
void progress_end(double flops);

/* Announces a factorization of A before its tasks are submitted. Its number of operations is
 * `share` times that of an LU factorization of A without the first `finished_columns` block
 * columns. Call end_announcement() when all its tasks are submitted. */
void announce_factorization(const startile_matrix *A, double share, int64_t finished_columns);
void end_announcement(void);

#endif
