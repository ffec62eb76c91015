/* Counts of the operations of submitted and finished tasks, for startile_options::progress. */
#ifndef STARTILE_PROGRESS_H
#define STARTILE_PROGRESS_H

#include "startile.h"

/* Sets the callback. Call it while no task is submitted. */
void progress_configure(const startile_options *o);
/* Count a task that will be submitted, and its end. progress_end() may call the callback. */
void progress_submit(double flops);
void progress_end(double flops);

/* Announces the tasks of a factorization of A that will be submitted: `share` times the operations
 * of an LU factorization, less those of the first `finished_columns` block columns.
 * announcement_ends() tells that all are submitted. */
void announce_factorization(const startile_matrix *A, double share, int64_t finished_columns);
void announcement_ends(void);

#endif
